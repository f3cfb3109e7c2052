//! A comparison as Markdown, to be pasted anywhere.

use crate::compare::comparison::Comparison;
use crate::compare::row::Row;
use crate::compare::verdict::verdict;
use crate::report::table::short;

/// A table with everybody in a column, the fastest of each row in bold, the verdict, and the circumstances.
pub fn markdown(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.contenders.iter().map(|one| one.name.as_str()).collect();
    let mut lines =
        vec![format!("| | {} |", names.join(" | ")), format!("| --- |{}", " ---: |".repeat(names.len()))];
    for row in Row::ALL {
        let best = comparison.ranked(row).first().map(|(one, _)| one.name.clone());
        let cell = |one: &crate::compare::comparison::Column| match one.rows.get(&row) {
            Some(spread) if Some(&one.name) == best.as_ref() => format!("**{}**", short(spread.median)),
            Some(spread) => short(spread.median),
            None => "-".into(),
        };
        if best.is_some() {
            let cells: Vec<String> = comparison.contenders.iter().map(cell).collect();
            lines.push(format!("| {}, {} | {} |", row.name(), row.unit(), cells.join(" | ")));
        }
    }
    lines.extend([String::new(), verdict(comparison), String::new()]);
    lines.extend(comparison.circumstances().into_iter().map(|line| format!("- {line}")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use crate::compare::comparison::tests::small;

    #[test]
    fn the_fastest_is_bold_and_what_is_missing_is_a_dash() {
        let table = markdown(&small());
        assert!(table.starts_with("| | gpu-lsm on host | btree_map |\n| --- | ---: | ---: |\n"), "{table}");
        assert!(table.contains("| insertion, M entries/s | **20.0** | 2.00 |\n"), "{table}");
        assert!(table.contains("| first count of 1024, M queries/s | **4.00** | - |\n"), "{table}");
        assert!(!table.contains("cleanup"), "{table}");
        assert!(table.contains("n = 2^20, b = 2^16"), "{table}");
    }
}
