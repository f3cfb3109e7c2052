//! One HTML page of all results: machine, tables, plots, and the paper's numbers beside ours.

use crate::bench::{draw, finished};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::machine::Machine;
use crate::paper;
use crate::plots::plots;
use crate::record::{self, Record};
use crate::summary::largest;
use crate::table::{escaped, size};
use crate::tables::tables;
use std::fs;
use std::path::{Path, PathBuf};

/// What was measured on one device.
#[derive(Debug)]
pub struct Results {
    /// Its folder.
    pub folder: PathBuf,
    /// Where and when.
    pub machine: Machine,
    /// The records of each experiment that was run, those of its largest run.
    pub experiments: Vec<(Experiment, Vec<Record>)>,
}

/// The results of all devices under a folder, by name.
///
/// # Errors
/// Where they can't be read.
pub fn read(results: &Path) -> Result<Vec<Results>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(results).map_err(Error::file(results))? {
        let path = entry.map_err(Error::file(results))?.path();
        if path.join("machine.json").exists() {
            folders.push(path);
        }
    }
    folders.sort();
    folders.into_iter().map(read_device).collect()
}

fn read_device(folder: PathBuf) -> Result<Results> {
    let machine = Machine::read(&folder)?;
    let mut experiments = Vec::new();
    for experiment in Experiment::ALL {
        let path = folder.join(format!("{}.jsonl", experiment.name()));
        if path.exists() {
            experiments.push((experiment, largest(record::read(&path)?)));
        }
    }
    experiments.retain(|(_, records)| !records.is_empty());
    Ok(Results { folder, machine, experiments })
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
    let Machine { device: name, driver, processor, threads, system, version, date } = &device.machine;
    let mut page = format!(
        "<h2>{}</h2>\n<p>{}; {} ({threads} threads), {}; gpu-lsm {version}, {date}.</p>\n",
        escaped(name),
        escaped(driver),
        escaped(processor),
        escaped(system)
    );
    let runs = finished(&device.folder)?;
    for (experiment, records) in &device.experiments {
        page.push_str(&format!("<h3>{}: {}</h3>\n", experiment.name(), experiment.title()));
        let n = records.iter().map(|record| record.sample.n).max().unwrap_or(0);
        let run = runs.iter().find(|run| run.experiment == experiment.name() && run.n == n);
        let time = run.map_or("not finished".into(), |run| format!("{:.0} s", run.seconds));
        page.push_str(&format!("<p>{}; n = {}; {time}.</p>\n", experiment.of_the_paper(), size(n)));
        page.extend(tables(*experiment, records).iter().map(|table| table.to_html()));
        draw(*experiment, records, &device.folder)?;
        for plot in plots(*experiment, records).iter().filter(|plot| !plot.is_empty()) {
            let path = device.folder.join(format!("{}.svg", plot.file));
            page.push_str(&fs::read_to_string(&path).map_err(Error::file(&path))?);
            page.push('\n');
        }
    }
    Ok(page)
}
