//! Runs kernels in another process instead of on the device: a program that a proof compiled from the emitted sources.
//!
//! The device keeps the arrays. For each launch, they are copied to the host and sent, and the changed ones are written
//! back. `proof/harness/main.cpp` describes the format of a launch.

use super::binding::Binding;
use super::hook::{Hook, Launched, Memory, Runner};
use super::proof;
use super::table::Direction;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// The environment variable that names the program.
const PROGRAM: &str = "GPU_LSM_KERNELS";

/// A process that runs kernels.
pub(super) struct Elsewhere {
    process: Mutex<Child>,
    /// The number of each kernel in the protocol: its position in the list of all kernels.
    numbers: HashMap<String, u32>,
}

impl Elsewhere {
    /// Starts the process that the environment asks for.
    pub(super) fn from_environment() -> Result<Option<Self>> {
        let Some(program) = std::env::var_os(PROGRAM) else { return Ok(None) };
        let process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let process = Mutex::new(process.map_err(|error| failed(&error))?);
        let numbers = proof::kernels().iter().map(ToString::to_string).zip(0..).collect();
        Ok(Some(Self { process, numbers }))
    }

    fn exchange(&self, message: &[u32], buffers: &[Vec<u8>]) -> std::io::Result<Vec<Vec<u8>>> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let input = process.stdin.as_mut().expect("it was asked for");
        input.write_all(bytemuck::cast_slice(message))?;
        for buffer in buffers {
            input.write_all(buffer)?;
        }
        input.flush()?;
        let output = process.stdout.as_mut().expect("it was asked for");
        let mut read = |len: usize| {
            let mut bytes = vec![0; len];
            output.read_exact(&mut bytes).map(|()| bytes)
        };
        buffers.iter().map(|buffer| read(buffer.len())).collect()
    }
}

impl Hook for Elsewhere {
    /// Runs a launch in the process. Waits for it.
    fn launch(&self, launch: &Launched<'_>, memory: &dyn Memory) -> Result<Runner> {
        let bindings = launch.bindings.iter();
        let before: Vec<Vec<u8>> = bindings.map(|binding| memory.read(binding)).collect::<Result<_>>()?;
        let (width, height) = launch.grid;
        let number = self.numbers[&launch.kernel.to_string()];
        let mut message = vec![number, width, height, launch.numbers.len() as u32];
        message.extend(launch.numbers);
        message.push(before.len() as u32);
        for (binding, bytes) in launch.bindings.iter().zip(&before) {
            message.extend([binding.len as u32, bytes.len() as u32]);
        }
        let after = self.exchange(&message, &before).map_err(|error| failed(&error))?;
        for (i, (before, after)) in before.into_iter().zip(after).enumerate() {
            if before != after {
                check_written(launch, i)?;
                memory.write(launch.bindings[i], after)?;
            }
        }
        Ok(Runner::Hook)
    }
}

impl Drop for Elsewhere {
    /// Closes the process's input, which ends it.
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(process.stdin.take());
        let _ = process.wait();
    }
}

/// Checks that a changed buffer was declared as written. Buffers are sent and written back one by one, so a changed
/// buffer must not be bound twice.
fn check_written(launch: &Launched<'_>, changed: usize) -> Result<()> {
    let (buffer, kernel) = (launch.kernel.buffers()[changed], launch.kernel);
    let descriptor = |binding: &Binding| ptr::from_ref(binding.memory.memory.descriptor());
    let written = descriptor(launch.bindings[changed]);
    let times = launch.bindings.iter().filter(|other| ptr::eq(descriptor(other), written)).count();
    let message = match (buffer.direction, times) {
        (Direction::Read, _) => format!("{kernel} writes `{}`, which it only reads", buffer.name),
        (_, 1) => return Ok(()),
        _ => format!("{kernel} writes `{}`, which it binds twice", buffer.name),
    };
    Err(Error::Failed { message })
}

fn failed(error: &std::io::Error) -> Error {
    Error::Failed {
        message: format!("the process that runs the kernels: {error}; what it found stands above"),
    }
}
