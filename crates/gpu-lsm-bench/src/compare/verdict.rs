//! One sentence: what to use for what.

use crate::compare::comparison::{Column, Comparison, Spread};
use crate::compare::row::Row;
use crate::report::table::short;

/// The fastest of a row, and how many times as fast it is as the next of the other kind: ours beside the others, and the
/// others beside ours.
struct Winner<'a> {
    row: Row,
    column: &'a Column,
    advantage: Option<f64>,
}

/// What to use for what on this machine, losses included.
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
    if parts.is_empty() { "Nothing was measured.".into() } else { format!("Use {}.", parts.join("; ")) }
}

fn winner(comparison: &Comparison, row: Row) -> Option<Winner<'_>> {
    let ranked = comparison.ranked(row);
    let &(column, spread) = ranked.first()?;
    let rival = ranked.iter().find(|(other, _)| other.is_ours != column.is_ours);
    let advantage = rival.map(|(_, other): &(&Column, Spread)| row.advantage(spread.median, other.median));
    Some(Winner { row, column, advantage })
}

/// Everything that one is the fastest at.
fn part(name: &str, winners: &[Winner<'_>]) -> String {
    let own = winners.iter().filter(|winner| winner.column.name == name);
    let rows: Vec<String> = own
        .map(|winner| match winner.advantage {
            Some(advantage) => format!("{} ({} times)", winner.row.name(), short(advantage)),
            None => winner.row.name().to_owned(),
        })
        .collect();
    format!("{name} for {}", rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::verdict;
    use crate::compare::comparison::tests::small;

    #[test]
    fn wins_and_losses_are_in_one_sentence() {
        assert_eq!(
            verdict(&small()),
            "Use gpu-lsm on host for insertion (10.0 times), first count of 1024; \
             btree_map for batch of 64 (10.0 times), lookup of present keys (2.00 times)."
        );
    }

    #[test]
    fn of_nothing_there_is_nothing_to_say() {
        let mut nothing = small();
        nothing.contenders.clear();
        assert_eq!(verdict(&nothing), "Nothing was measured.");
    }
}
