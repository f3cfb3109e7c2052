//! Progress: a bar on a terminal, a line now and then elsewhere.

#[cfg(feature = "bench")]
use crate::output::remark;
#[cfg(feature = "bench")]
use gpu_lsm_bench::measure::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;
#[cfg(feature = "bench")]
use std::time::Instant;

/// The time between two lines where there is no terminal.
#[cfg(feature = "bench")]
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// A bar in the style of the template, which keeps moving even without progress.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The progress of experiments, with the remaining time.
#[cfg(feature = "bench")]
pub(crate) struct Bar {
    bar: ProgressBar,
    /// What comes before the name of what is done, such as which of how many it is.
    prefix: String,
    began: Instant,
    said: Instant,
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
        let now = Instant::now();
        Self { bar, prefix, began: now, said: now }
    }

    /// Says on a line how far it is, if no terminal shows the bar.
    fn say(&mut self) {
        if !self.bar.is_hidden() {
            return;
        }
        self.said = Instant::now();
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let gone = self.began.elapsed().as_secs_f64();
        let times = if done == 0 {
            String::new()
        } else {
            let left = gone * all.saturating_sub(done) as f64 / done as f64;
            format!(", {gone:.0} s gone, about {left:.0} s left")
        };
        remark!("{} {done}/{all}{times}", self.bar.message());
    }
}

#[cfg(feature = "bench")]
impl Progress for Bar {
    fn begin(&mut self, experiment: &str, steps: usize) {
        self.bar.reset();
        self.bar.set_length(steps as u64);
        self.bar.set_message(format!("{}{experiment}", self.prefix));
        self.began = Instant::now();
        self.say();
    }

    fn advance(&mut self, steps: usize) {
        self.bar.inc(steps as u64);
        if self.said.elapsed() >= BETWEEN_LINES {
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
