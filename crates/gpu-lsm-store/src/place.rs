//! Places that URLs name, by the crate `object_store`: local files, memory, S3, Azure and Google.

use crate::error::{Error, Result};
use crate::objects::{Listed, Objects, Pending};
use crate::runtime::aside;
use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Error as PlaceError, GetResult, GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt,
    ObjectStoreScheme, PutMode, PutOptions,
};
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, LazyLock};
use url::Url;

/// A folder of an object store.
#[derive(Debug)]
pub(crate) struct Place {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// Without user, password and query, which may be secret.
    url: String,
}

impl Place {
    /// The place that a URL or a path of the file system names. Credentials come from the environment, as for other
    /// programs: `AWS_…`, `AZURE_STORAGE_…`, `GOOGLE_…`; settings with the same names come before them.
    pub(crate) fn at(url: &str, settings: &[(&str, &str)]) -> Result<Self> {
        let parsed = parse(url)?;
        let public = public(&parsed);
        let bad = |why: String| Error::BadUrl { url: public.clone(), why: redacted(&why) };
        let (scheme, folder) = ObjectStoreScheme::parse(&parsed).map_err(|error| bad(error.to_string()))?;
        let store = open(&scheme, &parsed, settings).map_err(|error| match error {
            Opening::NotCompiled(feature) => Error::NotCompiled { scheme: parsed.scheme().into(), feature },
            Opening::Failed(why) => bad(why),
        })?;
        Ok(Self::of(store, folder, public))
    }

    /// A folder of a store that the caller made.
    pub(crate) fn of(store: Arc<dyn ObjectStore>, folder: Path, url: String) -> Self {
        Self { store, folder, url }
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.folder.clone(), |path, part| path.join(part))
    }

    /// The name within the store of an object in a list.
    fn listed(&self, meta: &ObjectMeta) -> Option<Listed> {
        let name = meta.location.as_ref().strip_prefix(self.folder.as_ref())?;
        let name = name.strip_prefix('/').unwrap_or(name).to_string();
        Some(Listed { name, bytes: meta.size, modified: meta.last_modified.into() })
    }
}

impl Objects for Place {
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        Box::pin(async move {
            match self.store.put_opts(&self.path(name), bytes.into(), options).await {
                Ok(_) => Ok(true),
                Err(PlaceError::AlreadyExists { .. } | PlaceError::Precondition { .. }) => Ok(false),
                Err(error) => Err(unavailable("creating", name, &error)),
            }
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>> {
        Box::pin(async move {
            let found = match self.store.get(&self.path(name)).await {
                Err(PlaceError::NotFound { .. }) => return Ok(None),
                found => found.map_err(|error| unavailable("reading", name, &error))?,
            };
            match found {
                GetResult { payload: GetResultPayload::File(file, _), meta, .. } => {
                    let name = name.to_string();
                    aside(move || read_file(file, meta.size, name)).await.map(Some)
                }
                found => found.bytes().await.map(Some).map_err(|error| unavailable("reading", name, &error)),
            }
        })
    }

    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            let prefix = self.path(folder);
            let objects = match after {
                "" => self.store.list(Some(&prefix)),
                after => self.store.list_with_offset(Some(&prefix), &self.path(after)),
            };
            let objects = objects.try_filter_map(async |meta| Ok(self.listed(&meta)));
            let mut listed: Vec<_> =
                objects.try_collect().await.map_err(|error| unavailable("listing", folder, &error))?;
            // Not every server heeds where a list is to start: Azurite begins at the beginning.
            listed.retain(|object| object.name.as_str() > after);
            listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(listed)
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            match self.store.delete(&self.path(name)).await {
                Ok(()) | Err(PlaceError::NotFound { .. }) => Ok(()),
                Err(error) => Err(unavailable("deleting", name, &error)),
            }
        })
    }

    fn describe(&self) -> String {
        self.url.clone()
    }
}

/// The bytes of a file. `object_store` would clear the memory for them first.
fn read_file(mut file: File, len: u64, name: String) -> Result<Bytes> {
    let mut bytes = Vec::with_capacity(len as usize);
    match file.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes.into()),
        Err(error) => Err(Error::Unavailable { doing: "reading", name, reason: error.to_string() }),
    }
}

fn unavailable(doing: &'static str, name: &str, error: &PlaceError) -> Error {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        cause = inner.source();
    }
    Error::Unavailable { doing, name: name.into(), reason: redacted(&reason) }
}

/// A URL, or the URL of a path of the file system.
fn parse(url: &str) -> Result<Url> {
    let bad = |why: String| Error::BadUrl { url: redacted(url), why };
    match Url::parse(url) {
        Ok(parsed) => Ok(parsed),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            let path = std::path::absolute(url).map_err(|error| bad(error.to_string()))?;
            let url =
                Url::from_file_path(&path).map_err(|()| bad("it is no path of the file system".into()))?;
            // Parsing it resolves dots.
            Url::parse(url.as_str()).map_err(|error| bad(error.to_string()))
        }
        Err(error) => Err(bad(error.to_string())),
    }
}

/// A URL without what may be secret.
fn public(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{}", url.scheme(), url.path())
}

/// A text in which URLs have no user, password or query, which may be secret.
fn redacted(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '>');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + 3);
        let end = url.find(is_end).unwrap_or(url.len());
        let (url, after) = url.split_at(end);
        let authority = url.find('/').unwrap_or(url.len());
        let url = url[..authority].rfind('@').map_or(url, |user| &url[user + 1..]);
        out.push_str(before);
        out.push_str(url.split_once('?').map_or(url, |(path, _)| path));
        rest = after;
    }
    out + rest
}

enum Opening {
    #[cfg_attr(
        all(feature = "aws", feature = "azure", feature = "gcp"),
        expect(dead_code, reason = "every place is compiled in")
    )]
    NotCompiled(&'static str),
    Failed(String),
}

impl From<PlaceError> for Opening {
    fn from(error: PlaceError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Memory that all stores of this program share.
static MEMORY: LazyLock<Arc<InMemory>> = LazyLock::new(Arc::default);

fn open(
    scheme: &ObjectStoreScheme,
    url: &Url,
    settings: &[(&str, &str)],
) -> Result<Arc<dyn ObjectStore>, Opening> {
    match scheme {
        ObjectStoreScheme::Local => Ok(Arc::new(LocalFileSystem::new().with_fsync(true))),
        ObjectStoreScheme::Memory => Ok(Arc::<InMemory>::clone(&MEMORY)),
        ObjectStoreScheme::AmazonS3 => s3(url, settings),
        ObjectStoreScheme::MicrosoftAzure => azure(url, settings),
        ObjectStoreScheme::GoogleCloudStorage => google(url, settings),
        _ => Err(Opening::Failed("this kind of place can't create an object unless there is one".into())),
    }
}

/// A function that opens one kind of object store, if its feature is compiled in.
macro_rules! opener {
    ($name:ident, $feature:literal, $builder:path) => {
        #[cfg(feature = $feature)]
        fn $name(url: &Url, settings: &[(&str, &str)]) -> Result<Arc<dyn ObjectStore>, Opening> {
            type Builder = $builder;
            let mut builder = Builder::from_env().with_url(url.as_str());
            for (name, value) in settings {
                builder = builder.with_config(name.to_ascii_lowercase().parse()?, *value);
            }
            Ok(Arc::new(builder.build()?))
        }

        #[cfg(not(feature = $feature))]
        fn $name(_: &Url, _: &[(&str, &str)]) -> Result<Arc<dyn ObjectStore>, Opening> {
            Err(Opening::NotCompiled($feature))
        }
    };
}

opener!(s3, "aws", object_store::aws::AmazonS3Builder);
opener!(azure, "azure", object_store::azure::MicrosoftAzureBuilder);
opener!(google, "gcp", object_store::gcp::GoogleCloudStorageBuilder);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let url = "az://user:password@container/path?sig=secret";
        for shown in
            [public(&Url::parse(url).unwrap()), redacted(&format!("Get \"{url}\" failed (at {url})"))]
        {
            assert!(!shown.contains("secret") && !shown.contains("password"), "{shown}");
            assert!(shown.contains("container/path"), "{shown}");
        }
        assert_eq!(redacted("plain text"), "plain text");
    }

    #[test]
    fn urls_that_name_no_place_are_refused() {
        assert!(matches!(Place::at("ftp://host/x", &[]), Err(Error::BadUrl { .. })));
        assert!(matches!(Place::at("https://host/x", &[]), Err(Error::BadUrl { .. })));
        #[cfg(not(feature = "aws"))]
        assert_eq!(
            Place::at("s3://bucket/x", &[]).unwrap_err(),
            Error::NotCompiled { scheme: "s3".into(), feature: "aws" }
        );
    }
}
