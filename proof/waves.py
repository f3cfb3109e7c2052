"""Tests the harness's shuffles and ballots at wave sizes 32 and 64. At present no emitted kernel uses them.

    python3 proof/waves.py FOLDER
"""
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
UNITS, CUBES, WORDS = 256, 3, 8


def expected(unit, wave):
    def value(lane):
        return (unit // wave * wave + lane) * 3 + 1

    lane = unit % wave
    bits = sum(1 << i for i in range(wave) if (unit - lane + i) % 3 == 0)
    up, down = lane - 2 if lane >= 2 else lane, lane + 2 if lane + 2 < wave else lane
    return [value(5), value(lane ^ 6), value(up), value(down), bits & 0xFFFFFFFF, bits >> 32, value(1), wave]


def main():
    folder = pathlib.Path(sys.argv[1])
    for wave in (32, 64):
        out = folder / f"waves{wave}"
        harness = [sys.executable, HERE / "harness.py", HERE / "harness" / "waves", out, "--wave", str(wave)]
        subprocess.run(harness, check=True)
        words = CUBES * UNITS * WORDS
        launch = struct.pack("<7I", 0, CUBES, 1, 0, 1, words, words * 4) + bytes(words * 4)
        answer = subprocess.run([out / "kernels"], input=launch, capture_output=True, check=True).stdout
        numbers = struct.unpack(f"<{words}I", answer)
        for unit in range(CUBES * UNITS):
            found = list(numbers[unit * WORDS : (unit + 1) * WORDS])
            if found != expected(unit, wave):
                sys.exit(f"wave {wave}, unit {unit}: {found}, expected {expected(unit, wave)}")
    print("shuffles and ballots are right at wave sizes 32 and 64")


if __name__ == "__main__":
    main()
