//! What this program is: its version, the commit that it was built from, and its features.

/// The features of this build.
pub(crate) fn features() -> Vec<&'static str> {
    let features = [
        ("wgpu", cfg!(feature = "wgpu")),
        ("vulkan", cfg!(feature = "vulkan")),
        ("metal", cfg!(feature = "metal")),
        ("cuda", cfg!(feature = "cuda")),
        ("hip", cfg!(feature = "hip")),
        ("bench", cfg!(feature = "bench")),
        ("rivals", cfg!(feature = "rivals")),
        ("store", cfg!(feature = "store")),
    ];
    features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect()
}

/// Whether this build has a GPU engine.
pub(crate) const HAS_ENGINE: bool =
    cfg!(any(feature = "wgpu", feature = "vulkan", feature = "metal", feature = "cuda", feature = "hip"));

/// The commit, if it is known.
pub(crate) fn commit() -> Option<&'static str> {
    #[cfg(feature = "bench")]
    return gpu_lsm_bench::record::machine::commit();
    #[cfg(not(feature = "bench"))]
    None
}

/// The version, the commit if it is known, and the features of this build.
pub(crate) fn version() -> &'static str {
    let commit = commit().map_or(String::new(), |commit| format!("commit {commit}, "));
    format!("{} ({commit}features: {})", env!("CARGO_PKG_VERSION"), features().join(" ")).leak()
}
