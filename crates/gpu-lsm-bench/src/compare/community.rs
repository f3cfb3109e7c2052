//! Results that people share: a file for each, and a page of them all.

use crate::compare::comparison::Comparison;
use crate::compare::markdown::markdown;
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The page, in the folder of the files.
pub const PAGE: &str = "README.md";
/// What the page says before the results.
const HEAD: &str = "\
# Results of other machines

Each table is made from a file in this folder. To add yours:

1. `gpu-lsm doctor` says whether your GPU is found and computes what it should.
2. `gpu-lsm compare --share`, in the root of a checkout, measures for about three minutes and writes one file here, and this page.
3. Open a pull request with both, or an issue with the file (template \"A result of my machine\").

The file has the names of your processor, its number of threads, your devices and their drivers, the operating system, our version and
commit, those of the engine and the compiler, when it was built, the date, and the numbers; nothing else of your machine.
";

/// Makes the folder, and finds out whether a page can be made from the files in it.
///
/// # Errors
/// As for [`page`]; also if the folder cannot be made.
pub fn prepare(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    page(folder).map(drop)
}

/// Writes a comparison into a folder as a file of its own, and the page anew. Returns the file.
///
/// # Errors
/// If a file cannot be read or written.
pub fn share(comparison: &Comparison, folder: &Path) -> Result<PathBuf> {
    prepare(folder)?;
    let devices: Vec<&str> = comparison
        .contenders
        .iter()
        .filter(|one| one.driver.is_some())
        .map(|one| one.name.as_str())
        .collect();
    let name = devices
        .first()
        .map_or(comparison.machine.processor.as_str(), |name| name.trim_start_matches("gpu-lsm on "));
    let path = unused(folder, &slug(&format!("{} {name}", comparison.date)));
    let json = serde_json::to_string_pretty(comparison).map_err(|error| Error::Record {
        path: path.clone(),
        line: error.line(),
        error,
    })?;
    fs::write(&path, json + "\n").map_err(Error::file(&path))?;
    let page_path = folder.join(PAGE);
    fs::write(&page_path, page(folder)?).map_err(Error::file(&page_path))?;
    Ok(path)
}

/// A file that is not there yet.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.join(format!("{name}.json"));
    for number in 2.. {
        if !path.exists() {
            break;
        }
        path = folder.join(format!("{name}-{number}.json"));
    }
    path
}

/// The page of all files of a folder, the newest first.
///
/// # Errors
/// If a file cannot be read, or is not a comparison.
pub fn page(folder: &Path) -> Result<String> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = file.map_err(Error::file(folder))?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    let mut page = HEAD.to_owned();
    for path in files.iter().rev() {
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        let comparison = serde_json::from_str::<Comparison>(&text)
            .and_then(with_batches)
            .map_err(|error| Error::Record { path: path.clone(), line: error.line(), error })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        page.push_str(&format!("\n## {name}\n\n{}", markdown(&comparison)));
    }
    Ok(page)
}

/// Refuses a comparison without a batch size, which only a file made by hand can have.
fn with_batches(comparison: Comparison) -> serde_json::Result<Comparison> {
    if comparison.b == 0 { Err(serde::de::Error::custom("b is 0")) } else { Ok(comparison) }
}

/// A name of letters, digits and hyphens.
fn slug(name: &str) -> String {
    let letters: String = name
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    letters.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::{PAGE, page, share, slug};
    use crate::compare::comparison::Comparison;
    use crate::compare::comparison::tests::small;
    use crate::record::temporary::TemporaryFolder;
    use std::fs;

    #[test]
    fn what_is_shared_is_on_the_page() {
        let folder = TemporaryFolder::new("community").unwrap();
        let file = share(&small(), folder.path()).unwrap();
        let written = fs::read_to_string(folder.path().join(PAGE)).unwrap();
        assert_eq!(written, page(folder.path()).unwrap());
        assert_ne!(share(&small(), folder.path()).unwrap(), file, "nobody's result is lost");
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(written.contains(&format!("## {name}")) && written.contains("**20.0**"), "{written}");
        let without_batches = serde_json::to_string(&Comparison { b: 0, ..small() }).unwrap();
        for broken in ["{}", &without_batches] {
            fs::write(folder.path().join("broken.json"), broken).unwrap();
            assert!(page(folder.path()).unwrap_err().to_string().contains("broken.json"), "{broken}");
        }
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.80GHz"), "intel-r-xeon-r-2-80ghz");
        assert_eq!(slug("2026-11-17 龙芯"), "2026-11-17", "a name without such letters leaves no trace");
    }
}
