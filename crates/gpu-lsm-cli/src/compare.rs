//! `gpu-lsm compare`: a few rows on this machine, with bars, and what to use for what.

use crate::bar::Bar;
use crate::minutes::minutes;
use crate::output::{remark, say};
use clap::Args;
use gpu_lsm::Device;
use gpu_lsm_bench::compare::community::{PAGE, prepare, share};
use gpu_lsm_bench::compare::markdown::markdown;
use gpu_lsm_bench::compare::picture::picture;
use gpu_lsm_bench::compare::run::{Asked, compare};
use gpu_lsm_bench::compare::text::text;
use gpu_lsm_bench::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where results that are shared go, and the page of them.
const COMMUNITY: &str = "results/community";

/// What is compared, for how long, and what is written.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only these devices: auto, host, gpu, gpu:N, an API, or part of a GPU's name. Without it, every device.
    #[arg(long, value_delimiter = ',')]
    device: Vec<String>,
    /// log2 of the number of entries.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(12..=26))]
    log_n: u32,
    /// Minutes for all rounds; three rounds are made in any case.
    #[arg(long, default_value_t = 3.0, value_parser = minutes)]
    minutes: f64,
    /// Print a Markdown table instead of bars, to be pasted.
    #[arg(long)]
    markdown: bool,
    /// Write a picture that stands alone: an SVG file. It takes the place of one that is there.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write a file for results/community in the working directory, and the page of all of them.
    #[arg(long)]
    share: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let devices = devices(&arguments.device)?;
    if let Some(path) = &arguments.picture {
        is_picture(path)?;
        try_to_write(path)?;
    }
    if arguments.share {
        prepare(Path::new(COMMUNITY))?;
        try_to_write(&Path::new(COMMUNITY).join("new.json"))?;
        try_to_write(&Path::new(COMMUNITY).join(PAGE))?;
    }
    let names: Vec<String> = devices.iter().map(named).collect();
    remark!("comparing {} with maps on the processor", names.join(", "));
    let n = 1 << arguments.log_n;
    let asked =
        Asked { n, b: (n / 16).min(1 << 16), time: Duration::from_secs_f64(60.0 * arguments.minutes) };
    let comparison = compare(&devices, asked, &mut Bar::new())?;
    if arguments.markdown {
        say!("{}", markdown(&comparison));
    } else {
        say!("{}", text(&comparison, width()));
    }
    if let Some(path) = &arguments.picture {
        fs::write(path, picture(&comparison)).map_err(Error::file(path))?;
        remark!("the picture is {}", path.display());
    }
    if arguments.share {
        let file = share(&comparison, Path::new(COMMUNITY))?;
        remark!("{} can be shared: {COMMUNITY}/README.md says how", file.display());
    }
    Ok(())
}

/// A device's name and, if nobody asked for it, why it was taken.
fn named(device: &Device) -> String {
    match device.reason() {
        Some(reason) => format!("{} (because {reason})", device.name()),
        None => device.name().into(),
    }
}

/// Refuses a name that says that the picture is no SVG.
fn is_picture(path: &Path) -> Result<()> {
    match path.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("svg") => {
            Err(Error::Asked(format!("{}: the picture is an SVG; let its name end in .svg", path.display())))
        }
        _ => Ok(()),
    }
}

/// Finds out before minutes of measuring whether a file can be written, and leaves everything as it was.
fn try_to_write(path: &Path) -> Result<()> {
    let is_new = path.symlink_metadata().is_err();
    fs::OpenOptions::new().create(true).append(true).open(path).map_err(Error::file(path))?;
    if is_new { fs::remove_file(path).map_err(Error::file(path)) } else { Ok(()) }
}

/// The devices that were asked for, each once whatever its names are, else all that can be opened. Says which cannot.
fn devices(asked: &[String]) -> Result<Vec<Device>> {
    if !asked.is_empty() {
        let mut devices = Vec::new();
        for name in asked {
            let device: Device = name.parse()?;
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        return Ok(devices);
    }
    let mut devices = Vec::new();
    for info in Device::list() {
        match info.selector.parse::<Device>() {
            Ok(device) => devices.push(device),
            Err(error) => remark!("{} is left out: {error}", info.name),
        }
    }
    // The order of tables: GPUs first.
    devices.sort_by_key(Device::is_host);
    if devices.iter().all(Device::is_host) {
        remark!("no GPU: `gpu-lsm doctor` says why");
    }
    Ok(devices)
}

/// The width of the terminal, or 100 letters if there is none.
fn width() -> usize {
    let terminal = console::Term::stdout();
    terminal.size_checked().map_or(100, |(_, columns)| usize::from(columns))
}
