//! What the command says: results on its standard output, everything else on its standard error.

use gpu_lsm::Device;
use std::io::{ErrorKind, Write};

/// Prints a line of the results. If nobody reads any more, as with `gpu-lsm devices | head -1`, the command goes on
/// quietly: the files that it writes and how it ends depend on what it finds, not on readers.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::result_line(&format!($($text)*)) };
}
pub(crate) use say;

/// Prints a line that is no result.
macro_rules! remark {
    ($($text:tt)*) => { $crate::output::remark_line(&format!($($text)*)) };
}
pub(crate) use remark;

pub(crate) fn result_line(text: &str) {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            remark!("gpu-lsm: the standard output: {error}");
            std::process::exit(1);
        }
        _ => {}
    }
}

pub(crate) fn remark_line(text: &str) {
    // If this fails, there is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Names the device that a command works on and, if nobody asked for it, why it was taken.
pub(crate) fn name(device: &Device) {
    match device.reason() {
        Some(reason) => say!("on {}, because {reason}", device.name()),
        None => say!("on {}", device.name()),
    }
}
