//! One declaration per kernel, and the code that follows from it.
//!
//! The macro `kernels!` makes a table. For instance
//!
//! ```text
//! kernels! {
//!     /// The kernels of this example.
//!     pub enum Kernel named "";
//!
//!     /// `kernels/expand.rs`
//!     Expand = expand::expand<key> {
//!         axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS;
//!         buffers keys: read picked, starts: read, out_keys: written;
//!         numbers limit;
//!         comptime |_| words;
//!         shared |units| units * key.bits() / 8;
//!         picks |units| out_keys.bytes();
//!     }
//! }
//! ```
//!
//! declares the kernel function `expand::expand`, generic over the key type, and makes
//! - `struct Expand { key: KeyWidth, words: u32, keys: Binding, starts: Binding, out_keys: Binding, limit: u32 }`, with
//!   everything that a launch needs: `gpu.launch(&Expand { .. }, units)`. A missing or misspelled argument does not
//!   compile.
//! - `Kernel::Expand { key, words }`, one instance of the kernel, an [`Instance`]. It prints as `expand_u64_2`, after
//!   the prefix that the table is `named` by. `Kernel::all()` has one instance per combination of the axes' values.
//!
//! In a declaration only `buffers` is required. Clauses come in this order:
//! - `axes`: the parameters that distinguish the instances, each with its type and all its values. `<key>` after the
//!   function names the axis that is its key type.
//! - `buffers`: in the order of the function's parameters, `read`, `written`, or `updated`, which means both. A kernel
//!   streams through the whole buffer once, unless the buffer is `picked`: then `picks` counts the bytes moved.
//! - `numbers`: 32-bit numbers, which follow the buffers.
//! - `comptime`: the function's `#[comptime]` parameters, computed from the axes and the units per cube.
//! - `shared`: the bytes of shared memory per cube, computed from the axes and the units per cube.
//! - `picks`: the bytes moved in `picked` buffers, computed from all of the above and the number of units that have
//!   work.

use super::binding::Binding;
use crate::code::KeyWidth;
use cubecl::prelude::{BufferArg, Client, CubeCount, KernelDefinition};
use std::fmt::Display;

/// An instance of a kernel. It prints as its name, by which the proofs know it.
pub trait Instance: Display {
    /// The buffers that it binds, without the engine's own.
    fn buffers(&self) -> &'static [Buffer];

    /// The names of its numbers.
    fn numbers(&self) -> &'static [&'static str];

    /// The width of its keys, if it has any.
    fn key_width(&self) -> Option<KeyWidth>;

    /// The bytes of shared memory that a cube of `units` units needs.
    fn shared_bytes(&self, units: u32) -> usize;

    /// The engine's definition of it, in cubes of `units` units. `any` stands in for all its buffers.
    #[cfg(feature = "proof")]
    fn definition(&self, client: &Client, units: u32, any: &Binding) -> KernelDefinition;
}

/// A buffer of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Its name in the declaration.
    pub name: &'static str,
    /// What the kernel does with it.
    pub direction: Direction,
    /// How the kernel goes through it.
    pub access: Access,
}

/// What a kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Reads it.
    Read,
    /// Writes it.
    Written,
    /// Does both.
    Updated,
}

/// How a kernel goes through a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Once through the whole bound buffer.
    Streamed,
    /// At scattered places.
    Picked,
}

/// A kernel with all arguments of a launch.
pub(super) trait Launch {
    /// The table that declares it.
    type Kernel: Instance;

    /// The kernel.
    fn kernel(&self) -> Self::Kernel;

    /// The bound buffers, in the order of the declaration.
    fn bindings(&self) -> Vec<&Binding>;

    /// The numbers, in the order of the declaration.
    fn numbers(&self) -> Vec<u32>;

    /// The bytes that `units` units move in picked buffers.
    fn picked_bytes(&self, units: u64) -> u64;

    /// Passes the kernel to the engine, in cubes of `units` units. The caller has checked it against the device's
    /// limits.
    fn perform(&self, client: &Client, units: u32, action: Action) -> Option<KernelDefinition>;

    /// The bytes that `units` units read and write.
    fn moved_bytes(&self, units: u64) -> u64 {
        let buffers = self.kernel().buffers().iter().zip(self.bindings());
        let streamed = buffers.filter(|(buffer, _)| buffer.access == Access::Streamed);
        streamed.map(|(_, binding)| binding.bytes()).sum::<u64>() + self.picked_bytes(units)
    }
}

/// What to do with a kernel and its arguments.
pub(super) enum Action {
    /// Launch it in a grid of this size.
    Launch(CubeCount),
    /// Return the engine's definition of it, without a launch.
    #[cfg(feature = "proof")]
    Define,
}

/// A buffer as an argument for the engine.
pub(super) fn argument(binding: &Binding) -> BufferArg {
    // SAFETY: the memory is at least as long as the binding says.
    unsafe { BufferArg::from_raw_parts(binding.memory.clone(), binding.len) }
}

/// `MergeShadowed` becomes `merge_shadowed`, and `F32Back` becomes `f32_back`.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Makes a table of kernels: see the top of this file.
macro_rules! kernels {
    (
        $(#[$about:meta])*
        pub enum $Table:ident named $prefix:literal;
        $(
            $(#[$note:meta])*
            $Name:ident = $module:ident :: $function:ident $(<$key:ident>)? {
                $(axes $($axis:ident : $Axis:ty = $values:expr),+;)?
                buffers $($buffer:ident : $direction:ident $($access:ident)?),+;
                $(numbers $($number:ident),+;)?
                $(comptime |$cube:pat_param| $($fixed:expr),+;)?
                $(shared |$sharing:ident| $shared:expr;)?
                $(picks |$busy:pat_param| $picks:expr;)?
            }
        )+
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $Table {
            $($(#[$note])* $Name {
                $($(#[doc = concat!("The instantiation's `", stringify!($axis), "`.")] $axis: $Axis,)+)?
            },)+
        }

        impl $Table {
            /// All instances of all kernels.
            pub fn all() -> Vec<Self> {
                let mut all = Vec::new();
                $(kernels!(@each all, $Table::$Name, [$($($axis = $values,)+)?], []);)+
                all
            }
        }

        #[allow(unused_variables, reason = "a declaration may use any of its axes, buffers and numbers")]
        const _: () = {
            use $crate::gpu::binding::Binding;
            use $crate::gpu::table::{Action, Buffer, Instance, Launch, argument, snake_case};
            use cubecl::prelude::{Client, KernelDefinition};

            impl std::fmt::Display for $Table {
                fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    match self {
                        $(Self::$Name { $($($axis,)+)? } => {
                            formatter.write_str($prefix)?;
                            formatter.write_str(&snake_case(stringify!($Name)))?;
                            $($(write!(formatter, "_{}", snake_case(&format!("{:?}", $axis)))?;)+)?
                        })+
                    }
                    Ok(())
                }
            }

            impl Instance for $Table {
                fn buffers(&self) -> &'static [Buffer] {
                    match self {
                        $(Self::$Name { .. } => &[$(Buffer {
                            name: stringify!($buffer),
                            direction: kernels!(@direction $direction),
                            access: kernels!(@access $($access)?),
                        }),+],)+
                    }
                }

                fn numbers(&self) -> &'static [&'static str] {
                    match self {
                        $(Self::$Name { .. } => &[$($(stringify!($number)),+)?],)+
                    }
                }

                fn key_width(&self) -> Option<$crate::code::KeyWidth> {
                    match *self {
                        $(Self::$Name { $($($axis,)+)? } => kernels!(@width $($key)?),)+
                    }
                }

                fn shared_bytes(&self, units: u32) -> usize {
                    match *self {
                        $(Self::$Name { $($($axis,)+)? } => {
                            let bytes: u32 = kernels!(@or_zero $({ let $sharing = units; $shared })?);
                            bytes as usize
                        })+
                    }
                }

                #[cfg(feature = "proof")]
                fn definition(&self, client: &Client, units: u32, any: &Binding) -> KernelDefinition {
                    let definition = match *self {
                        $(Self::$Name { $($($axis,)+)? } => $Name {
                            $($($axis,)+)?
                            $($buffer: any.clone(),)+
                            $($($number: 0,)+)?
                        }.perform(client, units, Action::Define),)+
                    };
                    definition.expect("that is what was asked for")
                }
            }

            $(impl Launch for $Name {
                type Kernel = $Table;

                fn kernel(&self) -> $Table {
                    let Self { $($($axis,)+)? .. } = *self;
                    $Table::$Name { $($($axis,)+)? }
                }

                fn bindings(&self) -> Vec<&Binding> {
                    vec![$(&self.$buffer),+]
                }

                fn numbers(&self) -> Vec<u32> {
                    vec![$($(self.$number),+)?]
                }

                fn picked_bytes(&self, units: u64) -> u64 {
                    let Self { $($($axis,)+)? $($($number,)+)? .. } = *self;
                    let Self { $($buffer,)+ .. } = self;
                    kernels!(@or_zero $({ let $busy = units; $picks })?)
                }

                fn perform(&self, client: &Client, units: u32, action: Action) -> Option<KernelDefinition> {
                    let Self { $($($axis,)+)? .. } = *self;
                    $(let $cube = units;)?
                    kernels!(@perform [$($key)?] $module::$function, client, units, action, [
                        $(argument(&self.$buffer),)+
                        $($(self.$number,)+)?
                        $($($fixed,)+)?
                    ])
                }
            })+
        };

        $(
            #[doc = concat!("All that `", stringify!($Name), "` is launched with.")]
            pub(super) struct $Name {
                $($(pub(super) $axis: $Axis,)+)?
                $(pub(super) $buffer: $crate::gpu::binding::Binding,)+
                $($(pub(super) $number: u32,)+)?
            }
        )+
    };

    (@each $all:ident, $Table:ident :: $Name:ident, [], [$($axis:ident)*]) => {
        $all.extend([$Table::$Name { $($axis,)* }]);
    };
    (@each $all:ident, $Table:ident :: $Name:ident, [$next:ident = $values:expr, $($rest:tt)*], [$($axis:ident)*]) => {
        for $next in $values {
            kernels!(@each $all, $Table::$Name, [$($rest)*], [$($axis)* $next]);
        }
    };

    (@direction read) => { $crate::gpu::table::Direction::Read };
    (@direction written) => { $crate::gpu::table::Direction::Written };
    (@direction updated) => { $crate::gpu::table::Direction::Updated };
    (@access) => { $crate::gpu::table::Access::Streamed };
    (@access picked) => { $crate::gpu::table::Access::Picked };
    (@or_zero) => { 0 };
    (@or_zero $number:expr) => { $number };
    (@width) => { None };
    (@width $key:ident) => { Some($key) };

    (@perform [] $($call:tt)+) => { kernels!(@call [] $($call)+) };
    (@perform [$key:ident] $($call:tt)+) => {
        match $key {
            $crate::code::KeyWidth::U32 => kernels!(@call [<u32>] $($call)+),
            $crate::code::KeyWidth::U64 => kernels!(@call [<u64>] $($call)+),
        }
    };
    (@call [$(<$Key:ty>)?] $kernel:path, $client:ident, $units:ident, $action:ident, [$($argument:expr,)+]) => {{
        use $kernel as kernel;
        let cube = cubecl::prelude::CubeDim::new_1d($units);
        match $action {
            Action::Launch(grid) => {
                // SAFETY: the kernels touch no element past the lengths that they are given (see their headers), and no
                // loop depends on what another cube does.
                unsafe { kernel::launch_unchecked$(::<$Key>)?($client, grid, cube, $($argument,)+) };
                None
            }
            #[cfg(feature = "proof")]
            Action::Define => {
                use cubecl::CubeKernel;
                let (device, target) = ($client.properties_shared(), $client.target_properties_shared());
                let grid = cubecl::prelude::CubeCount::Static(1, 1, 1);
                Some(kernel::create_dummy_kernel$(::<$Key>)?(device, target, grid, cube, $($argument,)+).define())
            }
        }
    }};
}
pub(super) use kernels;
