//! Memory and threads run out: each test sets a system limit in a process of its own, once everything is warm. Calls
//! that do not fit return an error and change nothing.

use crate::child;
use crate::support::spread;
use gpu_lsm::{BackendError, Config, Device, Dictionary, Error};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

/// Instantiates test functions that take a device, for the host and, if it is compiled in, for the GPU, each in a
/// process of its own.
macro_rules! on_every_device_in_a_child {
    ($($test:ident),+ $(,)?) => {
        mod host {
            $(#[test] fn $test() {
                let name = concat!(module_path!(), "::", stringify!($test));
                crate::child::run(name, |_| {}, || super::$test(&gpu_lsm::Device::host()));
            })+
        }
        #[cfg(feature = "gpu")]
        mod gpu {
            $(#[test] fn $test() {
                let name = concat!(module_path!(), "::", stringify!($test));
                crate::child::run(name, |_| {}, || super::$test(&crate::support::gpu()));
            })+
        }
    };
}

on_every_device_in_a_child!(calls_that_do_not_fit_are_errors_and_change_nothing);

const MIB: u64 = 1 << 20;

/// Limits the process to this many bytes of address space beyond its present ones, or removes the limit.
fn allow(more: Option<u64>) {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    // SAFETY: only asks the system for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let now = statm.split(' ').next().unwrap().parse::<u64>().unwrap() * page;
    let most = more.map_or(libc::RLIM_INFINITY, |more| now + more);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the limit outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

/// Runs a task within a limit. The limit is removed before a panic is reported, which needs memory.
fn within<R>(more: u64, task: impl FnOnce() -> R) -> R {
    allow(Some(more));
    let result = catch_unwind(AssertUnwindSafe(task));
    allow(None);
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::Backend(BackendError::OutOfMemory { .. }))
}

fn keys(len: u64) -> Vec<u32> {
    (0..len).map(spread).collect()
}

/// A dictionary that has answered all kinds of queries, so that nothing is left to compile or start.
fn warm(device: &Device, keys: &[u32]) -> Dictionary<u32, u32> {
    let mut dictionary = Dictionary::with_config(device, Config::new().with_batch_size(1 << 12)).unwrap();
    dictionary.insert(keys, keys).unwrap();
    for chunk in keys[..4000].chunks(1000) {
        dictionary.insert(chunk, chunk).unwrap();
    }
    dictionary.range(&[0; 4], &[u32::MAX; 4]).unwrap();
    dictionary.count(&[0], &[u32::MAX]).unwrap();
    dictionary.successor(keys).unwrap();
    is_whole(&dictionary, keys);
    dictionary
}

fn is_whole(dictionary: &Dictionary<u32, u32>, keys: &[u32]) {
    assert_eq!(dictionary.lookup(keys).unwrap().values(), keys);
    assert_eq!(dictionary.len().unwrap(), keys.len() as u64);
    dictionary.verify().unwrap();
}

/// Every call needs 64 MiB several times, or one array larger than the limit.
fn calls_that_do_not_fit_are_errors_and_change_nothing(device: &Device) {
    let (few, many) = (keys(1 << 16), keys(1 << 24));
    let (mut dictionary, mut beside) = (warm(device, &few), warm(device, &few));
    let (lower, upper) = (vec![0; 1000], vec![u32::MAX; 1000]);
    let refused = |what: &str, result: Result<(), Error>| {
        let error = result.expect_err(what);
        assert!(is_out_of_memory(&error), "{what}: {error}");
    };
    within(96 * MIB, || {
        refused("insert", dictionary.insert(&many, &many));
        refused("delete", dictionary.delete(&many));
        refused("lookup", dictionary.lookup(&many).map(drop));
        refused("range", dictionary.range(&lower, &upper).map(drop));
        refused("count", dictionary.count(&many, &many).map(drop));
        refused("successor", dictionary.successor(&many).map(drop));
        refused("read", device.room::<u32>(1 << 25).and_then(|room| room.read()).map(drop));
        refused("insert of a buffer", device.room(1 << 25).and_then(|room| dictionary.insert(&room, &room)));
        refused(
            "lookup of a buffer",
            device
                .room(1 << 25)
                .and_then(|room| dictionary.on_device().lookup(&room)?.values.read().map(drop)),
        );
        is_whole(&dictionary, &few);
        is_whole(&beside, &few);
        dictionary.insert(&few[..1000], &few[1000..2000]).unwrap();
        assert_eq!(dictionary.lookup(&few[..1000]).unwrap().values(), &few[1000..2000]);
        beside.insert(&few[..1000], &few[..1000]).unwrap();
    });
    is_whole(&beside, &few);
    dictionary.verify().unwrap();
}

/// The memory suffices for the result of the read, but not for the engine, which then panics.
#[cfg(feature = "gpu")]
#[test]
fn a_read_without_memory_for_the_engine_does_not_lose_the_gpu() {
    let name = concat!(module_path!(), "::a_read_without_memory_for_the_engine_does_not_lose_the_gpu");
    child::run(
        name,
        |_| {},
        || {
            let device = crate::support::gpu();
            let (few, many) = (keys(1 << 14), keys(1 << 24));
            let there = device.upload(&many).unwrap();
            // This waits, so that the upload is done before the limit is set.
            let beside = warm(&device, &few);
            within(96 * MIB, || {
                let error = there.read().expect_err("64 MiB for us and 64 MiB for the engine");
                assert!(is_out_of_memory(&error), "{error}");
                is_whole(&beside, &few);
            });
            assert!(there.read().unwrap() == many, "the data is there, as it was");
        },
    );
}

/// From too little memory to enough of it, in steps smaller than most arrays.
#[test]
fn at_every_limit_a_call_on_the_host_does_its_work_or_is_an_error() {
    type Call = fn(&mut Dictionary<u32, u32>, &[u32]) -> Result<(), Error>;
    let calls: [(&str, Call); 8] = [
        ("insert", |dictionary, keys| dictionary.insert(keys, keys)),
        ("cleanup", |dictionary, keys| {
            dictionary.insert(&keys[..1], &keys[..1])?;
            dictionary.cleanup()
        }),
        ("lookup", |dictionary, keys| dictionary.lookup(keys).map(drop)),
        ("range", |dictionary, _| dictionary.range(&[0], &[u32::MAX]).map(drop)),
        ("count", |dictionary, keys| dictionary.count(keys, keys).map(drop)),
        ("predecessor", |dictionary, keys| dictionary.predecessor(keys).map(drop)),
        ("scan", |dictionary, _| dictionary.scan(1 << 17).try_for_each(|chunk| chunk.map(drop))),
        ("verify", |dictionary, _| dictionary.verify()),
    ];
    let name = concat!(module_path!(), "::at_every_limit_a_call_on_the_host_does_its_work_or_is_an_error");
    let prepare = |child: &mut Command| {
        // Large blocks are returned to the system at once and must be requested again; small ones find room.
        let allocator = [("MMAP_THRESHOLD_", "65536"), ("ARENA_MAX", "1"), ("TOP_PAD_", "1048576")];
        child.envs(allocator.map(|(name, value)| (format!("MALLOC_{name}"), value)));
    };
    child::run(name, prepare, || {
        let keys = keys(1 << 18);
        let mut dictionary = warm(&Device::host(), &keys);
        for (what, call) in calls {
            let mut failures = 0;
            while let Err(error) = within((failures + 1) * MIB / 2, || call(&mut dictionary, &keys)) {
                assert!(is_out_of_memory(&error), "{what}: {error}");
                assert_eq!(dictionary.lookup(&keys[..5000]).unwrap().values(), &keys[..5000], "after {what}");
                failures += 1;
            }
            assert!(failures > 0, "{what} needs memory");
            is_whole(&dictionary, &keys);
        }
    });
}

fn assert_no_threads() {
    let is_refused = |result: Result<(), Error>| {
        let error = result.expect_err("no threads");
        assert!(matches!(error, Error::Backend(BackendError::NoThreads { .. })), "{error}");
    };
    is_refused(Dictionary::<u32, u32>::new(&Device::host()).map(drop));
    is_refused(Dictionary::<u64, ()>::new(&Device::host()).map(drop));
    is_refused(Device::host().self_test(drop));
}

/// Each thread's stack would need more memory than the limit allows.
#[test]
fn a_host_that_cannot_start_its_threads_is_an_error() {
    let name = concat!(module_path!(), "::a_host_that_cannot_start_its_threads_is_an_error");
    let prepare = |child: &mut Command| {
        child.env("RUST_MIN_STACK", (1024 * MIB).to_string());
    };
    child::run(name, prepare, || {
        within(256 * MIB, assert_no_threads);
        // Rayon does not retry.
        assert_no_threads();
    });
}

#[test]
fn a_host_whose_threads_the_program_could_not_start_is_an_error() {
    let name = concat!(module_path!(), "::a_host_whose_threads_the_program_could_not_start_is_an_error");
    child::run(
        name,
        |_| {},
        || {
            let threads = rayon::ThreadPoolBuilder::new().stack_size(1024 * MIB as usize);
            within(256 * MIB, || threads.build_global()).expect_err("a stack of 1 GiB in 256 MiB");
            assert_no_threads();
        },
    );
}

#[test]
fn threads_that_the_program_has_started_are_the_hosts() {
    let name = concat!(module_path!(), "::threads_that_the_program_has_started_are_the_hosts");
    child::run(
        name,
        |_| {},
        || {
            rayon::ThreadPoolBuilder::new().num_threads(3).build_global().unwrap();
            is_whole(&warm(&Device::host(), &keys(1 << 14)), &keys(1 << 14));
            assert_eq!(rayon::current_num_threads(), 3);
        },
    );
}
