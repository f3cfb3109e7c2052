"""Threads, forks, interruptions, memory and start-up."""

import signal
import subprocess
import sys
import threading
import time

import gpu_lsm
import numpy as np
import psutil
import pytest


def test_eight_threads_read_snapshots_beside_a_writer(device):
    d = gpu_lsm.Dictionary("uint32", "uint32", device=device, batch_size=256)
    d.insert(np.arange(1000, dtype="uint32"), 0)
    stop, failures, reads = threading.Event(), [], [0] * 8

    def read(i):
        rng = np.random.default_rng(i)
        while not stop.is_set():
            with d.snapshot() as s:
                # Every batch writes one value to all keys, so a snapshot has one value.
                values, found = s.lookup(rng.integers(0, 1000, 500, "uint32"))
                if not found.all() or len(set(values.tolist())) != 1 or len(s) != 1000:
                    failures.append((i, values))
                reads[i] += 1

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    rounds = 0
    while (rounds < 200 or min(reads) < 20) and not failures:
        rounds += 1
        d.insert(np.arange(1000, dtype="uint32"), rounds)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    d.verify()


def test_eight_threads_write_one_dictionary(device):
    d = gpu_lsm.Dictionary("uint32", "uint32", device=device, batch_size=64)

    def write(i):
        for j in range(20):
            d.insert(np.arange(100, dtype="uint32") + np.uint32(100 * (20 * i + j)), i)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(d) == 16_000
    assert (d.range()[2] == np.repeat(np.arange(8), 2000)).all()


def test_other_threads_run_while_a_call_computes(device):
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 2**63, 2_000_000, "uint64")
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.05)
    start = time.perf_counter()
    d = gpu_lsm.Dictionary.build(keys, keys, device=device)
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = sum(start < tick < end for tick in ticks)
    assert len(d) > 0
    assert inside >= 5, f"{inside} ticks in {end - start:.3f} s"


FORK = """
import os, sys, gpu_lsm, numpy as np
d = gpu_lsm.Dictionary.build(np.arange(100_000), np.arange(100_000), device="host")
s = d.snapshot()
child = os.fork()
if child == 0:
    try:
        for call in (lambda: d.lookup([1]), lambda: s.lookup([1]), lambda: d.insert([1], [2]), lambda: len(d)):
            try:
                call()
                os._exit(1)
            except gpu_lsm.errors.ForkError as error:
                assert "spawn" in str(error)
        for device in ("host", "auto"):
            new = gpu_lsm.Dictionary.build(np.arange(100_000), np.arange(100_000), device=device)
            assert len(new) == 100_000 and new[7] == 7
        del d, s, new
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert len(d) == 100_000
print("done")
"""

SIGNAL = """
import sys, gpu_lsm, numpy as np
d = gpu_lsm.Dictionary.build(np.arange(1 << 22), np.arange(1 << 22), device="host", batch_size=1000)
asked = np.random.default_rng(1).integers(0, 1 << 22, 1 << 24)
print("ready", flush=True)
try:
    while True:
        d.lookup(asked)
except KeyboardInterrupt:
    print("interrupted", len(d))
"""


def test_a_child_gets_an_error_or_works():
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


def test_an_interrupt_ends_a_long_call():
    program = subprocess.Popen([sys.executable, "-c", SIGNAL], stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.3)
    start = time.perf_counter()
    program.send_signal(signal.SIGINT)
    output, _ = program.communicate(timeout=60)
    assert (program.returncode, output) == (0, f"interrupted {1 << 22}\n")
    assert time.perf_counter() - start < 10


def test_ten_thousand_calls_leave_memory_flat(device):
    d = gpu_lsm.Dictionary("int64", "float64", device=device, batch_size=1000)
    keys = np.arange(1000)
    lists = keys[:100].tolist()

    def calls(count):
        for i in range(count):
            d.insert(keys, float(i))
            d.lookup(lists)
            d.range(keys[:10], keys[:10] + 50)
            with d.snapshot() as s:
                s.count(0, 10)
            with pytest.raises(gpu_lsm.errors.LengthError):
                d.insert([1], [1.0, 2.0])

    calls(500)
    before = psutil.Process().memory_info().rss
    calls(2000)
    grown = psutil.Process().memory_info().rss - before
    assert grown < 4 << 20, f"{grown} bytes in 10,000 calls"


def test_it_is_imported_quickly():
    command = "import time, numpy; start = time.perf_counter(); import gpu_lsm; print(time.perf_counter() - start)"
    times = [float(subprocess.check_output([sys.executable, "-c", command])) for _ in range(5)]
    print(f"import takes {sorted(times)[2]:.3f} s")
    assert sorted(times)[2] <= 0.3


def test_no_other_library_is_imported():
    command = "import sys, gpu_lsm; print([name for name in ('pyarrow', 'polars', 'pandas') if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", command], text=True) == "[]\n"
