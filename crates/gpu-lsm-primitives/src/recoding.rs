//! Order-preserving encodings of other key types as unsigned numbers.

/// A conversion between the two forms of a key: the caller's form and the code that is sorted.
///
/// Both have the same size. In the caller's form a key is as in memory, the low word first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Recoding {
    /// A signed 32-bit number: the sign bit is flipped, in both directions.
    I32,
    /// The same for 64 bits.
    I64,
    /// Two 32-bit numbers, the first more significant: they swap places, in both directions.
    Pair,
    /// From a 32-bit float, in total order: all bits of a negative number are flipped, of others only the sign bit.
    F32,
    /// Back to a 32-bit float.
    F32Back,
    /// From a 64-bit float.
    F64,
    /// Back to a 64-bit float.
    F64Back,
    /// From a point, x before y: their bits are interleaved, those of y more significant.
    Morton,
    /// Back to a point.
    MortonBack,
}

impl Recoding {
    /// All recodings.
    pub const ALL: [Self; 9] = [
        Self::I32,
        Self::I64,
        Self::Pair,
        Self::F32,
        Self::F32Back,
        Self::F64,
        Self::F64Back,
        Self::Morton,
        Self::MortonBack,
    ];

    /// The inverse recoding.
    pub const fn back(self) -> Self {
        match self {
            Self::I32 => Self::I32,
            Self::I64 => Self::I64,
            Self::Pair => Self::Pair,
            Self::F32 => Self::F32Back,
            Self::F32Back => Self::F32,
            Self::F64 => Self::F64Back,
            Self::F64Back => Self::F64,
            Self::Morton => Self::MortonBack,
            Self::MortonBack => Self::Morton,
        }
    }

    /// The number of 32-bit words of a key.
    pub const fn words(self) -> usize {
        match self {
            Self::I32 | Self::F32 | Self::F32Back => 1,
            _ => 2,
        }
    }

    /// The other form of a key of one word.
    pub const fn narrow(self, word: u32) -> u32 {
        match self {
            Self::F32 => word ^ (((word as i32 >> 31) as u32) | TOP),
            Self::F32Back => word ^ (((!word as i32 >> 31) as u32) | TOP),
            _ => word ^ TOP,
        }
    }

    /// The other form of a key of two words.
    pub const fn wide(self, number: u64) -> u64 {
        match self {
            Self::Pair => number.rotate_left(32),
            Self::F64 => number ^ (((number as i64 >> 63) as u64) | (TOP as u64) << 32),
            Self::F64Back => number ^ (((!number as i64 >> 63) as u64) | (TOP as u64) << 32),
            Self::Morton => spread(number as u32) | spread((number >> 32) as u32) << 1,
            Self::MortonBack => (collected(number >> 1) as u64) << 32 | collected(number) as u64,
            _ => number ^ (TOP as u64) << 32,
        }
    }
}

/// The bits of x in a point's code; the others are those of y.
pub(crate) const X_BITS: u64 = 0x5555_5555_5555_5555;

/// Whether a point is in the rectangle between two corners, both inclusive, all given as codes. Numbers of which all bits
/// but those of one axis are zero have the order of that axis.
pub(crate) fn is_in(point: u64, lower: u64, upper: u64) -> bool {
    let is_between = |axis: u64| (lower & axis..=upper & axis).contains(&(point & axis));
    is_between(X_BITS) && is_between(!X_BITS)
}

const TOP: u32 = 1 << 31;

/// The bits of a number, each with a zero above it.
const fn spread(number: u32) -> u64 {
    let mut bits = number as u64;
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Every second bit of a number, from the lowest on.
const fn collected(number: u64) -> u32 {
    let mut bits = number & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF;
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF;
    (bits | bits >> 16) as u32
}

#[cfg(test)]
mod tests {
    use super::Recoding;

    #[test]
    fn every_recoding_is_undone_by_the_way_back() {
        let mut number = 1u64;
        for _ in 0..1000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            for recoding in Recoding::ALL {
                if recoding.words() == 1 {
                    assert_eq!(recoding.back().narrow(recoding.narrow(number as u32)), number as u32);
                } else {
                    assert_eq!(recoding.back().wide(recoding.wide(number)), number, "{recoding:?}");
                }
            }
        }
    }

    #[test]
    fn floats_are_ordered_as_by_total_cmp() {
        let floats = [-f32::NAN, f32::NEG_INFINITY, -1.5, -f32::MIN_POSITIVE, -1e-45, -0.0, 0.0, 1e-45, 2.0]
            .into_iter()
            .chain([f32::MAX, f32::INFINITY, f32::NAN]);
        let floats: Vec<f32> = floats.collect();
        assert!(floats.is_sorted_by(|a, b| a.total_cmp(b).is_lt()));
        assert!(floats.iter().map(|float| Recoding::F32.narrow(float.to_bits())).is_sorted_by(|a, b| a < b));
        let wide = |float: &f32| {
            let sign = u64::from(float.is_sign_negative()) << 63;
            Recoding::F64.wide(f64::from(float.abs()).to_bits() & !(1 << 63) | sign)
        };
        assert!(floats.iter().map(wide).is_sorted_by(|a, b| a < b));
    }
}
