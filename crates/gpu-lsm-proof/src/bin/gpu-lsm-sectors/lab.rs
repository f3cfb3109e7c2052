//! Where launches are counted, and the file that says which launches belong together.

use gpu_lsm_primitives::gpu::{Gpu, devices};
use gpu_lsm_primitives::{Meter, Result};
use std::cell::RefCell;
use std::error::Error;
use std::fs::File;
use std::io::Write;

/// The environment variable that names the file. The counting program appends a line per launch and wave size.
const FILE: &str = "GPU_LSM_SECTORS";

/// The file of launches. A line that starts with `#` says what the launches after it belong to.
pub(crate) struct Journal {
    file: RefCell<File>,
}

impl Journal {
    pub(crate) fn from_environment() -> std::result::Result<Self, Box<dyn Error>> {
        let name = std::env::var_os(FILE).ok_or(FILE)?;
        Ok(Self { file: RefCell::new(File::options().create(true).append(true).open(name)?) })
    }

    /// Writes a line. The launches before it are already in the file: a launch ends when its line is written.
    pub(crate) fn note(&self, words: &[&str]) {
        let written = writeln!(self.file.borrow_mut(), "#\t{}", words.join("\t"));
        written.expect("the counting program writes to the same file");
    }
}

/// One device, opened twice: launches on `counted` are counted, those on `plain` only prepare them.
pub(crate) struct Lab<'a> {
    journal: &'a Journal,
    counted: Gpu,
    pub(crate) plain: Gpu,
}

impl<'a> Lab<'a> {
    pub(crate) fn open(journal: &'a Journal) -> std::result::Result<Self, Box<dyn Error>> {
        let device = devices::list().into_iter().next().ok_or("the proofs need a Vulkan driver")?.device;
        Ok(Self {
            journal,
            counted: Gpu::open(&device, Meter::new(None))?,
            plain: Gpu::open_with(&device, Meter::new(None), Vec::new())?,
        })
    }

    /// Counts the launches of a case.
    pub(crate) fn case<R>(&self, name: &str, run: impl FnOnce(&Gpu) -> Result<R>) -> Result<R> {
        self.journal.note(&["case", name]);
        run(&self.counted)
    }
}
