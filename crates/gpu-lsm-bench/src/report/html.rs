//! One HTML page with all results: what they come to, then machine, tables and plots of each device, and what the paper says.

use crate::error::{Error, Result};
use crate::report::paper;
use crate::report::plots::{draw, plots};
use crate::report::results::{Part, Results, described, read};
use crate::report::table::escaped;
use crate::report::tables::tables;
use crate::report::verdict::{marked, side_by_side, verdict};
use std::fs;
use std::path::{Path, PathBuf};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\
.wide{overflow-x:auto}table{border-collapse:collapse;margin:1em 0;font-size:13px}\
caption{text-align:left;font-weight:bold;padding:.3em 0}\
td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}th{background:#f0f0f0}.note{color:#555;font-size:13px}\
svg{max-width:100%;min-width:40em;height:auto;border:1px solid #eee;margin:.5em 0}";

/// Draws all plots, writes `report.html` to the folder of the results, and returns its path.
///
/// # Errors
/// If results cannot be read, or files cannot be written.
pub fn write_html(results: &Path) -> Result<PathBuf> {
    let devices = read(results)?;
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>gpu-lsm: results</title>\
         <style>{STYLE}</style></head><body>\n<h1>gpu-lsm: results</h1>\n"
    );
    page.push_str(&summary_html(&devices));
    page.push_str(&contents_html(&devices));
    for (at, device) in devices.iter().enumerate() {
        page.push_str(&device_html(at, device)?);
    }
    page.push_str("<h2 id=\"paper\">What the paper's text says</h2>\n");
    page.push_str("<p>Measured by its authors on an NVIDIA Tesla K40c (288 GB/s).</p><ul>\n");
    page.extend(paper::TEXT.iter().map(|sentence| format!("<li>{}</li>\n", escaped(sentence))));
    page.push_str("</ul>\n</body></html>\n");
    let path = results.join("report.html");
    fs::write(&path, page).map_err(Error::file(&path))?;
    Ok(path)
}

/// All devices side by side, and a sentence for each.
fn summary_html(devices: &[Results]) -> String {
    let sentences: String =
        devices.iter().map(|device| format!("<p>{}</p>\n", escaped(&verdict(device)))).collect();
    let about =
        "Keys and values of 32 bits. Inputs are on the device before the clock starts; results stay there.";
    format!(
        "<h2>Summary</h2>\n{sentences}<div class=\"wide\">{}</div>\n<p>{about}</p>\n",
        side_by_side(devices).to_html()
    )
}

/// Links to every experiment on every device.
fn contents_html(devices: &[Results]) -> String {
    let device = |(at, device): (usize, &Results)| {
        let links: Vec<_> = device
            .parts
            .iter()
            .map(|part| format!("<a href=\"#{}\">{}</a>", place(at, part), part.experiment.name()))
            .collect();
        format!("<li><a href=\"#device-{at}\">{}</a>: {}</li>\n", escaped(device.device()), links.join(", "))
    };
    let list: String = devices.iter().enumerate().map(device).collect();
    format!(
        "<h2>Contents</h2>\n<ul>\n{list}<li><a href=\"#paper\">What the paper's text says</a></li>\n</ul>\n"
    )
}

/// The name of a part's place in the page.
fn place(device: usize, part: &Part) -> String {
    format!("device-{device}-{}", part.experiment.name())
}

fn device_html(at: usize, device: &Results) -> Result<String> {
    let mut page = format!("<h2 id=\"device-{at}\">{}</h2>\n<ul>\n", escaped(device.device()));
    page.extend(described(&device.runs()).iter().map(|runs| format!("<li>{}</li>\n", escaped(runs))));
    page.push_str("</ul>\n");
    for part in &device.parts {
        page.push_str(&part_html(&place(at, part), part, &device.folder)?);
    }
    Ok(page)
}

fn part_html(place: &str, part: &Part, folder: &Path) -> Result<String> {
    let Part { experiment, run, summaries } = part;
    let mut page = format!("<h3 id=\"{place}\">{}: {}</h3>\n", experiment.name(), experiment.title());
    let time = part.seconds().map_or("not finished".into(), |seconds| format!("{seconds:.0} s"));
    let (paper, n) = (experiment.of_the_paper(), marked(part.n()));
    page.push_str(&format!("<p>{paper}; n = {n}; {time}; run of {}.</p>\n", run.started));
    for table in tables(*experiment, summaries) {
        page.push_str(&format!("<div class=\"wide\">{}</div>\n", table.to_html()));
    }
    draw(*experiment, summaries, &run.machine, folder)?;
    for plot in plots(*experiment, summaries) {
        let path = folder.join(format!("{}.svg", plot.file));
        let plot = fs::read_to_string(&path).map_err(Error::file(&path))?;
        page.push_str(&format!("<div class=\"wide\">{plot}</div>\n"));
    }
    Ok(page)
}
