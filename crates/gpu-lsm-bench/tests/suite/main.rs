//! Structures against the reference, records that survive an interruption, and summaries that come from records alone.

mod clock;
mod documents;
mod gate;
mod liars;
mod order;
mod ratios;
mod records;
mod runs;
mod structures;
mod support;
