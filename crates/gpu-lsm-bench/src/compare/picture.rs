//! A comparison as one picture that stands alone.

use crate::compare::comparison::Comparison;
use crate::compare::row::Row;
use crate::compare::text::wrapped;
use crate::report::svg::Svg;
use crate::report::table::short;

/// The space on the left and on the right.
const MARGIN: f64 = 20.0;
/// The least space for names, before the bars.
const NAMES: f64 = 270.0;
/// About the width of a letter.
const LETTER: f64 = 6.6;
/// The longest bar, and what stands behind it.
const LONGEST: f64 = 420.0;
const NUMBER: f64 = 120.0;
const LINE: f64 = 17.0;
/// Ours, and the others.
const COLOURS: [&str; 2] = ["#0072b2", "#999"];

/// The picture as SVG: for each row a bar for everybody, from zero, with a thin line between the quartiles.
pub fn picture(comparison: &Comparison) -> String {
    let rows: Vec<_> = Row::ALL.into_iter().map(|row| (row, comparison.ranked(row))).collect();
    let lines: usize =
        rows.iter().filter(|(_, ranked)| !ranked.is_empty()).map(|(_, ranked)| ranked.len() + 2).sum();
    let names = comparison.contenders.iter().map(|one| one.name.chars().count() as f64 * LETTER);
    let bars = MARGIN + names.fold(NAMES, f64::max) + 10.0;
    let width = bars + LONGEST + NUMBER + MARGIN;
    let mut circumstances = vec!["Thin lines span the middle half of all rounds.".to_owned()];
    let letters = ((width - 2.0 * MARGIN) / LETTER) as usize;
    circumstances.extend(comparison.circumstances().iter().flat_map(|line| wrapped(line, letters)));
    let height = 70.0 + LINE * (lines + circumstances.len()) as f64;
    let mut svg = Svg::new(width, height);
    svg.text((MARGIN, 30.0), "start", 18, "gpu-lsm beside other dictionaries, on one machine");
    let mut y = 56.0;
    for (row, ranked) in rows.into_iter().filter(|(_, ranked)| !ranked.is_empty()) {
        let less = if row.is_time() { ", less is better" } else { "" };
        svg.text((MARGIN, y), "start", 13, &format!("{}, {}{less}", row.name(), row.unit()));
        y += LINE;
        let longest = ranked.iter().map(|(_, spread)| spread.high).fold(0.0, f64::max);
        for (column, spread) in ranked {
            let at = |value: f64| bars + LONGEST * value / longest;
            svg.text((bars - 10.0, y), "end", 12, &column.name);
            svg.rectangle(
                bars,
                y - 10.0,
                at(spread.median) - bars,
                11.0,
                COLOURS[usize::from(!column.is_ours)],
            );
            svg.rectangle(at(spread.low), y - 5.5, at(spread.high) - at(spread.low), 1.5, "#222");
            svg.text((at(spread.high) + 8.0, y), "start", 12, &short(spread.median));
            y += LINE;
        }
        y += LINE;
    }
    for line in circumstances {
        svg.text((MARGIN, y), "start", 12, &line);
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
        assert!(svg.contains("width=\"860\""), "{svg}");
        assert!(!svg.contains("cleanup") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    /// Nothing begins left of the picture or ends right of it.
    #[test]
    fn long_names_have_room() {
        let mut long = small();
        long.contenders[0].name =
            "gpu-lsm on AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO) <1> & \"2\"".into();
        long.contenders[0].driver = Some("Vulkan, ".to_owned() + &"a driver with a long name, ".repeat(8));
        let svg = picture(&long);
        assert!(svg.contains("&lt;1&gt; &amp; \""), "{svg}");
        let number = |line: &str, name: &str| -> f64 {
            let after = line.split_once(&format!("{name}=\"")).unwrap().1;
            after.split_once('"').unwrap().0.parse().unwrap()
        };
        let width = number(&svg, "width");
        for line in svg.lines().filter(|line| line.starts_with("<text")) {
            let text = line.split_once('>').unwrap().1.trim_end_matches("</text>").replace("&lt;", "<");
            let long = 0.5 * number(line, "font-size") * text.chars().count() as f64;
            let x = number(line, "x");
            let fits = if line.contains("\"end\"") { x >= long } else { x + long <= width };
            assert!(fits, "{width}: {line}");
        }
    }
}
