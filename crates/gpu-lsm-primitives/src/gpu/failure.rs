//! Translates failures of the engine. Every call of the engine and every error and panic that it returns passes through
//! here.

use super::device::Gpu;
use crate::error::{Error, Result};
use cubecl::future::block_on;
use cubecl::server::{IoError, LaunchError, ServerError};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

impl Gpu {
    /// Calls the engine. A panic of the device's thread becomes an error.
    pub(super) fn guarded<R>(&self, call: impl FnOnce() -> R) -> Result<R> {
        self.check_loss()?;
        let answer = caught(call).map_err(|panic| self.panicked(panic))?;
        // A lost device answers too. If callbacks of a program took the place of the engine's, only we know.
        self.check_loss()?;
        Ok(answer)
    }

    fn check_loss(&self) -> Result<()> {
        match self.loss().get() {
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Like [`guarded`](Self::guarded), for asynchronous answers of the engine.
    pub(super) async fn guarded_future<F: Future>(&self, answer: F) -> Result<F::Output> {
        let mut answer = pin!(answer);
        poll_fn(|context| match self.guarded(|| answer.as_mut().poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(answer)),
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }

    /// Translates an error of the engine.
    pub(super) fn engine_error(&self, error: &ServerError) -> Error {
        if error.is_device_poisoned() {
            return self.lose(error.to_string());
        }
        match missing_bytes(error) {
            Some(bytes) => self.unless_lost(Error::OutOfMemory { bytes }),
            None => self.unless_lost(Error::Failed { message: error.to_string() }),
        }
    }

    /// Translates a panic of the engine. wgpu panics if a driver refuses memory, although the device still works.
    fn panicked(&self, message: String) -> Error {
        let is_about_memory = is_about_memory(&message);
        self.unless_lost(if is_about_memory {
            Error::OutOfMemory { bytes: 0 }
        } else {
            Error::Failed { message }
        })
    }

    /// Returns the error, or the loss of the device if it no longer answers. Waits for the device.
    fn unless_lost(&self, error: Error) -> Error {
        let wait = || block_on(self.client().sync());
        // A device that a program has destroyed answers once more. Only then does wgpu notice, and tell the engine.
        match caught(|| wait().and_then(|()| wait())) {
            Ok(Err(poisoned)) if poisoned.is_device_poisoned() => self.lose(poisoned.to_string()),
            Err(message) if !is_about_memory(&message) => self.lose(message),
            _ => self.check_loss().err().unwrap_or(error),
        }
    }

    pub(super) fn lose(&self, reason: String) -> Error {
        let reason = self.loss().get_or_init(|| reason).clone();
        Error::DeviceLost { reason }
    }
}

/// The size of the failed allocation, if that is the cause of an error; zero if the engine does not say.
fn missing_bytes(error: &ServerError) -> Option<u64> {
    match error {
        ServerError::Several { errors, .. } => errors.iter().find_map(missing_bytes),
        ServerError::Unwritten { root, .. } => missing_bytes(root),
        ServerError::Io(
            IoError::BufferTooBig { size, .. }
            | IoError::OutOfMemory { size, .. }
            | IoError::PageSizesExhausted { size, .. },
        ) => Some(*size),
        // If a driver refuses memory, wgpu panics in the background, and the array is left without memory.
        ServerError::Io(IoError::NotFound { .. }) | ServerError::Launch(LaunchError::OutOfMemory { .. }) => {
            Some(0)
        }
        _ => None,
    }
}

/// Whether a message is about memory: `Out of Memory`, `CUDA_ERROR_OUT_OF_MEMORY` and the like.
fn is_about_memory(message: &str) -> bool {
    let letters: String = message.chars().filter(char::is_ascii_alphabetic).collect();
    letters.to_ascii_lowercase().contains("outofmemory")
}

/// Calls the engine. A panic becomes an error with its text.
pub(super) fn caught<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| panic_text(panic.as_ref()))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the engine panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_about_memory, missing_bytes};
    use cubecl::server::{IoError, LaunchError, ServerError};

    fn several(error: ServerError) -> ServerError {
        let unwritten = ServerError::Unwritten {
            failure: 1,
            claimed: 1,
            chain: vec![],
            root: Box::new(error),
            backtrace: Default::default(),
        };
        ServerError::Several { errors: vec![ServerError::TornDown, unwritten], backtrace: Default::default() }
    }

    #[test]
    fn an_allocation_that_failed_is_found_however_deep_the_engine_buries_it() {
        let too_big = IoError::BufferTooBig { size: 7, backtrace: Default::default() };
        assert_eq!(missing_bytes(&several(too_big.into())), Some(7));
        let out_of_memory = IoError::OutOfMemory { size: 8, backtrace: Default::default() };
        assert_eq!(missing_bytes(&several(out_of_memory.into())), Some(8));
        let launch = LaunchError::OutOfMemory { reason: String::new(), backtrace: Default::default() };
        assert_eq!(missing_bytes(&several(launch.into())), Some(0));
        assert_eq!(missing_bytes(&several(ServerError::Skipped)), None);
    }

    /// The errors that arrive after wgpu panicked in an allocation: for arrays that a kernel should have written, and
    /// for others.
    #[test]
    fn an_array_that_never_got_its_memory_is_an_allocation_that_failed() {
        for reason in ["Memory location was never initialized", "the reservation behind it failed"] {
            let not_found = || {
                ServerError::Io(IoError::NotFound { backtrace: Default::default(), reason: reason.into() })
            };
            assert_eq!(missing_bytes(&several(not_found())), Some(0));
            let two = ServerError::Several {
                errors: vec![not_found(), not_found()],
                backtrace: Default::default(),
            };
            assert_eq!(missing_bytes(&two), Some(0));
        }
    }

    #[test]
    fn drivers_complain_about_memory_in_many_ways() {
        for message in ["wgpu error: Out of Memory", "CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory"] {
            assert!(is_about_memory(message), "{message}");
        }
        assert!(!is_about_memory("wgpu error: Validation Error"));
    }
}
