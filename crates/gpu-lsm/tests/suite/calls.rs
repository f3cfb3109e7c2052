//! The calls that plain and sharded dictionaries share, so that one test can be run on both.

use gpu_lsm::{
    Answers, Batch, Buffer, Dictionary, Key, Neighbours, Ranges, Sharded, ShardedSnapshot, Snapshot, Value,
};
use std::ops::Bound;

type Result<T> = gpu_lsm::Result<T>;
type Interval<K> = (Bound<K>, Bound<K>);

/// The queries of snapshots.
pub(crate) trait Queries<K: Key, V: Value> {
    fn lookup(&self, keys: &[K]) -> Result<Answers<V>>;
    fn get(&self, key: K) -> Result<Option<V>>;
    fn contains(&self, key: K) -> Result<bool>;
    fn count_in(&self, interval: Interval<K>) -> Result<u64>;
    fn range_in(&self, interval: Interval<K>) -> Result<(Vec<K>, Vec<V>)>;
    fn all(&self) -> Vec<(K, V)>;
    fn count(&self, lower: &[K], upper: &[K]) -> Result<Vec<u64>>;
    fn range(&self, lower: &[K], upper: &[K]) -> Result<Ranges<K, V>>;
    fn range_first(&self, lower: &[K], upper: &[K], limit: u32) -> Result<Ranges<K, V>>;
    fn range_after(&self, after: &[K], upper: &[K], limit: u32) -> Result<Ranges<K, V>>;
    fn successor(&self, keys: &[K]) -> Result<Neighbours<K, V>>;
    fn predecessor(&self, keys: &[K]) -> Result<Neighbours<K, V>>;
    fn first(&self) -> Result<Option<(K, V)>>;
    fn last(&self) -> Result<Option<(K, V)>>;
    fn len(&self) -> Result<u64>;
    fn is_empty(&self) -> Result<bool>;
    fn scan(&self, chunk: u32) -> Vec<(Vec<K>, Vec<V>)>;
    fn verify(&self) -> Result<()>;
}

/// The methods that change dictionaries.
pub(crate) trait Updates<K: Key, V: Value>: Sized {
    type Snapshot: Queries<K, V>;
    fn now(&self) -> &Self::Snapshot;
    fn forked(&self) -> Self;
    fn insert(&mut self, keys: &[K], values: &[V]) -> Result<()>;
    fn delete(&mut self, keys: &[K]) -> Result<()>;
    fn update(&mut self, keys: &[K], values: &[V], deletes: &[K]) -> Result<()>;
    fn apply(&mut self, batch: &Batch<K, V>) -> Result<()>;
    fn apply_columns(&mut self, keys: &[K], values: &[V], deletes: &Buffer<u32>) -> Result<()>;
    fn delete_range(&mut self, lower: &[K], upper: &[K]) -> Result<()>;
    fn delete_in(&mut self, interval: Interval<K>) -> Result<()>;
    fn cleanup(&mut self) -> Result<()>;
    fn clear(&mut self) -> Result<()>;
}

macro_rules! calls {
    ($Dictionary:ident, $Snapshot:ident) => {
        impl<K: Key, V: Value> Queries<K, V> for $Snapshot<K, V> {
            fn lookup(&self, keys: &[K]) -> Result<Answers<V>> {
                self.lookup(keys)
            }
            fn get(&self, key: K) -> Result<Option<V>> {
                self.get(key)
            }
            fn contains(&self, key: K) -> Result<bool> {
                self.contains(key)
            }
            fn count_in(&self, interval: Interval<K>) -> Result<u64> {
                self.count_in(interval)
            }
            fn range_in(&self, interval: Interval<K>) -> Result<(Vec<K>, Vec<V>)> {
                self.range_in(interval)
            }
            fn all(&self) -> Vec<(K, V)> {
                self.iter().map(gpu_lsm::Result::unwrap).collect()
            }
            fn count(&self, lower: &[K], upper: &[K]) -> Result<Vec<u64>> {
                self.count(lower, upper)
            }
            fn range(&self, lower: &[K], upper: &[K]) -> Result<Ranges<K, V>> {
                self.range(lower, upper)
            }
            fn range_first(&self, lower: &[K], upper: &[K], limit: u32) -> Result<Ranges<K, V>> {
                self.range_first(lower, upper, limit)
            }
            fn range_after(&self, after: &[K], upper: &[K], limit: u32) -> Result<Ranges<K, V>> {
                self.range_after(after, upper, limit)
            }
            fn successor(&self, keys: &[K]) -> Result<Neighbours<K, V>> {
                self.successor(keys)
            }
            fn predecessor(&self, keys: &[K]) -> Result<Neighbours<K, V>> {
                self.predecessor(keys)
            }
            fn first(&self) -> Result<Option<(K, V)>> {
                self.first()
            }
            fn last(&self) -> Result<Option<(K, V)>> {
                self.last()
            }
            fn len(&self) -> Result<u64> {
                self.len()
            }
            fn is_empty(&self) -> Result<bool> {
                self.is_empty()
            }
            fn scan(&self, chunk: u32) -> Vec<(Vec<K>, Vec<V>)> {
                self.scan(chunk).map(gpu_lsm::Result::unwrap).collect()
            }
            fn verify(&self) -> Result<()> {
                self.verify()
            }
        }

        impl<K: Key, V: Value> Updates<K, V> for $Dictionary<K, V> {
            type Snapshot = $Snapshot<K, V>;
            fn now(&self) -> &$Snapshot<K, V> {
                self
            }
            fn forked(&self) -> Self {
                self.fork()
            }
            fn insert(&mut self, keys: &[K], values: &[V]) -> Result<()> {
                self.insert(keys, values)
            }
            fn delete(&mut self, keys: &[K]) -> Result<()> {
                self.delete(keys)
            }
            fn update(&mut self, keys: &[K], values: &[V], deletes: &[K]) -> Result<()> {
                self.update(keys, values, deletes)
            }
            fn apply(&mut self, batch: &Batch<K, V>) -> Result<()> {
                self.apply(batch)
            }
            fn apply_columns(&mut self, keys: &[K], values: &[V], deletes: &Buffer<u32>) -> Result<()> {
                self.apply_columns(keys, values, deletes)
            }
            fn delete_in(&mut self, interval: Interval<K>) -> Result<()> {
                self.delete_in(interval)
            }
            fn delete_range(&mut self, lower: &[K], upper: &[K]) -> Result<()> {
                self.delete_range(lower, upper)
            }
            fn cleanup(&mut self) -> Result<()> {
                self.cleanup()
            }
            fn clear(&mut self) -> Result<()> {
                self.clear()
            }
        }
    };
}
calls!(Dictionary, Snapshot);
calls!(Sharded, ShardedSnapshot);
