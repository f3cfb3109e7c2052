//! Records: samples, their summaries, and the runs and machines that they belong to.

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
