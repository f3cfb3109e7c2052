//! One thing that was looked at, and what to do if it is not as it should be.

use serde_json::{Value, json};

/// One thing that a GPU needs here, or that can keep programs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) about: &'static str,
    /// What there is.
    pub(super) text: String,
    /// What to do about it; `None` if all is well.
    pub(super) remedy: Option<String>,
}

impl Finding {
    pub(super) fn good(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, text: text.into(), remedy: None }
    }

    pub(super) fn bad(about: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { about, text: text.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn is_good(&self) -> bool {
        self.remedy.is_none()
    }

    pub(super) fn to_text(&self) -> String {
        let Self { about, text, remedy } = self;
        match remedy {
            None => format!("  ok  {about}: {text}"),
            Some(remedy) => format!("  NO  {about}: {text}\n      {remedy}"),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "about": self.about, "good": self.is_good(), "text": self.text, "remedy": self.remedy })
    }
}
