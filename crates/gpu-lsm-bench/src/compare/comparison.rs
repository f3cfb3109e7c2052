//! What a comparison has measured.

use crate::compare::row::Row;
use crate::record::machine::Machine;
use crate::record::statistics::percentile;
use crate::report::table::size;
use crate::report::verdict::CLOSE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What stands behind a median.
pub(super) const SPREAD: &str = "in brackets: quartiles; half of all rounds lie between them";

/// Everything that was measured, and where: the file that is shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The machine with its host backend, and the program.
    pub machine: Machine,
    /// The day of the measurement.
    pub date: String,
    /// The number of entries.
    pub n: usize,
    /// The batch size.
    pub b: usize,
    /// How often everything was measured.
    pub rounds: usize,
    /// Who was measured.
    pub contenders: Vec<Column>,
}

/// One of those who were compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The structure, and for ours the device that it was on.
    pub name: String,
    /// The API and the driver, if it was on a GPU.
    pub driver: Option<String>,
    /// Whether it is ours.
    pub is_ours: bool,
    /// What was measured. A row is missing if the structure lacks the operation.
    pub rows: BTreeMap<Row, Spread>,
}

/// The results of all rounds, in the row's unit. Quartiles, because on a machine that does other work too, one round of many is
/// often far off, and more so the more rounds there are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile.
    pub high: f64,
}

impl Spread {
    /// The spread of some results; `None` of none.
    pub fn of(results: &[f64]) -> Option<Self> {
        let [median, low, high] = [0.5, 0.25, 0.75].map(|share| percentile(results, share));
        Some(Self { median: median?, low: low?, high: high? })
    }
}

impl Comparison {
    /// Those who have a row, the fastest first.
    pub fn ranked(&self, row: Row) -> Vec<(&Column, Spread)> {
        let mut all: Vec<_> =
            self.contenders.iter().filter_map(|one| Some((one, *one.rows.get(&row)?))).collect();
        all.sort_by(|(_, one), (_, other)| {
            let order = one.median.total_cmp(&other.median);
            if row.is_time() { order } else { order.reverse() }
        });
        all
    }

    /// The fastest of a row, and all whom it does not clearly beat. If it is alone, it has won.
    pub fn leaders(&self, row: Row) -> Vec<&Column> {
        let ranked = self.ranked(row);
        let Some(&(_, best)) = ranked.first() else { return Vec::new() };
        // The fastest is not faster than itself, so it stays.
        let is_leader = |(_, other): &(&Column, Spread)| !is_clearly_faster(row, best, *other);
        ranked.into_iter().filter(is_leader).map(|(column, _)| column).collect()
    }

    /// Where and of what it is, in lines that any copy of it needs.
    pub fn circumstances(&self) -> Vec<String> {
        let Machine { processor, threads, system, version, commit, .. } = &self.machine;
        let gpus =
            self.contenders.iter().filter_map(|one| Some(format!("{}: {}", one.name, one.driver.as_ref()?)));
        let machine = format!("{processor}, {threads} threads; {system}");
        let sizes = format!(
            "n = {}, b = {}, 32-bit keys and values; medians of {} rounds; on GPUs with copies there and back",
            size(self.n),
            size(self.b),
            self.rounds
        );
        let batches = self.n / self.b;
        let levels = format!(
            "queries after {} of {batches} batches, when no level of gpu-lsm is empty",
            batches.saturating_sub(1)
        );
        let program = format!("gpu-lsm {version}, commit {commit}, {}", self.date);
        [machine]
            .into_iter()
            .chain(gpus)
            .chain([sizes, levels])
            .chain(self.threads())
            .chain([program])
            .collect()
    }

    /// Who uses all threads, and who one, of those on the processor.
    fn threads(&self) -> Option<String> {
        let on_processor = self.contenders.iter().filter(|one| one.driver.is_none());
        let (all, one): (Vec<_>, Vec<_>) =
            on_processor.partition(|one| one.is_ours || one.name == "sorted_vec");
        let said = [(all, "all threads"), (one, "one thread")].into_iter().filter_map(|(who, threads)| {
            let names: Vec<&str> = who.iter().map(|one| one.name.as_str()).collect();
            (!names.is_empty()).then(|| format!("on {threads}: {}", names.join(", ")))
        });
        Some(said.collect::<Vec<_>>().join("; ")).filter(|said| !said.is_empty())
    }
}

/// Whether one leads by more than two runs of one program differ, and was better in three quarters of its rounds than the other
/// in all but a quarter.
fn is_clearly_faster(row: Row, one: Spread, other: Spread) -> bool {
    let (worse, others_better) = if row.is_time() { (one.high, other.low) } else { (one.low, other.high) };
    CLOSE * row.advantage(one.median, other.median) > 1.0 && row.advantage(worse, others_better) > 1.0
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Column, Comparison, Spread};
    use crate::compare::row::Row;
    use crate::record::machine::Machine;
    use crate::record::sample::Place;

    /// A comparison of ours, which is twice as fast, with another, which answers no intervals.
    pub(crate) fn small() -> Comparison {
        let column = |name: &str, is_ours: bool, rows: &[(Row, f64)]| Column {
            name: name.into(),
            driver: None,
            is_ours,
            rows: rows
                .iter()
                .map(|&(row, median)| (row, Spread { median, low: 0.9 * median, high: 1.2 * median }))
                .collect(),
        };
        Comparison {
            machine: Machine::this(&Place { device: "host".into(), driver: "rayon".into() }),
            date: "2026-11-17".into(),
            n: 1 << 20,
            b: 1 << 16,
            rounds: 3,
            contenders: vec![
                column(
                    "gpu-lsm on host",
                    true,
                    &[(Row::Insertion, 20.0), (Row::Hits, 8.0), (Row::Count, 4.0), (Row::SmallBatch, 30.0)],
                ),
                column(
                    "btree_map",
                    false,
                    &[(Row::Insertion, 2.0), (Row::Hits, 16.0), (Row::SmallBatch, 3.0)],
                ),
            ],
        }
    }

    #[test]
    fn the_fastest_is_first_and_a_time_is_better_if_it_is_less() {
        let comparison = small();
        let first = |row| comparison.ranked(row)[0].0.name.as_str();
        assert_eq!(
            [Row::Insertion, Row::Hits, Row::SmallBatch].map(first),
            ["gpu-lsm on host", "btree_map", "btree_map"]
        );
        assert_eq!(comparison.ranked(Row::Count).len(), 1);
        assert!(comparison.ranked(Row::Cleanup).is_empty());
    }

    fn spread(median: f64, low: f64, high: f64) -> Spread {
        Spread { median, low, high }
    }

    /// Everybody who leads a row in which the two have these results.
    fn leaders(row: Row, one: Spread, other: Spread) -> Vec<String> {
        let mut comparison = small();
        for (column, spread) in comparison.contenders.iter_mut().zip([one, other]) {
            column.rows.insert(row, spread);
        }
        comparison.leaders(row).into_iter().map(|column| column.name.clone()).collect()
    }

    #[test]
    fn who_leads_by_the_median_and_by_the_quartiles_is_alone() {
        let clear = (spread(20.0, 18.0, 24.0), spread(10.0, 9.0, 17.9));
        assert_eq!(leaders(Row::Hits, clear.0, clear.1), ["gpu-lsm on host"]);
        assert_eq!(leaders(Row::SmallBatch, clear.0, clear.1), ["btree_map"]);
    }

    #[test]
    fn spreads_that_overlap_or_touch_leave_both_in_the_lead() {
        for high in [18.0, 19.0, 30.0] {
            let (one, other) = (spread(20.0, 18.0, 24.0), spread(10.0, 9.0, high));
            assert_eq!(leaders(Row::Hits, one, other), ["gpu-lsm on host", "btree_map"], "{high}");
            assert_eq!(leaders(Row::SmallBatch, one, other), ["btree_map", "gpu-lsm on host"], "{high}");
        }
    }

    /// Two runs of one program differ by as much.
    #[test]
    fn a_lead_of_less_than_5_percent_is_none_even_if_spreads_are_narrow() {
        let narrow = |median: f64| spread(median, median - 0.01, median + 0.01);
        assert_eq!(leaders(Row::Hits, narrow(20.0), narrow(20.8)), ["btree_map", "gpu-lsm on host"]);
        assert_eq!(leaders(Row::SmallBatch, narrow(28.8), narrow(30.0)), ["gpu-lsm on host", "btree_map"]);
        assert_eq!(leaders(Row::Hits, narrow(20.0), narrow(21.2)), ["btree_map"]);
    }

    #[test]
    fn a_row_that_nobody_has_nobody_leads() {
        assert!(small().leaders(Row::Cleanup).is_empty());
        assert_eq!(small().leaders(Row::Count).len(), 1);
    }

    #[test]
    fn a_spread_has_the_median_and_the_quartiles() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Some(spread(2.0, 1.0, 3.0)));
        let with_outliers: Vec<f64> = [0.01, 10.0, 11.0, 12.0, 13.0, 14.0, 900.0].into();
        assert_eq!(Spread::of(&with_outliers), Some(spread(12.0, 10.0, 14.0)));
        assert_eq!(Spread::of(&[]), None);
    }
}
