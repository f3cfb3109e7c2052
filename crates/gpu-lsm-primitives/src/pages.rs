//! What the system says and takes about memory: large pages for large arrays, and how much is left.
//!
//! Memory is cleared page by page when it is first touched, and a search in a large run finds hardly any page where the
//! processor remembers it: with pages of 2 MiB both cost less. Linux gives them to who asks; elsewhere nothing is asked.

#[cfg(target_os = "linux")]
use std::fs;

/// How large they are, where most processors have them.
const LARGE: usize = 2 << 20;

/// Asks for large pages under the elements and the spare room of a vector that nothing was written to yet.
pub(crate) fn ask_for_large<T>(vector: &Vec<T>) {
    let start = vector.as_ptr().addr();
    let first = start.next_multiple_of(LARGE);
    let end = (start + vector.capacity() * size_of::<T>()) / LARGE * LARGE;
    if first < end {
        advise(vector.as_ptr().cast::<u8>().wrapping_add(first - start), end - first);
    }
}

#[cfg(target_os = "linux")]
fn advise(first: *const u8, bytes: usize) {
    // SAFETY: the advice changes no content, whatever the range. Where the system has no large pages it refuses, and nothing
    // is lost.
    unsafe { libc::madvise(first.cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_first: *const u8, _bytes: usize) {}

/// Bytes of memory that programs can still have, where the system tells: without swapping, and within the limit of the
/// control group that the program is in.
#[cfg(target_os = "linux")]
pub(crate) fn available() -> Option<u64> {
    let information = fs::read_to_string("/proc/meminfo").ok()?;
    let line = information.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    let number = |file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let left = group.map_or(u64::MAX, |(most, current)| most.saturating_sub(current));
    Some((kilobytes << 10).min(left))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn available() -> Option<u64> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::ask_for_large;
    use std::fs;

    /// What the system says about the mapping of an address: the flags at the end of its entry in `smaps`.
    fn flags_at(address: usize) -> String {
        let entries = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_here = false;
        for line in entries.lines() {
            let bounds = line.split_once(' ').and_then(|(bounds, _)| bounds.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(start), Some(end))) = bounds.map(|(start, end)| (number(start), number(end))) {
                is_here = (start..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_here) {
                return flags.to_owned();
            }
        }
        panic!("no mapping has {address:x}");
    }

    /// `hg` in the flags is advice for large pages. Systems without such pages have no folder for them, and refuse it.
    #[test]
    fn a_large_array_is_to_have_large_pages_and_a_small_one_not() {
        let are_there = fs::exists("/sys/kernel/mm/transparent_hugepage").unwrap();
        for (bytes, is_large) in [(8 << 20, true), (1 << 20, false)] {
            let vector = vec![0u8; bytes];
            ask_for_large(&vector);
            let flags = flags_at(vector.as_ptr().addr() + bytes / 2);
            let is_advised = flags.split(' ').any(|flag| flag == "hg");
            assert_eq!(is_advised, is_large && are_there, "{bytes} bytes: {flags}");
        }
    }
}
