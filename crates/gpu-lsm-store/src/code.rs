//! Codes of keys, and the numbers that they stand for in columns.

use arrow_buffer::ArrowNativeType;
use bytemuck::Pod;
use gpu_lsm::Key;

/// A code of a key: the number that stands for it in manifests.
pub trait StoredCode: Pod + ArrowNativeType {
    fn to_number(self) -> u64;
    /// `None` if the number is too large.
    fn from_number(number: u64) -> Option<Self>;
    /// The bits of the numbers that codes stand for.
    fn to_elements(codes: Vec<Self>, numbers: Numbers) -> Vec<Self>;
    /// Turns numbers, which are given by their bits, into codes.
    fn from_elements(elements: &mut [Self], numbers: Numbers);
}

/// The numbers that a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    Unsigned,
    Signed,
    Float,
}

macro_rules! codes {
    ($($code:ident, $signed:ident, $float:ident;)+) => { $(
        impl StoredCode for $code {
            fn to_number(self) -> u64 {
                self.into()
            }
            fn from_number(number: u64) -> Option<Self> {
                number.try_into().ok()
            }
            fn to_elements(mut codes: Vec<Self>, numbers: Numbers) -> Vec<Self> {
                match numbers {
                    Numbers::Unsigned => {}
                    Numbers::Signed => each(&mut codes, |code| $signed::from_code(code) as $code),
                    Numbers::Float => each(&mut codes, |code| $float::from_code(code).to_bits()),
                }
                codes
            }
            fn from_elements(elements: &mut [Self], numbers: Numbers) {
                match numbers {
                    Numbers::Unsigned => {}
                    Numbers::Signed => each(elements, |bits| (bits as $signed).to_code()),
                    Numbers::Float => each(elements, |bits| $float::from_bits(bits).to_code()),
                }
            }
        }
    )+ };
}
codes! {
    u32, i32, f32;
    u64, i64, f64;
}

/// Changes each element where it is.
fn each<T: Copy>(elements: &mut [T], change: impl Fn(T) -> T) {
    elements.iter_mut().for_each(|element| *element = change(*element));
}
