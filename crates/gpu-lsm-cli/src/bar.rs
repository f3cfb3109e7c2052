//! Progress bars.

#[cfg(feature = "bench")]
use gpu_lsm_bench::measure::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A bar in the style of the template, which keeps moving even without progress.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The progress of experiments, with the remaining time.
#[cfg(feature = "bench")]
pub(crate) struct Bar(ProgressBar);

#[cfg(feature = "bench")]
impl Bar {
    pub(crate) fn new() -> Self {
        Self(bar("{msg:>10} {bar:40} {pos}/{len} {elapsed} gone, {eta} left"))
    }
}

#[cfg(feature = "bench")]
impl Progress for Bar {
    fn begin(&mut self, experiment: &str, steps: usize) {
        self.0.reset();
        self.0.set_length(steps as u64);
        self.0.set_message(experiment.to_owned());
    }

    fn advance(&mut self, steps: usize) {
        self.0.inc(steps as u64);
    }
}

#[cfg(feature = "bench")]
impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
