//! What is written down: samples, what is kept of them, and the runs and machines that they are of.

pub mod experiment;
pub mod kept;
pub mod lock;
pub mod machine;
pub mod measurement;
pub mod run;
pub mod sample;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod temporary;
