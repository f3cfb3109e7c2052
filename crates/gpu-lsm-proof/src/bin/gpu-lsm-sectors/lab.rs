//! Where launches are counted, and the file that says which launches belong together.

use gpu_lsm_primitives::gpu::devices::{self, GpuInfo};
use gpu_lsm_primitives::gpu::{Gpu, GpuArray};
use gpu_lsm_primitives::{Backend, Meter, Result};
use std::cell::RefCell;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::time::Instant;

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

/// One device, opened twice: launches on `measured` are counted or timed, those on `plain` only prepare them.
pub(crate) struct Lab<'a> {
    journal: &'a Journal,
    measured: Gpu,
    pub(crate) plain: Gpu,
    /// If cases are timed: what is read back in order to wait for them.
    awaited: Option<GpuArray<u32>>,
}

impl<'a> Lab<'a> {
    /// A lab whose launches are counted by the program that the environment names.
    pub(crate) fn counting(journal: &'a Journal) -> std::result::Result<Self, Box<dyn Error>> {
        let gpu = devices::list().into_iter().next().ok_or("the proofs need a Vulkan driver")?;
        let measured = Gpu::open(&gpu.device, Meter::new(None))?;
        Ok(Self { journal, measured, plain: open_plain(&gpu)?, awaited: None })
    }

    /// A lab whose cases run on a device of this name and are timed.
    pub(crate) fn timing(journal: &'a Journal, name: &str) -> std::result::Result<Self, Box<dyn Error>> {
        let name = name.to_lowercase();
        let is_meant = |gpu: &GpuInfo| name == "gpu" || gpu.name.to_lowercase().contains(&name);
        let found = devices::list().into_iter().find(|gpu| is_meant(gpu) || gpu.api.to_lowercase() == name);
        let gpu = found.ok_or_else(|| format!("no GPU is called {name}"))?;
        let plain = open_plain(&gpu)?;
        let awaited = Some(plain.upload(&[0])?);
        Ok(Self { journal, measured: open_plain(&gpu)?, plain, awaited })
    }

    /// Counts or times the launches of a case.
    pub(crate) fn case<R>(&self, name: &str, run: impl FnOnce(&Gpu) -> Result<R>) -> Result<R> {
        if let Some(awaited) = &self.awaited {
            return self.timed(name, awaited, run);
        }
        self.journal.note(&["case", name]);
        run(&self.measured)
    }

    /// Notes how long a case took by the clock of the device or, if it has none, by the host's.
    fn timed<R>(
        &self,
        name: &str,
        awaited: &GpuArray<u32>,
        run: impl FnOnce(&Gpu) -> Result<R>,
    ) -> Result<R> {
        let wait = || self.plain.download(awaited, 1);
        wait()?;
        let started = Instant::now();
        let clock = self.measured.device_clock();
        let result = run(&self.measured)?;
        let on_device = clock.and_then(|stop| stop());
        wait()?;
        let on_host = started.elapsed().as_secs_f64();
        let (seconds, clock) = on_device.map_or((on_host, "host"), |seconds| (seconds, "device"));
        self.journal.note(&["time", name, &seconds.to_string(), clock]);
        Ok(result)
    }
}

fn open_plain(gpu: &GpuInfo) -> Result<Gpu> {
    Gpu::open_with(&gpu.device, Meter::new(None), Vec::new())
}
