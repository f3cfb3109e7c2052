//! A dictionary beside its model, and the effect of each step on both.

use crate::step::{Interval, Pick, Step};
use gpu_lsm::{Config, Device, Result};
use gpu_lsm_model::{
    Chain, Feed, Found, Held, Layout, Operation, Pair, TestKey, TestValue, batch, columns, feed_back,
};
use gpu_lsm_primitives::Start;

/// More snapshots than this would test nothing new.
const MOST_HELD: usize = 4;

/// The keys of a script.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// How they are distributed over the domain.
    pub layout: Layout,
    /// How many there are, without the edges of the domain.
    pub universe: u16,
}

/// A dictionary beside its model, and the snapshots that a script holds.
pub struct Runner<K: TestKey, V: TestValue> {
    /// The dictionary and its model.
    pub pair: Pair<K, V>,
    device: Device,
    shape: Shape,
    edges: Vec<K>,
    held: Vec<Held<K, V>>,
    /// The results of chains, compared once the fuse is disarmed.
    found: Vec<Found<K, V>>,
    values: u64,
}

impl<K: TestKey, V: TestValue> Runner<K, V> {
    /// Starts with an empty dictionary on the host.
    pub fn new(config: Config, shape: Shape) -> Self {
        let device = Device::host();
        let pair = Pair::with_config(&device, config);
        Self { pair, device, shape, edges: K::edges(), held: Vec::new(), found: Vec::new(), values: 0 }
    }

    /// Executes a step, compares the answers, and applies successful updates to the model.
    ///
    /// # Errors
    /// The error of the call. The model is unchanged then, and so must be the dictionary.
    pub fn follow(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Insert(entries) => self.insert(entries),
            Step::InsertRun(first, len) => self.insert(&run(*first, *len)),
            Step::Delete(keys) => self.delete(keys),
            Step::DeleteRun(first, len) => {
                self.delete(&run(*first, *len).iter().map(|entry| entry.0).collect::<Vec<_>>())
            }
            Step::Update(entries, deletes) => self.update(entries, deletes),
            Step::Apply(operations) => self.apply(operations),
            Step::ApplyColumns(operations) => self.apply_columns(operations),
            Step::DeleteRange(intervals) => self.delete_range(intervals),
            Step::Cleanup => self.pair.dictionary.cleanup(),
            Step::Clear => {
                self.pair.dictionary.clear()?;
                self.pair.model.clear();
                Ok(())
            }
            Step::FeedBack(chain, intervals, limit) => self.feed_back(*chain, intervals, *limit),
            Step::Hold => {
                if self.held.len() < MOST_HELD {
                    self.held.push(self.pair.held());
                }
                Ok(())
            }
            Step::CheckHeld => self.held.iter().try_for_each(check_whole),
            Step::Release => {
                self.held.clear();
                self.found.clear();
                Ok(())
            }
            query => self.query(query),
        }
    }

    /// Whether no snapshot and no result holds memory.
    pub fn is_alone(&self) -> bool {
        self.held.is_empty() && self.found.is_empty()
    }

    /// Compares everything. The fuse must be disarmed.
    ///
    /// # Errors
    /// The errors of its calls.
    pub fn check_whole(&self) -> Result<()> {
        self.pair.dictionary.verify()?;
        check_whole(&self.pair)?;
        self.held.iter().try_for_each(check_whole)?;
        self.found.iter().try_for_each(|found| found.check("what was fed back"))
    }

    fn query(&self, step: &Step) -> Result<()> {
        let (pair, dictionary) = (&self.pair, &self.pair.dictionary);
        match step {
            Step::Lookup(picks) => {
                let keys = self.keys(picks);
                pair.check_answers(&keys, &dictionary.lookup(&keys)?, "lookup");
            }
            Step::Successor(picks) => {
                let keys = self.keys(picks);
                pair.check_successors(&keys, &dictionary.successor(&keys)?, "successor");
            }
            Step::Predecessor(picks) => {
                let keys = self.keys(picks);
                pair.check_predecessors(&keys, &dictionary.predecessor(&keys)?, "predecessor");
            }
            Step::Count(intervals) => {
                let (lower, upper) = self.bounds(intervals);
                pair.check_counts(&lower, &upper, &dictionary.count(&lower, &upper)?, "count");
            }
            Step::Range(intervals) => {
                let (lower, upper) = self.bounds(intervals);
                pair.check_ranges(&lower, &upper, &dictionary.range(&lower, &upper)?, None, "range");
            }
            Step::RangeFirst(intervals, limit) => self.check_pages(Start::At, intervals, *limit)?,
            Step::RangeAfter(intervals, limit) => self.check_pages(Start::After, intervals, *limit)?,
            Step::Ends => pair.check_ends(dictionary.first()?, dictionary.last()?, "ends"),
            Step::Len => assert_eq!(dictionary.len()?, pair.model.len() as u64, "len"),
            Step::Scan(chunk) => {
                let chunks = dictionary.scan(u32::from(*chunk)).collect::<Result<Vec<_>>>()?;
                pair.check_chunks(chunks, "scan");
            }
            update => unreachable!("{update:?} is no query"),
        }
        Ok(())
    }

    fn check_pages(&self, start: Start, intervals: &[Interval], limit: u8) -> Result<()> {
        let (lower, upper) = self.bounds(intervals);
        let dictionary = &self.pair.dictionary;
        let pages = match start {
            Start::At => dictionary.range_first(&lower, &upper, u32::from(limit))?,
            Start::After => dictionary.range_after(&lower, &upper, u32::from(limit))?,
        };
        self.pair.check_pages(start, &lower, &upper, &pages, Some(usize::from(limit)), "pages");
        Ok(())
    }

    fn insert(&mut self, entries: &[(Pick, u8)]) -> Result<()> {
        let (keys, values) = self.entries(entries);
        self.pair.dictionary.insert(&keys, &values)?;
        self.tell(keys.into_iter().zip(values.into_iter().map(Some)));
        Ok(())
    }

    fn delete(&mut self, picks: &[Pick]) -> Result<()> {
        let keys = self.keys(picks);
        self.pair.dictionary.delete(&keys)?;
        self.tell(keys.into_iter().map(|key| (key, None)));
        Ok(())
    }

    fn update(&mut self, entries: &[(Pick, u8)], deletes: &[Pick]) -> Result<()> {
        let ((keys, values), deletes) = (self.entries(entries), self.keys(deletes));
        self.pair.dictionary.update(&keys, &values, &deletes)?;
        self.tell(keys.into_iter().zip(values.into_iter().map(Some)));
        self.tell(deletes.into_iter().map(|key| (key, None)));
        Ok(())
    }

    fn apply(&mut self, operations: &[(Pick, Option<u8>)]) -> Result<()> {
        let operations = self.operations(operations);
        self.pair.dictionary.apply(&batch(&operations))?;
        self.tell(operations);
        Ok(())
    }

    fn apply_columns(&mut self, operations: &[(Pick, Option<u8>)]) -> Result<()> {
        let operations = self.operations(operations);
        let (keys, values, flags) = columns(&operations);
        let flags = self.device.upload(&flags)?;
        self.pair.dictionary.apply_columns(keys, values, flags)?;
        self.tell(operations);
        Ok(())
    }

    fn delete_range(&mut self, intervals: &[Interval]) -> Result<()> {
        let (lower, upper) = self.bounds(intervals);
        self.pair.dictionary.delete_range(&lower, &upper)?;
        let bounds: Vec<_> =
            lower.iter().zip(&upper).map(|(lower, upper)| lower.to_code()..=upper.to_code()).collect();
        self.pair.model.retain(|code, _| !bounds.iter().any(|bounds| bounds.contains(code)));
        Ok(())
    }

    fn feed_back(&mut self, chain: u8, intervals: &[Interval], limit: u8) -> Result<()> {
        let chain = Chain::ALL[usize::from(chain) % Chain::ALL.len()];
        let (lower, upper) = self.bounds(intervals);
        let feed = Feed {
            device: &self.device,
            lower: &lower,
            upper: &upper,
            limit: u32::from(limit),
            held: self.held.last(),
            case: "fed back",
        };
        self.found.push(feed_back(&mut self.pair, chain, &feed)?);
        Ok(())
    }

    /// Applies operations to the model, and makes the next step use other values.
    fn tell(&mut self, operations: impl IntoIterator<Item = Operation<K, V>>) {
        self.values += 1;
        self.pair.tell_model(&operations.into_iter().collect::<Vec<_>>());
    }

    fn key(&self, pick: Pick) -> K {
        let place = usize::from(pick) % (usize::from(self.shape.universe) + self.edges.len());
        match place.checked_sub(usize::from(self.shape.universe)) {
            Some(edge) => self.edges[edge],
            None => self.shape.layout.key(place as u64),
        }
    }

    fn value(&self, value: u8) -> V {
        V::from_number(self.values << 8 | u64::from(value))
    }

    fn keys(&self, picks: &[Pick]) -> Vec<K> {
        picks.iter().map(|&pick| self.key(pick)).collect()
    }

    fn entries(&self, entries: &[(Pick, u8)]) -> (Vec<K>, Vec<V>) {
        entries.iter().map(|&(pick, value)| (self.key(pick), self.value(value))).unzip()
    }

    fn operations(&self, operations: &[(Pick, Option<u8>)]) -> Vec<Operation<K, V>> {
        let operation =
            |&(pick, value): &(Pick, Option<u8>)| (self.key(pick), value.map(|value| self.value(value)));
        operations.iter().map(operation).collect()
    }

    fn bounds(&self, intervals: &[Interval]) -> (Vec<K>, Vec<K>) {
        intervals.iter().map(|&(lower, upper)| (self.key(lower), self.key(upper))).unzip()
    }
}

/// `len + 1` adjacent keys of the universe, with their positions as values.
fn run(first: Pick, len: u8) -> Vec<(Pick, u8)> {
    (0..=len).map(|i| (first.wrapping_add(Pick::from(i)), i)).collect()
}

fn check_whole<K: TestKey, V: TestValue, D>(pair: &Pair<K, V, D>) -> Result<()>
where
    D: std::ops::Deref<Target = gpu_lsm::Snapshot<K, V>>,
{
    let (lower, upper) = ([K::MIN], [K::MAX]);
    pair.check_ranges(&lower, &upper, &pair.dictionary.range(lower, upper)?, None, "whole");
    assert_eq!(pair.dictionary.len()?, pair.model.len() as u64, "whole: len");
    Ok(())
}
