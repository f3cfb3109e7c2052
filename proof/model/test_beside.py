"""Tests that what stands beside measured times is the same work, and of the same card."""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import beside
import bounds
import cards
import counted
import ours
from bounds import Launch
from test_model import WithTables

PROJECT = pathlib.Path(__file__).parents[2]
A100 = cards.read()[2]["A100"]


def launch(kernel, cubes, loads=64, wave=32):
    """The line of a journal for a launch that loads so many distinct sectors."""
    counts = dict.fromkeys(bounds.COUNTS, cubes) | {"load_compulsory": loads, "load_l2": 4 * loads, "load_sectors": 4 * loads}
    return [json.dumps({"kernel": kernel, "wave": wave, "cubes": cubes} | counts)]


class Journals(WithTables):
    def rows(self, *lines):
        """The rows of a journal's table: kernel, wave, launches, cubes and compulsory loads."""
        head, *rows = counted.summed(self.file(*lines, name="staged.jsonl"))
        columns = [head.index(name) for name in ("kernel", "wave", "launches", "cubes", "load_compulsory")]
        return [tuple(row[at] for at in columns) for row in rows]

    def test_a_case_counts_once_although_it_is_repeated_for_other_widths(self):
        section = [["#", "case", "sort"], launch("sort_tiles_u32", 31), launch("sort_tiles_u32", 31, wave=64),
                   launch("sort_merge_u32", 47), launch("sort_merge_u32", 47)]
        of_wide_keys = [["#", "case", "sort"], launch("sort_tiles_u64", 57), launch("scan_apply", 1)]
        rows = self.rows(*section, *section, ["#", "case", "scan"], launch("scan_apply", 1), *section, *of_wide_keys)
        self.assertEqual(rows, [("sort_tiles_u32", 32, 1, 31, 64), ("sort_tiles_u32", 64, 1, 31, 64),
                                ("sort_merge_u32", 32, 2, 94, 128), ("scan_apply", 32, 1, 1, 64), ("scan_apply", 32, 1, 1, 64)])

    def test_a_case_that_is_repeated_with_other_kernels_counts_whole(self):
        rows = self.rows(["#", "case", "recode"], launch("recode_i32", 5), ["#", "case", "recode"], launch("recode_f32", 7))
        self.assertEqual([row[:4] for row in rows], [("recode_i32", 32, 1, 5), ("recode_f32", 32, 1, 7)])

    def test_levels_of_other_sizes_have_rows_of_their_own_the_largest_first(self):
        levels = [launch("search_u32_1", 8, loads) for loads in (1, 1000, 1040, 4096, 64)]
        lookup = ["#", "operation", "gpu-lsm", "lookup, present", 2**17, 2**11, 5, 0]
        for rows in (self.rows(*levels, lookup), self.rows(["#", "case", "search"], *levels)):
            self.assertEqual([row[2:] for row in rows], [(1, 8, 4096), (2, 16, 2040), (1, 8, 64), (1, 8, 1)])

    def test_operations_count_whenever_they_are_repeated(self):
        insert = [launch("copy", 3), ["#", "operation", "gpu-lsm", "insert", 2**18, 4096, 1, 0]]
        self.assertEqual(self.rows(*insert, *insert), [("copy", 32, 2, 6, 128)])


class MoreQueries(unittest.TestCase):
    def query(self, *launches):
        return counted.Operation("gpu-lsm", "lookup, present", 2**17, 2**11, 0, tuple((launch, 6) for launch in launches))

    def test_what_streams_grows_with_the_queries(self):
        scan = Launch("scan_apply", 8, loads=10, load_l2=100, load_compulsory=90, store_compulsory=5)
        grown = self.query(scan).asked(8)
        self.assertEqual(grown.launches, ((scan.times(8), 6),))
        self.assertEqual((grown.n, grown.operations), (2**17, 2**14))

    def test_more_queries_of_one_structure_find_the_same_sectors(self):
        keys = 2**11 * 4 / 32
        search = Launch("search_u32_1", 8, load_l2=keys + 4000, load_compulsory=keys + 1000)
        [(grown, _)] = self.query(search).asked(8).launches
        self.assertEqual((grown.cubes, grown.load_l2), (64, 8 * search.load_l2))
        # 4,000 loads found nearly all there are.
        self.assertTrue(8 * keys + 1000 < grown.load_compulsory < 8 * keys + 1050, grown.load_compulsory)
        apart = dataclasses.replace(search, load_compulsory=search.load_l2)
        self.assertEqual(self.query(apart).asked(8).launches[0][0].load_compulsory, 8 * search.load_l2)

    def test_as_many_queries_are_the_same_work_and_fewer_find_less(self):
        search = Launch("search_u32_1", 8, load_l2=5000, load_compulsory=3000)
        loads = [self.query(search).asked(factor).launches[0][0].load_compulsory for factor in (1 / 4, 1)]
        self.assertAlmostEqual(loads[1], 3000)
        self.assertTrue(3000 / 4 < loads[0] < 3000 / 2, loads)


class SameWork(WithTables):
    def tables(self):
        counts = ["#", "operation", "gpu-lsm", "count, L = 1024", 2**17, 128, 2, 0]
        sort = [["#", "case", "sort"], launch("sort_tiles_u32", 16), launch("sort_merge_u32", 8)]
        journal = self.file(*sort, *sort, ["#", "preparation"], *[launch("tally_between_u32", 1)] * 2, counts, name="staged.jsonl")
        return self.file(*counted.summed(journal)), self.cuda

    def test_as_many_queries_are_modelled_as_were_measured(self):
        row = {"case": "count", "L": 1024, "structure": "gpu-lsm", "n": 2**21, "b": 2**15, "operations": 16384.0,
               "effective": 1e6, "on_device": None, "traffic": [0, 2, 0, 0]}
        operations = counted.operations(*self.tables(), A100, "staged")
        asked = beside.as_measured(operations, operations[-1], row)
        self.assertEqual((asked.n, asked.operations), (2**21, 16384))
        # Launches take nearly all of the time, whatever they do; so 8 times as many queries have nearly 8 times the rate.
        of_the_counted_number = ours.rate(ours.at_size(operations, operations[-1], 2**15), A100)
        modelled = ours.rate(asked, A100)
        self.assertTrue(4 < modelled / of_the_counted_number < 8, modelled / of_the_counted_number)
        text = beside.operations_section([row], *self.tables(), A100)
        self.assertIn("| count, L = 1024 | gpu-lsm | 2^21 | 16,384 |", text)
        self.assertIn(f"| {beside.short(modelled / 1e6)} | 1 | {beside.ratio(1e6, modelled)} |", text)

    def test_insertions_are_those_of_the_counted_operation(self):
        operation = counted.Operation("gpu-lsm", "insert", 2**17, 2**17, 0, ((Launch("copy", 8), 64),))
        operations = counted.operations(*self.tables(), A100, "staged")
        row = {"case": "insert", "b": 2**15, "operations": 2.0**20}
        self.assertEqual(beside.as_measured(operations, operation, row).operations, 2**21)

    def test_a_case_is_modelled_as_often_as_it_is_timed(self):
        timed = self.file(["#", "round"], ["#", "time", "sort", "0.5", "device"])
        text = beside.cases_section(timed, *self.tables(), A100)
        self.assertIn("| sort | 2 |", text)


class SameCard(unittest.TestCase):
    """The functions of `tools/gpu_hour` that say which card of the model a device is."""

    def ask(self, function, device):
        script = (PROJECT / "tools/gpu_hour").read_text()
        functions = re.findall(r"^\w+\(\) \{(?: .*\}|\n(?:.*\n)*?\})$", script, re.M)
        command = "\n".join(["set -euo pipefail", *functions, f'{function} "$1"'])
        found = subprocess.run(["bash", "-c", command, "bash", device], cwd=PROJECT, capture_output=True, text=True, check=True)
        return found.stdout.strip()

    def test_a_device_is_the_card_that_its_name_says(self):
        devices = {"NVIDIA A100-SXM4-80GB": "A100", "NVIDIA A100-SXM4-40GB": "A100 40 GB", "NVIDIA A100-PCIE-40GB": "A100 40 GB",
                   "NVIDIA A100 80GB PCIe": "A100 PCIe", "NVIDIA H100 80GB HBM3": "H100", "Tesla K40c": "K40c",
                   "NVIDIA GeForce RTX 4090": "RTX 4090", "NVIDIA GeForce RTX 4090 (NVK AD102)": "RTX 4090",
                   "AMD Instinct MI300X": "MI300X", "Apple M3 Max": "M3 Max", "M3 Max": "M3 Max"}
        self.assertEqual({device: self.ask("card_in", device) for device in devices}, devices)

    def test_another_variant_of_a_card_is_not_that_card_but_like_it(self):
        devices = {"NVIDIA H100 PCIe": "H100", "NVIDIA H100 NVL": "H100", "NVIDIA A100-SXM-64GB": "A100",
                   "NVIDIA A100-SXM4-80GB MIG 1g.10gb": "A100", "NVIDIA GeForce RTX 4090 Laptop GPU": "RTX 4090",
                   "NVIDIA GeForce RTX 4090 D": "RTX 4090", "AMD Instinct MI300X VF": "MI300X"}
        self.assertEqual({device: self.ask("card_like", device) for device in devices}, devices)
        self.assertEqual({self.ask("card_in", device) for device in devices}, {""})

    def test_other_devices_are_like_no_card(self):
        for device in ("llvmpipe (LLVM 15.0.6, 256 bits)", "Apple M3", "gpu", ""):
            self.assertEqual((self.ask("card_in", device), self.ask("card_like", device)), ("", ""), device)


if __name__ == "__main__":
    unittest.main()
