//! The measurement of a comparison: rounds in which everybody has a turn.

use crate::compare::comparison::{Column, Comparison, Spread};
use crate::compare::row::{Row, SMALL};
use crate::error::{Error, Result, if_supported};
use crate::measure::adapters::hash_map::HashMapOnCpu;
use crate::measure::adapters::ours::GpuLsm;
#[cfg(feature = "rivals")]
use crate::measure::adapters::rivals::OnCpu;
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::progress::Progress;
use crate::measure::structure::{Intervals, Structure, Update};
use crate::measure::workload::{Workload, existing, intervals_of_uniform, missing};
use crate::record::machine::{Machine, moment, place};
use crate::record::measurement::Timing;
use crate::record::sample::{KeyKind, Place};
use gpu_lsm::Device;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant, SystemTime};

/// The fewest rounds: a median of fewer says nothing.
const ROUNDS: usize = 3;
/// The most rounds, if there is time for more.
const MOST_ROUNDS: usize = 25;
/// The number of small batches whose median time is taken in a round.
const SMALL_BATCHES: usize = 32;

/// The entries of all small batches, which come on top of the others.
const SMALL_ENTRIES: usize = SMALL * SMALL_BATCHES;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The number of entries.
    pub n: usize,
    /// The batch size.
    pub b: usize,
    /// The time for all rounds together. A round that has begun is ended, and three are made in any case.
    pub time: Duration,
}

/// One of those who are compared, and what was measured so far.
struct Turn {
    contender: Contender,
    name: String,
    driver: Option<String>,
    results: BTreeMap<Row, Vec<f64>>,
}

/// Compares the devices with each other and with maps on the processor.
///
/// # Errors
/// [`Error::DoesNotFit`], before anything is measured; if a device fails, or if somebody's answers differ from the others'.
pub fn compare(devices: &[Device], asked: Asked, progress: &mut dyn Progress) -> Result<Comparison> {
    check_room(devices, asked.n)?;
    let mut turns = turns(devices);
    let work = Work::new(asked);
    let (started, mut rounds) = (Instant::now(), 0);
    while rounds < ROUNDS || rounds < MOST_ROUNDS && started.elapsed() < asked.time {
        rounds += 1;
        progress.begin(&format!("round {rounds}"), turns.len());
        round(&mut turns, &work, progress)?;
    }
    let date = moment(SystemTime::now());
    Ok(Comparison {
        machine: Machine::this(&place(&Device::host())),
        date: date.split('T').next().unwrap_or_default().to_owned(),
        n: asked.n,
        b: asked.b,
        rounds,
        contenders: turns.into_iter().map(Turn::column).collect(),
    })
}

/// Refuses more entries than a device can have in one level, which a cleanup leaves all of them in. Nobody is left out in
/// silence: whoever compares decides which devices are worth fewer entries.
fn check_room(devices: &[Device], n: usize) -> Result<()> {
    let room = |device: &Device| device.limits().entries_u32;
    let Some(least) = devices.iter().min_by_key(|device| room(device)) else { return Ok(()) };
    let (limit, needed) = (room(least), (n + SMALL_ENTRIES) as u64);
    if needed <= limit {
        return Ok(());
    }
    let largest = limit.saturating_sub(SMALL_ENTRIES as u64).checked_ilog2().unwrap_or(0);
    Err(Error::DoesNotFit { device: least.name().to_owned(), needed, limit, largest })
}

/// Measures everybody once.
fn round(turns: &mut [Turn], work: &Work, progress: &mut dyn Progress) -> Result<()> {
    let mut first: Option<(String, Answers)> = None;
    for turn in turns {
        let own = turn.measure(work).map_err(|error| turn.failed(error))?;
        match &first {
            Some((name, answers)) => answers.check(name, &own, &turn.name)?,
            None => first = Some((turn.name.clone(), own)),
        }
        progress.advance(1);
    }
    Ok(())
}

/// Everybody who is compared: ours on every device, then the others.
fn turns(devices: &[Device]) -> Vec<Turn> {
    let places: Vec<Place> = devices.iter().map(place).collect();
    let ours = devices.iter().zip(told_apart(&places)).zip(&places).map(|((device, name), place)| {
        let own = device.clone();
        let contender = Contender::new(move |room| GpuLsm::new(&own, room.b));
        let driver = (!device.is_host()).then(|| place.driver.clone());
        Turn { name: format!("{} on {name}", contender.name), contender, driver, results: BTreeMap::new() }
    });
    let others = others().into_iter().map(|contender| Turn {
        name: contender.name.to_owned(),
        contender,
        driver: None,
        results: BTreeMap::new(),
    });
    ours.chain(others).collect()
}

/// The devices' names, with numbers where one name would be there twice.
fn told_apart(places: &[Place]) -> Vec<String> {
    let number = |at: usize| places[..=at].iter().filter(|other| other.device == places[at].device).count();
    let is_alone = |one: &Place| places.iter().filter(|other| other.device == one.device).count() == 1;
    let name = |(at, one): (usize, &Place)| match is_alone(one) {
        true => one.device.clone(),
        false => format!("{} ({})", one.device, number(at)),
    };
    places.iter().enumerate().map(name).collect()
}

fn others() -> Vec<Contender> {
    vec![
        #[cfg(feature = "rivals")]
        Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Tree>::default())),
        #[cfg(feature = "rivals")]
        Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::SortedVec>::default())),
        Contender::new(|_| Ok(HashMapOnCpu::default())),
        #[cfg(feature = "rivals")]
        Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Database>::default())),
    ]
}

/// The same work for everybody.
struct Work {
    b: usize,
    workload: Workload,
    hits: Vec<u32>,
    misses: Vec<u32>,
    short: (Vec<u32>, Vec<u32>),
    long: (Vec<u32>, Vec<u32>),
}

impl Work {
    /// Queries come before the last batch. After all of them, whose number is a power of two, everything would be in one level.
    fn new(Asked { n, b, .. }: Asked) -> Self {
        let workload = Workload::new(KeyKind::Uniform, n);
        let resident = n - b;
        let mut hits = existing(&workload.keys[..resident]);
        hits.truncate(1 << 18);
        Self {
            b,
            hits,
            misses: missing(n + SMALL_ENTRIES, n.min(1 << 18)),
            short: intervals_of_uniform(resident, 8, (n / 8).min(1 << 15)),
            long: intervals_of_uniform(resident, 1024, (n / 1024).clamp(1, 1 << 10)),
            workload,
        }
    }

    fn batches(&self) -> usize {
        self.workload.keys.len() / self.b
    }
}

/// What the queries of a round found, in sum.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Answers {
    hits: u64,
    values: u64,
    misses: u64,
    counted: Option<u64>,
    short: Option<u64>,
    long: Option<u64>,
}

impl Answers {
    /// Refuses another's answers if they differ. Either may be wrong. Who lacks an operation has no answer.
    fn check(&self, name: &str, other: &Self, others_name: &str) -> Result<()> {
        let differ = |one: Option<u64>, other: Option<u64>| matches!((one, other), (Some(one), Some(other)) if one != other);
        let is_wrong = (self.hits, self.values, self.misses) != (other.hits, other.values, other.misses)
            || differ(self.counted, other.counted)
            || differ(self.short, other.short)
            || differ(self.long, other.long);
        if !is_wrong {
            return Ok(());
        }
        let structure = format!("{name} or of {others_name}");
        let what = format!("{name} found {self:?}, {others_name} {other:?}");
        Err(Error::Mismatch { structure, sample: "a round of the comparison".into(), what })
    }
}

impl Turn {
    /// A failure, with who failed: there may be several devices.
    fn failed(&self, error: Error) -> Error {
        Error::Of { name: self.name.clone(), error: Box::new(error) }
    }

    /// One round.
    fn measure(&mut self, work: &Work) -> Result<Answers> {
        let mut structure =
            self.contender.make(work.b, 4 * work.workload.keys.len() / work.b + SMALL_BATCHES)?;
        let n = work.workload.keys.len();
        let all = work.workload.first(n);
        self.rate(Row::Build, n, if_supported(structure.build(all.keys, all.values))?);

        let mut structure = self.contender.make(work.b, 4 * n / work.b + SMALL_BATCHES)?;
        let (last, batches) = (work.batches() - 1, work.batches());
        let inserted = self.updates(structure.as_mut(), work, 0..last)?;
        let answers = self.queries(structure.as_ref(), work)?;
        let inserted = inserted.zip(self.updates(structure.as_mut(), work, last..batches)?);
        self.updated(Row::Insertion, n, inserted.map(|(most, rest)| most + rest));
        self.small_batches(structure.as_mut(), n)?;
        let overwritten = self.updates(structure.as_mut(), work, 0..batches)?;
        self.updated(Row::Overwriting, n, overwritten);
        self.rate(Row::Cleanup, n, if_supported(structure.cleanup())?);
        Ok(answers)
    }

    /// The seconds of some batches, if updates are supported.
    fn updates(
        &self,
        structure: &mut dyn Measured,
        work: &Work,
        batches: Range<usize>,
    ) -> Result<Option<f64>> {
        let mut seconds = 0.0;
        for at in batches {
            let batch = work.workload.batch(at, work.b);
            let Some(timing) = if_supported(structure.update(batch))? else { return Ok(None) };
            seconds += self.seconds(&timing);
        }
        Ok(Some(seconds))
    }

    fn updated(&mut self, row: Row, n: usize, seconds: Option<f64>) {
        self.rate(row, n, seconds.map(|seconds| Timing { seconds, ..Timing::default() }));
    }

    fn queries(&mut self, structure: &dyn Measured, work: &Work) -> Result<Answers> {
        let (timing, hits) = structure.lookup(&work.hits)?;
        self.rate(Row::Hits, work.hits.len(), Some(timing));
        let (timing, misses) = structure.lookup(&work.misses)?;
        self.rate(Row::Misses, work.misses.len(), Some(timing));
        let long = Intervals { lower: &work.long.0, upper: &work.long.1 };
        let short = Intervals { lower: &work.short.0, upper: &work.short.1 };
        let counted = if_supported(structure.count(long))?;
        let found_short = if_supported(structure.range(short))?;
        let found_long = if_supported(structure.range(long))?;
        self.rate(Row::Count, long.lower.len(), counted.as_ref().map(|one| one.0));
        self.rate(Row::ShortRanges, short.lower.len(), found_short.as_ref().map(|one| one.0));
        self.rate(Row::LongRanges, long.lower.len(), found_long.as_ref().map(|one| one.0));
        Ok(Answers {
            hits: sum(&hits.found),
            values: sum(&hits.values),
            misses: sum(&misses.found),
            counted: counted.map(|(_, counts)| sum(&counts)),
            short: found_short.map(|(_, entries)| sum(&entries.values)),
            long: found_long.map(|(_, entries)| sum(&entries.values)),
        })
    }

    /// The median time of small batches of new keys.
    fn small_batches(&mut self, structure: &mut dyn Measured, n: usize) -> Result<()> {
        let keys = missing(n, SMALL_ENTRIES);
        let mut times = Vec::new();
        for keys in keys.chunks(SMALL) {
            let batch = Update { keys, values: keys, deletes: &[] };
            let Some(timing) = if_supported(structure.update(batch))? else { return Ok(()) };
            times.push(self.seconds(&timing) * 1e6);
        }
        if let Some(spread) = Spread::of(&times) {
            self.results.entry(Row::SmallBatch).or_default().push(spread.median);
        }
        Ok(())
    }

    /// Keeps the rate of some operations, if they were supported.
    fn rate(&mut self, row: Row, operations: usize, timing: Option<Timing>) {
        if let Some(timing) = timing {
            let rate = operations as f64 / self.seconds(&timing) / 1e6;
            self.results.entry(row).or_default().push(rate);
        }
    }

    /// The time of an operation, on a GPU with the copies there and back: the others' data is where they need it.
    fn seconds(&self, timing: &Timing) -> f64 {
        let copies = timing.upload_seconds + timing.read_back_seconds;
        if self.driver.is_some() { timing.seconds + copies } else { timing.seconds }
    }

    fn column(self) -> Column {
        let rows = self.results.iter().filter_map(|(row, results)| Some((*row, Spread::of(results)?)));
        Column {
            is_ours: self.contender.name == GpuLsm::NAME,
            rows: rows.collect(),
            name: self.name,
            driver: self.driver,
        }
    }
}

fn sum(numbers: &[u32]) -> u64 {
    numbers.iter().map(|&number| u64::from(number)).sum()
}

#[cfg(test)]
mod tests {
    use super::{Answers, Asked, Row, SMALL_ENTRIES, Turn, Work, compare, round, told_apart, turns};
    use crate::error::Error;
    use crate::measure::adapters::ours::GpuLsm;
    use crate::measure::contender::Contender;
    use crate::measure::progress::{Progress, Quiet};
    use crate::record::sample::Place;
    use gpu_lsm::Device;
    use std::collections::BTreeMap;
    use std::time::Duration;

    #[test]
    fn equal_cards_are_told_apart() {
        let places = ["A", "host", "A"].map(|device| Place { device: device.into(), driver: String::new() });
        assert_eq!(told_apart(&places), ["A (1)", "host", "A (2)"]);
    }

    /// The first may be the one that is wrong.
    #[test]
    fn answers_that_differ_are_of_either() {
        let right = Answers { hits: 4, values: 10, counted: Some(7), ..Answers::default() };
        right.check("a", &Answers { counted: None, ..right }, "b").unwrap();
        for wrong in [Answers { values: 11, ..right }, Answers { counted: Some(8), ..right }] {
            let said = wrong.check("a", &right, "b").unwrap_err().to_string();
            assert!(said.starts_with("WRONG ANSWER of a or of b, "), "{said}");
            assert!(said.contains("a found Answers { hits: 4") && said.contains(", b Answers {"), "{said}");
        }
    }

    #[test]
    fn entries_that_do_not_fit_a_device_are_refused_before_anything_is_measured() {
        let asked = Asked { n: 1 << 12, b: 1 << 8, time: Duration::ZERO };
        let needed = (asked.n + SMALL_ENTRIES) as u64;
        let with_room = |room| [Device::host(), Device::host_with_arrays_of_at_most(room)];
        let comparison = compare(&with_room(needed), asked, &mut Quiet).unwrap();
        assert_eq!(comparison.contenders[1].rows.len(), Row::ALL.len(), "what is not refused fits");
        let error = compare(&with_room(needed - 1), asked, &mut Untouched).unwrap_err();
        assert_eq!(
            error.to_string(),
            "host has room for 6143 entries in one array, and this comparison needs 6144: take `--log-n 11` at most, or choose \
             other devices with `--device`"
        );
    }

    /// A receiver of progress that nothing may be measured for.
    struct Untouched;

    impl Progress for Untouched {
        fn begin(&mut self, experiment: &str, _: usize) {
            panic!("{experiment} is measured");
        }

        fn advance(&mut self, _: usize) {}
    }

    #[test]
    fn who_fails_is_named() {
        let contender = Contender::new(|_| Err::<GpuLsm, _>(Error::Asked("it is lost".into())));
        let lost = Turn { contender, name: "gpu-lsm on A".into(), driver: None, results: BTreeMap::new() };
        let mut all = turns(&[Device::host()]);
        all.push(lost);
        let work = Work::new(Asked { n: 1 << 12, b: 1 << 8, time: Duration::ZERO });
        let error = round(&mut all, &work, &mut Quiet).unwrap_err();
        assert_eq!(error.to_string(), "gpu-lsm on A: it is lost");
    }
}
