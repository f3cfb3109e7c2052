//! An SVG image in progress: text and rectangles. Plots and pictures add what else they need.

use crate::report::table::escaped;

/// An image in progress.
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// A white image.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
             {height}\" font-family=\"sans-serif\" fill=\"#222\">\n"
        );
        let mut svg = Self { text };
        svg.rectangle(0.0, 0.0, width, height, "#fff");
        svg
    }

    pub(crate) fn element(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: &str, size: u32, text: &str) {
        let (x, y) = at;
        let text = escaped(text);
        self.element(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{text}</text>"
        ));
    }

    pub(crate) fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, colour: &str) {
        self.element(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }

    /// The whole image.
    pub(crate) fn end(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}
