//! Writers that are killed: what they had acknowledged is there, followed by a gapless prefix of what was in flight.
//!
//! The writer is this program again, told by environment variables.

use crate::site::Site;
use gpu_lsm::{Batch, Config, Device, Dictionary};
use gpu_lsm_store::{Durable, Error, Options, Store};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{BufRead, BufReader, Write};
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Where the writer writes.
const URL: &str = "GPU_LSM_STORE_WRITER_URL";
/// The store within its place.
const STORE: &str = "store";
/// The batches that it writes.
const BATCHES: &str = "GPU_LSM_STORE_WRITER_BATCHES";

fn config() -> Config {
    Config::new().with_batch_size(64)
}

fn options() -> Options {
    // Small, so that kills meet checkpoints, collections and several records in flight.
    Options::new()
        .with_config(config())
        .with_checkpoint_bytes(20_000)
        .with_part_bytes(6000)
        .with_group(4000, Duration::ZERO)
}

fn batch(number: u64) -> Batch<u64, u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let len = if number % 50 == 49 { 800 } else { rng.random_range(1..60) };
    (0..len).map(|_| (rng.random_range(0..2000), rng.random_ratio(4, 5).then(|| rng.random()))).collect()
}

/// Writes batches from where the store ends, and prints the number of each that is acknowledged.
fn write(url: &str, batches: u64) {
    let store = Store::at(url).unwrap();
    let mut durable = store.write::<u64, u64>(&Device::host(), options()).unwrap();
    let from = durable.last_of("writer") + 1;
    let mut out = std::io::stdout();
    writeln!(out, "open {}", from - 1).unwrap();
    let mut receipts = std::collections::VecDeque::new();
    for number in from..from + batches {
        receipts.push_back((number, durable.submit_once("writer", number, batch(number)).unwrap()));
        // Some wait, others are in flight together.
        let most = if number % 20 < 10 { 0 } else { 6 };
        while receipts.len() > most {
            let (number, receipt) = receipts.pop_front().unwrap();
            receipt.wait().unwrap();
            writeln!(out, "done {number}").unwrap();
        }
    }
    durable.flush().unwrap();
    writeln!(out, "end").unwrap();
}

/// The writer, if this process was started as one; otherwise the same without a crash.
#[test]
fn a_writer_writes() {
    if let Ok(url) = std::env::var(URL) {
        return write(&url, std::env::var(BATCHES).unwrap().parse().unwrap());
    }
    let site = Site::local("writer");
    write(&site.url(STORE), 30);
    let mut found = Found::nothing();
    found.check(&site, Some(30));
    assert_eq!(found.last(), 30);
}

/// The batches that a store was found to have after each death, in a dictionary.
pub(crate) struct Found {
    dictionary: Dictionary<u64, u64>,
    last: u64,
}

impl Found {
    pub(crate) fn nothing() -> Self {
        Self { dictionary: Dictionary::with_config(&Device::host(), config()).unwrap(), last: 0 }
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Checks that the store has exactly its first n batches, among them those that were found before and those up to the last
    /// that the dead writer acknowledged.
    pub(crate) fn check(&mut self, site: &Site, acknowledged: Option<u64>) {
        let durable = open_after_a_death(site);
        let (before, last) = (self.last, durable.last_of("writer"));
        let acknowledged = acknowledged.unwrap_or(before);
        assert!(last >= acknowledged, "{last} batches are there, {acknowledged} were acknowledged");
        assert!(
            acknowledged >= before,
            "the writer opened a store of {acknowledged} batches, which had {before}"
        );
        (before + 1..=last).for_each(|number| self.dictionary.apply(&batch(number)).unwrap());
        self.last = last;
        crate::save::assert_same(&self.dictionary, &durable);
    }
}

/// Opens the store of a writer that is dead. The last request of a dead process may reach a server after it, between our look at
/// the store and our claim: then the dead one has won that race, and we open again. It had one claim in flight at most.
fn open_after_a_death(site: &Site) -> Durable<u64, u64> {
    let open = || site.store(STORE).write::<u64, u64>(&Device::host(), options());
    match open() {
        Err(Error::Fenced { .. }) => open().unwrap(),
        opened => opened.unwrap(),
    }
}

/// Starts a writer, by a command that precedes it if there is one.
pub(crate) fn start(before: &[String], site: &Site, batches: u64) -> Child {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_string();
    let own = [program, "--exact".into(), "crash::a_writer_writes".into(), "--nocapture".into()];
    let command: Vec<_> = before.iter().chain(&own).collect();
    let mut child = Command::new(command[0]);
    child.args(&command[1..]).envs(site.settings());
    child.env(URL, site.url(STORE)).env(BATCHES, batches.to_string());
    child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The last number that a dead writer has acknowledged, or found when it opened the store.
pub(crate) fn acknowledged(child: &mut Child) -> Option<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let number = |line: String| {
        let number =
            line.strip_prefix("done ").or_else(|| line.rsplit_once("open ").map(|(_, number)| number))?;
        number.parse().ok()
    };
    lines.filter_map(number).last()
}

pub(crate) fn kills() -> u64 {
    std::env::var("GPU_LSM_KILLS").map_or(8, |kills| kills.parse().unwrap())
}

/// Kills writers at random moments. All of them write to the same store. On a busy machine they may need long to open it at all:
/// the longest time that they have doubles until something is written.
pub(crate) fn kill_at_random(site: &Site) {
    let mut rng = rand::rng();
    let mut found = Found::nothing();
    let mut most = 900;
    for _ in 0..kills() {
        let mut writer = start(&[], site, 100_000);
        std::thread::sleep(Duration::from_millis(rng.random_range(20..most)));
        writer.kill().unwrap();
        let last = acknowledged(&mut writer);
        writer.wait().unwrap();
        found.check(site, last);
        most *= if found.last() == 0 { 2 } else { 1 };
    }
    assert!(found.last() > 0, "no writer wrote anything");
}

/// The command that runs a program and does something to it at its k-th sync.
#[cfg(target_os = "linux")]
fn at_sync(k: u64, what: &str) -> [String; 9] {
    let inject = format!("inject=fsync,fdatasync:{what}:when={k}");
    ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", &inject].map(String::from)
}

/// The number of the signal KILL.
#[cfg(target_os = "linux")]
const KILLED: i32 = 9;

/// Killed at the k-th sync, which may have happened or not.
#[cfg(target_os = "linux")]
#[test]
fn writers_killed_at_the_kth_sync_lose_nothing() {
    let site = Site::local("synced");
    let mut found = Found::nothing();
    for k in 1..=kills() * 2 {
        let mut writer = start(&at_sync(k, "signal=KILL"), &site, 100_000);
        let last = acknowledged(&mut writer);
        // strace dies of what its program died of.
        assert_eq!(writer.wait().unwrap().signal(), Some(KILLED), "at sync {k}");
        eprintln!("killed at sync {k}");
        found.check(&site, last);
    }
}

/// The k-th sync fails: the writer gets a typed error, or goes on, and nothing is lost.
#[cfg(target_os = "linux")]
#[test]
fn writers_whose_kth_sync_fails_lose_nothing() {
    let site = Site::local("failed-sync");
    let mut found = Found::nothing();
    for k in 1..=kills() {
        for error in ["EIO", "ENOSPC"] {
            let mut writer = start(&at_sync(k, &format!("error={error}")), &site, 20);
            let last = acknowledged(&mut writer);
            writer.wait().unwrap();
            eprintln!("{error} at sync {k}");
            found.check(&site, last);
        }
    }
}
