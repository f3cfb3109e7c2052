//! The two groups of lists that a pass of `unite` merges.

use cubecl::prelude::*;

/// A pair of groups: where the first one starts, where the second one starts, and where it ends.
#[derive(CubeType)]
pub(crate) struct Pair {
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) end: u32,
}

/// The pair that a list belongs to, if each query has `lists` lists, and groups have `width`.
#[cube]
pub(crate) fn pair_of(offsets: &[u32], list: u32, lists: u32, width: u32) -> Pair {
    let query = list / lists * lists;
    let group = (list - query) / (2 * width) * (2 * width);
    Pair {
        first: offsets[(query + group) as usize],
        second: offsets[(query + min(group + width, lists)) as usize],
        end: offsets[(query + min(group + 2 * width, lists)) as usize],
    }
}
