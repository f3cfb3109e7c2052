//! Progress: a bar on a terminal, a line now and then elsewhere.

use crate::output::remark;
#[cfg(feature = "bench")]
use gpu_lsm_bench::measure::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// The time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// A bar in the style of the template, which keeps moving even without progress.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// What is said now and then where no terminal shows a bar.
pub(crate) struct Lines {
    began: Instant,
    said: Instant,
}

impl Lines {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { began: now, said: now }
    }

    /// Whether nothing was said for a while.
    pub(crate) fn is_due(&self) -> bool {
        self.said.elapsed() >= BETWEEN_LINES
    }

    pub(crate) fn say(&mut self, what: &str, done: u64, all: u64) {
        self.said = Instant::now();
        remark!("{}", line(what, done, all, self.began.elapsed().as_secs_f64()));
    }
}

/// What of how many is done, and for how long.
fn line(what: &str, done: u64, all: u64, gone: f64) -> String {
    let times = match done {
        0 => String::new(),
        done => {
            let left = gone * all.saturating_sub(done) as f64 / done as f64;
            format!(", {gone:.0} s gone, about {left:.0} s left")
        }
    };
    format!("{what} {done}/{all}{times}")
}

/// The progress of experiments, with the remaining time.
#[cfg(feature = "bench")]
pub(crate) struct Bar {
    bar: ProgressBar,
    /// What comes before the name of what is done, such as which of how many it is.
    prefix: String,
    lines: Lines,
}

#[cfg(feature = "bench")]
impl Bar {
    pub(crate) fn new() -> Self {
        Self::with_prefix(String::new())
    }

    /// Progress in one of several parts, of which it says the number.
    pub(crate) fn of_part(at: usize, parts: usize) -> Self {
        Self::with_prefix(format!("{at} of {parts}: "))
    }

    fn with_prefix(prefix: String) -> Self {
        let bar = bar("{msg:>10} {bar:40} {pos}/{len} {elapsed} gone, {eta} left");
        Self { bar, prefix, lines: Lines::new() }
    }

    /// Says on a line how far it is, if no terminal shows the bar.
    fn say(&mut self) {
        if self.bar.is_hidden() {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            self.lines.say(&self.bar.message(), done, all);
        }
    }
}

#[cfg(feature = "bench")]
impl Progress for Bar {
    fn begin(&mut self, experiment: &str, steps: usize) {
        self.bar.reset();
        self.bar.set_length(steps as u64);
        self.bar.set_message(format!("{}{experiment}", self.prefix));
        self.lines = Lines::new();
        self.say();
    }

    fn advance(&mut self, steps: usize) {
        self.bar.inc(steps as u64);
        if self.lines.is_due() {
            self.say();
        }
    }
}

#[cfg(feature = "bench")]
impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_says_what_of_how_many_and_how_long() {
        assert_eq!(line("insert", 0, 8, 0.1), "insert 0/8");
        assert_eq!(line("insert", 2, 8, 10.0), "insert 2/8, 10 s gone, about 30 s left");
        assert_eq!(line("insert", 9, 8, 10.0), "insert 9/8, 10 s gone, about 0 s left");
    }
}
