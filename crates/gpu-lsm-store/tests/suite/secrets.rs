//! What a person or another program can see of a store on a server has no secret in it: objects, errors, debug output.

use crate::site::Site;
use futures_util::TryStreamExt;
use gpu_lsm::Device;
use gpu_lsm_store::object_store::path::Path;
use gpu_lsm_store::object_store::{ObjectStore, ObjectStoreExt};
use gpu_lsm_store::{Error, Options, Store};

const WRONG: &str = "d3JvbmcgYnV0IHNlY3JldA==";

fn is_key(name: &str) -> bool {
    name.ends_with("ACCESS_KEY") || name.ends_with("ACCOUNT_KEY")
}

/// The bytes of all objects of a place.
fn contents(place: &dyn ObjectStore) -> Vec<(Path, Vec<u8>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut contents = Vec::new();
        let listed: Vec<_> = place.list(None).try_collect().await.unwrap();
        for object in listed {
            let bytes = place.get(&object.location).await.unwrap().bytes().await.unwrap();
            contents.push((object.location, bytes.to_vec()));
        }
        contents
    })
}

fn check(site: &Site, place: &dyn ObjectStore) {
    let mut secrets: Vec<String> =
        site.settings().iter().filter(|(name, _)| is_key(name)).map(|(_, value)| (*value).into()).collect();
    assert_eq!(secrets.len(), 1);
    secrets.push(WRONG.into());
    let is_secret = |text: &str| secrets.iter().any(|secret| text.contains(secret));
    let store = site.store("secrets");
    let mut durable = store.write::<u32, u32>(&Device::host(), Options::new()).unwrap();
    durable.insert(&[1], &[1]).unwrap();
    durable.checkpoint().unwrap();
    for shown in [format!("{store:?}"), format!("{durable:?}"), format!("{:#?}", Options::new())] {
        assert!(!is_secret(&shown), "{shown}");
    }
    let contents = contents(place);
    assert!(contents.iter().any(|(name, _)| name.as_ref().contains("manifest/")), "{contents:?}");
    for (name, bytes) in contents {
        assert!(!is_secret(&String::from_utf8_lossy(&bytes)), "{name}");
    }
    for error in errors(site) {
        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!is_secret(&shown), "{shown}");
    }
}

/// The errors that somebody may send to others.
fn errors(site: &Site) -> Vec<Error> {
    let wrong = site.settings().into_iter();
    let wrong: Vec<_> = wrong.map(|(name, value)| (name, if is_key(name) { WRONG } else { value })).collect();
    let url = site.url("secrets");
    let scheme = url.split_once("://").unwrap().0;
    let refused = Store::with_settings(&url, &wrong).unwrap();
    let elsewhere = Store::with_settings(&format!("{scheme}://other-place/x"), &site.settings()).unwrap();
    let load = |store: &Store| store.load::<u32, u32>(&Device::host()).unwrap_err();
    let errors = vec![
        load(&refused),
        refused.write::<u32, u32>(&Device::host(), Options::new()).unwrap_err(),
        elsewhere.write::<u32, u32>(&Device::host(), Options::new()).unwrap_err(),
        Store::with_settings(&url, &[("no_such_setting", WRONG)]).unwrap_err(),
        Store::at(&format!("ftp://user:{WRONG}@host/x?key={WRONG}")).unwrap_err(),
    ];
    assert!(errors[..2].iter().all(|error| matches!(error, Error::Unavailable { .. })), "{errors:?}");
    errors
}

#[cfg(feature = "aws")]
#[test]
fn no_secret_of_s3_is_shown() {
    use gpu_lsm_store::object_store::aws::AmazonS3Builder;
    let site = Site::server("seaweedfs");
    let mut builder = AmazonS3Builder::new().with_url(site.url(""));
    for (name, value) in site.settings() {
        builder = builder.with_config(name.to_ascii_lowercase().parse().unwrap(), value);
    }
    check(&site, &builder.build().unwrap());
}

#[cfg(feature = "azure")]
#[test]
fn no_secret_of_azure_is_shown() {
    use gpu_lsm_store::object_store::azure::MicrosoftAzureBuilder;
    let site = Site::server("azurite");
    let mut builder = MicrosoftAzureBuilder::new().with_url(site.url(""));
    for (name, value) in site.settings() {
        builder = builder.with_config(name.to_ascii_lowercase().parse().unwrap(), value);
    }
    check(&site, &builder.build().unwrap());
}
