//! Random lives that pass through stores: both widths of keys, a code that is not its key, and a set. The target `kinds` has all
//! other types, which take minutes to compile.

crate::life::kinds! {
    agrees_u32_u32: u32, u32;
    agrees_u64_u32: u64, u32;
    agrees_i32_nothing: i32, ();
}
