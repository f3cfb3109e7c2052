//! Minutes on the command line.

/// Reads a number of minutes that a measurement may take: more than none, and a day at most.
pub(crate) fn minutes(text: &str) -> Result<f64, String> {
    let minutes: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    let is_possible = minutes > 0.0 && minutes <= 24.0 * 60.0;
    if is_possible { Ok(minutes) } else { Err("it must be above 0 and at most 1440".into()) }
}
