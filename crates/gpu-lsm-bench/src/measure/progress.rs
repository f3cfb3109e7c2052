//! Who is told how far experiments are.

/// What is told while experiments run.
pub trait Progress {
    /// An experiment begins that has so many steps.
    fn begin(&mut self, experiment: &str, steps: usize);
    /// So many steps are done.
    fn advance(&mut self, steps: usize);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&mut self, _: &str, _: usize) {}
    fn advance(&mut self, _: usize) {}
}
