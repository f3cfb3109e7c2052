# One command does everything that CI does: `just check`.

# Kernels compiled at one plane size must not be loaded at another, so each size has its own cache.
mesa_cache := env("CARGO_TARGET_DIR", justfile_directory() / "target") / "mesa"

# The folder of cargo's test builds.
built := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "debug")

# Everything, including the proofs and the bench's rivals on the CPU. So all lints share one build, and tests, the gate
# and the proofs share another. The proofs' additions to the library do nothing unless an environment variable asks for
# them.
workspace := "--workspace --exclude gpu-lsm-store --exclude gpu-lsm-python --features gpu-lsm-cli/rivals"

# What tests build: not the examples, each of which would be linked with the engine. Lints compile them.
tests := workspace + " --tests"

# The folder of the proofs' programs and results.
proof := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "proof")

default:
    @just --list

# Runs everything that must pass before a change is merged.
check: format repository lint circles scale test planes-short doctest site bare python store ray-beside-builds gate fuzz-short fuzz-store-short prove-kernels sectors-short

# Checks that the source is formatted.
format:
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    cargo fmt --manifest-path fuzz-store/Cargo.toml --check
    cargo fmt --manifest-path examples/burn/Cargo.toml --check
    cargo fmt --manifest-path examples/durable/Cargo.toml --check

# Checks for warnings, also in tests and examples, and in the library and the command as users build them. Checks that no
# command builds the engine a second time, or Parquet.
lint:
    python3 tools/one_engine.py
    cargo clippy --locked {{ workspace }} --all-targets -- -D warnings
    cargo clippy --locked -p gpu-lsm -- -D warnings
    cargo clippy --locked -p gpu-lsm-cli -- -D warnings
    cd fuzz && CARGO_TARGET_DIR={{ fuzzed }} cargo clippy --locked --release -- -D warnings

# Checks that no two files of a crate import each other, and tests what is written in Python for proofs and checks.
circles:
    python3 -m unittest discover tools
    python3 -m unittest discover proof
    python3 -m unittest discover proof/model
    python3 tools/circles.py crates/*

# Tests the simulation of many cards, and that docs/scale.md and its plots are current.
scale:
    python3 -m unittest discover proof/scale

# Writes docs/scale.md and the tables that the simulation shares with the dictionary's tests, and draws the plots, for which it
# needs matplotlib.
scale-document:
    python3 proof/scale tables document plots

# Checks everything in the repository that is not code: dependencies, spelling, links, workflows and templates, packages.
repository: install-repository deny typos links actions package

# Checks the licences and sources of all dependencies, and that none is banned: deny.toml.
deny:
    cargo fetch --locked --quiet
    cargo deny --offline --log-level error check licenses bans sources
    for folder in fuzz fuzz-store examples/durable; do \
        (cd $folder && cargo fetch --locked --quiet && cargo deny --offline --log-level error --config {{ justfile_directory() }}/deny.toml check --allow license-not-encountered \
            licenses bans sources) || exit 1; \
    done

# Asks the advisory database about all dependencies. Needs a network.
advisories: install-repository
    for folder in . fuzz fuzz-store examples/durable examples/burn; do \
        (cd $folder && cargo deny --config {{ justfile_directory() }}/deny.toml check advisories) || exit 1; \
    done

# Checks the spelling of everything: typos.toml.
typos:
    typos

# Checks that links between documents, and to their parts, lead somewhere.
links:
    lychee --offline --no-progress --include-fragments --exclude-path target '**/*.md'

# The same for links to other sites. Needs a network.
links-outside: install-repository
    lychee --no-progress --exclude-path target '**/*.md'

# The folder of the site: its generator, its pages and what is made of them.
site_folder := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "site")

# Makes the site from the repository's Markdown and the crates' documentation: site/html in the target folder. A warning or a
# link that leads nowhere fails.
site: doc site-pages
    rm -rf {{ site_folder }}/html/rust
    cp -r {{ site_folder }}/../doc {{ site_folder }}/html/rust
    test -f {{ site_folder }}/html/rust/gpu_lsm/index.html

# Makes the site without the crates' documentation, in seconds.
site-pages: install-site
    python3 tools/site_pages.py . {{ site_folder }}/pages
    python3 tools/site_reference.py crates/gpu-lsm-python/python/gpu_lsm {{ site_folder }}/pages/docs/python-reference.md
    cp mkdocs.yml {{ site_folder }}
    cd {{ site_folder }} && venv/bin/zensical build --clean --strict
    cd {{ site_folder }} && venv/bin/lychee --offline --no-progress --include-fragments --index-files index.html \
        --root-dir {{ site_folder }}/html --exclude /rust/ 'html/**/*.html'

# Serves the site at localhost:8000. It follows what `just site-pages` makes.
site-serve: site-pages
    cd {{ site_folder }} && venv/bin/zensical serve

[private]
install-site:
    bash .ci/install-site {{ site_folder }}/venv

# Checks workflows, issue forms, the dependency updates' settings and the citation.
actions:
    NODE_PATH="$(npm root --global)" node tools/actions.cjs
    check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
    check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
    check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
    check-jsonschema --builtin-schema vendor.github-issue-forms $(ls .github/ISSUE_TEMPLATE/*.yml | grep -v config.yml)
    check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

# The crates that are published, each after those that it needs. The command needs three of them for `bench`.
published := "-p gpu-lsm-primitives -p gpu-lsm -p gpu-lsm-store -p gpu-lsm-baselines -p gpu-lsm-rivals -p gpu-lsm-bench -p gpu-lsm-cli"

# Packages the crates that are published. Fails if cargo warns of anything but the tests and examples that stay in the
# repository.
package *arguments="--no-verify":
    mkdir -p {{ built }}
    cargo package --color never --locked --allow-dirty {{ arguments }} {{ published }} >{{ parent_directory(built) }}/package.log 2>&1 || \
        { cat {{ parent_directory(built) }}/package.log; exit 1; }
    ! grep -E '^(warning|error)' {{ parent_directory(built) }}/package.log | grep -Ev 'warning: ignoring (test|example)'

# Publishes the crates; `just publish --dry-run` does all but that: docs/release.md.
publish *arguments:
    cargo publish --locked {{ arguments }} {{ published }}

# Prints what the changelog says of a version, and checks that every place that names the version has this one.
release-notes version:
    @python3 tools/release_notes.py {{ version }}

# Checks that the public interface has changed since a commit only as the versions allow: `just semver v0.1.0`.
semver since:
    command -v cargo-semver-checks >/dev/null || cargo install --locked cargo-semver-checks@0.51.0
    cargo semver-checks -p gpu-lsm --only-explicit-features --baseline-rev {{ since }}

# Runs the tests that need no GPU engine, on any system.
host *arguments:
    cargo nextest run --locked {{ without_proofs }} --no-default-features --features gpu-lsm-cli/rivals {{ arguments }}

# Runs all tests, on the host and on the best available GPU; Mesa's software Vulkan runs at plane size 8.
test *arguments: (nextest "256" "100000" arguments)

# All places that stores can be in. Google's is only compiled.
store_features := "--features aws,azure,gcp"

# Stores and the command that looks after them, which has all places that stores can be in. The Python package is named so that all
# three share one build of Arrow and Parquet, which `tools/one_engine.py` checks, and of most of what the clouds need, which nothing
# checks. Here it is linted, not tested.
stores := "-p gpu-lsm-store -p gpu-lsm-cli -p gpu-lsm-python --no-default-features --features gpu-lsm-cli/store,gpu-lsm-python/default"

# Checks and tests stores, on the host and without the engine, on local files, SeaweedFS and Azurite. Writers are killed 8 times in
# each way, 20 races are run on each place, and 100,000 schedules simulated; `just store-long` does more.
store *arguments: install-store
    {{ as_maturin }} cargo clippy --locked --profile quick {{ stores }} --all-targets -- -D warnings
    {{ as_maturin }} cargo clippy --locked --profile quick {{ stores }} --test kinds -- -D warnings
    cargo nextest run --locked --cargo-profile quick {{ stores }} --tests -E 'package(gpu-lsm-store) + test(/^store::/)' \
        {{ if env("CI", "") == "true" { "--profile ci" } else { "" } }} {{ arguments }}
    cargo test --locked --profile quick {{ stores }} --doc

# The long form: 300 kills in each way and on each place, 200 races, ten million schedules, a thousand batches with a checkpoint
# after each, and many lives beside the model.
store-long *arguments: install-store
    GPU_LSM_KILLS=300 GPU_LSM_RACES=200 GPU_LSM_SCHEDULES=10000000 GPU_LSM_BATCHES=1000 GPU_LSM_LIVES=500 \
        cargo nextest run --locked --release -p gpu-lsm-store --lib --test suite {{ store_features }} --profile long --no-fail-fast --success-output final {{ arguments }}

# Lives of every type of keys and values through stores, which take minutes to compile: `just store-kinds`.
store-kinds *arguments:
    cargo nextest run --locked -p gpu-lsm-store --test kinds --config profile.dev.package.gpu-lsm-store.opt-level=0 {{ arguments }}

# Measures durable dictionaries beside storage engines, on the disk of the target folder: `just store-rates insert`, `open` or
# `recover`. `just store-rates insert --features slatedb` has SlateDB too.
store-rates what *arguments:
    cd examples/durable && CARGO_TARGET_DIR={{ parent_directory(built) }} cargo run --locked --release {{ arguments }} -- {{ what }} {{ parent_directory(built) }}/rates

# The environment that the Python package is built and tested in.
venv := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "venv")

# What maturin told PyO3, if it was here. If lints told it something else, each of the two would compile it again after the other.
as_maturin := "env $(ls -t " + parent_directory(venv) / "maturin/pyo3-config-*.txt 2>/dev/null | head -1 | sed 's/^/PYO3_BUILD_EXTENSION_MODULE=1 PYO3_CONFIG_FILE=/')"

# `just python --features gpu` builds it with the engine, and GPU_LSM_TEST_DEVICE names the device of the tests.
# Builds the Python package in a profile that compiles quickly, and lints and tests it in a fresh environment, on the host.
python *arguments: install-store (python-package "quick" arguments)
    {{ as_maturin }} cargo clippy --locked --profile quick -p gpu-lsm-python {{ arguments }} -- -D warnings
    cd crates/gpu-lsm-python && {{ venv }}/bin/ruff format --check . && {{ venv }}/bin/ruff check .
    cd crates/gpu-lsm-python && {{ venv }}/bin/mypy --package gpu_lsm && {{ venv }}/bin/stubtest gpu_lsm._gpu_lsm
    cd crates/gpu-lsm-python && {{ venv }}/bin/pytest -q

# PyPI's torch for Linux has CUDA in it, 2.9 GB; `just python-torch --index-url URL` takes PyTorch's own index of CPU builds.
# Tests the installed package with torch, which is too large for every run. After `just python`.
python-torch *arguments:
    {{ venv }}/bin/pip install --quiet {{ arguments }} torch==2.15.0
    cd crates/gpu-lsm-python && {{ venv }}/bin/pytest -q tests-torch

# Executes the notebooks of the Python package, and leaves them as pages beside the environment. After `just wheel`.
python-notebooks:
    {{ venv }}/bin/pip install --quiet --requirement crates/gpu-lsm-python/requirements-notebooks.txt
    cd crates/gpu-lsm-python/notebooks && {{ venv }}/bin/python -m nbconvert --to html --execute --output-dir {{ venv }}-notebooks *.ipynb

# Compares the rates of the Python package with those of Rust, on the host. After `just wheel`.
python-rates:
    cargo build --locked --release -p gpu-lsm-python --example rates
    {{ venv }}/bin/python crates/gpu-lsm-python/rates/rates.py {{ parent_directory(venv) }}/release/examples/rates

# Builds a wheel that every Linux with glibc 2.17 or later can install, with the compiler of PyPI's `ziglang`. After `just wheel`.
wheel-manylinux *arguments:
    {{ venv }}/bin/pip install --quiet ziglang==0.15.2
    PATH="{{ venv }}/bin:$PATH" {{ venv }}/bin/maturin build --release --locked --manifest-path crates/gpu-lsm-python/Cargo.toml --zig \
        --compatibility manylinux2014 --interpreter {{ venv }}/bin/python --out {{ venv }}-wheels/manylinux {{ arguments }}

# Tests the package on Ray, with the short form of the chaos run, and lints the manifest. After `just python`.
ray: install-ray
    {{ venv }}/bin/yamllint --strict --config-data '{rules: {line-length: {max: 140}}, extends: default}' docs/ray/kuberay.yaml
    cd crates/gpu-lsm-python && {{ venv }}/bin/mypy --package gpu_lsm
    cd crates/gpu-lsm-python && {{ venv }}/bin/pytest -q tests-ray

# Ray's tests often wait for what was killed to come back. The fuzz targets are built in the time that they leave.
[private]
ray-beside-builds:
    nice -n 19 just fuzz-build fuzz-store-build & built=$!; just ray; tested=$?; wait $built && exit $tested

# Kills actors every 10 seconds and nodes every 2 minutes while batches are written and compared: docs/ray.md has its figures.
ray-chaos seconds="1200": install-ray
    cd crates/gpu-lsm-python/tests-ray && PATH="{{ venv }}/bin:$PATH" python chaos.py --seconds {{ seconds }}

# Measures what Ray costs for each call, and several shards on one machine.
ray-rates: install-ray
    cd crates/gpu-lsm-python/tests-ray && {{ venv }}/bin/python rates.py

# Checks the protocol of shards on many machines, without Ray, in 100,000 random histories.
ray-histories:
    cd crates/gpu-lsm-python && GPU_LSM_HISTORIES=100000 {{ venv }}/bin/pytest -q tests/test_cluster_protocol.py

[private]
install-ray: install-store
    # Not compiled, since most of Ray is never imported.
    {{ venv }}/bin/pip install --quiet --no-compile --requirement crates/gpu-lsm-python/tests-ray/requirements.txt

# Builds the Python package's wheel as it is released, and installs it into a fresh environment.
wheel *arguments: (python-package "release" arguments)

[private]
python-package profile *arguments:
    rm -rf {{ venv }} {{ venv }}-wheels
    python3 -m venv {{ venv }}
    {{ venv }}/bin/pip install --quiet --requirement crates/gpu-lsm-python/requirements.txt
    {{ venv }}/bin/maturin build --profile {{ profile }} --locked --manifest-path crates/gpu-lsm-python/Cargo.toml \
        --interpreter {{ venv }}/bin/python --out {{ venv }}-wheels {{ arguments }}
    {{ venv }}/bin/pip install --quiet {{ venv }}-wheels/*.whl

# The model test of stores between the host and a GPU. Builds the engine again, with the features that stores give its dependencies.
store-gpu:
    GPU_LSM_STORE_DEVICE=gpu cargo nextest run --locked -p gpu-lsm-store --features wgpu --test suite --test kinds -E 'test(/^model::/) + binary(kinds)'

# The GPU tests, except those of the command, of the bench and of the largest buffers, and those that do not depend on the
# plane size or on the shape of kernels: budgets, costs, exhaustion, settings, and a soak.
same_everywhere := "test(/limits|pieces|budget|costs|exhaustion|settings|soak|chains::long/)"
gpu_tests := "test(/gpu/) - " + same_everywhere + " - package(gpu-lsm-cli) - package(gpu-lsm-bench)"

# Those of them that CI repeats: every primitive, and the dictionary beside its model and its corpus. What else the
# dictionary does, it does with the same primitives; injected faults never reach a driver.
whole_lives := "test(/^(model|corpus)::/)"
gpu_tests_short := "(" + gpu_tests + ") & (package(gpu-lsm-primitives) + " + whole_lives + ")"

# Runs the GPU tests at the other plane sizes of Mesa's software Vulkan, 4 and 16.
planes: (tests_at "128" gpu_tests) (tests_at "512" gpu_tests)

# Runs the GPU tests with the tiles that GPUs have, at plane size 8.
staged: (staged_at "256" gpu_tests)

# The short form of both for CI: a part of the tests at plane size 4, and with the tiles that GPUs have at 16. A million items
# would take half of the time: `just test` has them at plane size 8, `just planes` and `just staged-planes` at all.
planes-short:
    GPU_LSM_LARGEST=262145 just tests_at 128 "{{ gpu_tests_short }}" 3000
    GPU_LSM_LARGEST=262145 just staged_at 512 "{{ gpu_tests_short }}" 3000

# Runs the GPU tests with the tiles that GPUs have, at all plane sizes.
staged-planes: (staged_at "128" gpu_tests) (staged_at "256" gpu_tests) (staged_at "512" gpu_tests)

[private]
tests_at width filter operations="10000":
    just nextest {{ width }} {{ operations }} "-E '{{ filter }}'"

[private]
staged_at width filter operations="10000":
    GPU_LSM_TILES=staged just tests_at {{ width }} "{{ filter }}" {{ operations }}

[private]
nextest width operations *arguments:
    mkdir -p {{ mesa_cache }}
    LP_NATIVE_VECTOR_WIDTH={{ width }} MESA_SHADER_CACHE_DIR={{ mesa_cache }}/{{ width }} \
    GPU_LSM_MODEL_OPERATIONS={{ operations }} \
        cargo nextest run --locked {{ tests }} {{ if env("CI", "") == "true" { "--profile ci" } else { "" } }} {{ arguments }}

# Runs random lives with new seeds against the model, with every type of keys: `just soak 60 gpu`. A mismatch fails.
soak minutes device="host":
    mkdir -p {{ mesa_cache }}
    cargo build --locked {{ workspace }} --bin gpu-lsm-soak
    LP_NATIVE_VECTOR_WIDTH=256 MESA_SHADER_CACHE_DIR={{ mesa_cache }}/256 \
        {{ built }}/gpu-lsm-soak {{ minutes }} {{ device }}

# The folder of fuzzing: its build, the inputs that reach new code, and those that crash.
fuzzed := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "fuzz")

# Runs one of `fuzz/fuzz_targets` on the host for this many seconds, starting from the inputs of earlier runs.
fuzz target seconds:
    mkdir -p {{ fuzzed }}/corpus/{{ target }} {{ fuzzed }}/crashes/{{ target }}
    cd fuzz && CARGO_TARGET_DIR={{ fuzzed }} cargo run --locked --quiet --release --bin {{ target }} -- \
        -max_total_time={{ seconds }} -max_len=512 -len_control=0 -timeout=20 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix={{ fuzzed }}/crashes/{{ target }}/ {{ fuzzed }}/corpus/{{ target }}

[private]
fuzz-build:
    cd fuzz && CARGO_TARGET_DIR={{ fuzzed }} cargo build --locked --quiet --release

# Runs every fuzz target, all at the same time, for this many seconds.
fuzz-all seconds: fuzz-build
    just at_once fuzz "operations kinds failures" {{ seconds }}

# Runs every fuzz target for so long that each has half a minute of one of two processors, in CI.
fuzz-short: (fuzz-all "45")

# Runs a recipe for several fuzz targets at the same time. Fails if one of them does, when all have ended.
[private]
at_once recipe targets seconds:
    started=""; for target in {{ targets }}; do just {{ recipe }} $target {{ seconds }} & started="$started $!"; done; \
        failed=0; for process in $started; do wait $process || failed=1; done; exit $failed

# Runs one of `fuzz-store/fuzz_targets` for this many seconds, starting from the stores of testdata and the inputs of earlier runs.
# Files of runs have more time: Parquet's reader (59.3) counts, one by one, billions of things that a forged footer says it has.
fuzz-store target seconds:
    mkdir -p {{ fuzzed }}/corpus/{{ target }} {{ fuzzed }}/crashes/{{ target }}
    cd fuzz-store && CARGO_TARGET_DIR={{ fuzzed }} cargo run --locked --quiet --release --bin {{ target }} -- \
        -max_total_time={{ seconds }} -max_len=4096 -len_control=0 -timeout={{ if target == 'runs' { '600' } else { '20' } }} -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix={{ fuzzed }}/crashes/{{ target }}/ {{ fuzzed }}/corpus/{{ target }} ../testdata/stores/*/*/{{ target }}

[private]
fuzz-store-build:
    cd fuzz-store && export CARGO_TARGET_DIR={{ fuzzed }} && \
        cargo clippy --locked --release -- -D warnings && cargo build --locked --quiet --release

# Runs every fuzz target of stores, all at the same time, for this many seconds.
fuzz-store-all seconds: fuzz-store-build
    just at_once fuzz-store "manifest log runs" {{ seconds }}

# Runs every fuzz target of stores for a minute, in CI.
fuzz-store-short: (fuzz-store-all "60")

# Prints an input that crashed, and runs it: `just fuzz-again kinds FILE`, or of a store `just fuzz-again runs FILE fuzz-store`.
fuzz-again target file folder="fuzz":
    cd {{ folder }} && export CARGO_TARGET_DIR={{ fuzzed }} && \
        RUST_LIBFUZZER_DEBUG_PATH=/dev/stdout cargo run --locked --quiet --release --bin {{ target }} -- {{ absolute_path(file) }} && \
        cargo run --locked --quiet --release --bin {{ target }} -- {{ absolute_path(file) }}

# Compiles and runs every example in the documentation.
doctest:
    cargo test --locked {{ workspace }} --doc

# Checks that the documentation has no broken link, and that every public method of the library has an example.
doc:
    python3 tools/examples.py crates/gpu-lsm
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --profile quick {{ stores }}

# Checks the build without default features: only the host remains, and no GPU engine is compiled.
bare:
    cargo clippy --locked {{ without_proofs }} --all-targets --no-default-features -- -D warnings
    tree="$(cargo tree --locked {{ without_proofs }} --no-default-features --edges normal)" && ! echo "$tree" | grep cubecl

# The proofs need a GPU engine.
without_proofs := "--workspace --exclude gpu-lsm-proof --exclude gpu-lsm-store --exclude gpu-lsm-python"

# Builds and runs the example with Burn's tensors, in a folder of its own: `just burn`. See examples/burn/README.md.
burn device="gpu":
    cd examples/burn && CARGO_TARGET_DIR={{ absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "burn") }} \
        cargo run --locked -- {{ device }}

# Measures insert, lookup, count and range rates of the host, the best GPU and `BTreeMap`, in one run.
rates:
    cargo run --locked --release -p gpu-lsm --example rates

# Runs the evaluation, including rivals on the CPU: `just bench all --device host`. See REPRODUCE.md.
bench *arguments:
    cargo run --locked --release -p gpu-lsm-cli -- bench {{ arguments }}

# Checks that no row of a small bench has become slower, relative to the paper's LSM in the same run, than recorded.
gate *arguments:
    mkdir -p {{ mesa_cache }}
    cargo build --locked {{ workspace }} --bin gpu-lsm
    for device in host gpu; do \
        LP_NATIVE_VECTOR_WIDTH=256 MESA_SHADER_CACHE_DIR={{ mesa_cache }}/256 \
            {{ built }}/gpu-lsm bench gate --device $device {{ arguments }} || exit 1; \
    done

# Tests whether a change made anything slower: two builds of the command take turns on one device.
pairs old new device *pairs:
    mkdir -p {{ mesa_cache }}
    LP_NATIVE_VECTOR_WIDTH=256 MESA_SHADER_CACHE_DIR={{ mesa_cache }}/256 \
        python3 tools/pairs.py {{ old }} {{ new }} {{ device }} {{ pairs }}

# Tests whether the host's tests notice small changes to the code, chosen at random by a seed.
mutants count="300" seed=`date +%s`:
    command -v cargo-mutants >/dev/null || cargo install --locked cargo-mutants@27.1.0
    python3 tools/mutants.py {{ count }} {{ seed }}

# Measures how many lines of the dictionary and of the host's primitives the host's tests cover.
coverage *arguments:
    bash tools/coverage {{ arguments }}

# Writes the results into README and docs/measurements.md, and one page with all of them. A test checks that they are current.
documents: (bench "report --markdown")

# Runs all proofs that need no GPU, and writes the tables of their results: see docs/proofs.md.
prove: install prove-drivers prove-kernels prove-races prove-order
    GPU_LSM_TILES=staged just elsewhere wave32 "{{ primitives_elsewhere }} + {{ dictionary_elsewhere }}" wave32
    GPU_LSM_CUBE_ORDER=2 GPU_LSM_TILES=staged just elsewhere bounds "{{ primitives_elsewhere }}" bounds
    GPU_LSM_TILES=direct just elsewhere wave32 "{{ primitives_elsewhere }} + {{ dictionary_elsewhere }}" wave32-direct
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/wave64 --wave 64
    GPU_LSM_CUBE_ORDER=1 GPU_LSM_TILES=direct just elsewhere wave64 "{{ primitives_elsewhere }}" wave64-direct
    GPU_LSM_CUBE_ORDER=3 GPU_LSM_TILES=staged just elsewhere wave64 \
        "{{ primitives_elsewhere }} + {{ dictionary_elsewhere }}" wave64
    GPU_LSM_CUBE_ORDER=4 GPU_LSM_TILES=staged just elsewhere bounds "{{ dictionary_elsewhere }}" bounds-dictionary
    GPU_LSM_CUBE_ORDER=2 GPU_LSM_TILES=direct just elsewhere bounds "{{ primitives_elsewhere }}" bounds-direct
    python3 proof/table.py {{ proof }} proof/cuda.tsv proof/KERNELS.md

[private]
install:
    bash .ci/install

[private]
install-store:
    bash .ci/install-store

[private]
install-repository:
    bash .ci/install-repository

# Emits every kernel as CUDA, HIP and Metal source, into a folder that is not committed.
emit folder="emitted":
    rm -rf {{ proof }}/{{ folder }}
    cargo build --quiet --locked {{ workspace }} --bin gpu-lsm-proof
    {{ built }}/gpu-lsm-proof {{ proof }}/{{ folder }}

# The short form for CI: emits every kernel, compiles it for CUDA, and runs its HIP source as GPUs do: at waves of 32, and at
# waves of 64 under AddressSanitizer. Sizes end at 4,097 items, and of the dictionary's tests whole lives are run;
# `just prove` runs the rest.
prove-kernels: emit
    python3 proof/cuda.py {{ proof }}/emitted proof/cuda.tsv
    git diff --exit-code -- proof/cuda.tsv
    python3 proof/since.py {{ proof }}/emitted proof/KERNELS.md
    python3 proof/waves.py {{ proof }}
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/wave32 --wave 32
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/bounds --wave 64 --sanitizer address
    export GPU_LSM_LARGEST=4097 GPU_LSM_TILES=staged && \
        just elsewhere wave32 "{{ primitives_elsewhere }} + ({{ dictionary_elsewhere }}) & {{ whole_lives }}" wave32-short && \
        GPU_LSM_CUBE_ORDER=2 just elsewhere bounds "{{ primitives_elsewhere }}" bounds-short

# Counts the memory transactions of every kernel and of whole operations, and writes their tables (docs/sectors.md) and the
# modelled times that follow from them (docs/model.md).
sectors: emit counter (count "kernels") (count "operations")
    python3 proof/sectors.py kernels proof/sectors.tsv {{ proof }}/kernels --all {{ proof }}/emitted/kernels.tsv
    python3 proof/sectors.py operations proof/operations.tsv {{ proof }}/operations
    python3 proof/model table proof/launches.tsv {{ proof }}/kernels/*.jsonl {{ proof }}/operations/*.jsonl
    just model

# The short form for CI: counts the kernels for 32-bit keys and values, and a small dictionary.
sectors-short: emit counter (count "kernels" "short") (count "operations" "short")
    python3 proof/sectors.py kernels proof/sectors.tsv {{ proof }}/kernels --check
    python3 proof/sectors.py operations proof/operations.tsv {{ proof }}/operations --check

# Makes the program that counts, and tests it.
[private]
counter:
    python3 proof/known.py {{ proof }}
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/count --count
    cargo build --quiet --locked {{ workspace }} --bin gpu-lsm-sectors

[private]
count what size="":
    rm -rf {{ proof }}/{{ what }}
    mkdir -p {{ proof }}/{{ what }}
    for tiles in direct staged; do \
        GPU_LSM_TILES=$tiles GPU_LSM_KERNELS={{ proof }}/count/kernels \
        GPU_LSM_SECTORS={{ proof }}/{{ what }}/$tiles.jsonl {{ built }}/gpu-lsm-sectors {{ what }} {{ size }} || exit 1; \
    done

# Writes the modelled times of kernels and operations on named cards, from what was counted.
model:
    python3 proof/model document proof/launches.tsv proof/cuda.tsv docs/model.md

# Looks for races, and checks that they would be found.
prove-races: emit
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/races --sanitizer thread
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/cubes --sanitizer thread --cubes-apart
    for tiles in direct staged; do \
        for program in races cubes; do \
            GPU_LSM_TILES=$tiles just elsewhere $program "{{ primitives_elsewhere }}" $program-$tiles || exit 1; \
        done; \
    done
    python3 proof/detector.py {{ proof }}/emitted {{ proof }} -- just elsewhere_command

# Checks that small cubes in narrow grids and in another order give the same bytes, on the CPU and on the driver. Cubes of
# 16 units can't stage a tile.
prove-order:
    GPU_LSM_UNITS=64 just emit emitted64
    python3 proof/harness.py {{ proof }}/emitted64 {{ proof }}/order --units 64
    mkdir -p {{ mesa_cache }}
    for tiles in direct staged; do \
        export GPU_LSM_TILES=$tiles; \
        GPU_LSM_UNITS=64 GPU_LSM_GRID_WIDTH=3 GPU_LSM_CUBE_ORDER=5 \
            just elsewhere order "{{ primitives_elsewhere }} + {{ dictionary_elsewhere }}" order-$tiles || exit 1; \
        for units in 16 32 128; do \
            if [ $tiles$units = staged16 ]; then continue; fi; \
            LP_NATIVE_VECTOR_WIDTH=256 MESA_SHADER_CACHE_DIR={{ mesa_cache }}/256 \
            GPU_LSM_UNITS=$units GPU_LSM_GRID_WIDTH=7 just on_driver "" || exit 1; \
        done; \
    done

# Runs the GPU tests on every available software Vulkan driver in both shapes, and writes their table in docs/proofs.md.
prove-drivers:
    python3 proof/drivers.py {{ proof }} docs/proofs.md -- just on_driver

# Tests of the largest buffers and of the command, and tests that are too long for kernels on the CPU.
too_large := "test(/limits|pieces|million|long|more_than_a_tile_of_tiles|32_bits|eight_readers|space|faults|self_test|budget|costs|chains|soak|exhaustion|settings/)"
primitives_elsewhere := "package(gpu-lsm-primitives) & test(/gpu/) - " + too_large
dictionary_elsewhere := "package(gpu-lsm) & test(/gpu/) - " + too_large + " - test(/shared|engine|choice_of_gpu/)"

# Runs tests with kernels compiled from the emitted sources, and records which kernels they launch.
[private]
elsewhere program filter record:
    rm -rf {{ proof }}/launched/{{ record }}
    mkdir -p {{ proof }}/launched/{{ record }}
    GPU_LSM_KERNELS={{ proof }}/{{ program }}/kernels GPU_LSM_LAUNCHED={{ proof }}/launched/{{ record }} \
        just elsewhere_command "{{ filter }}"

[private]
elsewhere_command filter:
    GPU_LSM_LARGEST=${GPU_LSM_LARGEST:-12295} GPU_LSM_BUSY=512 GPU_LSM_MODEL_OPERATIONS=1500 TSAN_OPTIONS="halt_on_error=1 history_size=0" \
        cargo nextest run --locked {{ tests }} --no-fail-fast --profile elsewhere -E "{{ filter }}"

# Runs the GPU tests, except those with injected faults, which never reach a driver, and those of the baselines, whose
# kernels the primitives' tests launch.
[private]
on_driver features filter="all()":
    GPU_LSM_MODEL_OPERATIONS=${GPU_LSM_MODEL_OPERATIONS:-1000} GPU_LSM_LARGEST=${GPU_LSM_LARGEST:-262145} \
        cargo nextest run --locked {{ tests }} --features "{{ features }}" --no-fail-fast --success-output immediate \
        -E "({{ gpu_tests }} - package(gpu-lsm-baselines) - test(/faults|eight_readers/)) & {{ filter }}"
