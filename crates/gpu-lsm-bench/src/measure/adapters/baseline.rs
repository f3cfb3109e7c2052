//! Adapters for the paper's structures, on the same backend as gpu-lsm's own dictionary.

use crate::error::Result;
use crate::measure::structure::{Entries, Found, Growth, Room, Structure, unsupported};
use crate::record::measurement::Resident;
use gpu_lsm_baselines::{Answers, Baselines, CuckooHash, PaperLsm, Ranges, SortedArray};
use gpu_lsm_primitives::{Array, DeviceClock, Traffic};

/// The paper's GPU LSM.
pub struct Paper<B: Baselines> {
    backend: B,
    room: Room,
    lsm: PaperLsm<B>,
}

/// The paper's sorted array.
pub struct Sorted<B: Baselines> {
    backend: B,
    array: SortedArray<B>,
}

/// The paper's hash table; `None` until it is built.
pub struct Cuckoo<B: Baselines> {
    backend: B,
    table: Option<CuckooHash<B>>,
}

impl<B: Baselines> Paper<B> {
    /// An empty LSM.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn new(backend: &B, room: Room) -> Result<Self> {
        let lsm = PaperLsm::new(backend, room.b, room.batches as u32)?;
        Ok(Self { backend: backend.clone(), room, lsm })
    }
}

impl<B: Baselines> Sorted<B> {
    /// An empty array.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn new(backend: &B) -> Result<Self> {
        Ok(Self { backend: backend.clone(), array: SortedArray::new(backend)? })
    }
}

impl<B: Baselines> Cuckoo<B> {
    /// A table that is not built yet.
    pub fn new(backend: &B) -> Self {
        Self { backend: backend.clone(), table: None }
    }
}

/// The methods that are the same for all three: columns are arrays of the backend, which also has the clock and the
/// meter.
macro_rules! on_its_backend {
    () => {
        type Column = B::Array<u32>;

        fn upload(&self, numbers: &[u32]) -> Result<B::Array<u32>> {
            let array = self.backend.upload(numbers)?;
            self.backend.download(&array, numbers.len().min(1))?; // the wait
            Ok(array)
        }

        fn read(&self, column: &B::Array<u32>, len: usize) -> Result<Vec<u32>> {
            Ok(self.backend.download(column, len.min(column.len()))?)
        }

        fn device_clock(&self) -> Option<DeviceClock> {
            self.backend.device_clock()
        }

        fn traffic(&self) -> Traffic {
            self.backend.meter().traffic()
        }
    };
}

/// The methods that are the same for the ordered structures, which take batches.
macro_rules! ordered {
    ($structure:ident) => {
        fn update(
            &mut self,
            keys: &B::Array<u32>,
            values: &B::Array<u32>,
            deletes: &B::Array<u32>,
        ) -> Result<()> {
            match mixed(&self.backend, keys, values, deletes)? {
                Some(batch) => self.$structure.update(&batch.keys, &batch.values, &batch.marks)?,
                None => self.$structure.insert(keys, values)?,
            }
            Ok(())
        }

        fn wait(&self) -> Result<()> {
            Ok(self.$structure.wait()?)
        }

        fn lookup(&self, keys: &B::Array<u32>) -> Result<Found<B::Array<u32>>> {
            Ok(found(self.$structure.lookup(keys)?))
        }

        fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
            Ok(self.$structure.count(lower, upper)?)
        }

        fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Entries<B::Array<u32>>> {
            let Ranges { offsets, keys, values } = self.$structure.range(lower, upper)?;
            Ok(Entries { offsets, keys, values })
        }

        fn resident(&self) -> Result<Resident> {
            Ok(Resident { entries: self.$structure.entries(), bytes: Some(self.$structure.bytes()) })
        }
    };
}

impl<B: Baselines> Structure for Paper<B> {
    const NAME: &'static str = "paper_lsm";
    const GROWTH: Growth = Growth::ByBatches;

    on_its_backend!();
    ordered!(lsm);

    fn build(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.lsm = PaperLsm::build(&self.backend, self.room.b, self.room.batches as u32, keys, values)?;
        Ok(())
    }

    fn cleanup(&mut self) -> Result<()> {
        Ok(self.lsm.cleanup()?)
    }
}

impl<B: Baselines> Structure for Sorted<B> {
    const NAME: &'static str = "sorted_array";
    const GROWTH: Growth = Growth::InBulk;

    on_its_backend!();
    ordered!(array);

    fn build(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.array = SortedArray::build(&self.backend, keys, values)?;
        Ok(())
    }
}

impl<B: Baselines> Structure for Cuckoo<B> {
    const NAME: &'static str = "cuckoo_hash";
    const GROWTH: Growth = Growth::InBulk;

    on_its_backend!();

    fn build(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.table = Some(CuckooHash::build(&self.backend, keys, values)?);
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        self.table.as_ref().map_or(Ok(()), |table| Ok(table.wait()?))
    }

    fn update(&mut self, _: &B::Array<u32>, _: &B::Array<u32>, _: &B::Array<u32>) -> Result<()> {
        Err(unsupported::<Self>("batch insertion"))
    }

    fn lookup(&self, keys: &B::Array<u32>) -> Result<Found<B::Array<u32>>> {
        let table = self.table.as_ref().ok_or_else(|| unsupported::<Self>("lookup before a build"))?;
        Ok(found(table.lookup(keys)?))
    }

    fn resident(&self) -> Result<Resident> {
        let table = self.table.as_ref();
        Ok(Resident { entries: table.map_or(0, CuckooHash::entries), bytes: table.map(CuckooHash::bytes) })
    }
}

/// A batch of inserts followed by deletes.
struct Mixed<B: Baselines> {
    keys: B::Array<u32>,
    values: B::Array<u32>,
    marks: B::Array<u32>,
}

/// One batch of separate inserts and deletes; `None` if there are only inserts.
fn mixed<B: Baselines>(
    backend: &B,
    keys: &B::Array<u32>,
    values: &B::Array<u32>,
    deletes: &B::Array<u32>,
) -> Result<Option<Mixed<B>>> {
    if deletes.is_empty() {
        return Ok(None);
    }
    Ok(Some(Mixed {
        keys: backend.concat(keys, deletes)?,
        // The value of a delete is ignored, but there must be one.
        values: backend.concat(values, deletes)?,
        marks: backend.marks(keys.len(), keys.len() + deletes.len())?,
    }))
}

fn found<B: Baselines>(answers: Answers<B, u32>) -> Found<B::Array<u32>> {
    Found { found: answers.found, values: answers.values }
}
