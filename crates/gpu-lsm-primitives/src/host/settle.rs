//! settle: makes a run of the last merge. Twin of gpu/settle.rs.

use super::{Host, index, merge, select};
use crate::code::Code;
use crate::entries::{Pile, Run, Tombstones};
use crate::error::Result;
use crate::value::Value;

/// Merges one after the other, selects the entries that stay, and builds the index.
pub(super) fn settle<K: Code, V: Value>(
    host: &Host,
    newest: Pile<Host, K, V>,
    older: Vec<Pile<Host, K, V>>,
    tombstones: Tombstones,
) -> Result<Run<Host, K, V>> {
    let (mut pile, mut hidden) = (newest, None);
    for older in older {
        let (merged, equal) = merge::merge(host, &pile, &older)?;
        (pile, hidden) = (merged, Some(equal));
    }
    let (pile, dropped) = match tombstones {
        Tombstones::Keep => (pile, None),
        Tombstones::Drop => pile.without_marks(),
    };
    let stays_whole = hidden == Some(0) && dropped.is_none();
    run_of(host, if stays_whole { pile } else { select::distinct(host, &pile, dropped.as_deref())? })
}

/// Makes a run of a pile whose keys strictly ascend.
pub(super) fn run_of<K: Code, V: Value>(host: &Host, ascending: Pile<Host, K, V>) -> Result<Run<Host, K, V>> {
    let Pile { keys, values, marks, len } = ascending;
    let tombstones = marks.iter().flat_map(|bits| &**bits).map(|word| word.count_ones() as usize).sum();
    let marks = marks.filter(|_| tombstones > 0);
    let index = index::index(host, &keys[..len])?;
    Ok(Run { keys, values, marks, len, tombstones, index })
}

#[cfg(test)]
mod tests {
    use super::settle;
    use crate::backend::Backend;
    use crate::entries::{Pile, Tombstones};
    use crate::host::Host;
    use crate::meter::Meter;
    use crate::tuning::HOST_TILE;

    /// The first entry of a tile hides the last entry of the tile before. Nothing else is hidden.
    #[test]
    fn a_key_on_both_sides_of_a_tile_edge_stays_once() {
        let host = Host::new(Meter::new(None));
        let pile = |keys: &[u32], value: u32| Pile {
            keys: host.upload(keys).unwrap(),
            values: host.upload(&vec![value; keys.len()]).unwrap(),
            marks: None,
            len: keys.len(),
        };
        let older: Vec<u32> = (0..HOST_TILE as u32).collect();
        let last = HOST_TILE as u32 - 1;
        let run = settle(&host, pile(&[last], 1), vec![pile(&older, 0)], Tombstones::Keep).unwrap();
        assert_eq!(run.keys[..run.len], older);
        assert_eq!(run.values[run.len - 2..run.len], [0, 1]);
    }
}
