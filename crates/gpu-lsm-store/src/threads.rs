//! Work on several threads that borrows what it works on.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does the work for each item, on this thread and up to `most - 1` others, and returns the results in the order of the items.
pub(crate) fn each<T: Send, R: Send>(items: Vec<T>, most: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let others = items.len().min(most).saturating_sub(1);
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Vec<(usize, R)> {
        let mut done = Vec::new();
        while let Some((i, item)) = next() {
            done.push((i, work(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // A thread that can't be started is not needed: the others do its work.
        let others: Vec<_> =
            (0..others).filter_map(|_| thread::Builder::new().spawn_scoped(scope, &work).ok()).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for (items, most) in [(0, 4), (1, 4), (3, 4), (100, 4), (100, 1), (5, 0)] {
            let doubled = each((0..items).collect(), most, |item: u32| 2 * item);
            assert_eq!(doubled, (0..items).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }
}
