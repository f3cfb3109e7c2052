//! Plots as SVG: lines over numbers, and bars over names. The colours are distinguishable for colour-blind readers
//! (Okabe and Ito), and each structure also has its own mark.
//!
//! We tried `plotters` and decided against it. It draws the lines just as well, but not grouped bars, wrapped names
//! below them, the legend, or square marks: about 250 lines of code would replace 400. It writes each dash separately,
//! which makes files 2.6 times as long. And it enables the `std` feature of `num-traits`, which the engine does not
//! use. So either the library would have to name that package just for plots, or building the command would build the
//! engine again.

use crate::error::{Error, Result};
use crate::record::summary::ORDER;
use crate::report::axis::Axis;
use crate::report::svg::Svg;
use crate::report::table::escaped;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The drawing area, in pixels. Labels are to its left and below, the legend is to its right.
const LEFT: f64 = 78.0;
const TOP: f64 = 62.0;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEGEND: f64 = 210.0;
/// The colours of the structures, in their order.
const COLOURS: [&str; ORDER.len()] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8c564b", "#56b4e9", "#6b6b6b", "#9467bd",
    "#000000", "#332288",
];
/// The dash patterns that distinguish several lines of one structure.
const DASHES: [&str; 4] = ["none", "7 3", "3 3", "10 3 2 3"];

/// A measured number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The number, or the mean of several.
    pub number: f64,
    /// The least and the most of those, if it is a mean.
    pub spread: Option<(f64, f64)>,
}

impl Value {
    /// One number.
    pub fn one(number: f64) -> Self {
        Self { number, spread: None }
    }

    /// The number and the ends of its spread.
    fn all(self) -> impl Iterator<Item = f64> {
        let (least, most) = self.spread.unwrap_or((self.number, self.number));
        [least, self.number, most].into_iter()
    }
}

/// A named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name. The structure's name at its start decides its colour and mark.
    pub name: String,
    /// Its points: where they are on the horizontal axis, and what was measured there.
    pub points: Vec<(f64, Value)>,
}

/// A plot with labelled axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The file's name, without its ending.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// The quantity on the horizontal axis, with its unit.
    pub x: String,
    /// The quantity on the vertical axis, with its unit.
    pub y: String,
    /// The content.
    pub shape: Shape,
}

/// The content of a plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Lines, with a vertical axis in powers of ten.
    Lines {
        /// The lines.
        lines: Vec<Line>,
        /// Whether each step to the right doubles.
        doubling: bool,
        /// Whether points are marked. They are not if there are too many.
        marks: bool,
    },
    /// Groups of bars: one group per name, one bar per structure. Where the smallest bar would be hardly visible, the vertical
    /// axis is in powers of ten, and marks stand in place of bars: lengths from an arbitrary bottom say nothing.
    Bars {
        /// The names along the horizontal axis.
        names: Vec<String>,
        /// For each structure its value over each name, or none.
        bars: Vec<(String, Vec<Option<Value>>)>,
    },
}

impl Plot {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match &self.shape {
            Shape::Lines { lines, .. } => lines.iter().all(|line| line.points.is_empty()),
            Shape::Bars { names, .. } => names.is_empty(),
        }
    }

    /// Where the numbers are from, and what thin lines mean if there are some.
    fn about(&self, source: &str) -> String {
        let has_spread = |value: &Value| value.spread.is_some();
        let is_spread = match &self.shape {
            Shape::Lines { lines, .. } => {
                lines.iter().any(|line| line.points.iter().any(|at| has_spread(&at.1)))
            }
            Shape::Bars { bars, .. } => bars.iter().any(|bar| bar.1.iter().flatten().any(has_spread)),
        };
        let thin = if is_spread { "; thin lines: least to most" } else { "" };
        format!("{source}{thin}")
    }

    /// Writes the plot to a folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, source: &str, folder: &Path) -> Result<()> {
        let path = folder.join(format!("{}.svg", self.file));
        fs::write(&path, self.to_svg(source)).map_err(Error::file(&path))
    }

    /// The plot as SVG. `source` says where its numbers are from: the device, the commit, and the size.
    pub fn to_svg(&self, source: &str) -> String {
        let mut svg = framed(self, source);
        match &self.shape {
            Shape::Lines { lines, doubling, marks } => draw_lines(&mut svg, lines, *doubling, *marks),
            Shape::Bars { names, bars } => draw_bars(&mut svg, names, bars),
        }
        svg.end()
    }
}

fn draw_lines(svg: &mut Svg, lines: &[Line], doubling: bool, marks: bool) {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let x =
        if doubling { Axis::doubling(points().map(|at| at.0)) } else { Axis::plain(points().map(|at| at.0)) };
    let y = Axis::tens(points().flat_map(|at| at.1.all()));
    for (value, label) in x.labels(10) {
        svg.tick_below(across(&x, value), &label);
    }
    svg.left_axis(&y);
    let mut seen: Vec<usize> = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        let look = Look::of(&line.name);
        let dash = DASHES[seen.iter().filter(|&&at| at == look.0).count() % DASHES.len()];
        seen.push(look.0);
        line.points.iter().for_each(|at| svg.whisker(across(&x, at.0), &y, at.1, look));
        let places: Vec<_> = line.points.iter().map(|at| (across(&x, at.0), up(&y, at.1.number))).collect();
        svg.line(&places, look, dash);
        let at = (LEFT + WIDTH + 14.0, TOP + 12.0 + 20.0 * row as f64);
        svg.line(&[at, (at.0 + 26.0, at.1)], look, dash);
        if marks {
            places.iter().for_each(|&at| svg.mark(at, look));
            svg.mark((at.0 + 13.0, at.1), look);
        }
        svg.text((at.0 + 34.0, at.1 + 4.0), "start", 12, &line.name);
    }
}

fn draw_bars(svg: &mut Svg, names: &[String], bars: &[(String, Vec<Option<Value>>)]) {
    let ends = || bars.iter().flat_map(|bar| bar.1.iter().flatten()).flat_map(|value| value.all());
    let (low, high) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
    let as_marks = high > 30.0 * low;
    let y = if as_marks { Axis::tens(ends()) } else { Axis::from_zero(high) };
    svg.left_axis(&y);
    let room = WIDTH / names.len() as f64;
    for (i, name) in names.iter().enumerate() {
        svg.wrapped(LEFT + (i as f64 + 0.5) * room, name, (room / 7.0) as usize);
    }
    let width = 0.84 * room / bars.len() as f64;
    for (row, (structure, values)) in bars.iter().enumerate() {
        let look = Look::of(structure);
        for (i, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let (left, top) = (LEFT + (i as f64 + 0.08) * room + row as f64 * width, up(&y, value.number));
            svg.whisker(left + 0.5 * width, &y, *value, look);
            if as_marks {
                svg.mark((left + 0.5 * width, top), look);
            } else {
                svg.bar(left + 0.04 * width, top, 0.92 * width, TOP + HEIGHT - top, look);
            }
        }
        let at = (LEFT + WIDTH + 14.0, TOP + 6.0 + 20.0 * row as f64);
        if as_marks {
            svg.mark((at.0 + 13.0, at.1 + 6.0), look);
        } else {
            svg.rectangle(at.0 + 6.0, at.1, 14.0, 12.0, look.colour());
        }
        svg.text((at.0 + 34.0, at.1 + 10.0), "start", 12, structure);
    }
}

fn across(axis: &Axis, value: f64) -> f64 {
    LEFT + axis.share(value) * WIDTH
}

fn up(axis: &Axis, value: f64) -> f64 {
    TOP + (1.0 - axis.share(value)) * HEIGHT
}

/// The colour and the mark of a structure, as its position in their order.
#[derive(Debug, Clone, Copy)]
struct Look(usize);

impl Look {
    fn of(name: &str) -> Self {
        let structure = name.split([' ', ',']).next().unwrap_or_default();
        Self(ORDER.iter().position(|known| *known == structure).unwrap_or(ORDER.len() - 1))
    }

    fn colour(self) -> &'static str {
        COLOURS[self.0]
    }
}

/// An image of the plot's size, with its title, its source and the names of its axes.
fn framed(plot: &Plot, source: &str) -> Svg {
    let (width, height) = (LEFT + WIDTH + LEGEND, TOP + HEIGHT + 68.0);
    let mut svg = Svg::new(width, height);
    svg.text((LEFT, 26.0), "start", 16, &plot.title);
    svg.text((LEFT, 46.0), "start", 12, &plot.about(source));
    svg.text((LEFT + WIDTH / 2.0, height - 12.0), "middle", 13, &plot.x);
    let middle = TOP + HEIGHT / 2.0;
    let turned = format!("transform=\"rotate(-90 20 {middle})\" text-anchor=\"middle\" font-size=\"13\"");
    svg.element(&format!("<text x=\"20\" y=\"{middle}\" {turned}>{}</text>", escaped(&plot.y)));
    svg
}

impl Svg {
    fn line(&mut self, places: &[(f64, f64)], look: Look, dash: &str) {
        let mut points = String::new();
        for (x, y) in places {
            write!(points, "{x:.1},{y:.1} ").expect("a string takes text");
        }
        self.element(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"/>",
            points.trim_end(),
            look.colour()
        ));
    }

    /// Circles, squares, triangles and crosses; the marks of the first four structures are filled.
    fn mark(&mut self, at: (f64, f64), look: Look) {
        let (x, y) = at;
        let shape = match look.0 % 4 {
            0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\""),
            1 => format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"", x - 4.0, y - 4.0),
            2 => format!("<path d=\"M{x:.1} {:.1}l5 9h-10z\"", y - 5.0),
            _ => format!("<path d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\"", x - 4.0, y - 4.0),
        };
        let fill = if look.0 < 4 { look.colour() } else { "#fff" };
        self.element(&format!("{shape} fill=\"{fill}\" stroke=\"{}\" stroke-width=\"1.8\"/>", look.colour()));
    }

    /// A thin line from the least to the most.
    fn whisker(&mut self, x: f64, axis: &Axis, value: Value, look: Look) {
        let Some((least, most)) = value.spread else { return };
        let (bottom, top) = (up(axis, least), up(axis, most));
        let colour = look.colour();
        self.element(&format!(
            "<path d=\"M{x:.1} {bottom:.1}V{top:.1}\" stroke=\"{colour}\" stroke-width=\"1\" stroke-opacity=\"0.6\"/>"
        ));
    }

    /// A bar that a whisker behind it can be seen through.
    fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, look: Look) {
        let colour = look.colour();
        self.element(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\" fill-opacity=\"0.75\"/>"
        ));
    }

    fn tick_below(&mut self, x: f64, label: &str) {
        let bottom = TOP + HEIGHT;
        self.element(&format!("<path d=\"M{x:.1} {bottom}v5\" stroke=\"#555\" stroke-width=\"1\"/>"));
        self.text((x, bottom + 19.0), "middle", 12, label);
    }

    /// The frame and the vertical axis, with labels and light grid lines.
    fn left_axis(&mut self, axis: &Axis) {
        for (value, label) in axis.labels(8) {
            let y = up(axis, value);
            self.element(&format!("<path d=\"M{LEFT} {y:.1}h{WIDTH}\" stroke=\"#ddd\" stroke-width=\"1\"/>"));
            self.text((LEFT - 8.0, y + 4.0), "end", 12, &label);
        }
        self.element(&format!(
            "<path d=\"M{LEFT} {TOP}v{HEIGHT}h{WIDTH}\" fill=\"none\" stroke=\"#555\" stroke-width=\"1\"/>"
        ));
    }

    /// A name below the axis, wrapped into lines of about `letters` letters.
    fn wrapped(&mut self, x: f64, name: &str, letters: usize) {
        let mut lines: Vec<String> = Vec::new();
        for word in name.split(' ') {
            match lines.last_mut() {
                Some(line) if line.len() + word.len() < letters => *line = format!("{line} {word}"),
                _ => lines.push(word.to_owned()),
            }
        }
        for (row, line) in lines.iter().enumerate() {
            self.text((x, TOP + HEIGHT + 17.0 + 14.0 * row as f64), "middle", 12, line);
        }
    }
}
