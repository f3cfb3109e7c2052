//! Tables, plots and documents.

mod axis;
pub mod html;
pub mod markdown;
mod measurements;
pub mod medians;
mod overview;
pub mod paper;
pub mod plot;
pub mod plots;
pub mod ratios;
pub mod results;
pub(crate) mod svg;
pub mod table;
pub mod tables;
pub mod verdict;
