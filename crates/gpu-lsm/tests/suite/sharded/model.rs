//! Random lives of a plain and a sharded dictionary, whose shards are split, joined and moved at random. Seeds are as in
//! the model test.

use super::twins::live;
use crate::on_every_device;
use crate::support::{TestKey, TestValue, lives, wide};
use gpu_lsm::{Device, Morton};

on_every_device!(agrees_u32_u32, agrees_u64_wide, agrees_f32_nothing, agrees_morton_f64);

fn agrees<K: TestKey, V: TestValue>(device: &Device, share: u64) {
    lives(device, share, |seed| live::<K, V>(device, seed));
}

fn agrees_u32_u32(device: &Device) {
    agrees::<u32, u32>(device, 2);
}

fn agrees_u64_wide(device: &Device) {
    wide(device, || agrees::<u64, [u32; 4]>(device, 4));
}

fn agrees_f32_nothing(device: &Device) {
    agrees::<f32, ()>(device, 8);
}

fn agrees_morton_f64(device: &Device) {
    wide(device, || agrees::<Morton, f64>(device, 8));
}
