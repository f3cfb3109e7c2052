//! A comparison as one picture that stands alone.

use crate::compare::comparison::Comparison;
use crate::compare::row::Row;
use crate::report::svg::Svg;
use crate::report::table::short;

const WIDTH: f64 = 860.0;
/// Where bars begin, behind the names.
const BARS: f64 = 300.0;
/// The longest bar; numbers stand behind it.
const LONGEST: f64 = 420.0;
const LINE: f64 = 17.0;
/// Ours, and the others.
const COLOURS: [&str; 2] = ["#0072b2", "#999"];

/// The picture as SVG: for each row a bar for everybody, from zero, with a thin line from the least to the most.
pub fn picture(comparison: &Comparison) -> String {
    let rows: Vec<_> = Row::ALL.into_iter().map(|row| (row, comparison.ranked(row))).collect();
    let lines: usize =
        rows.iter().filter(|(_, ranked)| !ranked.is_empty()).map(|(_, ranked)| ranked.len() + 2).sum();
    let mut circumstances = vec!["Thin lines go from the least to the most of all rounds.".to_owned()];
    circumstances.extend(comparison.circumstances());
    let height = 70.0 + LINE * (lines + circumstances.len()) as f64;
    let mut svg = Svg::new(WIDTH, height);
    svg.text((20.0, 30.0), "start", 18, "gpu-lsm beside other dictionaries, on one machine");
    let mut y = 56.0;
    for (row, ranked) in rows.into_iter().filter(|(_, ranked)| !ranked.is_empty()) {
        let less = if row.is_time() { ", less is better" } else { "" };
        svg.text((20.0, y), "start", 13, &format!("{}, {}{less}", row.name(), row.unit()));
        y += LINE;
        let most = ranked.iter().map(|(_, spread)| spread.most).fold(0.0, f64::max);
        for (column, spread) in ranked {
            let at = |value: f64| BARS + LONGEST * value / most;
            svg.text((BARS - 10.0, y), "end", 12, &column.name);
            svg.rectangle(
                BARS,
                y - 10.0,
                at(spread.median) - BARS,
                11.0,
                COLOURS[usize::from(!column.is_ours)],
            );
            svg.rectangle(at(spread.least), y - 5.5, at(spread.most) - at(spread.least), 1.5, "#222");
            svg.text((at(spread.most) + 8.0, y), "start", 12, &short(spread.median));
            y += LINE;
        }
        y += LINE;
    }
    for line in circumstances {
        svg.text((20.0, y), "start", 12, &line);
        y += LINE;
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::picture;
    use crate::compare::comparison::tests::small;

    #[test]
    fn a_picture_stands_alone() {
        let svg = picture(&small());
        for what in
            ["gpu-lsm on host", "btree_map", "2^20", "2026-11-17", "commit", "less is better", "</svg>"]
        {
            assert!(svg.contains(what), "{what} is missing: {svg}");
        }
        assert!(!svg.contains("cleanup") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
