//! What stores report, as tuples with the fields of the classes in `reports.py`.

use gpu_lsm_store::{Collected, StoreInfo, Verified, VersionInfo};

/// A version, its entries and its bytes.
pub(crate) type Version = (u64, u64, u64);

/// Objects of four kinds, and bytes.
pub(crate) type Objects = (u64, u64, u64, u64, u64);

/// What a store has.
pub(crate) type Info =
    (String, u32, String, String, u64, u64, usize, usize, Vec<Version>, (u64, u64), (u64, u64));

pub(crate) fn versions_of(versions: &[VersionInfo]) -> Vec<Version> {
    versions.iter().map(|info| (info.version, info.entries, info.bytes)).collect()
}

pub(crate) fn collected(of: &Collected) -> Objects {
    (of.manifests, of.records, of.runs, of.parts, of.bytes)
}

pub(crate) fn verified(of: &Verified) -> Objects {
    (of.versions, of.files, of.records, of.parts, of.bytes)
}

pub(crate) fn described(info: StoreInfo) -> Info {
    let versions = versions_of(&info.versions);
    (
        info.url,
        info.format,
        info.key,
        info.value,
        info.batch_size,
        info.epoch,
        info.shards,
        info.runs,
        versions,
        info.log,
        info.objects,
    )
}
