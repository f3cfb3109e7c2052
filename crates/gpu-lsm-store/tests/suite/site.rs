//! Where the tests put stores: local files, and real servers that `tests/server.py` starts.

use gpu_lsm_store::Store;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A place for stores. It is gone when this is dropped.
pub(crate) struct Site {
    url: String,
    /// The variables by which the server is opened.
    environment: Vec<(String, String)>,
    server: Option<Child>,
}

impl Site {
    /// A folder for a test of this name.
    pub(crate) fn local(name: &str) -> Self {
        let folder = crate::folder(name);
        Self { url: folder.to_str().unwrap().into(), environment: Vec::new(), server: None }
    }

    /// Starts a server.
    #[cfg_attr(
        not(any(feature = "aws", feature = "azure")),
        expect(dead_code, reason = "stores can't be on servers")
    )]
    pub(crate) fn server(kind: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(kind).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&line).expect("the server has started");
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
        let environment = answer["environment"].as_object().unwrap().iter();
        let environment = environment.map(|(name, value)| (name.clone(), text(value))).collect();
        Self { url: text(&answer["url"]), environment, server: Some(server) }
    }

    pub(crate) fn url(&self, store: &str) -> String {
        format!("{}/{store}", self.url)
    }

    /// A new handle of a store.
    pub(crate) fn store(&self, store: &str) -> Store {
        Store::with_settings(&self.url(store), &self.settings()).unwrap()
    }

    pub(crate) fn settings(&self) -> Vec<(&str, &str)> {
        self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        match &mut self.server {
            Some(server) => {
                // The end of its input ends it.
                drop(server.stdin.take());
                server.wait().unwrap();
            }
            None => drop(std::fs::remove_dir_all(Path::new(&self.url))),
        }
    }
}
