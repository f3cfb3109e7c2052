//! Plots as SVG: lines over numbers, and bars over names. Colours can be told apart by the colour-blind (Okabe and Ito),
//! and each structure has a mark of its own besides.

use crate::error::{Error, Result};
use crate::summary::ORDER;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::path::Path;

/// The size of a plot in pixels.
const SIZE: (u32, u32) = (760, 460);
/// A colour for each structure, in their order.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 120, 120),
    RGBColor(0, 0, 0),
];

/// A named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Whose it is; the first word decides its colour and mark.
    pub name: String,
    /// Where it goes through.
    pub points: Vec<(f64, f64)>,
}

/// A plot with labelled axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The file's name, without its ending.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// What is along the horizontal axis, with its unit.
    pub x: String,
    /// What is along the vertical axis, with its unit.
    pub y: String,
    /// What is drawn.
    pub shape: Shape,
}

/// What a plot consists of.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Lines, the horizontal axis in doublings where `log_x`, the vertical one in powers of ten where `log_y`.
    Lines {
        /// The lines.
        lines: Vec<Line>,
        /// Whether each step to the right doubles.
        log_x: bool,
        /// Whether each step up is ten times as much.
        log_y: bool,
        /// Whether points are marked, or too many for that.
        marks: bool,
    },
    /// Bars, side by side for each name: what each structure has there.
    Bars {
        /// The names along the horizontal axis.
        names: Vec<String>,
        /// For each structure a bar over each name, none where there is nothing.
        bars: Vec<(String, Vec<Option<f64>>)>,
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

    /// Writes the plot to a folder.
    ///
    /// # Errors
    /// Where it can't be drawn or written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(format!("{}.svg", self.file));
        let area = SVGBackend::new(&path, SIZE).into_drawing_area();
        let drawn = match &self.shape {
            Shape::Lines { lines, log_x, log_y, marks } => self.lines(&area, lines, *log_x, *log_y, *marks),
            Shape::Bars { names, bars } => self.bars(&area, names, bars),
        };
        let drawn = drawn.and_then(|()| area.present().map_err(|error| error.to_string()));
        drawn.map_err(|reason| Error::Plot { path: path.clone(), reason })
    }

    fn lines(&self, area: &Area<'_>, lines: &[Line], log_x: bool, log_y: bool, marks: bool) -> Drawn {
        let points = || lines.iter().flat_map(|line| line.points.iter().copied());
        let (x_low, x_high) = extent(points().map(|point| point.0)).ok_or("there are no points")?;
        let (y_low, y_high) = extent(points().map(|point| point.1)).ok_or("there are no points")?;
        let x = if log_x { (x_low.max(1e-12).log2(), x_high.max(1e-12).log2()) } else { (x_low, x_high) };
        let pad = ((x.1 - x.0) * 0.03).max(if log_x { 0.2 } else { 1e-9 });
        let x = Axis {
            low: x.0 - pad,
            high: x.1 + pad,
            scale: if log_x { Scale::Doubling } else { Scale::Plain },
        };
        let y = if log_y {
            let (low, high) = (y_low.max(1e-12).log10(), y_high.max(1e-12).log10());
            Axis { low: low.floor(), high: high.ceil().max(low.floor() + 1.0), scale: Scale::Tens }
        } else {
            Axis { low: 0.0, high: (y_high * 1.08).max(1e-12), scale: Scale::Plain }
        };
        let place = |point: &(f64, f64)| {
            let x = if log_x { point.0.max(1e-12).log2() } else { point.0 };
            (x, if log_y { point.1.max(1e-12).log10() } else { point.1 })
        };
        let mut chart = self.frame(area)?.build_cartesian_2d(x, y).map_err(text)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().x_desc(&self.x).y_desc(&self.y).light_line_style(WHITE);
        mesh.label_style(("sans-serif", 14)).axis_desc_style(("sans-serif", 15)).draw().map_err(text)?;
        for line in lines {
            let (colour, mark) = look(&line.name);
            let line_points: Vec<_> = line.points.iter().map(place).collect();
            let series = LineSeries::new(line_points.iter().copied(), colour.stroke_width(2));
            let drawn = chart.draw_series(series).map_err(text)?;
            drawn.label(line.name.clone()).legend(move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (22, 0)], colour.stroke_width(2))
                    + dot((11, 0), mark, colour)
            });
            if marks {
                let dots = line_points.iter().map(|&at| EmptyElement::at(at) + dot((0, 0), mark, colour));
                chart.draw_series(dots).map_err(text)?;
            }
        }
        self.legend(&mut chart)
    }

    fn bars(&self, area: &Area<'_>, names: &[String], bars: &[(String, Vec<Option<f64>>)]) -> Drawn {
        let high = bars.iter().flat_map(|bar| bar.1.iter().flatten()).copied().fold(0.0, f64::max);
        let low = bars.iter().flat_map(|bar| bar.1.iter().flatten()).copied().fold(high, f64::min);
        // Where the smallest bar would not be seen, steps are tens.
        let tens = low > 0.0 && high / low > 50.0;
        let y = if tens {
            Axis { low: low.log10().floor(), high: high.log10().ceil(), scale: Scale::Tens }
        } else {
            Axis { low: 0.0, high: (high * 1.08).max(1e-12), scale: Scale::Plain }
        };
        let x = Axis { low: -0.5, high: names.len() as f64 - 0.5, scale: Scale::Names };
        let mut chart = self.frame(area)?.build_cartesian_2d(x, y).map_err(text)?;
        let label = |at: &f64| names.get(at.round() as usize).cloned().unwrap_or_default();
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().x_labels(names.len()).x_label_formatter(&label);
        mesh.x_desc(&self.x)
            .y_desc(&self.y)
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 15));
        mesh.light_line_style(WHITE).draw().map_err(text)?;
        let width = 0.8 / bars.len().max(1) as f64;
        for (i, (name, values)) in bars.iter().enumerate() {
            let (colour, _) = look(name);
            let drawn = values.iter().enumerate().filter_map(|(at, value)| {
                let left = at as f64 - 0.4 + i as f64 * width;
                let top = if tens { (*value)?.log10() } else { (*value)? };
                Some(Rectangle::new(
                    [(left + 0.05 * width, y.low), (left + 0.95 * width, top)],
                    colour.filled(),
                ))
            });
            let drawn = chart.draw_series(drawn).map_err(text)?;
            drawn
                .label(name.clone())
                .legend(move |(x, y)| Rectangle::new([(x + 4, y - 6), (x + 18, y + 6)], colour.filled()));
        }
        self.legend(&mut chart)
    }

    fn frame<'a, 'b>(
        &self,
        area: &'a Area<'b>,
    ) -> std::result::Result<ChartBuilder<'a, 'b, SVGBackend<'b>>, String> {
        area.fill(&WHITE).map_err(text)?;
        let mut builder = ChartBuilder::on(area);
        builder.caption(&self.title, ("sans-serif", 18)).margin(14);
        builder.x_label_area_size(52).y_label_area_size(72);
        Ok(builder)
    }

    fn legend<'a, 'b: 'a>(
        &self,
        chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>,
    ) -> Drawn {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(97, 97, 97))
            .label_font(("sans-serif", 14))
            .draw()
            .map_err(text)
    }
}

type Cartesian2d<X, Y> = plotters::coord::cartesian::Cartesian2d<X, Y>;
type Area<'b> = DrawingArea<SVGBackend<'b>, plotters::coord::Shift>;
type Drawn = std::result::Result<(), String>;

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// The lowest and the highest number.
fn extent(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |extent, number| {
        let (low, high) = extent.unwrap_or((number, number));
        Some((f64::min(low, number), f64::max(high, number)))
    })
}

/// The colour of a structure, and which mark it has.
fn look(name: &str) -> (RGBColor, usize) {
    let structure = name.split([' ', ',']).next().unwrap_or_default();
    let at = ORDER.iter().position(|known| *known == structure).unwrap_or(ORDER.len() - 1);
    (COLOURS[at], at)
}

/// A mark: circles, squares, triangles and crosses, filled and not.
fn dot<B: DrawingBackend>(
    at: (i32, i32),
    mark: usize,
    colour: RGBColor,
) -> DynElement<'static, B, (i32, i32)> {
    let style = if mark < 4 { colour.filled() } else { colour.stroke_width(2) };
    match mark % 4 {
        0 => Circle::new(at, 4, style).into_dyn(),
        1 => Rectangle::new([(at.0 - 4, at.1 - 4), (at.0 + 4, at.1 + 4)], style).into_dyn(),
        2 => TriangleMarker::new(at, 5, style).into_dyn(),
        _ => Cross::new(at, 4, colour.stroke_width(2)).into_dyn(),
    }
}

/// How the numbers of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scale {
    Plain,
    /// Exponents of two.
    Doubling,
    /// Exponents of ten.
    Tens,
    /// One place for each name.
    Names,
}

/// An axis whose labels stand at whole steps.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
}

impl Axis {
    fn label(&self, value: f64) -> String {
        match self.scale {
            Scale::Doubling if value.round() < 10.0 => format!("{}", 2f64.powf(value.round())),
            Scale::Doubling => format!("2^{}", value.round()),
            Scale::Tens if (-3.0..4.0).contains(&value.round()) => format!("{}", 10f64.powf(value.round())),
            Scale::Tens => format!("10^{}", value.round()),
            Scale::Plain | Scale::Names if self.high - self.low >= 20.0 => format!("{value:.0}"),
            Scale::Plain | Scale::Names if self.high - self.low >= 2.0 => format!("{value:.1}"),
            Scale::Plain | Scale::Names => crate::table::short(value),
        }
    }

    /// The distance between labels of which there are no more than `most`: 1, 2 or 5 times a power of ten.
    fn step(&self, most: usize) -> f64 {
        let least = (self.high - self.low) / most.max(1) as f64;
        let ten = 10f64.powf(least.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * ten).into_iter().find(|step| *step >= least * 0.999);
        let step = step.unwrap_or(10.0 * ten);
        if self.scale == Scale::Plain { step } else { step.max(1.0).ceil() }
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let step = self.step(hint.bold_points().min(12));
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}
