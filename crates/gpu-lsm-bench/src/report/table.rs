//! Tables, for the terminal, for HTML and for Markdown.

/// A table with a title above and a note below.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// What readers must know to understand it.
    pub note: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, note: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(ToString::to_string).collect();
        Self { title: title.into(), note: note.into(), header, rows: Vec::new() }
    }

    /// The table for a terminal, with aligned columns.
    pub fn to_text(&self) -> String {
        let cells = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| cells().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.header.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
            format!("  {}\n", cells.collect::<Vec<_>>().join("  "))
        };
        let rows: String = cells().map(line).collect();
        format!("{}\n{rows}{}\n", self.title, self.note)
    }

    /// The table as Markdown, without title and note.
    pub fn to_markdown(&self) -> String {
        let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.header.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{rule}{rows}", line(&self.header))
    }

    /// The table as HTML.
    pub fn to_html(&self) -> String {
        let line = |row: &[String], tag: &str| {
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|row| line(row, "td")).collect();
        let (title, note, header) = (escaped(&self.title), escaped(&self.note), line(&self.header, "th"));
        format!("<table><caption>{title}</caption>\n{header}{rows}</table>\n<p class=\"note\">{note}</p>\n")
    }
}

/// Text with HTML's special characters escaped.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A number with three significant digits.
pub fn short(number: f64) -> String {
    let digits = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size > 1e-9 => 2 + (-size.log10().floor()) as usize,
        _ => 1,
    };
    format!("{number:.digits$}")
}

/// A number as it was printed, with at most two digits after the decimal point.
pub fn exact(number: f64) -> String {
    format!("{}", (number * 100.0).round() / 100.0)
}

/// A size, written as a power of two if it is one.
pub fn size(number: usize) -> String {
    if number > 512 && number.is_power_of_two() {
        format!("2^{}", number.ilog2())
    } else {
        number.to_string()
    }
}

/// The quotient of two numbers, if both are known.
pub(crate) fn ratio(one: Option<f64>, other: Option<f64>) -> String {
    one.zip(other).map_or("-".into(), |(one, other)| short(one / other))
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([123.4, 12.34, 1.234, -1.234].map(short), ["123", "12.3", "1.23", "-1.23"]);
        assert_eq!([0.12, 0.0123, 0.00456, 0.0].map(short), ["0.120", "0.0123", "0.00456", "0.0"]);
    }
}
