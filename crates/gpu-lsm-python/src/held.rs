//! Columns on a device, whatever the type of their elements.

use crate::failure::{Failure, Outcome};
use gpu_lsm::{Buffer, Value};

/// A column on a device, by the type of its elements.
#[derive(Clone)]
pub(crate) enum Held {
    Nothing(Buffer<()>),
    U32(Buffer<u32>),
    I32(Buffer<i32>),
    F32(Buffer<f32>),
    U64(Buffer<u64>),
    I64(Buffer<i64>),
    F64(Buffer<f64>),
    Two(Buffer<[u32; 2]>),
    Four(Buffer<[u32; 4]>),
}

/// Does the same with a buffer of any type.
macro_rules! on_elements {
    ($held:expr, $buffer:ident => $call:expr) => {
        match $held {
            Held::Nothing($buffer) => $call,
            Held::U32($buffer) => $call,
            Held::I32($buffer) => $call,
            Held::F32($buffer) => $call,
            Held::U64($buffer) => $call,
            Held::I64($buffer) => $call,
            Held::F64($buffer) => $call,
            Held::Two($buffer) => $call,
            Held::Four($buffer) => $call,
        }
    };
}

/// What is asked of a snapshot.
pub(crate) enum Ask<'a> {
    Lookup(&'a Held),
    Count(&'a Held, &'a Held),
    Range(&'a Held, &'a Held, Option<u32>),
    Successor(&'a Held),
    Predecessor(&'a Held),
}

/// A type of elements.
pub(crate) trait Element: Value {
    fn held(buffer: Buffer<Self>) -> Held;
    fn of(held: &Held) -> Outcome<Buffer<Self>>;
}

macro_rules! elements {
    ($($T:ty = $Variant:ident),+ $(,)?) => { $(
        impl Element for $T {
            fn held(buffer: Buffer<Self>) -> Held {
                Held::$Variant(buffer)
            }

            fn of(held: &Held) -> Outcome<Buffer<Self>> {
                match held {
                    Held::$Variant(buffer) => Ok(buffer.clone()),
                    _ => Err(Failure::OtherElements),
                }
            }
        }
    )+ };
}
elements!(
    () = Nothing,
    u32 = U32,
    i32 = I32,
    f32 = F32,
    u64 = U64,
    i64 = I64,
    f64 = F64,
    [u32; 2] = Two,
    [u32; 4] = Four
);

impl Held {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        on_elements!(self, buffer => buffer.len())
    }

    /// The name of the device.
    pub(crate) fn device(&self) -> String {
        on_elements!(self, buffer => buffer.device_name().to_owned())
    }
}
