//! hook: hooks are told of every launch, and may run a launch themselves.

use gpu_lsm_primitives::gpu::hook::{Hook, Launched, Memory, Runner};
use gpu_lsm_primitives::gpu::table::Direction;
use gpu_lsm_primitives::gpu::{Gpu, devices};
use gpu_lsm_primitives::{Meter, Result};
use std::sync::{Arc, Mutex};

mod gpu {
    use super::{Notes, Substitute, open_with};
    use gpu_lsm_primitives::Backend;

    #[test]
    fn sees_names_directions_numbers_and_grids() {
        let notes = Notes::default();
        let gpu = open_with(notes.clone());
        let offsets = gpu.upload(&[0, 3, 4]).unwrap();
        gpu.clip(&offsets, 2).unwrap();
        let notes = notes.0.lock().unwrap();
        assert_eq!(notes[0], "clip: offsets Read 12, lens Written 8, limit = 2, (1, 1)");
        let (scan, arguments) = notes[1].split_once(": ").unwrap();
        assert!(["scan_apply_direct", "scan_apply_staged"].contains(&scan));
        assert_eq!(arguments, "numbers Read 8, starts Read 0, out Written 12, (1, 1)");
    }

    #[test]
    fn runs_a_launch_in_the_engines_place() {
        let gpu = open_with(Substitute(17));
        let marks = gpu.marks(0, 5).unwrap();
        assert_eq!(gpu.download(&marks, 1).unwrap(), [17]);
        assert_eq!(gpu.meter().traffic().launches, 1);
    }
}

fn open_with(hook: impl Hook + 'static) -> Gpu {
    let gpus = devices::list();
    let best = gpus.first().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers");
    Gpu::open_with(&best.device, Meter::new(None), vec![Box::new(hook)]).expect("the device opens")
}

/// Records every launch.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Hook for Notes {
    fn launch(&self, launch: &Launched<'_>, _memory: &dyn Memory) -> Result<Runner> {
        let buffers = launch
            .buffers()
            .map(|(buffer, binding)| format!("{} {:?} {}, ", buffer.name, buffer.direction, binding.bytes()));
        let numbers = launch.kernel.numbers().iter().zip(launch.numbers);
        let numbers = numbers.map(|(name, number)| format!("{name} = {number}, "));
        let arguments: String = buffers.chain(numbers).collect();
        self.0.lock().unwrap().push(format!("{}: {arguments}{:?}", launch.kernel, launch.grid));
        Ok(Runner::Next)
    }
}

/// Writes its number to every buffer that a kernel would write.
struct Substitute(u32);

impl Hook for Substitute {
    fn launch(&self, launch: &Launched<'_>, memory: &dyn Memory) -> Result<Runner> {
        for (_, binding) in launch.buffers().filter(|(buffer, _)| buffer.direction == Direction::Written) {
            memory.write(binding, self.0.to_le_bytes().to_vec())?;
        }
        Ok(Runner::Hook)
    }
}
