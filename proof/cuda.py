"""Compiles every emitted CUDA kernel with NVRTC and assembles it with ptxas; no GPU is needed.

    python3 -m pip install nvidia-cuda-nvrtc nvidia-cuda-nvcc
    python3 proof/cuda.py EMITTED TABLE

Writes a table of registers, spills and shared memory by kernel and architecture. The command fails if a kernel does not
compile or spills registers.
"""
import ctypes
import glob
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


def figures(emitted, name, architectures):
    """The number of registers and the bytes of spills of a kernel, for each architecture."""
    nvrtc, assembler = toolkit()
    sources = [emitted / folder(architecture) / f"{name}.cu" for architecture in architectures]
    compiled = [compile_to_ptx(nvrtc, source, architecture) for source, architecture in zip(sources, architectures)]
    return [assemble(assembler, ptx, architecture) for ptx, architecture in zip(compiled, architectures)]


def main():
    emitted, table = map(pathlib.Path, sys.argv[1:3])
    _, assembler = toolkit()
    architectures = [*ARCHITECTURES, newest(assembler)]
    lines = [line.split("\t") for line in (emitted / "kernels.tsv").read_text().splitlines()]
    with multiprocessing.Pool() as pool:
        compiled = pool.starmap(figures, [(emitted, name, architectures) for _, name, _, _ in lines])
    rows, spilled = [], []
    for (_, name, _, shared), numbers in zip(lines, compiled):
        rows.append([name, shared, *[str(number) for pair in numbers for number in pair]])
        spilled += [f"{name} on {architecture}: {spills} bytes"
                    for architecture, (_, spills) in zip(architectures, numbers) if spills]
    head = ["kernel", "shared bytes"] + [f"{what}, {a}" for a in architectures for what in ("registers", "spills")]
    table.write_text("\n".join("\t".join(row) for row in [head, *rows]) + "\n")
    if spilled:
        sys.exit("registers are spilled: " + "; ".join(spilled))
    print(f"{len(rows)} kernels compiled and assembled for {', '.join(architectures)}, none spills")


if __name__ == "__main__":
    main()
