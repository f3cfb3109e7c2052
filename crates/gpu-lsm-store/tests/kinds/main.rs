//! Random lives of every other type of keys, and of every width of values, that pass through stores, and words that stand for these
//! types. They are in a program of their own because it takes minutes to compile.

#![allow(clippy::unwrap_used, reason = "an error is a failure of the test")]

#[path = "../suite/folder.rs"]
mod folder;
#[path = "../suite/life.rs"]
mod life;
#[allow(dead_code, reason = "nothing fails here")]
#[path = "../suite/memory.rs"]
mod memory;
#[path = "../suite/same.rs"]
mod same;
#[path = "../suite/words.rs"]
mod words;

use gpu_lsm::Morton;
use words::words_are_as_good;

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

#[test]
fn words_under_the_names_of_types_make_the_same_files() {
    let floats: Vec<f64> = (-20..20).map(|i| f64::from(i) / 4.0).collect();
    let bits: Vec<[u32; 2]> = floats.iter().map(|float| bytemuck::cast(float.to_bits())).collect();
    words_are_as_good(&(-20..20).collect::<Vec<i64>>(), &floats, &bits);
    let narrow: Vec<f32> = (-20..20).map(|i| i as f32 * 1e30).collect();
    words_are_as_good(&narrow, &[[7u16; 8]; 40], &[[7u32 << 16 | 7; 4]; 40]);
    let pairs: Vec<(u32, u32)> = (0..40).map(|i| (i / 7, i)).collect();
    words_are_as_good(&pairs, &[-9i32; 40], &[-9i32 as u32; 40]);
    let points: Vec<Morton> = (0..40).map(|i| Morton { x: 2 * i, y: i + 1 }).collect();
    words_are_as_good(&points, &[3u64; 40], &[[3u32, 0]; 40]);
    words_are_as_good(&floats, &[1u128 << 100; 40], &[[0u32, 0, 0, 16]; 40]);
}
