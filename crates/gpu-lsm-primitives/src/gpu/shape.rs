//! The layout of launches on a device: units per cube, cubes per grid. It never changes a result.

use super::axes::Tiles;
use super::registry::Kernel;
use super::table::Instance;
use crate::tuning::{BUSY, ITEMS, STAGED_BUSY, UNITS};
use cubecl::ir::HardwareProperties;

/// The layout of all launches on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of units in a cube.
    pub(super) units: u32,
    /// The most cubes in a row of the grid, and the most rows.
    pub(super) max_grid: (u32, u32),
    /// The number of units that keep the device busy.
    pub(super) busy: usize,
    /// How cubes reach their tiles.
    pub(super) tiles: Tiles,
}

impl Shape {
    /// The fewest units per cube with which the proofs have run the kernels.
    pub(super) const FEWEST_UNITS: u32 = 16;

    /// The fewest units per cube that can stage a tile: a tile then has whole words of marks.
    const FEWEST_STAGING: u32 = 32;

    /// The layout for a device that suits these tiles. A device with fewer than
    /// [`FEWEST_UNITS`](Self::FEWEST_UNITS) units per cube is not used.
    pub(super) fn of(hardware: &HardwareProperties, tiles: Tiles) -> Self {
        let most = hardware.max_units_per_cube.min(hardware.max_cube_dim.0);
        let (width, height, _) = hardware.max_cube_count;
        let units = Self::units_within(most, hardware.max_shared_memory_size);
        let tiles = if units < Self::FEWEST_STAGING { Tiles::Direct } else { tiles };
        let shape = Self { units, max_grid: (width, height), busy: Self::busy(tiles), tiles };
        #[cfg(feature = "proof")]
        let shape = shape.as_asked();
        shape
    }

    /// The largest power-of-two number of units at which a cube of every kernel stays within `most` units and
    /// `shared_bytes` bytes of shared memory. The baselines' kernels use no more of it than ours.
    pub(super) fn units_within(most: u32, shared_bytes: usize) -> u32 {
        let fits = |units: &u32| {
            *units <= most
                && Kernel::all().into_iter().all(|kernel| kernel.shared_bytes(*units) <= shared_bytes)
        };
        std::iter::successors(Some(UNITS), |units| Some(units / 2))
            .take_while(|&units| units > 0)
            .find(fits)
            .unwrap_or(1)
    }

    /// The number of units that keep a device busy that suits these tiles.
    fn busy(tiles: Tiles) -> usize {
        match tiles {
            Tiles::Direct => BUSY,
            Tiles::Staged => STAGED_BUSY,
        }
    }

    /// The number of items per cube.
    pub(super) fn tile(self) -> usize {
        (self.units * self.tiles.items(ITEMS)) as usize
    }

    /// A grid with at least `cubes` cubes, and only few more; `None` if a grid cannot have that many.
    pub(super) fn grid(self, cubes: usize) -> Option<(u32, u32)> {
        let (width, height) = self.max_grid;
        let rows = cubes.div_ceil(width as usize);
        (rows <= height as usize).then(|| (cubes.div_ceil(rows.max(1)) as u32, rows as u32))
    }

    /// The number of items per unit, if there are `all` items: at most `most`, and fewer if the device would otherwise
    /// idle.
    pub(super) fn items(self, all: usize, most: usize) -> usize {
        (all / self.busy).clamp(1, most)
    }

    /// The layout that the environment asks for: proofs vary cubes, grids, the number of items per unit, and tiles.
    #[cfg(feature = "proof")]
    fn as_asked(self) -> Self {
        let number = |name| Some(std::env::var(name).ok()?.parse().expect("a number"));
        let units = number("GPU_LSM_UNITS").unwrap_or(self.units);
        let width = number("GPU_LSM_GRID_WIDTH").unwrap_or(self.max_grid.0);
        assert!(units.is_power_of_two(), "cubes have a power of two of units");
        assert!(units <= self.units && width <= self.max_grid.0, "the device takes no more than {self:?}");
        let tiles = match std::env::var("GPU_LSM_TILES").as_deref() {
            Ok("direct") => Tiles::Direct,
            Ok("staged") => Tiles::Staged,
            Ok(other) => panic!("GPU_LSM_TILES is `direct` or `staged`, not `{other}`"),
            Err(_) => self.tiles,
        };
        assert!(tiles == Tiles::Direct || units >= Self::FEWEST_STAGING, "so few units can't stage a tile");
        let busy = number("GPU_LSM_BUSY").map_or(Self::busy(tiles), |busy: u32| busy as usize);
        assert!(busy > 0, "some units keep the device busy");
        Self { units, max_grid: (width, self.max_grid.1), busy, tiles }
    }
}

#[cfg(test)]
mod tests {
    use super::{Shape, Tiles};
    use crate::tuning::{BUSY, UNITS};

    const SHAPE: Shape = Shape { units: UNITS, max_grid: (65_535, 65_535), busy: BUSY, tiles: Tiles::Direct };

    #[test]
    fn cubes_are_as_wide_as_units_and_shared_memory_allow() {
        assert_eq!(Shape::units_within(1024, 32 << 10), UNITS);
        assert_eq!(Shape::units_within(255, 32 << 10), 128);
        // The minimum that Vulkan and WebGPU guarantee.
        assert_eq!(Shape::units_within(128, 16 << 10), 128);
        assert_eq!(Shape::units_within(1024, 16 << 10), 128);
        assert_eq!(Shape::units_within(1024, 0), 1);
        assert!(Shape::units_within(8, 32 << 10) < Shape::FEWEST_UNITS);
    }

    #[test]
    fn units_have_more_items_only_where_all_are_busy() {
        assert_eq!([0, 1, 2 * BUSY - 1].map(|all| SHAPE.items(all, 32)), [1, 1, 1]);
        assert_eq!([2 * BUSY, 32 * BUSY, 1 << 32].map(|all| SHAPE.items(all, 32)), [2, 32, 32]);
    }

    #[test]
    fn queries_fill_a_large_gpu_before_a_unit_takes_several() {
        let staged = Shape { busy: Shape::busy(Tiles::Staged), tiles: Tiles::Staged, ..SHAPE };
        let cubes = |queries: usize| queries.div_ceil(staged.items(queries, 32)).div_ceil(UNITS as usize);
        assert_eq!([1 << 15, 1 << 18, 1 << 20].map(cubes), [128, 1024, 1024]);
    }

    #[test]
    fn a_grid_has_all_cubes_and_stays_within_its_limits() {
        for cubes in [1, 2, 65_534, 65_535, 65_536, 131_071, 4_000_000_000] {
            let (width, height) = SHAPE.grid(cubes).expect("there is room");
            assert!(width <= 65_535 && height <= 65_535);
            let all = width as usize * height as usize;
            assert!((cubes..cubes + height as usize).contains(&all), "{cubes}: {width} x {height}");
        }
        assert_eq!(SHAPE.grid(65_535 * 65_535 + 1), None);
    }
}
