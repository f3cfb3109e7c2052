//! A place in memory where something happens at chosen operations.

use crate::memory::Memory;
use bytes::Bytes;
use gpu_lsm_store::{Error, Listed, Objects, Pending, Result};
use std::sync::{Arc, Mutex};

/// What happens at an operation, while whoever asked waits.
pub(crate) type Act = fn(Arc<Memory>) -> Pending<'static, ()>;

/// What becomes of the operation itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It takes place after the act.
    Goes,
    /// It takes place before the act, and its answer is lost.
    IsNotAnswered,
    /// It does not take place.
    Fails,
    /// It is a creation that is refused as if there were an object.
    IsRefused,
}

#[derive(Debug)]
struct Plan {
    operation: &'static str,
    /// How many operations come before it.
    skip: u32,
    act: Act,
    then: Then,
}

#[derive(Debug)]
pub(crate) struct Meddled {
    pub(crate) memory: Arc<Memory>,
    plans: Mutex<Vec<Plan>>,
}

/// Nothing happens.
pub(crate) fn nothing(_: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async { Ok(()) })
}

impl Meddled {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { memory: Memory::new(), plans: Mutex::default() })
    }

    /// Meddles once with an operation of this kind, such as `create log`, after some others of its kind.
    pub(crate) fn plan(&self, operation: &'static str, skip: u32, act: Act, then: Then) {
        self.plans.lock().unwrap().push(Plan { operation, skip, act, then });
    }

    /// How many plans are left.
    pub(crate) fn plans(&self) -> usize {
        self.plans.lock().unwrap().len()
    }

    /// The plan for an operation, if there is one.
    fn take(&self, operation: &str) -> Option<Plan> {
        let mut plans = self.plans.lock().unwrap();
        let at = plans.iter().position(|plan| operation.starts_with(plan.operation))?;
        match plans[at].skip.checked_sub(1) {
            Some(left) => {
                plans[at].skip = left;
                None
            }
            None => Some(plans.remove(at)),
        }
    }

    async fn perform<T>(&self, operation: &str, refused: Option<T>, go: Pending<'_, T>) -> Result<T> {
        let Some(plan) = self.take(operation) else { return go.await };
        let failed = || Error::Unavailable {
            doing: "testing",
            name: operation.into(),
            reason: "it was meddled".into(),
        };
        let act = (plan.act)(Arc::clone(&self.memory));
        match plan.then {
            Then::Goes => {
                act.await?;
                go.await
            }
            Then::IsNotAnswered => {
                go.await?;
                act.await?;
                Err(failed())
            }
            Then::Fails => {
                act.await?;
                Err(failed())
            }
            Then::IsRefused => refused.ok_or_else(failed),
        }
    }
}

impl Objects for Meddled {
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool> {
        Box::pin(async move {
            self.perform(&format!("create {name}"), Some(false), self.memory.create(name, bytes)).await
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>> {
        Box::pin(async move { self.perform(&format!("read {name}"), None, self.memory.read(name)).await })
    }

    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            self.perform(&format!("list {folder}"), None, self.memory.list(folder, after)).await
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        self.memory.delete(name)
    }

    fn describe(&self) -> String {
        self.memory.describe()
    }
}
