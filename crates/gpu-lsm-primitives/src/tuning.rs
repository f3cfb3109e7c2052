//! Sizes that steer speed and never change a result.

/// The most units of a cube, which every device we know offers; where one offers fewer, its cubes have fewer.
pub const UNITS: u32 = 256;
/// Neighbouring items that one unit of a GPU kernel works on.
pub const ITEMS: u32 = 16;
/// Items of such a cube.
pub const TILE: u32 = UNITS * ITEMS;
/// Bits that one pass of the GPU's radix sort looks at.
pub const DIGIT_BITS: u32 = 4;
/// Values that such a digit takes.
pub const DIGITS: u32 = 1 << DIGIT_BITS;
/// Items that one task of a host primitive works on.
pub const HOST_TILE: usize = 1 << 14;
/// A new run's arrays are copied to their exact size where more than one part in this many would be unused.
pub const SLACK: usize = 8;
