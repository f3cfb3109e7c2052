//! Sharded dictionaries: one dictionary past one buffer and one device.
//!
//! | file | what it has |
//! |---|---|
//! | `sharded.rs`, `update.rs` | the dictionary, and the methods that change it |
//! | `snapshot.rs`, `queries.rs`, `single.rs`, `scan.rs` | a moment of all shards, with all queries |
//! | `route.rs`, `asked.rs`, `work.rs` | keys, queries and batches by shard, and answers in the caller's order |
//! | `plan.rs`, `reshape.rs` | when shards are split, joined and moved, and how |
//! | `runs.rs` | shards as runs, for stores |
//! | `shard.rs`, `places.rs` | one shard; the devices, and work on all of them at the same time |

mod asked;
mod places;
mod plan;
mod queries;
mod reshape;
mod route;
mod runs;
mod scan;
mod shard;
#[expect(clippy::module_inception, reason = "the file of the type that the module is named after")]
mod sharded;
mod sharding;
mod single;
mod snapshot;
mod statistics;
mod update;
mod work;

#[doc(hidden)]
pub use runs::ShardRuns;
pub use scan::{ShardedIter, ShardedScan};
pub use sharded::Sharded;
pub use sharding::Sharding;
pub use snapshot::ShardedSnapshot;
pub use statistics::{ShardStatistics, ShardedStatistics};
