"""Makes the store of `testdata/stores` that Python has written: `make_golden_store.py FOLDER`."""

import sys

import gpu_lsm


def main(folder: str) -> None:
    """A run with a tombstone below a log."""
    structure = [("to", "u4"), ("cost", "f4")]
    with gpu_lsm.open(
        f"{folder}/datetime64-struct", mode="a", key="datetime64[ms]", value=structure, batch_size=8
    ) as d:
        d.insert(["1969-12-31T23:59", "2026-01-01", "2026-01-02"], [(1, 0.5), (2, 1.5), (4, 3.5)])
        d.delete(["2026-01-02"])
        d.checkpoint()
        d.insert(["2026-01-01"], [(3, 2.5)])


if __name__ == "__main__":
    main(sys.argv[1])
