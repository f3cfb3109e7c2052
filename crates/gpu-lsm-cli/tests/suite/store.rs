//! `gpu-lsm store` as a user runs it.

use crate::{gpu_lsm, text, unread};
use std::fs;
use std::path::{Path, PathBuf};

/// A golden store: two versions with 50 and 49 live entries, and a log with 79 in the end.
fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/1/u64-u32")
}

/// A copy of the golden store, in a folder of its own.
fn copy(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gpu-lsm-cli-{}-{name}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    for part in ["manifest", "log", "runs", "parts"] {
        fs::create_dir_all(folder.join(part)).expect("the folder can be made");
        for file in fs::read_dir(golden().join(part)).expect("the store is there") {
            let file = file.expect("it can be listed");
            fs::copy(file.path(), folder.join(part).join(file.file_name())).expect("it can be copied");
        }
    }
    folder
}

/// Runs a command on a store and returns what it says.
fn store(arguments: &[&str]) -> Result<String, String> {
    let output = gpu_lsm(&[&["store"], arguments].concat()).output().expect("it starts");
    let text = text(&output);
    if output.status.success() { Ok(text) } else { Err(text) }
}

fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
    }
}

#[test]
fn info_says_what_there_is() {
    let golden = golden();
    let text = store(&["info", golden.to_str().expect("a name")]).expect("it is a store");
    says(
        &text,
        &[
            "format 1, u64 keys, u32 values, batch size 8",
            "opened for writing 2 times; shards: 1; runs: 2",
            "version 2: 50 entries",
            "log after the newest version: 4 records",
            "in all 14 objects",
        ],
    );
    let text = store(&["info", "--json", golden.to_str().expect("a name")]).expect("it is a store");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!((&json["key"], &json["epoch"]), (&"u64".into(), &2.into()));
    assert_eq!(json["versions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn verify_finds_what_is_damaged() {
    let folder = copy("verify");
    let url = folder.to_str().expect("a name");
    says(
        &store(&["verify", url]).expect("it is whole"),
        &["whole: 2 versions, 2 files of runs, 4 log records, 2 parts"],
    );
    for part in ["runs", "parts", "log"] {
        let files = fs::read_dir(folder.join(part)).expect("it is there");
        let file = files.map(|file| file.expect("it can be listed").path()).max().expect("it has files");
        let whole = fs::read(&file).expect("it can be read");
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(&file, changed).expect("it can be written");
        let error = store(&["verify", url]).expect_err("it is damaged");
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        says(&error, &[name, "damaged", "restore it from a backup"]);
        fs::write(&file, whole).expect("it can be written");
    }
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn gc_asks_before_it_takes_a_store_over() {
    let folder = copy("gc");
    let url = folder.to_str().expect("a name");
    says(&store(&["gc", url]).expect_err("it must be asked for"), &["say --take-over"]);
    says(&store(&["gc", "--take-over", url]).expect("it is allowed"), &["deleted 0 manifests"]);
    let text = store(&["gc", "--take-over", "--keep", "1", url]).expect("it is allowed");
    says(&text, &["deleted 1 manifests"]);
    let text = store(&["info", url]).expect("it is a store");
    assert_eq!(text.matches("\nversion ").count(), 1, "{text}");
    says(&store(&["verify", url]).expect("it is whole"), &["whole: 1 versions"]);
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn entries_leave_as_parquet_and_come_back() {
    let folder = copy("parquet");
    let (url, file) = (folder.to_str().expect("a name"), folder.join("all.parquet"));
    let (file, other) = (file.to_str().expect("a name"), folder.join("other"));
    let other = other.to_str().expect("a name");
    says(&store(&["export", url, file]).expect("it can be exported"), &["79 entries, "]);
    says(&store(&["export", url, file]).expect_err("the file exists"), &["all.parquet", "exists"]);
    let text = store(&["import", other, file]).expect("it can be imported");
    says(&text, &["79 entries with u64 keys and u32 values are version 2"]);
    let again = folder.join("again.parquet");
    let again = again.to_str().expect("a name");
    says(&store(&["export", other, again]).expect("it can be exported"), &["79 entries, "]);
    assert_eq!(fs::read(file).expect("it is there"), fs::read(again).expect("it is there"));
    says(
        &store(&["import", other, file]).expect_err("there is a store"),
        &["replaces all entries", "say --take-over"],
    );
    let text = store(&["import", "--take-over", other, file]).expect("it is allowed");
    says(&text, &["79 entries", "are version 4"]);
    let text =
        store(&["import", "--take-over", other, file, "--key", "id"]).expect_err("there is no such column");
    says(&text, &["it has no column \"id\""]);
    let set = format!("{other}-set");
    let text = store(&["import", &set, file, "--value", "price"]).expect_err("there is no such column");
    says(&text, &["has no column \"price\"; say --set"]);
    says(&store(&["import", &set, file, "--set"]).expect("it becomes a set"), &["u64 keys and () values"]);
    let keys = folder.join("keys.parquet");
    let keys = keys.to_str().expect("a name");
    says(&store(&["export", &set, keys]).expect("it can be exported"), &["79 entries, "]);
    let text = store(&["import", &format!("{other}-again"), keys]).expect("it becomes a set again");
    says(&text, &["79 entries with u64 keys and () values"]);
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn what_is_no_store_is_said_plainly() {
    let nowhere = std::env::temp_dir().join("gpu-lsm-no-store");
    let nowhere = nowhere.to_str().expect("a name");
    for command in ["info", "verify"] {
        says(
            &store(&[command, nowhere]).expect_err("there is none"),
            &["gpu-lsm: there is no store at file://"],
        );
    }
    says(&store(&["info", "ftp://host/x"]).expect_err("it is no place"), &["can't be used"]);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let golden = golden();
    for command in ["info", "verify"] {
        let output = unread(&mut gpu_lsm(&["store", command, golden.to_str().expect("a name")]));
        assert!(output.status.success() && output.stderr.is_empty(), "{command}: {}", text(&output));
    }
}
