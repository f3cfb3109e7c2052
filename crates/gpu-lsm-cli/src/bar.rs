//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A bar in the style of the template, which keeps moving even without progress.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
