//! Kernels that run in another process in place of the device: what proofs compile from the emitted sources.
//!
//! The device keeps the arrays. For each launch they are copied out, sent, and written back where they have changed. The
//! format of a launch stands in `proof/harness/main.cpp`.

use super::launch::Gpu;
use super::registry::{Binding, Kernel, Launch};
use crate::error::{Error, Result};
use cubecl::bytes::Bytes;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// The variable that names the program.
const PROGRAM: &str = "GPU_LSM_KERNELS";

/// A process that runs kernels.
pub(super) struct Elsewhere {
    process: Mutex<Child>,
}

impl Elsewhere {
    /// The process that the environment asks for.
    pub(super) fn from_environment() -> Result<Option<Self>> {
        let Some(program) = std::env::var_os(PROGRAM) else { return Ok(None) };
        let process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let process = Mutex::new(process.map_err(|error| failed(&error))?);
        Ok(Some(Self { process }))
    }

    /// Runs a launch there. Waits for it.
    pub(super) fn run(&self, gpu: &Gpu, launch: &Launch, (width, height): (u32, u32)) -> Result<()> {
        let before: Vec<Vec<u8>> =
            launch.buffers.iter().map(|buffer| gpu.memory_to_host(buffer)).collect::<Result<_>>()?;
        let mut message = vec![number_of(launch.kernel), width, height, launch.numbers.len() as u32];
        message.extend(&launch.numbers);
        message.push(before.len() as u32);
        for (buffer, bytes) in launch.buffers.iter().zip(&before) {
            message.extend([buffer.len as u32, bytes.len() as u32]);
        }
        let after = self.exchange(&message, &before).map_err(|error| failed(&error))?;
        for ((buffer, before), after) in launch.buffers.iter().zip(before).zip(after) {
            if before != after {
                check_alone(launch, buffer)?;
                gpu.guarded(|| gpu.client().write(&buffer.memory, Bytes::from_bytes_vec(after)))?;
            }
        }
        Ok(())
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

impl Drop for Elsewhere {
    /// The process ends with its input.
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(process.stdin.take());
        let _ = process.wait();
    }
}

/// Buffers are sent and written back one by one: what is written must not be bound twice.
fn check_alone(launch: &Launch, written: &Binding) -> Result<()> {
    let is_same =
        |other: &&Binding| ptr::eq(other.memory.memory.descriptor(), written.memory.memory.descriptor());
    match launch.buffers.iter().filter(is_same).count() {
        1 => Ok(()),
        _ => Err(Error::Failed { message: format!("{:?} writes memory that it binds twice", launch.kernel) }),
    }
}

/// The kernel's place in the list of all.
fn number_of(kernel: Kernel) -> u32 {
    Kernel::all().iter().position(|&other| other == kernel).expect("every kernel is in the list") as u32
}

fn failed(error: &std::io::Error) -> Error {
    Error::Failed {
        message: format!("the process that runs the kernels: {error}; what it found stands above"),
    }
}
