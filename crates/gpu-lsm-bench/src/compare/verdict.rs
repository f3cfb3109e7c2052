//! What to use for what, in a sentence or two.

use crate::compare::comparison::{Column, Comparison, Spread};
use crate::compare::row::Row;
use crate::report::table::short;

/// What the numbers of the winners are.
const TIMES: &str = "In brackets: how many times as fast that is as the fastest of the other kind, gpu-lsm beside the others and \
    they beside gpu-lsm.";
/// Why a row has no winner.
const TIED: &str = "of those in brackets, medians differ by less than 5 %, or spreads overlap.";

/// Who has won a row, and how many times as fast it is as the fastest of the other kind: ours beside the others, and the
/// others beside ours.
struct Winner<'a> {
    row: Row,
    column: &'a Column,
    advantage: Option<f64>,
}

/// What to use for what on this machine, losses included, what its numbers are, and what nobody has won.
pub fn verdict(comparison: &Comparison) -> String {
    let sentences: Vec<String> = [won(comparison), tied(comparison)].into_iter().flatten().collect();
    if sentences.is_empty() { "Nothing was measured.".into() } else { sentences.join(" ") }
}

/// Who has won what.
fn won(comparison: &Comparison) -> Option<String> {
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
    (!parts.is_empty()).then(|| format!("Use {}. {times}", parts.join("; ")).trim_end().into())
}

fn winner(comparison: &Comparison, row: Row) -> Option<Winner<'_>> {
    let [column] = comparison.leaders(row)[..] else { return None };
    let ranked = comparison.ranked(row);
    let &(_, best) = ranked.first()?;
    let rival = ranked.iter().find(|(other, _)| other.is_ours != column.is_ours);
    let advantage = rival.map(|&(_, other): &(&Column, Spread)| row.advantage(best.median, other.median));
    Some(Winner { row, column, advantage })
}

/// Everything that one has won.
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

/// The rows without a winner, and who leads them.
fn tied(comparison: &Comparison) -> Option<String> {
    let rows: Vec<String> = Row::ALL.into_iter().filter_map(|row| tie(comparison, row)).collect();
    (!rows.is_empty()).then(|| format!("No clear winner for {}: {TIED}", rows.join(", ")))
}

fn tie(comparison: &Comparison, row: Row) -> Option<String> {
    let leaders = comparison.leaders(row);
    let names: Vec<&str> = leaders.iter().map(|column| column.name.as_str()).collect();
    (names.len() > 1).then(|| format!("{} ({})", row.name(), names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{TIED, TIMES, verdict};
    use crate::compare::comparison::Spread;
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

    #[test]
    fn who_does_not_clearly_lead_is_no_winner() {
        let mut close = small();
        close.contenders[1].rows.insert(Row::Insertion, Spread { median: 12.0, low: 11.0, high: 19.0 });
        assert_eq!(
            verdict(&close),
            format!(
                "Use btree_map for batch of 64 (10.0 times), lookup of present keys (2.00 times); gpu-lsm on host for first \
                 count of 1024. {TIMES} No clear winner for insertion (gpu-lsm on host, btree_map): {TIED}"
            )
        );
    }

    #[test]
    fn without_any_winner_nothing_is_recommended() {
        let mut twins = small();
        twins.contenders[1].rows = twins.contenders[0].rows.clone();
        let said = verdict(&twins);
        assert!(said.starts_with("No clear winner for insertion (gpu-lsm on host, btree_map), "), "{said}");
        assert!(!said.contains("Use ") && !said.contains(TIMES), "{said}");
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
