//! The generated parts of documents, between two markers.

use crate::error::{Error, Result};
use crate::report::measurements::measurements;
use crate::report::overview::readme;
use crate::report::results::read;
use std::fs;
use std::path::Path;

/// The markers before and after a generated part.
const BEGIN: &str = "<!-- made from results by `gpu-lsm bench report --markdown`: begin -->\n";
const END: &str = "<!-- end -->";

/// Writes the generated parts of `docs/measurements.md` and `README.md` in a folder; with `check`, only compares them.
///
/// # Errors
/// [`Error::NotCurrent`] if a comparison fails; also if files cannot be read or written.
pub fn update(results: &Path, documents: &Path, check: bool) -> Result<()> {
    let devices = read(results)?;
    let measurements = devices.iter().map(measurements).collect::<Result<String>>()?;
    replace(&documents.join("docs/measurements.md"), &measurements, check)?;
    replace(&documents.join("README.md"), &readme(&devices), check)
}

fn replace(path: &Path, made: &str, check: bool) -> Result<()> {
    let text = fs::read_to_string(path).map_err(Error::file(path))?;
    let no_markers = || Error::Asked(format!("{} has no place for results", path.display()));
    let start = text.find(BEGIN).ok_or_else(no_markers)? + BEGIN.len();
    let end = start + text[start..].find(END).ok_or_else(no_markers)?;
    let made = if made.is_empty() { "Nothing was measured yet." } else { made.trim() };
    let new = format!("{}\n{made}\n\n{}", &text[..start], &text[end..]);
    match check {
        _ if new == text => Ok(()),
        true => Err(Error::NotCurrent { path: path.to_owned() }),
        false => fs::write(path, new).map_err(Error::file(path)),
    }
}
