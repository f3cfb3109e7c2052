//! Every kernel at every instantiation that the library can launch. What is not here cannot be launched.

#[cfg(feature = "baselines")]
pub use super::baselines::BaselineKernel;
#[cfg(feature = "baselines")]
use super::kernels::baselines::{cuckoo, encode, interleave, intervals, place, probe, unite, validate};
use super::kernels::{
    bounds, copy, expand, fill, gather, merge, nearest, offsets, overlay, recode, scan, search, select, sort,
    window,
};
use crate::key::KeyWidth;
use crate::recoding::Recoding;
use crate::tuning::{DIGITS, UNITS};
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
    SortCount(KeyWidth),
    /// `kernels/sort.rs`, step 3.
    SortScatter(KeyWidth),
    /// `kernels/select.rs`, step 1.
    SelectCount(KeyWidth),
    /// `kernels/select.rs`, step 3.
    SelectWrite(KeyWidth),
    /// `kernels/merge.rs`, step 1.
    MergeCount(KeyWidth),
    /// `kernels/merge.rs`, step 3.
    MergeWrite(KeyWidth),
    /// `kernels/gather.rs`, for values of so many words.
    GatherValues(u32),
    /// `kernels/gather.rs`, for marks.
    GatherMarks,
    /// `kernels/search.rs`, for values of so many words.
    Search(KeyWidth, u32),
    /// `kernels/bounds.rs`
    Bounds(KeyWidth),
    /// `kernels/expand.rs`
    Expand(KeyWidth),
    /// `kernels/overlay.rs`, step 1.
    OverlayCount(KeyWidth),
    /// `kernels/overlay.rs`, step 3.
    OverlayWrite(KeyWidth),
    /// `kernels/window.rs`, downwards or upwards.
    Window(KeyWidth, bool),
    /// `kernels/nearest.rs`, downwards or upwards.
    Nearest(KeyWidth, bool),
    /// `kernels/offsets.rs`
    Offsets,
    /// `kernels/offsets.rs`, where each query keeps only so many.
    OffsetsClip,
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
            Self::GatherMarks,
            Self::Offsets,
            Self::OffsetsClip,
        ];
        all.extend([1, 2, 4].map(Self::GatherValues));
        all.extend(Recoding::ALL.map(Self::Recode));
        for key in KeyWidth::ALL {
            all.extend([
                Self::SortCount(key),
                Self::SortScatter(key),
                Self::SelectCount(key),
                Self::SelectWrite(key),
                Self::MergeCount(key),
                Self::MergeWrite(key),
                Self::Bounds(key),
                Self::Expand(key),
                Self::OverlayCount(key),
                Self::OverlayWrite(key),
                Self::Window(key, false),
                Self::Window(key, true),
                Self::Nearest(key, false),
                Self::Nearest(key, true),
            ]);
            all.extend([0, 1, 2, 4].map(|words| Self::Search(key, words)));
        }
        #[cfg(feature = "baselines")]
        all.extend(BaselineKernel::ALL.map(Self::Baseline));
        all
    }

    /// The width of the keys that it works on, where it works on any.
    pub fn key_width(self) -> Option<KeyWidth> {
        match self {
            Self::SortCount(key) | Self::SortScatter(key) => Some(key),
            Self::SelectCount(key) | Self::SelectWrite(key) => Some(key),
            Self::MergeCount(key) | Self::MergeWrite(key) => Some(key),
            Self::Bounds(key) | Self::Expand(key) => Some(key),
            Self::OverlayCount(key) | Self::OverlayWrite(key) => Some(key),
            Self::Search(key, _) | Self::Window(key, _) | Self::Nearest(key, _) => Some(key),
            Self::FillNumber | Self::FillMarks | Self::Recode(_) => None,
            Self::Copy | Self::ScanReduce | Self::ScanApply => None,
            Self::GatherValues(_) | Self::GatherMarks => None,
            Self::Offsets | Self::OffsetsClip => None,
            #[cfg(feature = "baselines")]
            Self::Baseline(_) => Some(KeyWidth::U32),
        }
    }

    /// How many buffers it binds, besides the engine's own one.
    pub fn buffers(self) -> usize {
        match self {
            Self::FillNumber | Self::FillMarks => 1,
            Self::Recode(_) | Self::Copy | Self::ScanReduce | Self::SortCount(_) | Self::SelectCount(_) => 2,
            Self::OffsetsClip => 2,
            Self::ScanApply | Self::Offsets => 3,
            Self::Bounds(_) => 5,
            Self::Expand(_) | Self::OverlayCount(_) | Self::Window(..) => 6,
            Self::OverlayWrite(_) | Self::Nearest(..) => 7,
            Self::SortScatter(_) | Self::SelectWrite(_) | Self::MergeCount(_) | Self::GatherValues(_) => 5,
            Self::GatherMarks | Self::Search(..) => 6,
            Self::MergeWrite(_) => 7,
            #[cfg(feature = "baselines")]
            Self::Baseline(kernel) => kernel.buffers(),
        }
    }

    /// Bytes of shared memory that a cube needs.
    pub fn shared_bytes(self) -> usize {
        let words = match self {
            Self::ScanReduce | Self::ScanApply => UNITS,
            Self::SortCount(_) => DIGITS,
            Self::SortScatter(_) => DIGITS * UNITS + DIGITS + UNITS,
            Self::GatherMarks => 1,
            _ => 0,
        };
        words as usize * 4
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

/// Hands a launch to the engine. The caller has checked it against the device's limits.
pub(super) fn enqueue(client: &Client, launch: &Launch, grid: CubeCount) {
    perform(client, launch, Action::Launch(grid));
}

/// What the engine compiles for a launch.
#[cfg(feature = "proof")]
pub(super) fn definition(client: &Client, launch: &Launch) -> KernelDefinition {
    perform(client, launch, Action::Define).expect("that is what was asked for")
}

/// What is done with a kernel and its arguments.
enum Action {
    Launch(CubeCount),
    #[cfg(feature = "proof")]
    Define,
}

fn perform(client: &Client, launch: &Launch, action: Action) -> Option<KernelDefinition> {
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
                            CubeDim::new_1d(UNITS),
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
                        CubeDim::new_1d(UNITS),
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
        Kernel::ScanReduce => launch!(scan::scan_reduce; 0 1;),
        Kernel::ScanApply => launch!(scan::scan_apply; 0 1 2;),
        Kernel::SortCount(key) => launch_keyed!(key, sort::sort_count; 0 1; n[0], n[1]),
        Kernel::SortScatter(key) => launch_keyed!(key, sort::sort_scatter; 0 1 2 3 4; n[0], n[1]),
        Kernel::SelectCount(key) => launch_keyed!(key, select::select_count; 0 1;),
        Kernel::SelectWrite(key) => launch_keyed!(key, select::select_write; 0 1 2 3 4;),
        Kernel::MergeCount(key) => launch_keyed!(key, merge::merge_count; 0 1 2 3 4; n[0]),
        Kernel::MergeWrite(key) => launch_keyed!(key, merge::merge_write; 0 1 2 3 4 5 6; n[0], n[1]),
        Kernel::GatherValues(words) => launch!(gather::gather_values; 0 1 2 3 4; n[0], n[1], n[2], words),
        Kernel::GatherMarks => launch!(gather::gather_marks; 0 1 2 3 4 5; n[0], n[1]),
        Kernel::Bounds(key) => launch_keyed!(key, bounds::bounds; 0 1 2 3 4; n[0]),
        Kernel::Expand(key) => launch_keyed!(key, expand::expand; 0 1 2 3 4 5;),
        Kernel::OverlayCount(key) => launch_keyed!(key, overlay::overlay_count; 0 1 2 3 4 5; n[0]),
        Kernel::OverlayWrite(key) => launch_keyed!(key, overlay::overlay_write; 0 1 2 3 4 5 6; n[0], n[1]),
        Kernel::Window(key, downwards) => {
            launch_keyed!(key, window::window; 0 1 2 3 4 5; n[0], n[1], n[2], downwards)
        }
        Kernel::Nearest(key, downwards) => {
            launch_keyed!(key, nearest::nearest; 0 1 2 3 4 5 6; n[0], n[1], n[2], downwards, key.bits())
        }
        Kernel::Offsets => launch!(offsets::offsets; 0 1 2; n[0]),
        Kernel::OffsetsClip => launch!(offsets::offsets_clip; 0 1; n[0]),
        Kernel::Search(key, words) => launch_keyed!(key, search::search; 0 1 2 3 4 5; n[0], n[1], words),
        #[cfg(feature = "baselines")]
        Kernel::Baseline(kernel) => match kernel {
            BaselineKernel::EncodeKeys => launch!(encode::encode_keys; 0 1 2;),
            BaselineKernel::EncodeValues => launch!(encode::encode_values; 0 1 2; n[0]),
            BaselineKernel::Place => launch!(place::place; 0 1; n[0], n[1], n[2]),
            BaselineKernel::Interleave => launch!(interleave::interleave; 0 1 2 3 4 5; n[0], n[1], n[2]),
            BaselineKernel::Probe => launch!(probe::probe; 0 1 2 3 4; n[0], n[1]),
            BaselineKernel::Intervals => launch!(intervals::intervals; 0 1 2 3 4; n[0], n[1], n[2]),
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
    use std::collections::HashSet;

    #[test]
    fn every_kernel_is_listed_once_and_stays_within_what_every_device_offers() {
        let all = Kernel::all();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        for kernel in all {
            assert!(kernel.buffers() < 8, "{kernel:?} binds at most 8 buffers, the engine's own included");
            assert!(kernel.shared_bytes() <= 32 << 10, "{kernel:?}");
        }
    }
}
