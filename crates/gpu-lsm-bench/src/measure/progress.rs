//! Reports the progress of experiments.

/// Receives the progress of experiments.
pub trait Progress {
    /// An experiment of `steps` steps begins.
    fn begin(&mut self, experiment: &str, steps: usize);
    /// `steps` more steps are done.
    fn advance(&mut self, steps: usize);
}

/// Reports nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&mut self, _: &str, _: usize) {}
    fn advance(&mut self, _: usize) {}
}

/// Says before each experiment what it is part of.
pub struct Part<'a> {
    /// The receiver.
    pub progress: &'a mut dyn Progress,
    /// What it is part of.
    pub of: String,
}

impl Progress for Part<'_> {
    fn begin(&mut self, experiment: &str, steps: usize) {
        self.progress.begin(&format!("{}: {experiment}", self.of), steps);
    }

    fn advance(&mut self, steps: usize) {
        self.progress.advance(steps);
    }
}
