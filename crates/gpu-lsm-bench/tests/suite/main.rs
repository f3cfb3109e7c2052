//! Structures against the reference, records that survive being cut off, and aggregates that come from records alone.

mod documents;
mod records;
mod structures;
mod support;
