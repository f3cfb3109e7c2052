//! What the command says on its standard output.

use gpu_lsm::Device;
use std::io::{ErrorKind, Write};

/// Prints a line. If nobody reads any more, as with `gpu-lsm devices | head -1`, the command ends quietly.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(&format!($($text)*)) };
}
pub(crate) use say;

pub(crate) fn line(text: &str) {
    if let Err(error) = writeln!(std::io::stdout().lock(), "{text}") {
        if error.kind() != ErrorKind::BrokenPipe {
            eprintln!("gpu-lsm: the standard output: {error}");
        }
        std::process::exit(i32::from(error.kind() != ErrorKind::BrokenPipe));
    }
}

/// Names the device that a command works on and, if nobody asked for it, why it was taken.
pub(crate) fn name(device: &Device) {
    match device.reason() {
        Some(reason) => say!("on {}, because {reason}", device.name()),
        None => say!("on {}", device.name()),
    }
}
