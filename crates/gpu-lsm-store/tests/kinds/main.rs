//! Random lives of every other type of keys, and of every width of values, that pass through stores. They are in a program of their
//! own because it takes minutes to compile.

#![allow(clippy::unwrap_used, reason = "an error is a failure of the test")]

#[path = "../suite/life.rs"]
mod life;
#[allow(dead_code, reason = "nothing fails here")]
#[path = "../suite/memory.rs"]
mod memory;
#[path = "../suite/same.rs"]
mod same;

use gpu_lsm::Morton;

life::kinds! {
    agrees_i32_u32: i32, u32;
    agrees_i64_u32: i64, u32;
    agrees_f32_u32: f32, u32;
    agrees_f64_u32: f64, u32;
    agrees_pair_u32: (u32, u32), u32;
    agrees_morton_u32: Morton, u32;
    agrees_u64_f64: u64, f64;
    agrees_u32_wide: u32, [u32; 4];
    agrees_u64_wide: u64, [u32; 4];
    agrees_morton_nothing: Morton, ();
}
