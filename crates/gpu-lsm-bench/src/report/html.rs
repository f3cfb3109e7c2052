//! One HTML page with all results: machine, tables, plots, and the paper's numbers next to ours.

use crate::error::{Error, Result};
use crate::report::paper;
use crate::report::plots::{draw, plots};
use crate::report::results::{Part, Results, described, read};
use crate::report::table::{escaped, size};
use crate::report::tables::tables;
use std::fs;
use std::path::{Path, PathBuf};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:1em 0;font-size:13px}caption{text-align:left;font-weight:bold;padding:.3em 0}\
td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}th{background:#f0f0f0}.note{color:#555;font-size:13px}\
svg{max-width:100%;height:auto;border:1px solid #eee;margin:.5em 0}";

/// Draws all plots, writes `report.html` to the folder of the results, and returns its path.
///
/// # Errors
/// If results cannot be read, or files cannot be written.
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
