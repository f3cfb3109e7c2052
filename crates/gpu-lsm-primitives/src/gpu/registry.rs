//! Every kernel at every instantiation that the library can launch. What is not here cannot be launched.

#[cfg(feature = "baselines")]
pub use super::baselines::BaselineKernel;
#[cfg(feature = "baselines")]
use super::kernels::baselines::{
    cuckoo, encode, interleave, intervals, number, place, probe, unite, validate,
};
use super::kernels::{
    bounds, clip, copy, expand, fill, gather, index, marks, merge, nearest, overlay, recode, scan, search,
    select, sort, tally, window,
};
use crate::key::KeyWidth;
use crate::recoding::Recoding;
use crate::tuning::{SCAN_GROUP, SORT_ITEMS};
use cubecl::prelude::*;
use cubecl::server::Handle;

/// A kernel with its instantiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `kernels/copy.rs`
    Copy,
    /// `kernels/fill.rs`, a number.
    FillNumber,
    /// `kernels/fill.rs`, marks.
    FillMarks,
    /// `kernels/recode.rs`
    Recode(Recoding),
    /// `kernels/scan.rs`, step 1.
    ScanReduce,
    /// `kernels/scan.rs`, step 3.
    ScanApply,
    /// `kernels/sort.rs`, step 1.
    SortTiles(KeyWidth),
    /// `kernels/sort.rs`, step 2.
    SortMerge(KeyWidth),
    /// `kernels/select.rs`, step 1, of one list or of one for each query.
    SelectCount(KeyWidth, bool),
    /// `kernels/select.rs`, step 3, for values of so many words, of one list or of one for each query.
    SelectWrite(KeyWidth, u32, bool),
    /// `kernels/select.rs`, step 3, for marks of one list.
    SelectMarks(KeyWidth),
    /// `kernels/select.rs`, where queries' entries start.
    SelectOffsets(KeyWidth),
    /// `kernels/merge.rs`, for values of so many words.
    Merge(KeyWidth, u32),
    /// `kernels/merge.rs`, for values of so many words, with marks.
    MergeMarked(KeyWidth, u32),
    /// `kernels/merge.rs`, what newer keys hide.
    MergeShadowed(KeyWidth),
    /// `kernels/marks.rs`, of entries in another order.
    MarksGather,
    /// `kernels/marks.rs`, from words.
    MarksToBits,
    /// `kernels/gather.rs`, for values of so many words.
    GatherValues(u32),
    /// `kernels/index.rs`
    Index(KeyWidth),
    /// `kernels/search.rs`, for values of so many words.
    Search(KeyWidth, u32),
    /// `kernels/bounds.rs`
    Bounds(KeyWidth),
    /// `kernels/expand.rs`, for values of so many words.
    Expand(KeyWidth, u32),
    /// `kernels/expand.rs`, for marks.
    ExpandMarks,
    /// `kernels/overlay.rs`, for marks.
    OverlayMarks(KeyWidth),
    /// `kernels/overlay.rs`, where queries' entries stand.
    OverlaySegments,
    /// `kernels/overlay.rs`, for values of so many words.
    Overlay(KeyWidth, u32),
    /// `kernels/window.rs`, downwards or upwards.
    Window(KeyWidth, bool),
    /// `kernels/nearest.rs`, downwards or upwards.
    Nearest(KeyWidth, bool),
    /// `kernels/tally.rs`, step 1.
    TallyBits,
    /// `kernels/tally.rs`, step 3.
    TallySums,
    /// `kernels/tally.rs`, to count.
    TallyBetween(KeyWidth),
    /// `kernels/clip.rs`
    Clip,
    /// What only other dictionaries need.
    #[cfg(feature = "baselines")]
    Baseline(BaselineKernel),
}

impl Kernel {
    /// Every kernel at every instantiation.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Copy,
            Self::FillNumber,
            Self::FillMarks,
            Self::ScanReduce,
            Self::ScanApply,
            Self::MarksGather,
            Self::MarksToBits,
            Self::ExpandMarks,
            Self::OverlaySegments,
            Self::Clip,
            Self::TallyBits,
            Self::TallySums,
        ];
        all.extend([1, 2, 4].map(Self::GatherValues));
        all.extend(Recoding::ALL.map(Self::Recode));
        for key in KeyWidth::ALL {
            all.extend([
                Self::SortTiles(key),
                Self::SortMerge(key),
                Self::SelectCount(key, false),
                Self::SelectCount(key, true),
                Self::SelectMarks(key),
                Self::SelectOffsets(key),
                Self::MergeShadowed(key),
                Self::OverlayMarks(key),
                Self::Index(key),
                Self::Bounds(key),
                Self::TallyBetween(key),
                Self::Window(key, false),
                Self::Window(key, true),
                Self::Nearest(key, false),
                Self::Nearest(key, true),
            ]);
            for words in [0, 1, 2, 4] {
                all.extend([
                    Self::Merge(key, words),
                    Self::MergeMarked(key, words),
                    Self::Search(key, words),
                    Self::Expand(key, words),
                    Self::Overlay(key, words),
                    Self::SelectWrite(key, words, false),
                    Self::SelectWrite(key, words, true),
                ]);
            }
        }
        #[cfg(feature = "baselines")]
        all.extend(BaselineKernel::ALL.map(Self::Baseline));
        all
    }

    /// The width of the keys that it works on, where it works on any.
    pub fn key_width(self) -> Option<KeyWidth> {
        match self {
            Self::SortTiles(key) | Self::SortMerge(key) => Some(key),
            Self::SelectCount(key, _) | Self::SelectWrite(key, ..) => Some(key),
            Self::SelectMarks(key) | Self::SelectOffsets(key) => Some(key),
            Self::Merge(key, _) | Self::MergeShadowed(key) | Self::TallyBetween(key) => Some(key),
            Self::OverlayMarks(key) | Self::MergeMarked(key, _) => Some(key),
            Self::Index(key) | Self::Bounds(key) | Self::Expand(key, _) | Self::Overlay(key, _) => Some(key),
            Self::Search(key, _) | Self::Window(key, _) | Self::Nearest(key, _) => Some(key),
            Self::FillNumber | Self::FillMarks | Self::Recode(_) => None,
            Self::Copy | Self::ScanReduce | Self::ScanApply => None,
            Self::GatherValues(_) | Self::MarksGather | Self::MarksToBits => None,
            Self::ExpandMarks | Self::OverlaySegments | Self::Clip | Self::TallyBits | Self::TallySums => {
                None
            }
            #[cfg(feature = "baselines")]
            Self::Baseline(_) => Some(KeyWidth::U32),
        }
    }

    /// How many buffers it binds, besides the engine's own one.
    pub fn buffers(self) -> usize {
        match self {
            Self::FillNumber | Self::FillMarks => 1,
            Self::Recode(_) | Self::Copy | Self::ScanReduce => 2,
            Self::MarksToBits | Self::Clip => 2,
            Self::ScanApply
            | Self::Index(_)
            | Self::MarksGather
            | Self::MergeShadowed(_)
            | Self::SortTiles(_)
            | Self::TallySums => 3,
            Self::SelectOffsets(_) | Self::OverlaySegments => 5,
            Self::TallyBits => 5,
            Self::ExpandMarks | Self::GatherValues(_) | Self::SortMerge(_) => 4,
            Self::SelectCount(..) | Self::Expand(..) | Self::Bounds(_) | Self::TallyBetween(_) => 6,
            Self::Merge(..)
            | Self::MergeMarked(..)
            | Self::Overlay(..)
            | Self::OverlayMarks(_)
            | Self::Search(..)
            | Self::Nearest(..)
            | Self::SelectMarks(_)
            | Self::SelectWrite(..)
            | Self::Window(..) => 7,
            #[cfg(feature = "baselines")]
            Self::Baseline(kernel) => kernel.buffers(),
        }
    }

    /// Bytes of shared memory that a cube of so many units needs.
    pub fn shared_bytes(self, units: u32) -> usize {
        let bytes = match self {
            Self::ScanReduce | Self::ScanApply => (units + units / SCAN_GROUP) * 4,
            Self::SortTiles(key) => units * SORT_ITEMS * key.bits() / 8,
            _ => 0,
        };
        bytes as usize
    }
}

/// A buffer as a kernel sees it: memory, and how many elements of it may be touched.
#[derive(Clone)]
pub(super) struct Binding {
    pub(super) memory: Handle,
    pub(super) len: usize,
}

/// A kernel with all that it is launched with.
pub(super) struct Launch {
    pub(super) kernel: Kernel,
    pub(super) buffers: Vec<Binding>,
    pub(super) numbers: Vec<u32>,
    /// How many units have something to do.
    pub(super) units: usize,
}

/// Hands a launch, in cubes of so many units, to the engine. The caller has checked it against the device's limits.
pub(super) fn enqueue(client: &Client, launch: &Launch, units: u32, grid: CubeCount) {
    perform(client, launch, units, Action::Launch(grid));
}

/// What the engine compiles for a launch.
#[cfg(feature = "proof")]
pub(super) fn definition(client: &Client, launch: &Launch, units: u32) -> KernelDefinition {
    perform(client, launch, units, Action::Define).expect("that is what was asked for")
}

/// What is done with a kernel and its arguments.
enum Action {
    Launch(CubeCount),
    #[cfg(feature = "proof")]
    Define,
}

fn perform(client: &Client, launch: &Launch, units: u32, action: Action) -> Option<KernelDefinition> {
    let n = &launch.numbers;
    // SAFETY: a buffer has room for its length.
    let buffer = |i: usize| unsafe {
        BufferArg::from_raw_parts(launch.buffers[i].memory.clone(), launch.buffers[i].len)
    };
    macro_rules! launch {
        ($kernel:path $(, <$key:ty>)?; $($buffer:literal)*; $($number:expr),*) => {{
            use $kernel as kernel;
            match action {
                Action::Launch(grid) => {
                    // SAFETY: the kernels touch no element past the lengths that they are given (see their headers),
                    // and no loop depends on what another cube does.
                    unsafe {
                        kernel::launch_unchecked$(::<$key>)?(
                            client,
                            grid,
                            CubeDim::new_1d(units),
                            $(buffer($buffer),)*
                            $($number,)*
                        );
                    }
                    None
                }
                #[cfg(feature = "proof")]
                Action::Define => Some(
                    kernel::create_dummy_kernel$(::<$key>)?(
                        client.properties_shared(),
                        client.target_properties_shared(),
                        CubeCount::Static(1, 1, 1),
                        CubeDim::new_1d(units),
                        $(buffer($buffer),)*
                        $($number,)*
                    )
                    .define(),
                ),
            }
        }};
    }
    macro_rules! launch_keyed {
        ($width:expr, $kernel:path; $($buffer:literal)*; $($number:expr),*) => {
            match $width {
                KeyWidth::U32 => launch!($kernel, <u32>; $($buffer)*; $($number),*),
                KeyWidth::U64 => launch!($kernel, <u64>; $($buffer)*; $($number),*),
            }
        };
    }
    match launch.kernel {
        Kernel::Copy => launch!(copy::copy; 0 1; n[0]),
        Kernel::FillNumber => launch!(fill::fill_number; 0; n[0]),
        Kernel::FillMarks => launch!(fill::fill_marks; 0; n[0], n[1]),
        Kernel::Recode(recoding) => launch!(recode::recode; 0 1; recoding),
        Kernel::ScanReduce => launch!(scan::scan_reduce; 0 1; units),
        Kernel::ScanApply => launch!(scan::scan_apply; 0 1 2; units),
        Kernel::SortTiles(key) => launch_keyed!(key, sort::sort_tiles; 0 1 2; units),
        Kernel::SortMerge(key) => launch_keyed!(key, sort::sort_merge; 0 1 2 3; n[0]),
        Kernel::SelectCount(key, lists) => launch_keyed!(key, select::select_count; 0 1 2 3 4 5; lists),
        Kernel::SelectWrite(key, words, lists) => {
            launch_keyed!(key, select::select_write; 0 1 2 3 4 5 6; n[0], words, lists, false)
        }
        Kernel::SelectMarks(key) => {
            launch_keyed!(key, select::select_write; 0 1 2 3 4 5 6; n[0], 1, false, true)
        }
        Kernel::SelectOffsets(key) => launch_keyed!(key, select::select_offsets; 0 1 2 3 4;),
        Kernel::Merge(key, words) => launch_keyed!(key, merge::merge; 0 1 2 3 4 5 6; words),
        Kernel::MergeMarked(key, words) => {
            launch_keyed!(key, merge::merge_marked; 0 1 2 3 4 5 6; n[0], n[1], words)
        }
        Kernel::MergeShadowed(key) => launch_keyed!(key, merge::merge_shadowed; 0 1 2;),
        Kernel::MarksGather => launch!(marks::marks_gather; 0 1 2;),
        Kernel::MarksToBits => launch!(marks::marks_to_bits; 0 1;),
        Kernel::GatherValues(words) => launch!(gather::gather_values; 0 1 2 3; n[0], n[1], words),
        Kernel::Index(key) => launch_keyed!(key, index::index; 0 1 2; n[0], n[1], n[2]),
        Kernel::Bounds(key) => launch_keyed!(key, bounds::bounds; 0 1 2 3 4 5; n[0]),
        Kernel::Expand(key, words) => launch_keyed!(key, expand::expand; 0 1 2 3 4 5; words),
        Kernel::OverlaySegments => launch!(overlay::overlay_segments; 0 1 2 3 4;),
        Kernel::Overlay(key, words) => launch_keyed!(key, overlay::overlay; 0 1 2 3 4 5 6; words, false),
        Kernel::OverlayMarks(key) => launch_keyed!(key, overlay::overlay; 0 1 2 3 4 5 6; 1, true),
        Kernel::ExpandMarks => launch!(expand::expand_marks; 0 1 2 3;),
        Kernel::Window(key, downwards) => {
            launch_keyed!(key, window::window; 0 1 2 3 4 5 6; n[0], n[1], n[2], downwards)
        }
        Kernel::Nearest(key, downwards) => {
            launch_keyed!(key, nearest::nearest; 0 1 2 3 4 5 6; n[0], n[1], n[2], downwards, key.bits())
        }
        Kernel::TallyBits => launch!(tally::tally_bits; 0 1 2 3 4;),
        Kernel::TallySums => launch!(tally::tally_sums; 0 1 2;),
        Kernel::TallyBetween(key) => launch_keyed!(key, tally::tally_between; 0 1 2 3 4 5; n[0]),
        Kernel::Clip => launch!(clip::clip; 0 1; n[0]),
        Kernel::Search(key, words) => {
            launch_keyed!(key, search::search; 0 1 2 3 4 5 6; n[0], n[1], n[2], words)
        }
        #[cfg(feature = "baselines")]
        Kernel::Baseline(kernel) => match kernel {
            BaselineKernel::EncodeKeys => launch!(encode::encode_keys; 0 1 2;),
            BaselineKernel::EncodeValues => launch!(encode::encode_values; 0 1 2; n[0]),
            BaselineKernel::Place => launch!(place::place; 0 1; n[0], n[1], n[2]),
            BaselineKernel::Interleave => launch!(interleave::interleave; 0 1 2 3 4 5; n[0], n[1], n[2]),
            BaselineKernel::Probe => launch!(probe::probe; 0 1 2 3 4; n[0], n[1]),
            BaselineKernel::Intervals => launch!(intervals::intervals; 0 1 2 3 4; n[0], n[1], n[2]),
            BaselineKernel::Number => launch!(number::number; 0 1;),
            BaselineKernel::Unite(has_values) => launch!(unite::unite; 0 1 2 3 4 5; n[0], n[1], has_values),
            BaselineKernel::Validate => launch!(validate::validate; 0 1 2 3; n[0]),
            BaselineKernel::Compact => launch!(validate::compact; 0 1 2 3 4 5; n[0], n[1]),
            BaselineKernel::CuckooInsert => launch!(cuckoo::cuckoo_insert; 0 1 2; n[0]),
            BaselineKernel::CuckooLookup => launch!(cuckoo::cuckoo_lookup; 0 1 2 3 4; n[0]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::Kernel;
    use crate::tuning::UNITS;
    use std::collections::HashSet;

    #[test]
    fn every_kernel_is_listed_once_and_stays_within_what_every_device_offers() {
        let all = Kernel::all();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        for kernel in all {
            assert!(kernel.buffers() < 8, "{kernel:?} binds at most 8 buffers, the engine's own included");
            assert!(kernel.shared_bytes(UNITS) <= 32 << 10, "{kernel:?}");
        }
    }
}
