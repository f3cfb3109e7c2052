"""Tests the model of time: python3 -m unittest discover proof/model"""
import dataclasses
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import beside
import bounds
import cards
import counted
import ours
import paper
import published
import searches
import textbook
from bounds import Launch

SOURCES, CARDS, BY_NAME = cards.read()
A100, K40C = BY_NAME["A100"], BY_NAME["K40c"]


def copy_like(card, words=2**28):
    """The share of a copy's rate that a copy of so many words reaches."""
    seconds, _ = bounds.seconds(textbook.copy(words), card)
    return 2 * words * textbook.WORD / seconds / card.copy_rate()


class Cards(unittest.TestCase):
    def test_every_figure_has_a_known_source_and_a_share_is_a_share(self):
        for card in BY_NAME.values():
            for name, figure in card.figures.items():
                self.assertIn(figure.source, SOURCES, f"{card.name}: {name}")
            self.assertTrue(0 < card.copy_share < 1, card.name)

    def test_what_nobody_measured_is_marked(self):
        for card in BY_NAME.values():
            for name, figure in card.figures.items():
                self.assertTrue(figure.assumed or figure.source != "none", f"{card.name}: {name}")

    def test_all_cards_have_the_same_figures(self):
        for card in CARDS:
            self.assertEqual(card.figures.keys(), A100.figures.keys(), card.name)

    def test_a_card_is_filled_by_all_its_units_and_by_fewer_not_more(self):
        for card in BY_NAME.values():
            shares = [card.filled(at / 64) for at in range(65)]
            self.assertEqual((shares[0], shares[-1]), (0, 1))
            self.assertEqual(shares, sorted(shares))

    def test_a_figure_that_is_not_there_is_an_error(self):
        with self.assertRaises(AttributeError):
            A100.speed


class Bounds(unittest.TestCase):
    def test_a_large_copy_runs_at_the_rate_of_a_copy_on_every_card(self):
        for card in CARDS:
            self.assertAlmostEqual(copy_like(card), 1, places=2, msg=card.name)

    def test_a_small_copy_does_not_fill_a_card(self):
        self.assertLess(copy_like(A100, 2**12), 0.5)

    def test_what_stays_in_l2_from_launch_to_launch_is_copied_at_its_rate(self):
        self.assertGreater(copy_like(A100, 2**21), 2)

    def test_naive_transposition_is_bound_by_l2_and_padding_removes_what_binds_the_staged_one(self):
        words = 2**24
        self.assertEqual(bounds.seconds(textbook.transposition(words), K40C)[1], "L2")
        self.assertEqual(bounds.seconds(textbook.staged_transposition(words, False), K40C)[1], "shared")
        self.assertEqual(bounds.seconds(textbook.staged_transposition(words, True), K40C)[1], "memory")

    def test_registers_and_shared_memory_decide_how_many_cubes_are_resident(self):
        launch = Launch("merge", 1000, registers=64)
        self.assertEqual(bounds.resident_cubes(launch, A100), 4)
        self.assertEqual(bounds.occupancy(launch, A100), 0.5)
        self.assertEqual(bounds.resident_cubes(dataclasses.replace(launch, registers=65), A100), 3)
        shared = dataclasses.replace(launch, registers=32, shared_bytes=18 * 1024)
        self.assertEqual(bounds.resident_cubes(shared, A100), 8)
        self.assertEqual(bounds.resident_cubes(shared, K40C), 2)

    def test_only_a_card_that_keeps_shared_bytes_for_itself_has_room_for_fewer_cubes(self):
        launch = Launch("merge", 1000, shared_bytes=12304)
        self.assertEqual(bounds.resident_cubes(launch, BY_NAME["MI300X"]), 65536 // 12304)
        self.assertEqual(bounds.resident_cubes(dataclasses.replace(launch, shared_bytes=32 * 1024), A100), 4)

    def test_one_cube_more_than_multiprocessors_takes_a_multiprocessor_twice_as_long(self):
        def time(cubes):
            return bounds.bounds(Launch("merge", cubes, shared_ways=1e6 * cubes), A100)["shared"]

        self.assertAlmostEqual(time(108) * 2, time(109))

    def test_a_card_without_l1_requests_from_l2_what_waves_request(self):
        launch = Launch("merge", 1, load_sectors=800, load_lines=800, load_l2=100)
        self.assertEqual(bounds.bytes_at_l2(launch, A100), 100 * 32)
        self.assertEqual(bounds.bytes_at_l2(launch, K40C), 800 * 32)

    def test_a_card_that_moves_whole_lines_moves_more_for_sectors_in_lines_of_their_own(self):
        alone = Launch("merge", 1, load_sectors=32, load_lines=32, load_l2=32)
        together = Launch("merge", 1, load_sectors=32, load_lines=8, load_l2=32)
        moved = [bounds.bytes_at_l2(launch, BY_NAME["MI300X"]) for launch in (alone, together)]
        self.assertEqual(moved, [32 * 128, 32 * 32])

    def test_only_what_does_not_fit_l2_is_loaded_again(self):
        small = Launch("search_u32_1", 1000, load_sectors=1e5, load_lines=1e5, load_l2=1e5, load_compulsory=1e4)
        large = small.times(1000)
        self.assertEqual(bounds.at_random(small, A100), 0)
        self.assertEqual(bounds.at_random(small.times(100), A100), 1e6)
        self.assertTrue(1e7 < bounds.at_random(large, A100) < 1e8)
        self.assertAlmostEqual(bounds.at_random(dataclasses.replace(large, fresh=0.5), A100), bounds.at_random(large, A100) / 2)
        self.assertEqual(bounds.at_random(dataclasses.replace(large, kernel="merge_u32_1"), A100), 0)

    def test_a_sector_that_comes_with_its_line_is_streamed_by_a_gather_too(self):
        alone = Launch("gather_values_1", 1, load_sectors=32e6, load_lines=32e6, load_l2=32e6, load_compulsory=32e6)
        together = dataclasses.replace(alone, load_lines=8e6)
        both = dataclasses.replace(alone, load_sectors=64e6, load_lines=40e6, load_l2=64e6, load_compulsory=64e6)
        self.assertEqual([bounds.at_random(launch, A100) for launch in (alone, together)], [32e6, 0])
        self.assertAlmostEqual(bounds.at_random(both, A100), 32e6)

    def test_no_card_looks_up_more_than_it_can_load_random_sectors(self):
        for card in CARDS:
            launch = textbook.hash_lookups(1e8, 1)
            streamed = 2 * 1e8 * textbook.WORD / card.copy_rate()
            self.assertAlmostEqual(bounds.bounds(launch, card)["memory"], 1e8 / card.random_sectors + streamed, msg=card.name)

    def test_what_a_search_streams_costs_time_however_often_it_loads_the_rest_again(self):
        launch = Launch("search_u32_1", 1e6, load_sectors=64e6, load_lines=40e6, load_l2=64e6, load_compulsory=4e6)
        self.assertGreater(bounds.at_random(launch, A100), launch.load_compulsory)
        self.assertAlmostEqual(bounds.streamed(launch, A100), 2e6)

    def test_loads_that_wait_for_each_other_take_their_latency(self):
        launch = Launch("search_u32_1", 1, loads=8 * 20)
        self.assertAlmostEqual(bounds.bounds(launch, A100)["chain"], 20 * A100.l2_latency)

    def test_launches_and_waits_cost_what_the_card_says(self):
        nothing = Launch("copy", 0)
        self.assertAlmostEqual(bounds.operation_seconds([(nothing, 3)], 2, A100), 3 * A100.launch + 2 * A100.wait)


class Textbook(unittest.TestCase):
    def test_a_naive_transposition_stores_eight_times_the_sectors(self):
        launch = textbook.transposition(2**20)
        self.assertEqual(launch.load_sectors, launch.load_compulsory)
        self.assertEqual(launch.store_sectors, 8 * launch.store_compulsory)

    def test_a_binary_search_reads_a_sector_for_each_step_but_the_last_three(self):
        keys = 2**20
        launch = searches.lookups(2**20, [keys], [1], 0, A100)
        # The first five steps of a wave meet in few sectors.
        steps = launch.load_l2 / 2**20
        self.assertTrue(20 - 3 - 5 <= steps <= 20, steps)

    def test_a_search_in_what_fits_l2_misses_nothing(self):
        self.assertEqual(searches.lookups(2**20, [2**20], [1], 1, A100).at_random, 0)
        self.assertGreater(searches.lookups(2**20, [2**26], [1], 1, A100).at_random, 0)


class Published(unittest.TestCase):
    def test_the_model_is_within_a_factor_of_two_or_says_why_not(self):
        for figure in published.all_published():
            ratio = figure.modelled(BY_NAME[figure.card]) / figure.rate
            self.assertEqual(0.5 < ratio < 2, not figure.why, f"{figure.what}: {ratio:.2f}")

    def test_the_papers_tables_are_read_whole(self):
        rates = paper.published()
        self.assertEqual([len(rows) for rows in rates.values()], [13, 9, 9, 5, 5, 5, 5])
        self.assertEqual(rates["II", "insert"][64], (398.1, 131.2))
        self.assertEqual(rates["III", "lookup, none"][1], (116.8, 106.8))
        self.assertEqual(rates["III", "lookup, all"][256], (54.9, 144.1))
        self.assertEqual(rates["IV", "range, L = 1024"][16], (1.43, 1.81))

    def test_the_papers_lsm_is_near_the_papers_tables_or_it_is_said_why_not(self):
        far = set()
        for _, case, batches, is_array, rate, modelled in paper.tables(paper.Primitives(), K40C):
            self.assertTrue(1 / 3 < modelled / rate < 3, (case, batches, is_array))
            if not 1 / 2 < modelled / rate < 2:
                far.add((case, is_array))
        self.assertEqual(far, paper.WHY.keys())

    def test_our_kernels_in_the_papers_structures_are_near_the_papers_tables_or_it_is_said_why_not(self):
        far, of_hash = set(), 0
        proof = pathlib.Path(__file__).parents[1]
        for operation, _, rate, modelled in ours.beside_the_paper(proof / "launches.tsv", proof / "cuda.tsv", K40C):
            of_hash += operation.structure == "cuckoo_hash"
            if not 1 / 2 < modelled / rate < 2:
                far.add((operation.name, operation.structure))
        self.assertEqual(far, ours.WHY.keys())
        self.assertEqual(of_hash, 3)

    def test_every_number_of_resident_batches_counts_once(self):
        class Counting(paper.Primitives):
            def sort(self, pairs):
                return []

            def merge(self, pairs):
                return [Launch("merge", 0)]

            def clear(self, keys):
                return []

            def copy(self, pairs):
                return []

        free = dataclasses.replace(K40C, figures=K40C.figures | {"launch": cards.Figure(1.0, "none", "", True)})
        # A launch takes a second, so the rate tells the merges: one for each batch but the first of each level.
        self.assertAlmostEqual(64 / paper.insertion_rate(Counting(), 1, free, all_entries=64), 63)


class WithTables(unittest.TestCase):
    """Has a table of registers, and a journal of a sort and two insertions."""

    def file(self, *lines, name="table.tsv"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / name
        file.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
        return file

    def launch(self, kernel, cubes, wave=32):
        """The line of a launch whose counts are all its cubes."""
        return [json.dumps({"kernel": kernel, "wave": wave, "cubes": cubes} | dict.fromkeys(bounds.COUNTS, cubes))]

    def setUp(self):
        self.cuda = self.file(["kernel", "shared bytes", "registers, sm_80"], ["sort_merge_u32", 0, 40],
                              ["sort_tiles_u32", 2**17 // 16 * 4, 64])
        insert = ["#", "operation", "gpu-lsm", "insert", 2**18, 4096]
        self.journal = self.file(
            ["#", "case", "sort"], self.launch("sort_tiles_u32", 16), *[self.launch("sort_merge_four_u32", 8)] * 2,
            self.launch("sort_merge_u32", 8), self.launch("sort_merge_u64", 8),
            ["#", "preparation"], self.launch("copy", 3), self.launch("copy", 3, wave=64), [*insert, 1, 1],
            self.launch("copy", 3), self.launch("sort_tiles_u32", 1), [*insert, 2, 1], name="staged.jsonl")


class Counted(WithTables):
    def operations(self):
        return counted.operations(self.file(*counted.summed(self.journal)), self.cuda, A100, "staged")

    def test_a_journal_says_what_each_launch_belongs_to(self):
        case, operation = self.operations()
        self.assertEqual((case.structure, case.name), (counted.CASE, "sort"))
        self.assertEqual([often for _, often in case.launches], [1, 2, 1])
        self.assertEqual((operation.structure, operation.name), ("gpu-lsm", "insert"))
        self.assertEqual((operation.n, operation.operations, operation.waits), (2**18, 8192, 2))
        launches = {launch.kernel: (launch.cubes, launch.load_l2, often) for launch, often in operation.launches}
        self.assertEqual(launches, {"copy": (3, 3, 2), "sort_tiles_u32": (1, 1, 1)})

    def test_a_kernel_is_as_fresh_as_where_its_loads_lie_farthest_apart(self):
        launches = [Launch("search", 1, load_l2=10, load_compulsory=5), Launch("search", 1, load_l2=10, load_compulsory=8),
                    Launch("fill", 1)]
        self.assertEqual(counted.fresh_shares(launches), {"search": 0.8, "fill": 0})

    def test_a_sort_of_more_tiles_takes_more_passes(self):
        operations = self.operations()
        sort = counted.sort_of(operations)
        self.assertEqual((sort.two.registers, sort.four.kernel), (40, "sort_merge_four_u32"))
        tile = 2**17 // 16
        sizes = (1, tile, 2 * tile, 4 * tile, 4 * tile + 1, 16 * tile, 16 * tile + 1)
        self.assertEqual([len(sort.launches(keys)) - 1 for keys in sizes], [0, 0, 1, 1, 2, 2, 3])
        pairs = dataclasses.replace(sort, four=None)
        self.assertEqual([len(pairs.launches(keys)) - 1 for keys in sizes], [0, 0, 1, 2, 3, 4, 5])
        grown = operations[1].times(64, sort)
        merges = [launch.load_l2 for launch, _ in grown.launches if launch.kernel.startswith("sort_merge")]
        self.assertEqual((grown.operations, merges), (8192 * 64, [8 * 64 / 16] * 3))

    def test_a_search_by_halving_takes_more_steps_in_more_entries(self):
        launch = Launch("baseline_probe", 8, loads=18, load_compulsory=5)
        more = counted.with_more_steps(launch, 2**18, 4)
        self.assertAlmostEqual(more.loads, 20)
        self.assertEqual(more.load_compulsory, 5)
        other = Launch("search_u32_1", 8, loads=18)
        self.assertEqual(counted.with_more_steps(other, 2**18, 4), other)


class Beside(WithTables):
    def test_a_kernel_is_known_by_its_function(self):
        names = {"merge_k_u32_f95b511e": "merge", "merge_u32_1_staged": "merge", "select_write_u32_1_per_query": "select_write",
                 "baseline_unite_pairs": "unite", "sort_tiles_k_u64_12e2d9c8": "sort_tiles", "copy": "copy",
                 "scan_apply_12e2d9c8": "scan_apply", "overlay_marks_u32": "overlay_marks"}
        self.assertEqual({name: beside.function_of(name) for name in names}, names)

    def test_measured_rows_stand_beside_modelled_ones(self):
        results = self.file(["{}"]).parent
        row = {"case": "insert", "L": None, "structure": "gpu-lsm", "n": 2**22, "b": 2**16, "effective": 1e8, "on_device": None,
               "traffic": [0, 600, 64, 0]}
        copy = {"case": "copy", "L": None, "structure": "copy", "n": 2**22, "b": 2**20, "rates": {"max": 1.5e12}}
        (results / "traffic.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(copy) + "\n")
        (results / "samples").mkdir()
        (results / "samples" / "traffic.jsonl").write_text(json.dumps({"case": "copy", "L": None, "seconds": 1}) + "\n")
        launches = self.file(*counted.summed(self.journal))
        text = beside.document(results, launches, self.cuda, A100, None, None)
        self.assertIn("1,500 GB/s measured, 1,737 modelled", text)
        self.assertIn("| insert | gpu-lsm | 2^22 |", text)

    def test_a_profilers_table_is_summed_by_function(self):
        profiled = self.file(["a heading"], ["Time (%),Total Time (ns),Instances,Name"], ["50,2000,2,sort_tiles_k_u32_f95b511e"],
                             ["50,3000,1,sort_tiles_k_u32_e2d9c812"])
        self.assertEqual(beside.profile(profiled), {"sort_tiles": (3, 5000)})
        launches = self.file(*counted.summed(self.journal))
        self.assertIn("| `sort_tiles` | 1 | 3 |", beside.kernels_section(profiled, launches, self.cuda, A100))

    def test_an_empty_table_of_a_profiler_has_no_times(self):
        self.assertEqual(beside.profile(self.file(["no kernel was launched"])), {})

    def test_the_fastest_round_of_a_case_counts(self):
        rounds = [("3.0", "0.5"), ("1.0", "0.75")]
        lines = [line for first, second in rounds for line in
                 (["#", "round"], ["#", "time", "sort", first, "device"], ["#", "time", "sort", second, "device"])]
        timed = self.file(*lines)
        self.assertEqual(beside.fastest_times(timed), {"sort": (1.75, "device")})
        launches = self.file(*counted.summed(self.journal))
        self.assertIn("| 1,750,000 |", beside.cases_section(timed, launches, self.cuda, A100))


if __name__ == "__main__":
    unittest.main()
