//! What became of the records that were in flight when their writer was replaced.

use super::latest::latest;
use super::leader::Leader;
use super::walk::Walk;
use crate::error::Result;
use crate::manifest::{LogState, Manifest};
use crate::names;
use crate::record::Record;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is in the log, before the fence of the other writer, or was until it was collected.
    Counts,
    /// It is not, and never will be.
    Refused,
    /// Nobody can tell: the end of the log is still open there, or it was collected long ago.
    Unknown,
}

/// What a writer that was replaced finds in the log.
#[derive(Debug, Default)]
pub struct Fates {
    /// The writer's own records.
    own: Vec<u64>,
    /// The first number that was not passed: free, or a record of a later writer.
    end: u64,
    is_fenced: bool,
}

impl Leader {
    /// Looks for this writer's records behind what it has acknowledged, up to the first fence of a later writer.
    ///
    /// # Errors
    /// If the place fails or a record is damaged.
    pub async fn fates(&self, acknowledged: &LogState) -> Result<Fates> {
        let fates = self.fates_in_log(acknowledged).await?;
        match latest(&*self.objects).await? {
            // In a number that was collected, a fence that somebody sent long ago may exist by now, and refuses nothing.
            Some(newest) if newest.boundary.log > acknowledged.position => {
                self.fates_by_fences(acknowledged.position, &newest).await
            }
            _ => Ok(fates),
        }
    }

    async fn fates_in_log(&self, acknowledged: &LogState) -> Result<Fates> {
        let mut walk = Walk::new(&self.objects, acknowledged, 0);
        let (mut own, mut is_fenced) = (Vec::new(), false);
        while let Some((number, record)) = walk.next().await? {
            if record.header.epoch > self.epoch() {
                is_fenced = true;
                break;
            }
            if self.wrote(number, &record)? {
                own.push(number);
            }
        }
        Ok(Fates { own, end: walk.position(), is_fenced })
    }

    /// What can be told of a log that was collected. The numbers in a manifest are of fences and void records, which are never
    /// deleted. All others before the first fence of a later writer were this writer's.
    async fn fates_by_fences(&self, position: u64, newest: &Manifest) -> Result<Fates> {
        let fences = &newest.log.fences;
        // This writer's own fence is before the position. If it was forgotten, so may have been the next.
        let is_complete = fences.first().is_some_and(|&first| first <= position);
        for &number in fences.iter().filter(|&&number| is_complete && number >= position) {
            let Some(bytes) = self.objects.read(&names::record(number)).await? else { break };
            if Record::decode(number, &bytes)?.header.epoch > self.epoch() {
                let own = (position..number).filter(|number| !fences.contains(number)).collect();
                return Ok(Fates { own, end: number, is_fenced: true });
            }
        }
        Ok(Fates::default())
    }
}

impl Fates {
    /// What became of a record of the writer.
    pub fn of(&self, number: u64) -> Fate {
        match number {
            _ if self.own.contains(&number) => Fate::Counts,
            _ if self.is_fenced || number < self.end => Fate::Refused,
            _ => Fate::Unknown,
        }
    }
}
