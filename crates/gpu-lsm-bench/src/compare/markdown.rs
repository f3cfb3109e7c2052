//! A comparison as Markdown, to be pasted anywhere.

use crate::compare::comparison::{Column, Comparison, SPREAD, Spread};
use crate::compare::row::Row;
use crate::compare::verdict::verdict;
use crate::report::table::short;

/// A table with everybody in a column, medians with their spreads, those who lead a row in bold; the verdict; the circumstances.
pub fn markdown(comparison: &Comparison) -> String {
    let names: Vec<String> = comparison.contenders.iter().map(|one| plain(&one.name)).collect();
    let mut lines =
        vec![format!("| | {} |", names.join(" | ")), format!("| --- |{}", " ---: |".repeat(names.len()))];
    for row in Row::ALL {
        let leaders = comparison.leaders(row);
        let cell = |one: &Column| match one.rows.get(&row) {
            Some(spread) if leaders.contains(&one) => {
                format!("**{}** {}", short(spread.median), ends(spread))
            }
            Some(spread) => format!("{} {}", short(spread.median), ends(spread)),
            None => "-".into(),
        };
        if !leaders.is_empty() {
            let cells: Vec<String> = comparison.contenders.iter().map(cell).collect();
            lines.push(format!("| {}, {} | {} |", row.name(), row.unit(), cells.join(" | ")));
        }
    }
    lines.extend([String::new(), plain(&verdict(comparison)), String::new()]);
    lines.push(format!("- bold: nobody is clearly faster; {SPREAD}"));
    lines.extend(comparison.circumstances().iter().map(|line| format!("- {}", plain(line))));
    lines.join("\n") + "\n"
}

/// Both ends of a spread.
fn ends(Spread { low, high, .. }: &Spread) -> String {
    format!("({}-{})", short(*low), short(*high))
}

/// Text that Markdown shows as it is, on one line and in a cell of a table: devices, drivers and processors have any names, and
/// files that are shared anything.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '`' | '*' | '[' | ']' => plain.extend(['\\', letter]),
            '<' => plain.push_str("&lt;"),
            '&' => plain.push_str("&amp;"),
            letter if letter.is_control() => plain.push(' '),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{markdown, plain};
    use crate::compare::comparison::Spread;
    use crate::compare::comparison::tests::small;
    use crate::compare::row::Row;

    #[test]
    fn the_fastest_is_bold_and_what_is_missing_is_a_dash() {
        let table = markdown(&small());
        assert!(table.starts_with("| | gpu-lsm on host | btree_map |\n| --- | ---: | ---: |\n"), "{table}");
        assert!(
            table.contains("| insertion, M entries/s | **20.0** (18.0-24.0) | 2.00 (1.80-2.40) |\n"),
            "{table}"
        );
        assert!(
            table.contains("| first count of 1024, M queries/s | **4.00** (3.60-4.80) | - |\n"),
            "{table}"
        );
        assert!(!table.contains("cleanup"), "{table}");
        assert!(table.contains("in brackets: quartiles; half of all rounds lie between them\n"), "{table}");
        assert!(table.contains("n = 2^20, b = 2^16"), "{table}");
    }

    #[test]
    fn all_are_bold_if_none_has_won() {
        let mut close = small();
        close.contenders[1].rows.insert(Row::Insertion, Spread { median: 12.0, low: 11.0, high: 19.0 });
        let table = markdown(&close);
        assert!(
            table.contains("| insertion, M entries/s | **20.0** (18.0-24.0) | **12.0** (11.0-19.0) |\n"),
            "{table}"
        );
    }

    #[test]
    fn names_are_shown_as_they_are() {
        assert_eq!(plain("Intel(R) Xeon(R) @ 2.80GHz, btree_map"), "Intel(R) Xeon(R) @ 2.80GHz, btree_map");
        let mut odd = small();
        odd.contenders[0].name = "a|b <img> & `c` *d* [e](f)\n# g".into();
        odd.machine.processor = "x\n\n# y".into();
        let table = markdown(&odd);
        let shown = "a\\|b &lt;img> &amp; \\`c\\` \\*d\\* \\[e\\](f) # g";
        assert!(table.starts_with(&format!("| | {shown} | btree_map |\n")), "{table}");
        assert!(table.contains(&format!("Use {shown} for insertion")), "{table}");
        assert!(table.contains("- x  # y, "), "{table}");
    }
}
