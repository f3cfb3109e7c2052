//! Checksums: CRC-32C, written as eight hexadecimal digits.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The CRC-32C of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(pub u32);

impl Checksum {
    /// The checksum of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(crc32c::crc32c(bytes))
    }

    /// The checksum of what this one is of, followed by further bytes.
    pub fn and(self, bytes: &[u8]) -> Self {
        Self(crc32c::crc32c_append(self.0, bytes))
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl TryFrom<String> for Checksum {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let number = u32::from_str_radix(&text, 16).map(Self).ok();
        number.filter(|number| number.to_string() == text).ok_or_else(|| format!("{text:?} is no checksum"))
    }
}

impl From<Checksum> for String {
    fn from(checksum: Checksum) -> Self {
        checksum.to_string()
    }
}
