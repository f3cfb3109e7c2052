//! `gpu-lsm doctor`: what there is, whether it works, and if there is no GPU, why.

mod finding;
mod hardware;
mod surroundings;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod trial;
mod vulkan;

use crate::devices::{self, Listed};
use crate::features::{HAS_ENGINE, commit, features, version};
use crate::output::say;
use clap::Args;
use finding::Finding;
use gpu_lsm::{Device, Error};
use serde_json::{Value, json};
use surroundings::Surroundings;
use trial::Trial;

/// How much is looked at.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Print one object in JSON, as issues ask for.
    #[arg(long)]
    json: bool,
    /// Test only this device: host, gpu, gpu:N, an API, or part of a GPU's name.
    #[arg(long)]
    device: Option<String>,
    /// Only look: leave out the self-test, which takes seconds on each device, or minutes on a slow one.
    #[arg(long, conflicts_with = "device")]
    no_test: bool,
}

/// A device, and what came of using it, if that was asked for and it could be opened.
struct Examined {
    listed: Listed,
    trial: Option<Trial>,
}

/// # Errors
/// If a device fails its self-test, after everything was printed. The lack of a GPU is none.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let only = arguments.device.as_deref().map(str::parse::<Device>).transpose()?;
    let auto = Device::auto();
    let listed = devices::all(&auto);
    let examine = |listed: Listed| {
        let is_wanted = |device: &&Device| only.as_ref().is_none_or(|only| only == *device);
        let wanted = listed.opened.as_ref().ok().filter(is_wanted).filter(|_| !arguments.no_test);
        let trial = wanted.map(Trial::of);
        Examined { listed, trial }
    };
    if !arguments.json {
        say!("gpu-lsm {}\non {}\n\ndevices", version(), system());
    }
    let mut examined = Vec::new();
    for one in listed.into_iter().map(examine) {
        if !arguments.json {
            print_device(&one);
        }
        examined.push(one);
    }
    let findings = findings(&Surroundings::here());
    let verdict = verdict(&examined, &findings);
    match arguments.json {
        true => say!("{:#}", to_json(&examined, &auto, &findings, &verdict)),
        false => {
            say!("auto takes {}, because {}\n", auto.name(), because(&auto));
            say!("what a GPU needs here");
            findings.iter().for_each(|finding| say!("{}", finding.to_text()));
            say!("\n{verdict}");
        }
    }
    let failed = examined.into_iter().find_map(|one| one.trial?.result.err());
    failed.map_or(Ok(()), Err)
}

fn print_device(examined: &Examined) {
    devices::print_row(&examined.listed);
    for line in examined.trial.iter().flat_map(Trial::to_text) {
        say!("{}{line}", devices::INDENT);
    }
}

fn because(auto: &Device) -> &str {
    auto.reason().unwrap_or("it was asked for")
}

fn system() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {}, {threads} threads", std::env::consts::OS, std::env::consts::ARCH)
}

/// Everything that a GPU needs, in the order in which it should be mended.
fn findings(around: &Surroundings) -> Vec<Finding> {
    let mut findings = vec![engine()];
    if cfg!(target_os = "linux") {
        findings.extend(hardware::findings(around));
        findings.extend(vulkan::findings(around));
    }
    findings
}

fn engine() -> Finding {
    match HAS_ENGINE {
        true => Finding::good("GPU engine", "compiled in"),
        false => Finding::bad(
            "GPU engine",
            "this program was built without a GPU engine",
            "build it with the feature `wgpu`, which is on by default",
        ),
    }
}

/// Whether there is a GPU to use, and otherwise the first cause that was found.
fn verdict(examined: &[Examined], findings: &[Finding]) -> String {
    let is_hardware = |one: &&Examined| !["processor", "software"].contains(&one.listed.info.kind);
    let gpus = || examined.iter().filter(is_hardware);
    let works = |one: &&Examined| {
        one.listed.opened.is_ok() && one.trial.as_ref().is_none_or(|trial| trial.result.is_ok())
    };
    if let Some(ready) = gpus().find(works) {
        return format!("{} can be used: `--device {}`", ready.listed.info.name, ready.listed.info.selector);
    }
    let refused = gpus().find_map(|one| one.listed.opened.as_ref().err());
    let failed = || gpus().find_map(|one| one.trial.as_ref()?.result.as_ref().err());
    let cause = refused.or_else(failed).map(Error::to_string).or_else(|| {
        let bad = findings.iter().find(|finding| !finding.is_good())?;
        Some(format!("{}; {}", bad.text, bad.remedy.as_deref().unwrap_or_default()))
    });
    let cause = cause.unwrap_or_else(|| {
        "no cause was found; see whether `vulkaninfo --summary` lists it, and please report this".into()
    });
    format!("no hardware GPU can be used: {cause}")
}

fn to_json(examined: &[Examined], auto: &Device, findings: &[Finding], verdict: &str) -> Value {
    let device = |one: &Examined| {
        let mut value = devices::to_json(&one.listed);
        let trial = one.trial.as_ref().map_or(json!({}), Trial::to_json);
        for (name, part) in trial.as_object().into_iter().flatten() {
            value[name] = part.clone();
        }
        value
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": commit(),
        "features": features(),
        "system": system(),
        "devices": examined.iter().map(device).collect::<Vec<_>>(),
        "auto": { "device": auto.name(), "because": because(auto) },
        "findings": findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
        "verdict": verdict,
    })
}
