//! `gpu-lsm bench`: experiments with a progress bar, tables on the terminal, records and plots in files.

use crate::bar::Bar;
use crate::minutes::minutes;
use crate::output::{name, say};
use clap::Args;
use gpu_lsm::Device;
use gpu_lsm_bench::command::bench::{Bench, QUICK_N};
use gpu_lsm_bench::command::gate::{self, Gate};
use gpu_lsm_bench::command::repeated::{NOTHING, Repeated};
use gpu_lsm_bench::measure::scale::Scale;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::sample::Record;
use gpu_lsm_bench::record::summary::summaries;
use gpu_lsm_bench::report::html::write_html;
use gpu_lsm_bench::report::markdown;
use gpu_lsm_bench::report::results::read_device;
use gpu_lsm_bench::report::tables::tables;
use gpu_lsm_bench::report::verdict::{side_by_side, verdict};
use gpu_lsm_bench::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be measured, where, and how much of it.
#[derive(Args)]
pub(crate) struct Arguments {
    /// insert, batch-time, lookup, ranges, cleanup, build, steady, window, expiry, clustered, scaling, shards, traffic, all; gate; or report.
    experiment: String,
    /// auto, host, gpu, gpu:N, an API (vulkan, metal, dx12, cuda, hip), or part of a GPU's name.
    #[arg(long)]
    device: Option<String>,
    /// Entries, a power of two; without it, as many as the time allows.
    #[arg(long)]
    n: Option<usize>,
    /// Only these batch sizes, powers of two, of the experiments that have several.
    #[arg(long, value_delimiter = ',', requires = "n", value_parser = power_of_two)]
    b: Vec<usize>,
    /// Measure this often, and write down the medians of the ratios to each other structure instead of records.
    #[arg(long, requires = "n", conflicts_with_all = ["verify", "fresh"], value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// With `--runs`: only these structures beside gpu-lsm.
    #[arg(long, value_delimiter = ',', requires = "runs")]
    beside: Vec<String>,
    /// Small sizes: all experiments in minutes. Results go to a folder of their own.
    #[arg(long)]
    quick: bool,
    /// Compare every answer with a reference; the first wrong one fails the run.
    #[arg(long)]
    verify: bool,
    /// Begin a new run, even if the same command was cut off and could go on.
    #[arg(long)]
    fresh: bool,
    /// Minutes for all experiments together, where n is not given; one experiment has its share. 60 if not given.
    #[arg(long, conflicts_with_all = ["n", "quick"], value_parser = minutes)]
    minutes: Option<f64>,
    /// Where results go, a folder for each device.
    #[arg(long, default_value = "results")]
    results: PathBuf,
    /// With `report`: also write the tables of README.md and docs/measurements.md in the working directory.
    #[arg(long)]
    markdown: bool,
    /// With `report --markdown`: write nothing, and fail where the documents are not current.
    #[arg(long, requires = "markdown")]
    check: bool,
    /// With `gate`: write down what is measured, instead of comparing with what is written down.
    #[arg(long)]
    accept: bool,
}

fn power_of_two(text: &str) -> std::result::Result<usize, String> {
    let b: usize = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if b.is_power_of_two() { Ok(b) } else { Err("it must be a power of two".into()) }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    arguments.refuse_unread()?;
    let experiments = match arguments.experiment.as_str() {
        "report" => return write_report(arguments),
        "gate" => return pass_gate(arguments),
        "all" => Experiment::ALL.to_vec(),
        name => vec![name.parse().map_err(|error| {
            Error::Asked(format!("{error}; beside these, `bench` takes all, gate and report"))
        })?],
    };
    let device = arguments.device()?;
    if let (Some(runs), Some(n)) = (arguments.runs, arguments.n) {
        return repeat(arguments, &device, &experiments, arguments.scale(n), runs as usize);
    }
    let bench = Bench::new(&device, &arguments.folder(), &arguments.asked(), arguments.fresh)?;
    let started = Instant::now();
    for (at, &experiment) in experiments.iter().enumerate() {
        let mut bar = Bar::of_part(at + 1, experiments.len());
        let (n, records) = measure(arguments, &bench, experiment, &mut bar)?;
        drop(bar);
        if records.is_empty() && experiments.len() == 1 {
            return Err(Error::Asked(NOTHING.into()));
        }
        print(experiment, n, &records, experiments.len() == 1);
    }
    bench.current_run().finish()?;
    if experiments.len() > 1 {
        print_summary(&bench)?;
    }
    let verdict = if arguments.verify { "every answer verified" } else { "answers not verified" };
    say!(
        "{:.0} s, {verdict}; records and plots in {}; `gpu-lsm bench report` makes a page of them",
        started.elapsed().as_secs_f64(),
        bench.folder().display()
    );
    Ok(())
}

impl Arguments {
    /// Refuses an option that the command would not look at.
    fn refuse_unread(&self) -> Result<()> {
        let read: &[&str] = match self.experiment.as_str() {
            "gate" => &["--device", "--accept"],
            "report" => &["--markdown"],
            name if name.parse().is_ok_and(|one: Experiment| !one.has_batch_sizes()) => {
                &["--device", "--minutes", "--n", "--runs", "--verify", "--fresh"]
            }
            _ => &["--device", "--minutes", "--n", "--b", "--runs", "--verify", "--fresh"],
        };
        let given = [
            ("--device", self.device.is_some()),
            ("--minutes", self.minutes.is_some()),
            ("--n", self.n.is_some()),
            ("--b", !self.b.is_empty()),
            ("--runs", self.runs.is_some()),
            ("--verify", self.verify),
            ("--fresh", self.fresh),
            ("--markdown", self.markdown),
            ("--accept", self.accept),
        ];
        match given.into_iter().find(|(name, is_given)| *is_given && !read.contains(name)) {
            Some((name, _)) => Err(Error::Asked(format!("`bench {}` takes no {name}", self.experiment))),
            None => Ok(()),
        }
    }

    /// The device, whose name is said first.
    fn device(&self) -> Result<Device> {
        let device = self.device.as_deref().unwrap_or("auto").parse()?;
        name(&device);
        Ok(device)
    }

    fn minutes(&self) -> f64 {
        self.minutes.unwrap_or(60.0)
    }

    fn folder(&self) -> PathBuf {
        if self.quick { self.results.join("quick") } else { self.results.clone() }
    }

    /// The command as recorded in its run. A run is resumed only if this is equal.
    fn asked(&self) -> String {
        let size = match self.n {
            Some(n) => format!("--n {n}"),
            None if self.quick => "--quick".into(),
            None => format!("--minutes {}", self.minutes()),
        };
        let sizes: String = self.b.iter().map(|b| format!(" --b {b}")).collect();
        format!("{} {size}{sizes}", self.experiment)
    }

    fn scale(&self, n: usize) -> Scale {
        let scale = if self.quick { Scale::quick(n) } else { Scale::full(n) };
        let wanted = self.b.iter().fold(0, |wanted, b| wanted | b);
        if self.b.is_empty() { scale } else { Scale { wanted, ..scale } }
    }
}

/// Measures experiments several times, and records the medians of the ratios.
fn repeat(
    arguments: &Arguments,
    device: &Device,
    experiments: &[Experiment],
    scale: Scale,
    runs: usize,
) -> Result<()> {
    let beside: Vec<_> = arguments.beside.iter().map(String::as_str).collect();
    let repeated = Repeated { device, beside: &beside, scale };
    for &experiment in experiments {
        let medians = repeated.medians(experiment, runs, &mut Bar::new())?;
        say!("{}", medians.table().to_text());
        say!("{}", medians.write(&arguments.folder(), device)?.display());
    }
    Ok(())
}

fn measure(
    arguments: &Arguments,
    bench: &Bench,
    experiment: Experiment,
    bar: &mut Bar,
) -> Result<(usize, Vec<Record>)> {
    match (arguments.quick, arguments.n) {
        (false, None) => {
            let seconds = arguments.minutes() * 60.0 * f64::from(experiment.share()) / 100.0;
            let scale = |n| arguments.scale(n);
            let (n, records) = bench.run_within(experiment, seconds, scale, arguments.verify, bar)?;
            let name = experiment.name();
            say!("{name}: n grew as far as {seconds:.0} s and the device's buffers allow, to {n}");
            Ok((n, records))
        }
        (_, n) => {
            let scale = arguments.scale(n.unwrap_or(QUICK_N));
            Ok((scale.n, bench.run(experiment, scale, arguments.verify, bar)?))
        }
    }
}

/// Says what was measured and, if nothing else is, every row of it.
fn print(experiment: Experiment, n: usize, records: &[Record], is_alone: bool) {
    say!("{}: n = {n}, {} samples", experiment.name(), records.len());
    let tables = if is_alone { tables(experiment, &summaries(records)) } else { Vec::new() };
    for table in tables {
        say!("{}", table.to_text());
    }
}

/// One line for each operation, and a sentence.
fn print_summary(bench: &Bench) -> Result<()> {
    let results = read_device(bench.folder().to_owned())?;
    say!("\n{}{}", side_by_side(std::slice::from_ref(&results)).to_text(), verdict(&results));
    Ok(())
}

fn write_report(arguments: &Arguments) -> Result<()> {
    if !arguments.folder().exists() {
        return Err(Error::Asked(format!("there are no results in {}", arguments.folder().display())));
    }
    if !arguments.check {
        say!("{}", write_html(&arguments.folder())?.display());
    }
    if arguments.markdown {
        markdown::update(&arguments.folder(), Path::new("."), arguments.check)?;
    }
    Ok(())
}

/// Compares the ratios to the paper's LSM at a small size with the recorded ones.
fn pass_gate(arguments: &Arguments) -> Result<()> {
    let device = arguments.device()?;
    let gate = Gate::new(&device, &arguments.folder(), gate::scale(&device));
    let bar = &mut Bar::new();
    let rows = if arguments.accept { gate.accept(bar)? } else { gate.check(bar)? };
    say!("{}", gate::table(&rows, arguments.accept).to_text());
    let slower: Vec<_> = rows.iter().filter(|row| !row.passes()).map(|row| row.name.clone()).collect();
    if slower.is_empty() { Ok(()) } else { Err(Error::Slower(slower)) }
}
