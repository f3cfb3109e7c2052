//! Tables, plots and documents.

mod axis;
pub mod html;
pub mod markdown;
pub mod medians;
pub mod paper;
pub mod plot;
pub mod plots;
pub mod ratios;
mod readme;
mod reproduce;
pub mod results;
pub mod table;
pub mod tables;
