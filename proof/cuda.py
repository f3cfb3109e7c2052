"""Compiles every emitted CUDA kernel with NVRTC and assembles it with ptxas; no GPU is needed.

    python3 -m pip install nvidia-cuda-nvrtc nvidia-cuda-nvcc
    python3 proof/cuda.py EMITTED TABLE

Writes a table of registers, spills and shared memory by kernel and architecture. The command fails if a kernel does not
compile or spills registers. What earlier runs of the same compiler and assembler found for the same sources is kept beside
EMITTED, and not compiled again.
"""
import ctypes
import glob
import hashlib
import json
import multiprocessing
import pathlib
import re
import site
import subprocess
import sys
import tempfile

#: The newest architecture that the assembler knows is added. From 90 on, the engine asks for the variant `a`.
ARCHITECTURES = ["sm_80", "sm_90a"]


def toolkit():
    for base in [*site.getsitepackages(), site.getusersitepackages()]:
        for root in sorted(glob.glob(f"{base}/nvidia/cu*"), reverse=True):
            libraries, assembler = glob.glob(f"{root}/lib/libnvrtc.so.*"), pathlib.Path(root) / "bin" / "ptxas"
            if libraries and assembler.exists():
                return ctypes.CDLL(libraries[0]), assembler
    sys.exit("install the packages nvidia-cuda-nvrtc and nvidia-cuda-nvcc")


def versions(nvrtc, assembler):
    """The versions of the compiler and of the assembler."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    assert nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0
    text = subprocess.run([assembler, "--version"], capture_output=True, text=True, check=True).stdout
    return f"nvrtc {major.value}.{minor.value}\n{text}"


def newest(assembler):
    text = subprocess.run([assembler, "--help"], capture_output=True, text=True, check=True).stdout
    known = re.findall(r"'sm_(\d+)'", text)
    return f"sm_{max(map(int, known))}a"


def folder(architecture):
    """The folder of the sources that the engine would compile for a card of this architecture."""
    return "cuda_80" if int(re.sub(r"\D", "", architecture)) < 90 else "cuda_90"


def compile_to_ptx(nvrtc, source, architecture):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), b"kernel.cu", 0, None, None) == 0
    options = [f"--gpu-architecture={architecture.replace('sm', 'compute')}".encode(), b"--std=c++17"]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))

    def read(kind):
        getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{kind}")(program, buffer)
        return buffer.value

    if failed:
        sys.exit(f"{source.name} for {architecture}: {read('ProgramLog').decode()}")
    ptx = read("PTX")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx


def assemble(assembler, ptx, architecture):
    """The number of registers, and the bytes of spills."""
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [assembler, "-v", f"-arch={architecture}", file.name, "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    registers = re.search(r"Used (\d+) registers", done.stderr)
    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
    return int(registers[1]), int(spills[1]) + int(spills[2])


def figures(source, architecture):
    """The number of registers and the bytes of spills of a kernel."""
    nvrtc, assembler = toolkit()
    return assemble(assembler, compile_to_ptx(nvrtc, source, architecture), architecture)


def all_figures(jobs, tools, file):
    """The figures of each source for its architecture. Those that the file has, of the same tools, are taken from it."""
    kept = json.loads(file.read_text()) if file.exists() else {}
    keys = [hashlib.sha256(f"{tools}\n{architecture}\n".encode() + source.read_bytes()).hexdigest()
            for source, architecture in jobs]
    missing = [(key, job) for key, job in zip(keys, jobs) if key not in kept]
    with multiprocessing.Pool() as pool:
        kept.update(zip([key for key, _ in missing], pool.starmap(figures, [job for _, job in missing])))
    file.write_text(json.dumps({key: kept[key] for key in keys}))
    return [kept[key] for key in keys], len(missing)


def main():
    emitted, table = map(pathlib.Path, sys.argv[1:3])
    nvrtc, assembler = toolkit()
    architectures = [*ARCHITECTURES, newest(assembler)]
    lines = [line.split("\t") for line in (emitted / "kernels.tsv").read_text().splitlines()]
    jobs = [(emitted / folder(architecture) / f"{name}.cu", architecture)
            for _, name, _, _ in lines for architecture in architectures]
    found, anew = all_figures(jobs, versions(nvrtc, assembler), emitted.with_name(f"{emitted.name}-cuda.json"))
    compiled = [found[at:at + len(architectures)] for at in range(0, len(found), len(architectures))]
    rows, spilled = [], []
    for (_, name, _, shared), numbers in zip(lines, compiled):
        rows.append([name, shared, *[str(number) for pair in numbers for number in pair]])
        spilled += [f"{name} on {architecture}: {spills} bytes"
                    for architecture, (_, spills) in zip(architectures, numbers) if spills]
    head = ["kernel", "shared bytes"] + [f"{what}, {a}" for a in architectures for what in ("registers", "spills")]
    table.write_text("\n".join("\t".join(row) for row in [head, *rows]) + "\n")
    if spilled:
        sys.exit("registers are spilled: " + "; ".join(spilled))
    print(f"{len(rows)} kernels compiled and assembled for {', '.join(architectures)}, none spills; {anew} of {len(jobs)} anew")


if __name__ == "__main__":
    main()
