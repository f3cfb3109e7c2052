//! How writers, readers and collections agree, whatever the dictionaries are. `docs/format.md` has the rules and why they
//! suffice; a simulation checks them.
//!
//! Nothing here starts tasks or knows a clock, so that a simulation decides what happens when.

mod append;
mod claim;
mod collect;
mod fates;
mod latest;
mod leader;
mod open;
mod publish;
mod walk;

pub use append::{Append, Appended};
pub use claim::{Claim, Fence};
pub use collect::{Collected, Collection, collect, sweep};
pub use fates::{Fate, Fates};
pub use latest::{is_current, is_current_with_versions, latest, read_manifest};
pub use leader::{FileIds, Leader, MOST_IN_FLIGHT};
pub use open::{Opener, Template};
pub use publish::{Retention, Version};
pub use walk::Walk;
