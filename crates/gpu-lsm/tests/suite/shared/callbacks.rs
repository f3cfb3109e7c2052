//! The program's callbacks are called as before, and only for what is the program's.

#![cfg(not(feature = "vulkan"))]

use super::Own;
use gpu_lsm::Dictionary;
use gpu_lsm::interop::{self, Callbacks, wgpu::*};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// What the callbacks were told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn callbacks(&self) -> Callbacks {
        let (errors, losses) = (self.clone(), self.clone());
        Callbacks::new(
            move |error| errors.add(format!("error: {error}")),
            move |reason, message| losses.add(format!("lost: {reason:?} {message}")),
        )
    }

    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A call that wgpu refuses: a buffer cannot be mapped both to be read and to be written.
fn mistake(device: &Device) {
    drop(device.create_buffer(&BufferDescriptor {
        label: Some("a mistake"),
        size: 4,
        usage: BufferUsages::MAP_READ | BufferUsages::MAP_WRITE,
        mapped_at_creation: false,
    }));
}

fn works(dictionary: &mut Dictionary<u32, u32>) {
    dictionary.insert(&[1, 2, 3], &[10, 20, 30]).unwrap();
    assert_eq!(dictionary.lookup(&[2, 4]).unwrap().to_vec(), [Some(20), None]);
    dictionary.verify().unwrap();
}

#[test]
fn a_mistake_of_the_program_on_a_shared_gpu_device_is_told_to_the_program_only() {
    let (own, told) = (Own::new(), Told::default());
    let shared = own.share_with(told.callbacks()).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    works(&mut dictionary);
    mistake(&own.device);
    let all = told.all();
    assert!(all.len() == 1 && all[0].starts_with("error: ") && all[0].contains("a mistake"), "{all:?}");
    works(&mut dictionary);
    assert_eq!(told.all().len(), 1, "the dictionary's calls told nothing");
}

/// The engine's calls are those on its thread.
#[test]
fn a_mistake_of_the_engine_on_a_shared_gpu_device_is_not_told_to_the_program() {
    let (own, told) = (Own::new(), Told::default());
    let shared = own.share_with(told.callbacks()).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    let (client, device) = (interop::client(&shared).unwrap(), own.device.clone());
    let failed = client.exclusive(move || mistake(&device)).unwrap_err();
    assert!(failed.to_string().contains("wgpu error"), "{failed}");
    works(&mut dictionary);
    assert!(told.all().is_empty(), "{:?}", told.all());
}

#[test]
fn the_callbacks_that_were_given_last_are_called_on_a_shared_gpu_device() {
    let (own, first, last) = (Own::new(), Told::default(), Told::default());
    let one = own.share_with(first.callbacks()).unwrap();
    let other = own.share_with(last.callbacks()).unwrap();
    assert_eq!(
        (&one, &one),
        (&other, &own.share().unwrap()),
        "a plain call leaves the callbacks as they are"
    );
    mistake(&own.device);
    assert_eq!((first.all().len(), last.all().len()), (0, 1));
}

/// As the documentation of `share` says, and as wgpu does by default.
#[test]
fn without_callbacks_a_mistake_of_the_program_on_a_shared_gpu_device_panics() {
    let own = Own::new();
    let shared = own.share().unwrap();
    catch_unwind(AssertUnwindSafe(|| mistake(&own.device))).unwrap_err();
    works(&mut Dictionary::new(&shared).unwrap());
}

#[test]
fn the_loss_of_a_shared_gpu_device_is_told_to_the_program_and_to_dictionaries() {
    let (own, told) = (Own::new(), Told::default());
    let shared = own.share_with(told.callbacks()).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    works(&mut dictionary);
    own.device.destroy();
    own.device.poll(PollType::wait_indefinitely()).unwrap();
    assert_eq!(told.all(), ["lost: Destroyed "]);
    super::loss::is_lost("lookup", dictionary.lookup(&[1]).map(drop));
    super::loss::is_lost("shared again", own.share().map(drop));
}
