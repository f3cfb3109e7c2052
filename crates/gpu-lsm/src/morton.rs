//! Points on a plane as keys, in the order of the Z-curve.

/// A point as a key. Keys interleave the bits of x and y, so points near each other mostly have keys near each other.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary, Morton};
/// let points = [(1, 1), (2, 9), (3, 3), (8, 2)].map(|(x, y)| Morton { x, y });
/// let ids = Dictionary::build(&Device::host(), Config::new(), &points, &[10u32, 11, 12, 13])?;
/// let found = ids.rectangles(&[Morton { x: 0, y: 0 }], &[Morton { x: 5, y: 5 }])?;
/// assert_eq!(found.values(), [10, 12]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Morton {
    /// How far to the right.
    pub x: u32,
    /// How far up.
    pub y: u32,
}
