//! Sharded dictionaries: the same answers as a plain one, however its shards are cut; balance; failures; devices.

mod balance;
mod corpus;
mod devices;
mod faults;
mod model;
mod semantics;
mod twins;
