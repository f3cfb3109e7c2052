//! One sentence: what to use for what.

use crate::compare::comparison::{Column, Comparison, Spread};
use crate::compare::row::Row;
use crate::report::table::short;
use crate::report::verdict::CLOSE;

/// What the numbers in the sentence are.
const TIMES: &str = "In brackets: how many times as fast that is as the fastest of the other kind, gpu-lsm beside the others and \
    they beside gpu-lsm.";

/// The fastest of a row, and how many times as fast it is as the next of the other kind: ours beside the others, and the
/// others beside ours.
struct Winner<'a> {
    row: Row,
    column: &'a Column,
    advantage: Option<(f64, &'a Column)>,
}

/// What to use for what on this machine, losses included, and what its numbers are.
pub fn verdict(comparison: &Comparison) -> String {
    let winners: Vec<Winner<'_>> = Row::ALL.into_iter().filter_map(|row| winner(comparison, row)).collect();
    let mut names: Vec<&str> = Vec::new();
    for winner in &winners {
        if !names.contains(&winner.column.name.as_str()) {
            names.push(&winner.column.name);
        }
    }
    let rows_of = |name: &&str| winners.iter().filter(|winner| winner.column.name == *name).count();
    // Stable, so that names with as many rows stay in the order of rows.
    names.sort_by_key(|name| std::cmp::Reverse(rows_of(name)));
    let parts: Vec<String> = names.iter().map(|name| part(name, &winners)).collect();
    let times = if winners.iter().any(|winner| winner.advantage.is_some()) { TIMES } else { "" };
    match parts.is_empty() {
        true => "Nothing was measured.".into(),
        false => format!("Use {}. {times}", parts.join("; ")).trim_end().into(),
    }
}

fn winner(comparison: &Comparison, row: Row) -> Option<Winner<'_>> {
    let ranked = comparison.ranked(row);
    let &(column, spread) = ranked.first()?;
    let rival = ranked.iter().find(|(other, _)| other.is_ours != column.is_ours);
    let advantage =
        rival.map(|&(rival, other): &(&Column, Spread)| (row.advantage(spread.median, other.median), rival));
    Some(Winner { row, column, advantage })
}

/// Everything that one is the fastest at.
fn part(name: &str, winners: &[Winner<'_>]) -> String {
    let own = winners.iter().filter(|winner| winner.column.name == name);
    let rows: Vec<String> = own
        .map(|winner| match winner.advantage {
            Some((advantage, rival)) if CLOSE * advantage <= 1.0 => {
                format!("{} (as fast as {})", winner.row.name(), rival.name)
            }
            Some((advantage, _)) => format!("{} ({} times)", winner.row.name(), short(advantage)),
            None => winner.row.name().to_owned(),
        })
        .collect();
    format!("{name} for {}", rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{TIMES, verdict};
    use crate::compare::comparison::tests::small;
    use crate::compare::row::Row;

    #[test]
    fn wins_and_losses_are_in_one_sentence() {
        assert_eq!(
            verdict(&small()),
            format!(
                "Use gpu-lsm on host for insertion (10.0 times), first count of 1024; \
                 btree_map for batch of 64 (10.0 times), lookup of present keys (2.00 times). {TIMES}"
            )
        );
    }

    /// Two runs of one program differ by as much.
    #[test]
    fn who_is_hardly_faster_is_as_fast() {
        let mut close = small();
        for (row, medians) in [(Row::Insertion, [20.0, 20.8]), (Row::SmallBatch, [30.0, 28.8])] {
            for (one, median) in close.contenders.iter_mut().zip(medians) {
                one.rows.get_mut(&row).unwrap().median = median;
            }
        }
        let said = verdict(&close);
        assert!(said.contains("insertion (as fast as gpu-lsm on host)"), "{said}");
        assert!(said.contains("batch of 64 (as fast as gpu-lsm on host)"), "{said}");
        assert!(said.contains("lookup of present keys (2.00 times)"), "{said}");
    }

    #[test]
    fn alone_nobody_is_faster_than_anybody() {
        let mut alone = small();
        alone.contenders.truncate(1);
        assert_eq!(
            verdict(&alone),
            "Use gpu-lsm on host for insertion, batch of 64, lookup of present keys, first count of 1024."
        );
    }

    #[test]
    fn of_nothing_there_is_nothing_to_say() {
        let mut nothing = small();
        nothing.contenders.clear();
        assert_eq!(verdict(&nothing), "Nothing was measured.");
    }
}
