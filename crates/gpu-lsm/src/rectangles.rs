//! Exact rectangle queries on points.
//!
//! Points have the order of the Z-curve, and a few intervals of the curve cover a rectangle and a little more. The entries
//! of these intervals are found as those of a range, and the points outside of the rectangle are dropped together with
//! hidden entries. The device computes the intervals, so that nothing is copied if the corners are there.

use crate::backed::on_backend;
use crate::column::{Keys, check_bounds, intervals_on};
use crate::core::Core;
use crate::device_results::DeviceRanges;
use crate::error::Result;
use crate::hits::Found;
use crate::intervals::{Intervals, Slices};
use crate::key::Coding;
use crate::lists::extend;
use crate::morton::Morton;
use crate::on_device::OnDevice;
use crate::range::Ranges;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Backend, Candidates, Start, Value};

/// The number of rectangles on the host that are queried at a time. Their intervals occupy 2 MiB, and the places of these in
/// a run 1.5 MiB.
const AT_ONCE: usize = 1 << 12;

impl<V: Value> Snapshot<Morton, V> {
    /// Finds the points in each rectangle from corner `lower[i]` to corner `upper[i]`, both inclusive, in ascending
    /// order of keys. A rectangle is empty if a lower coordinate is above the upper one. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary, Morton};
    /// let points = [(1, 1), (2, 9), (3, 3)].map(|(x, y)| Morton { x, y });
    /// let ids = Dictionary::build(&Device::host(), Config::new(), &points, &[10u32, 11, 12])?;
    /// let found = ids.rectangles(&[Morton { x: 2, y: 2 }], &[Morton { x: 9, y: 9 }])?;
    /// assert_eq!(found.values(), [12, 11]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a [`range`](Self::range) of 32 intervals per rectangle. Together the intervals cover the rectangle and some
    /// points near it, which the device then drops: about a fifth of the points inside if the rectangle is as wide as high,
    /// many times as many if it is long and thin. Split such a rectangle into several.
    ///
    /// # Errors
    /// Those of [`count`](Self::count), where a rectangle counts as 32 queries.
    pub fn rectangles<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, Morton>>,
        upper: impl Into<Keys<'b, Morton>>,
    ) -> Result<Ranges<Morton, V>> {
        let (lower, upper) = (lower.into(), upper.into());
        check_bounds(&lower, &upper)?;
        if let (Keys::Host(lower), Keys::Host(upper)) = (&lower, &upper) {
            let meter = self.meter();
            let (lower, upper) = (&*Morton::codes(meter, lower)?, &*Morton::codes(meter, upper)?);
            let corners = Slices { lower, upper, start: Start::At };
            return on_backend!(&self.inner, core => core.rectangles_slices(corners))?.with_keys(meter);
        }
        self.on_device().rectangles(lower, upper)?.read()
    }
}

impl<V: Value> OnDevice<'_, Morton, V> {
    /// Finds the points in each rectangle from corner `lower[i]` to corner `upper[i]`, both inclusive, in ascending
    /// order of keys. A rectangle is empty if a lower coordinate is above the upper one.
    ///
    /// Waits twice, for the number of candidates and for the number of points. Copies nothing if the corners are in
    /// buffers.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary, Morton};
    /// let points = [(1, 1), (2, 9), (3, 3)].map(|(x, y)| Morton { x, y });
    /// let mut ids = Dictionary::build(&Device::host(), Config::new(), points, [10u32, 11, 12])?;
    /// let found = ids.on_device().rectangles([Morton { x: 2, y: 2 }], [Morton { x: 9, y: 9 }])?;
    /// assert_eq!(found.keys.read()?, [[3, 3], [2, 9]]);
    /// ids.delete(found.keys)?;
    /// assert_eq!(ids.len()?, 1);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count), where a rectangle counts as 32 queries.
    pub fn rectangles<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, Morton>>,
        upper: impl Into<Keys<'b, Morton>>,
    ) -> Result<DeviceRanges<Morton, V>> {
        let (lower, upper) = (lower.into(), upper.into());
        on_backend!(&self.snapshot.inner, core => {
            let corners = intervals_on(&core.backend, &lower, &upper, Start::At)?;
            let candidates = core.rectangles(&corners, u64::MAX)?;
            DeviceRanges::new(&core.backend, core.exact(Found { candidates, len: None })?)
        })
    }
}

impl<B: Backend, V: Value> Core<B, u64, V> {
    /// The live points in each rectangle. Refused if they have more than `most` candidates. Waits once.
    fn rectangles(&self, corners: &Intervals<B, u64>, most: u64) -> Result<Candidates<B, u64, V>> {
        self.backend.alive()?;
        let Intervals { lower, upper, start } = corners;
        let (starts, ends) = self.backend.cover(lower, upper)?;
        let runs = self.whole_runs()?;
        let hits = self.hits(&runs, &Intervals { lower: starts, upper: ends, start: *start })?;
        let candidates = self.candidates(&hits, most)?;
        drop(hits);
        Ok(self.backend.live(&self.backend.outside(&candidates, lower, upper)?)?)
    }

    /// The same on the host, in pieces.
    fn rectangles_slices(&self, corners: Slices<'_, u64>) -> Result<Ranges<u64, V>> {
        let meter = self.backend.meter();
        let mut offsets: Vec<u64> = meter.vector(corners.len() + 1)?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut leases = Vec::new();
        offsets.push(0);
        for some in corners.chunks(AT_ONCE) {
            self.in_pieces(some, &mut |piece| {
                let found = self.rectangles(&piece.on(&self.backend)?, piece.most())?;
                let found = self.read_ranges(&found, piece.len())?;
                leases.push(meter.returned(found.bytes())?);
                let start = keys.len() as u64;
                offsets.extend(found.offsets()[1..].iter().map(|end| start + end));
                let (_, more_keys, more_values) = found.into_parts();
                extend(meter, &mut keys, more_keys)?;
                extend(meter, &mut values, more_values)
            })?;
        }
        Ok(Ranges::new(offsets, keys, values))
    }
}
