//! Large pages for large arrays.
//!
//! The system clears memory page by page on first touch, and a search in a large run misses the processor's translation
//! cache at nearly every read. Pages of 2 MiB make both cheaper. Linux gives them on request; on other systems we do
//! not ask.

/// The size of a large page on most processors.
const LARGE: usize = 2 << 20;

/// Asks for large pages for a vector's elements and its spare capacity, before anything is written to it.
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
    // SAFETY: the advice changes no content, whatever the range. A system without large pages refuses it, which does no
    // harm.
    unsafe { libc::madvise(first.cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_first: *const u8, _bytes: usize) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::ask_for_large;
    use std::fs;

    /// The flags of the mapping that contains an address, from the end of its entry in `smaps`.
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

    /// The flag `hg` says that large pages were requested. Systems without them lack the folder below, and refuse.
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
