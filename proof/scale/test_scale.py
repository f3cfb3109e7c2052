"""Tests of the simulation: python3 -m unittest discover proof/scale"""
import csv
import json
import math
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import assumptions
import costs
import figures
import hot
import ingest
import page
import plots
import recovery
import store
import tables
from assumptions import Assumptions
from placement import Keyed, Lengths

ROOT = pathlib.Path(__file__).parents[2]
STORE = ROOT / "crates/gpu-lsm-store/src"
ALL = figures.Figures()
#: A cluster that is quick to simulate.
SMALL = Assumptions(entries=10**6, cards=4, shards_a_card=2)
sys.path.append(str(ROOT / "proof/model"))
import counted
import ours


class Placement(unittest.TestCase):
    def test_the_tables_that_the_real_dictionary_is_compared_with_are_current(self):
        for file, contents in tables.contents().items():
            self.assertEqual(file.read_text(), contents, f"{file.name}: python3 proof/scale tables")

    def test_lengths_are_those_of_runs_with_distinct_keys(self):
        chance = random.Random(1)
        lengths, keyed, start = Lengths(8), Keyed(8), 0
        for _ in range(300):
            batch = chance.randint(1, 30)
            lengths.insert(batch)
            keyed.update(range(start, start + batch), [])
            start += batch
            self.assertEqual([run for run in lengths.lens if run], [run[1] for run in keyed.by_level()])

    def test_expected_lengths_are_near_those_of_keys_that_are_overwritten_at_random(self):
        chance, keys, b = random.Random(2), 4000, 64
        lengths, keyed = Lengths(b, keys), Keyed(b)
        lengths.place(keys)
        keyed.place(dict.fromkeys(range(keys), False))
        for _ in range(400):
            batch = chance.sample(range(keys), b)
            lengths.insert(b)
            keyed.update(batch, [])
            self.assertAlmostEqual(lengths.entries() / sum(keyed.lens()), 1, delta=0.02)

    def test_the_space_rule_holds(self):
        chance, levels, live = random.Random(3), Keyed(8), set()
        for _ in range(1000):
            inserts, deletes = (chance.sample(range(500), chance.randint(0, 40)) for _ in range(2))
            levels.update(inserts, deletes)
            live = (live | set(inserts)) - set(deletes)
            self.assertLessEqual(2 * sum(levels.lens()), 5 * len(live) + 8 * 8)


class Costs(unittest.TestCase):
    def test_insertions_take_as_long_as_in_the_model_of_whole_operations(self):
        for name in ("A100", "H100"):
            card = costs.card_called(name)
            ours_costs = costs.Costs(card, 1)
            operations = counted.operations(costs.PROOF / "launches.tsv", costs.PROOF / "cuda.tsv", card, "staged")
            insert = next(each for each in operations if (each.structure, each.name) == ("gpu-lsm", "insert"))
            for b in ours.SIZES:
                levels = Lengths(b)
                seconds = sum(ours_costs.update(levels.insert(b)) for _ in range(ours.BATCHES))
                whole = ours.rate(ours.at_size(operations, insert, b), card)
                self.assertAlmostEqual(ours.BATCHES * b / seconds / whole, 1, delta=0.2, msg=f"{name}, {b}")

    def test_the_newest_four_piles_are_merged_first(self):
        self.assertEqual(list(costs.piles_of([1, 2, 3, 4, 5, 6, 7, 8])), [[1, 2, 3, 4], [10, 5, 6, 7], [28, 8]])
        self.assertEqual(list(costs.piles_of([1])), [])

    def test_sectors_of_lookups_are_those_that_were_counted(self):
        with open(ROOT / "proof/sectors.tsv") as text:
            rows = list(csv.DictReader(text, delimiter="\t"))
        for case, sectors in (("search, present", costs.SECTORS_PRESENT), ("search, missing", costs.SECTORS_MISSING)):
            row = next(row for row in rows if (row["case"], row["kernel"], row["wave"]) == (case, "search_u64_1_staged", "32"))
            self.assertEqual(int(row["load_l2"]) / 2**15, sectors)

    def test_a_curve_goes_through_its_points(self):
        curve = costs.Seconds([float(size) for size in costs.SIZES])
        for entries in (16, 100, 2**20, 3 * 2**30):
            self.assertAlmostEqual(curve(entries), entries)


class Assumed(unittest.TestCase):
    def test_each_assumption_says_where_it_is_from(self):
        for name, assumption in ALL.a.all.items():
            self.assertIn(assumption.kind, assumptions.KINDS, name)
            self.assertTrue(assumption.source and assumption.what, name)

    def test_defaults_are_those_of_the_store(self):
        def number(file, pattern):
            found = re.search(pattern + r" << (\d+)", (STORE / file).read_text())
            return int(found[1]) << int(found[2])

        self.assertEqual(number("options.rs", r"checkpoint_bytes: (\d+)"), ALL.a.checkpoint_bytes)
        self.assertEqual(number("options.rs", r"in_flight_bytes: (\d+)"), ALL.a.in_flight_bytes)
        self.assertEqual(number("options.rs", r"part_bytes: (\d+)"), store.PART_BYTES)
        self.assertEqual(number("manifest.rs", r"MOST_FILE_ENTRIES: u64 = (\d+)"), ALL.a.file_entries)
        leader = (STORE / "protocol/leader.rs").read_text()
        self.assertIn(f"MOST_IN_FLIGHT: u64 = {ALL.a.in_flight};", leader)

    def test_an_unknown_assumption_is_an_error(self):
        with self.assertRaises(AttributeError):
            Assumptions(speed=3)


class Cluster(unittest.TestCase):
    TIMES = [[1, 5, 1], [1, 1, 5], [5, 1, 1], [1, 1, 1]]

    def test_each_batch_waits_for_the_slowest_card_without_a_window(self):
        self.assertEqual(ingest.total_seconds(self.TIMES, 1), 5 + 5 + 5 + 1)

    def test_with_a_wide_window_only_the_busiest_card_counts(self):
        self.assertEqual(ingest.total_seconds(self.TIMES, 4), 8)

    def test_a_wider_window_is_never_slower(self):
        totals = [ingest.total_seconds(self.TIMES, window) for window in (1, 2, 3, 4)]
        self.assertEqual(totals, sorted(totals, reverse=True))

    def test_a_phase_is_the_state_after_as_many_batches(self):
        for batches in (0, 1, 5, 100, 1000):
            levels = ingest.filled(SMALL, 64)
            for _ in range(batches):
                levels.insert(64)
            self.assertAlmostEqual(ingest.at_phase(SMALL, 64, batches).entries() / levels.entries(), 1, delta=0.01)

    def test_shards_stay_in_step_if_b_is_longer_than_their_parts_and_not_if_it_is_as_long(self):
        self.assertEqual(ALL.drift[1.05], 1)
        self.assertGreater(ALL.drift[1.0], 10)


class Stores(unittest.TestCase):
    def test_manifests_are_encoded_as_the_store_does(self):
        files = sorted((ROOT / "testdata/stores").rglob("manifest/*.json"))
        self.assertGreater(len(files), 3)
        for file in files:
            text = file.read_text()
            again = store.encoded(json.loads(text)["manifest"])
            self.assertEqual(again.replace("01234567", json.loads(text)["crc32c"], 1), text, file)

    def test_a_manifest_has_the_members_of_a_real_one(self):
        def members(value):
            if isinstance(value, dict):
                return {name: members(of) for name, of in value.items() if name != "callers"}
            return members(value[0]) if isinstance(value, list) and value else None

        real = json.loads((ROOT / "testdata/stores/1/u64-u32/manifest/00000000000000000002.json").read_text())["manifest"]
        made = store.manifest(SMALL, ingest.filled(SMALL, 64), 1)
        self.assertEqual(members(made)["shards"], members(real)["shards"])
        self.assertEqual(made.keys(), real.keys())

    def test_the_bytes_of_a_manifest_are_those_of_its_text(self):
        levels = recovery.levels_in_use(SMALL, 64)
        for shards in (1, 2, 7):
            text = store.encoded(store.manifest(SMALL, levels, shards))
            self.assertEqual(store.manifest_bytes(SMALL, levels, shards), len(text))

    def test_with_a_checkpoint_after_each_batch_every_run_is_written(self):
        levels, made = ingest.filled(SMALL, 64), 0
        batches = 2 * round(SMALL.shard_entries / 64)
        for _ in range(batches):
            made += levels.insert(64).run
        written = store.checkpoints(SMALL, 64, [1])[1]
        self.assertAlmostEqual(written.entries * batches * 64, made)

    def test_fewer_checkpoints_write_less(self):
        written = [made.entries for made in store.checkpoints(SMALL, 64, [1, 3, 10, 33, 100]).values()]
        self.assertEqual(written, sorted(written, reverse=True))

    def test_keys_that_are_denser_take_fewer_bytes(self):
        self.assertLess(store.stored_bytes(ALL.a, 10**8), store.stored_bytes(ALL.a, 10**5))
        self.assertLess(store.stored_bytes(ALL.a, 1), 16.2)

    def test_recovery_is_slower_if_the_log_is_not_divided_and_faster_on_more_machines(self):
        def total(machines, whole):
            return ALL.recovery(32, machines, 0, whole_log=whole).total()

        self.assertLess(total(4, False), total(4, True))
        self.assertLess(total(100, False), total(4, False))


class HotRanges(unittest.TestCase):
    def test_no_entry_is_lost_and_no_shard_has_more_than_one_and_a_half_shares(self):
        keys = hot.Range(SMALL, 0.5, 0.5, 0.625)
        for _ in range(40):
            keys.insert(10**5)
            loads = keys.loads()
            total = sum(load.entries for load in loads)
            self.assertAlmostEqual(total, keys.cold + keys.hot, delta=len(loads))
            self.assertLessEqual(max(load.entries for load in loads), 1.5 * total / SMALL.shards + 1)
        self.assertGreater(keys.splits, 0)

    def test_a_hot_range_spreads_over_cards(self):
        busiest = [part for part, _, _ in ALL.hot_ranges[0.5]]
        self.assertGreater(busiest[0], 0.5)
        self.assertLess(busiest[-1], 0.05)

    def test_without_heat_every_card_gets_the_same(self):
        keys = hot.Range(SMALL, 0.0, 0.5, 0.625)
        self.assertTrue(math.isclose(keys.insert(1000), 250))
        self.assertEqual((keys.splits, keys.moved), (0, 0))

    def test_a_shard_that_is_overwritten_as_often_as_others_is_not_split(self):
        self.assertEqual(hot.overwritten(SMALL, 64, 1), (1, None))


class Document(unittest.TestCase):
    def test_the_document_is_current(self):
        for line, current in zip(page.DOCUMENT.read_text().splitlines(), page.text(ALL).splitlines(), strict=True):
            self.assertEqual(line, current, "just scale-document")

    def test_each_figure_is_used(self):
        used = set(page.NAME.findall(page.TEXT.read_text()))
        self.assertEqual(used, set(page.values(ALL)))

    def test_plots_were_drawn_from_these_points(self):
        for plot in plots.plots(ALL):
            text = (plots.FOLDER / plot.file).read_text()
            drawn = re.search(r"points (\w+)", text)[1]
            self.assertEqual(drawn, plot.checksum(), f"{plot.file}: just scale-document")
            self.assertLess(len(text), 100_000, plot.file)


if __name__ == "__main__":
    unittest.main()
