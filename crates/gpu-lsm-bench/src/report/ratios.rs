//! Ratios of gpu-lsm to each other structure: the higher, the faster gpu-lsm is.

use crate::record::sample::Record;
use crate::record::summary::{Group, Summaries, Summary, summaries};
use std::collections::BTreeMap;

/// Our own structure.
pub(crate) const OURS: &str = "gpu-lsm";

/// The operation, and the other structure.
pub type Row = (String, String);

/// Ratios by row: the higher, the faster gpu-lsm is.
pub type Ratios = BTreeMap<Row, f64>;

/// The rate of gpu-lsm divided by that of each other structure.
pub fn rates(records: &[Record]) -> Ratios {
    of_each(records, "", |_, _, summary| Some(summary.rates.mean))
}

/// For insertions: the time of each other structure divided by that of gpu-lsm, for merging alone and for the slowest
/// batches; and the rate of gpu-lsm divided by that of the bare sort of the same batches.
pub fn times(records: &[Record]) -> Ratios {
    let mut all = of_each(records, ", merging alone", |groups, group, batch| {
        Some(1.0 / merging_seconds(groups, group, batch)?)
    });
    all.extend(of_each(records, ", 99th percentile", |_, group, batch| {
        (group.case == "insert").then_some(1.0 / batch.seconds[2])
    }));
    all.extend(beside_the_sort(records));
    all
}

/// The rate of gpu-lsm's insertions divided by that of the bare sort.
fn beside_the_sort(records: &[Record]) -> Ratios {
    let groups = summaries(records);
    let rate = |group: &Group, name: &str| {
        let structures = groups.get(group)?;
        Some(structures.iter().find(|summary| summary.structure == name)?.rates.mean)
    };
    let inserts = groups.keys().filter(|group| group.case == "insert");
    let ratio = |group: &Group| {
        let sort = rate(&Group { case: "sort".into(), ..group.clone() }, "bare_sort")?;
        let what = format!("{}, n/b = {}", group.described(), group.batches);
        Some(((format!("insert {what}"), "bare_sort".into()), rate(group, OURS)? / sort))
    };
    inserts.filter_map(ratio).collect()
}

/// The mean time of a structure's batch without its sort.
pub(crate) fn merging_seconds(groups: &Summaries, group: &Group, batch: &Summary) -> Option<f64> {
    let sorts = groups.get(&Group { case: "sort".into(), ..group.clone() })?;
    let sort = sorts.iter().find(|sort| sort.structure == batch.structure)?;
    Some(batch.mean_seconds() - sort.mean_seconds())
        .filter(|&seconds| group.case == "insert" && seconds > 0.0)
}

/// The `rate` of gpu-lsm divided by that of each other structure, if both have one.
fn of_each(
    records: &[Record],
    kind: &str,
    rate: impl Fn(&Summaries, &Group, &Summary) -> Option<f64>,
) -> Ratios {
    let Some(experiment) = records.first().map(|record| record.sample.experiment.clone()) else {
        return Ratios::new();
    };
    let groups = summaries(records);
    let mut all = Ratios::new();
    for (group, structures) in &groups {
        let rate = |summary: &Summary| rate(&groups, group, summary);
        let Some(ours) = structures.iter().find(|summary| summary.structure == OURS) else { continue };
        for other in structures.iter().filter(|summary| summary.structure != OURS) {
            if let (Some(our_rate), Some(their_rate)) = (rate(ours), rate(other)) {
                let what = format!("{experiment} {}, n/b = {}{kind}", group.described(), group.batches);
                all.insert((what, other.structure.clone()), our_rate / their_rate);
            }
        }
    }
    all
}
