//! Simulations of shards that grow, shrink and drift.

use super::{Capacity, Load, Rules, Step};

fn rules(shards: usize, shares: &[f64], limit: u64) -> Rules {
    let capacities = shares.iter().map(|&share| Capacity { share, limit });
    Rules { shards, few: 100, capacities: capacities.collect() }
}

fn loads(entries: &[u64]) -> Vec<Load> {
    entries.iter().map(|&entries| Load { place: 0, entries }).collect()
}

/// Takes all steps, with splits into equal parts. Returns the number of entries that they copied.
fn balance(rules: &Rules, loads: &mut Vec<Load>) -> u64 {
    let mut copied = 0;
    for _ in 0..1000 {
        let Some(step) = rules.next_step(loads, |_| true) else { return copied };
        match step {
            Step::Split { shard, parts } => {
                let Load { place, entries } = loads[shard];
                let part = |i: u64| Load { place, entries: (entries + i) / parts as u64 };
                loads.splice(shard..=shard, (0..parts as u64).map(part).collect::<Vec<_>>());
                copied += entries;
            }
            Step::Join { shard } => {
                let next = loads.remove(shard + 1);
                loads[shard].entries += next.entries;
                copied += loads[shard].entries;
            }
            Step::Move { shard, place } => {
                loads[shard].place = place;
                copied += loads[shard].entries;
            }
        }
    }
    panic!("the steps do not end: {loads:?}");
}

#[test]
fn a_first_batch_is_split_into_as_many_shards_as_are_wanted() {
    for shards in [1, 2, 3, 7, 16] {
        let mut all = loads(&[10_000]);
        balance(&rules(shards, &[1.0], 1 << 20), &mut all);
        assert_eq!(all.len(), shards, "{all:?}");
    }
    assert_eq!(rules(4, &[1.0], 1 << 20).next_step(&loads(&[100]), |_| true), None, "too few to be worth it");
}

#[test]
fn a_shard_is_split_before_it_exceeds_an_array_and_only_then_if_one_is_wanted() {
    let rules = rules(1, &[1.0], 1000);
    assert_eq!(rules.next_step(&loads(&[1000]), |_| true), None);
    assert_eq!(rules.next_step(&loads(&[1001]), |_| true), Some(Step::Split { shard: 0, parts: 3 }));
    assert_eq!(rules.next_step(&loads(&[1001]), |_| false), None, "one key cannot be split");
    assert_eq!(rules.next_needed(&loads(&[700, 4000]), |_| true), Some(Step::Split { shard: 1, parts: 8 }));
    assert_eq!(rules.next_needed(&loads(&[1000, 0]), |_| true), None, "needed is not wanted");
}

/// Ascending keys: everything goes to the last shard.
#[test]
fn a_shard_that_gets_everything_stays_within_twice_its_share_at_a_constant_cost() {
    for shards in [2, 3, 4, 7, 8] {
        let rules = rules(shards, &[1.0], 1 << 40);
        let (mut all, mut copied) = (loads(&[0]), 0);
        for batch in 1..=1000 {
            let last = all.len() - 1;
            all[last].entries += 1000;
            copied += balance(&rules, &mut all);
            let largest = all.iter().map(|load| load.entries).max().unwrap();
            assert!(largest <= 2 * batch * 1000 / shards as u64 + 100, "{shards}, batch {batch}: {all:?}");
            assert!(all.len() <= 2 * shards, "{all:?}");
        }
        assert!(copied < 4 * 1_000_000, "{shards}: {copied} entries were copied for a million");
    }
}

/// A window of time: as much is deleted at the front as is added at the end.
#[test]
fn a_window_that_moves_keeps_its_shards_balanced() {
    let rules = rules(4, &[1.0], 1 << 40);
    let mut all = loads(&[100_000]);
    balance(&rules, &mut all);
    let mut copied = 0;
    for _ in 0..1000 {
        let last = all.len() - 1;
        all[last].entries += 1000;
        let mut gone = 1000;
        for load in &mut all {
            let part = gone.min(load.entries);
            (load.entries, gone) = (load.entries - part, gone - part);
        }
        copied += balance(&rules, &mut all);
        assert!(all.iter().all(|load| load.entries <= 2 * 100_000 / 4 + 100), "{all:?}");
        assert!(all.len() <= 8, "{all:?}");
    }
    assert!(copied < 4 * 1_000_000, "{copied} entries were copied for a million");
}

#[test]
fn devices_get_their_shares_within_one_and_a_half() {
    for shares in [&[0.5, 0.5][..], &[0.25, 0.75], &[0.2, 0.3, 0.5]] {
        let rules = rules(4 * shares.len(), shares, 1 << 40);
        let mut all = loads(&[0]);
        for batch in 1..=300u64 {
            let last = all.len() - 1;
            all[last].entries += 1000;
            balance(&rules, &mut all);
            for (place, share) in shares.iter().enumerate() {
                let has: u64 = all.iter().filter(|load| load.place == place).map(|load| load.entries).sum();
                assert!(has as f64 <= 1.6 * share * (batch * 1000) as f64 + 100.0, "{batch}: {all:?}");
            }
        }
    }
}

/// The table that `proof/scale` shares with us: its simulation has these rules once more, in Python, and its tests read
/// the same steps.
#[test]
fn steps_are_as_in_the_table() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/plan.tsv");
    let text = std::fs::read_to_string(file).expect("the table is in the repository");
    let mut steps = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |cell: &str| cell.parse::<u64>().expect("a number");
        let [shards, few, limit, devices] = [0, 1, 2, 3].map(|column| number(cells[column]));
        let capacity = Capacity { share: 1.0 / devices as f64, limit };
        let rules = Rules { shards: shards as usize, few, capacities: vec![capacity; devices as usize] };
        let load = |shard: &str| {
            let (place, entries) = shard.split_once(':').expect("a device and entries");
            Load { place: number(place) as usize, entries: number(entries) }
        };
        let loads: Vec<Load> = cells[4].split(' ').map(load).collect();
        let step = match rules.next_step(&loads, |_| true) {
            Some(Step::Split { shard, parts }) => format!("split {shard} {parts}"),
            Some(Step::Join { shard }) => format!("join {shard}"),
            Some(Step::Move { shard, place }) => format!("move {shard} {place}"),
            None => "-".into(),
        };
        assert_eq!(step, cells[5], "{line}");
        steps += 1;
    }
    assert!(steps > 100, "{steps} steps");
}
