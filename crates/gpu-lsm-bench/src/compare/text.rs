//! A comparison for a terminal: a bar for everybody in each row.

use crate::compare::comparison::{Comparison, SPREAD, Spread};
use crate::compare::row::Row;
use crate::compare::verdict::verdict;
use crate::report::table::short;

/// The longest names that are shown whole.
const NAMES: usize = 34;

/// The rows with their bars, in lines of at most `width` letters, and the verdict.
pub fn text(comparison: &Comparison, width: usize) -> String {
    let longest = comparison.contenders.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    let names = longest.min(NAMES).min(width / 3);
    let spreads = comparison.contenders.iter().flat_map(|one| one.rows.values());
    let widest = spreads.map(|spread| numbers(*spread).len()).max().unwrap_or(0);
    let room = width.saturating_sub(names + widest + 4).max(1);
    let mut lines = Vec::new();
    for row in Row::ALL {
        let ranked = comparison.ranked(row);
        if ranked.is_empty() {
            continue;
        }
        let less = if row.is_time() { ", less is better" } else { "" };
        lines.push(format!("{}, {}{less}", row.name(), row.unit()));
        let longest = ranked.iter().map(|(_, spread)| spread.median).fold(0.0, f64::max);
        for (column, spread) in ranked {
            let name = shortened(&column.name, names);
            lines.push(format!(
                "  {name:<names$} {} {}",
                bar(spread.median / longest, room),
                numbers(spread)
            ));
        }
        lines.push(String::new());
    }
    lines.extend([SPREAD.into(), String::new()]);
    lines.extend(wrapped(&verdict(comparison), width));
    lines.push(String::new());
    lines.extend(comparison.circumstances().iter().flat_map(|line| wrapped(line, width)));
    lines.join("\n")
}

fn numbers(Spread { median, low, high }: Spread) -> String {
    format!("{} ({} to {})", short(median), short(low), short(high))
}

/// A name in at most `room` letters. The end stays, which tells devices apart: the model, or the number of one of several.
fn shortened(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= room {
        return name.into();
    }
    let end = room.saturating_sub(1) / 2;
    let begin = letters.iter().take(room.saturating_sub(end + 1));
    begin.chain(&['…']).chain(&letters[letters.len() - end..]).take(room).collect()
}

/// A bar of eighths of letters.
fn bar(share: f64, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = ((share * (8 * room) as f64).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// The words of a text in lines of at most `width` letters, if no word is longer.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{bar, shortened, text};
    use crate::compare::comparison::Spread;
    use crate::compare::comparison::tests::small;
    use crate::compare::row::Row;

    #[test]
    fn the_longest_bar_fills_its_room_and_the_shortest_can_be_seen() {
        assert_eq!((bar(1.0, 4), bar(0.5, 3), bar(0.0, 9)), ("████".into(), "█▌".into(), "▏".into()));
    }

    #[test]
    fn lines_fit_a_narrow_terminal() {
        for width in [40, 60, 80, 120] {
            let shown = text(&small(), width);
            let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            // The machine's own name may be one long word.
            assert!(longest <= width.max(60), "{width}: {longest}\n{shown}");
            assert!(
                shown.contains("insertion, M entries/s") && shown.contains("20.0 (18.0 to 24.0)"),
                "{shown}"
            );
        }
    }

    #[test]
    fn names_that_are_too_long_keep_their_ends() {
        let card = |number| format!("gpu-lsm on NVIDIA GeForce RTX 4090 Laptop GPU ({number})");
        assert_eq!(shortened(&card(1), 20), "gpu-lsm on…p GPU (1)");
        let mut twins = small();
        for (number, one) in (1..).zip(&mut twins.contenders) {
            one.name = card(number);
        }
        for width in [40, 80, 120] {
            let shown = text(&twins, width);
            let bars = shown.split("in brackets").next().unwrap();
            assert!(bars.contains("PU (1) ") && bars.contains("PU (2) "), "{width}: {shown}");
        }
        assert_eq!(["", "…", "g…"].map(str::to_owned), [0, 1, 2].map(|room| shortened("gpu-lsm", room)));
    }

    #[test]
    fn bars_leave_room_for_the_widest_numbers() {
        let mut slow = small();
        let wide = Spread { median: 0.00798, low: 0.00709, high: 0.0111 };
        slow.contenders[0].rows.insert(Row::Insertion, wide);
        let shown = text(&slow, 100);
        assert!(shown.contains("0.00798 (0.00709 to 0.0111)"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    }
}
