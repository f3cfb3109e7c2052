//! Plots, the page with all results, and the generated parts of documents.

use crate::support::{folder, run};
use gpu_lsm_bench::Error;
use gpu_lsm_bench::compare::community;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::report::html::write_html;
use gpu_lsm_bench::report::markdown;
use std::fs;
use std::path::Path;

#[test]
fn every_experiment_has_plots_with_labelled_axes_and_the_page_has_them_all() {
    let results = folder();
    for experiment in Experiment::ALL {
        run(experiment, results.path()).expect("every answer is right");
    }
    let page = write_html(results.path()).expect("it can be written");
    let page = fs::read_to_string(page).expect("it is there");
    for experiment in Experiment::ALL {
        assert!(page.contains(experiment.title()), "{experiment:?}");
    }
    let plots = fs::read_dir(results.path().join("host")).expect("it is there").filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|ending| ending == "svg"))
    });
    assert_eq!(page.matches("<svg").count(), plots.count());
    for unit in ["M operations/s", "ms", "n / b", "727.8", "<h2>Summary</h2>", "thin lines: least to most"] {
        assert!(page.contains(unit), "{unit}");
    }
    let places = page.matches("<h3 id=\"device-0-").count();
    let links = page.matches("<a href=\"#device-0-").count();
    assert_eq!((places, links), (Experiment::ALL.len(), Experiment::ALL.len()), "each is in the contents");
}

#[test]
fn the_page_of_shared_results_is_made_from_their_files() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/community"));
    let written = fs::read_to_string(folder.join(community::PAGE)).expect("it is there");
    assert_eq!(written, community::page(folder).expect("every file is a result"));
}

#[test]
fn documents_are_made_from_results_and_told_apart_when_they_are_old() {
    let folder = folder();
    let results = folder.path().join("results");
    let measured = [
        Experiment::Insert,
        Experiment::BatchTime,
        Experiment::Lookup,
        Experiment::Ranges,
        Experiment::Cleanup,
        Experiment::Build,
        Experiment::Clustered,
    ];
    for experiment in measured {
        run(experiment, &results).expect("every answer is right");
    }
    let markers = "before\n<!-- made from results by `gpu-lsm bench report --markdown`: begin -->\nold\n<!-- end -->\nafter\n";
    fs::create_dir(folder.path().join("docs")).expect("it can be made");
    for name in ["README.md", "docs/measurements.md"] {
        fs::write(folder.path().join(name), markers).expect("it can be written");
    }
    assert!(matches!(markdown::update(&results, folder.path(), true), Err(Error::NotCurrent { .. })));
    markdown::update(&results, folder.path(), false).expect("it can be written");
    markdown::update(&results, folder.path(), true).expect("it is current");
    let measurements = fs::read_to_string(folder.path().join("docs/measurements.md")).expect("it is there");
    assert!(measurements.starts_with("before\n") && measurements.ends_with("<!-- end -->\nafter\n"));
    for part in [
        "Table II",
        "Table III",
        "Table IV",
        "gpu-lsm/paper_lsm",
        "gpu-lsm/sorted_array",
        "727.8",
        "361.7",
        "1870.2",
        "gpu-lsm/cuckoo_hash",
        "paper's hash table",
        "| 1 | lookup, b = n, keys dense |",
        "gpu-lsm, effective",
        "of paper_lsm's",
        "merging alone: gpu-lsm/paper_lsm",
        "gpu-lsm/bare sort",
        "| 4096 | not measured: needs n >= 2^20 |",
        "| 256 | not measured: needs n >= 2^16 |",
        "`gpu-lsm bench insert --device host --n 256 --verify`",
        "`gpu-lsm bench traffic --device host --verify` | not measured |",
        "insert.jsonl",
        "Run of ",
        "| bulk build | ",
    ] {
        assert!(measurements.contains(part), "{part} in {measurements}");
    }
    let readme = fs::read_to_string(folder.path().join("README.md")).expect("it is there");
    assert!(readme.contains("times paper_lsm") && !readme.contains("old"), "{readme}");
    assert!(readme.contains("| insert | ") && !readme.contains("| bulk build | "), "{readme}");
}
