//! One HTML page of all results: machine, tables, plots, and the paper's numbers beside ours.

use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::kept::Kept;
use crate::paper;
use crate::plots::{draw, plots};
use crate::run::{self, Run};
use crate::summary::Summaries;
use crate::table::{escaped, size};
use crate::tables::tables;
use std::fs;
use std::path::{Path, PathBuf};

/// What was measured on one device.
#[derive(Debug)]
pub struct Results {
    /// Its folder.
    pub folder: PathBuf,
    /// The experiments, each with what its last run came to.
    pub parts: Vec<Part>,
}

/// An experiment's last run.
#[derive(Debug)]
pub struct Part {
    /// Which experiment.
    pub experiment: Experiment,
    /// Which run.
    pub run: Run,
    /// What its samples of the largest n come to.
    pub summaries: Summaries,
}

impl Part {
    /// How many entries.
    pub fn n(&self) -> usize {
        self.summaries.keys().map(|group| group.n).max().unwrap_or(0)
    }

    /// How long it took, where it came to its end.
    pub fn seconds(&self) -> Option<f64> {
        self.run.seconds(self.experiment.name(), self.n())
    }
}

impl Results {
    /// The device's name.
    pub fn device(&self) -> &str {
        self.parts.first().map_or("", |part| &part.run.machine.device)
    }

    /// The runs that its parts are of, in the order in which they began.
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs: Vec<_> = self.parts.iter().map(|part| &part.run).collect();
        runs.sort_by_key(|run| &run.run);
        runs.dedup_by_key(|run| &run.run);
        runs
    }

    /// An experiment's part, where it was run.
    pub fn part(&self, experiment: Experiment) -> Option<&Part> {
        self.parts.iter().find(|part| part.experiment == experiment)
    }
}

/// The results of all devices under a folder, by name.
///
/// # Errors
/// Where they can't be read.
pub fn read(results: &Path) -> Result<Vec<Results>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(results).map_err(Error::file(results))? {
        let path = entry.map_err(Error::file(results))?.path();
        if path.join(run::FILE).exists() {
            folders.push(path);
        }
    }
    folders.sort();
    folders.into_iter().map(read_device).collect()
}

fn read_device(folder: PathBuf) -> Result<Results> {
    let (runs, mut parts) = (run::read(&folder)?, Vec::new());
    for experiment in Experiment::ALL {
        let Some(kept) = Kept::read(&folder, experiment.name())? else { continue };
        let run = runs.iter().find(|run| run.run == kept.run).ok_or_else(|| {
            let (name, run) = (experiment.name(), &kept.run);
            Error::Asked(format!(
                "{} has no run {run:?}, which {name} is of",
                folder.join(run::FILE).display()
            ))
        })?;
        parts.push(Part { experiment, run: run.clone(), summaries: kept.summaries });
    }
    Ok(Results { folder, parts })
}

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:1em 0;font-size:13px}caption{text-align:left;font-weight:bold;padding:.3em 0}\
td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}th{background:#f0f0f0}.note{color:#555;font-size:13px}\
svg{max-width:100%;height:auto;border:1px solid #eee;margin:.5em 0}";

/// Draws all plots, and writes `report.html` to the folder of the results; returns where it is.
///
/// # Errors
/// Where results can't be read, or files can't be written.
pub fn write_html(results: &Path) -> Result<PathBuf> {
    let devices = read(results)?;
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>gpu-lsm: results</title>\
         <style>{STYLE}</style></head><body>\n<h1>gpu-lsm: results</h1>\n"
    );
    page.push_str("<p>Keys and values of 32 bits. Inputs are on the device before the clock starts; results stay there.</p>\n");
    page.push_str("<h2>What the paper's text says</h2><p>Measured by its authors on an NVIDIA Tesla K40c (288 GB/s).</p><ul>\n");
    page.extend(paper::TEXT.iter().map(|sentence| format!("<li>{}</li>\n", escaped(sentence))));
    page.push_str("</ul>\n");
    for device in &devices {
        page.push_str(&device_html(device)?);
    }
    page.push_str("</body></html>\n");
    let path = results.join("report.html");
    fs::write(&path, page).map_err(Error::file(&path))?;
    Ok(path)
}

fn device_html(device: &Results) -> Result<String> {
    let mut page = format!("<h2>{}</h2>\n<ul>\n", escaped(device.device()));
    page.extend(described(&device.runs()).iter().map(|runs| format!("<li>{}</li>\n", escaped(runs))));
    page.push_str("</ul>\n");
    for part in &device.parts {
        let Part { experiment, run, summaries } = part;
        page.push_str(&format!("<h3>{}: {}</h3>\n", experiment.name(), experiment.title()));
        let time = part.seconds().map_or("not finished".into(), |seconds| format!("{seconds:.0} s"));
        let (paper, n) = (experiment.of_the_paper(), size(part.n()));
        page.push_str(&format!("<p>{paper}; n = {n}; {time}; run of {}.</p>\n", run.started));
        page.extend(tables(*experiment, summaries).iter().map(|table| table.to_html()));
        draw(*experiment, summaries, &device.folder)?;
        for plot in plots(*experiment, summaries) {
            let path = device.folder.join(format!("{}.svg", plot.file));
            page.push_str(&fs::read_to_string(&path).map_err(Error::file(&path))?);
            page.push('\n');
        }
    }
    Ok(page)
}

/// When runs began, on what, and with which versions; those of one machine and program together.
pub(crate) fn described(runs: &[&Run]) -> Vec<String> {
    runs.chunk_by(|one, next| one.machine == next.machine).map(of_one_machine).collect()
}

fn of_one_machine(runs: &[&Run]) -> String {
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let when = match runs.len() {
        1 => format!("Run of {}", first.started),
        several => format!("{several} runs, of {} to {}", first.started, last.started),
    };
    let machine = &first.machine;
    format!(
        "{when}: {}; {}, {} threads, {}; gpu-lsm {} ({}), {}, {}.",
        machine.driver,
        machine.processor,
        machine.threads,
        machine.system,
        machine.version,
        machine.commit,
        machine.engine,
        machine.compiler
    )
}
