//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A bar that looks like the template and keeps moving, also while nothing is told.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
