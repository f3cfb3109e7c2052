//! Types by their names: dictionaries of words make the same files as dictionaries of the types that they stand for.

use crate::words::words_are_as_good;
use bytes::Bytes;
use gpu_lsm::{Config, Device, Dictionary, Key};
use gpu_lsm_store::{ColumnNames, Error, Options, Store, Types, column_types, read_entries, write_entries};

/// The target `kinds` has more types.
#[test]
fn words_under_the_names_of_types_make_the_same_files() {
    let floats: Vec<f32> = (-20..20).map(|i| i as f32 / 4.0).collect();
    let bits: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
    words_are_as_good(&(-20..20).collect::<Vec<i64>>(), &floats, &bits);
    words_are_as_good(&(-20..20).collect::<Vec<i32>>(), &[(); 40], &[(); 40]);
}

/// Dates are timestamps to programs that read the files.
#[test]
fn dates_have_columns_of_their_own() {
    let store =
        Store::at("memory:///dates").unwrap().with_types(Types::named("datetime64[us]", "timedelta64[s]"));
    let codes: Vec<u64> = [-1i64, 0, 1].map(Key::to_code).to_vec();
    let dates = Dictionary::build(&Device::host(), Config::new(), &codes, &[5u64, 6, 7]).unwrap();
    store.save(&dates).unwrap();
    assert_eq!(
        store.load::<u64, u64>(&Device::host()).unwrap().range(&[0], &[u64::MAX]).unwrap().keys(),
        codes
    );
    assert_eq!(store.kept().unwrap(), (Types::named("datetime64[us]", "timedelta64[s]"), 1));
    let mut file = Vec::new();
    let (names, types) = (ColumnNames::default(), Types::named("datetime64[us]", "timedelta64[s]"));
    write_entries(dates.scan(2), &mut file, &names, &types).unwrap();
    let file = Bytes::from(file);
    assert_eq!(
        column_types(file.clone(), &names).unwrap(),
        ("datetime64[us]".into(), "timedelta64[s]".into())
    );
    let read: Vec<_> =
        read_entries::<u64, u64, _>(file, &names, &types).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, [(codes, vec![5, 6, 7])]);
}

#[test]
fn names_of_other_widths_are_refused() {
    let store = Store::at("memory:///widths").unwrap();
    let is_refused = |key: &str, value: &str| {
        let store = store.clone().with_types(Types::named(key, value));
        let written = store.write::<u64, u32>(&Device::host(), Options::new());
        matches!(written, Err(Error::OtherWidth { .. }))
    };
    for (key, value) in
        [("i32", "u32"), ("i64", "f64"), ("i64", "()"), ("edge", "u32"), ("timedelta64[s]", "i64")]
    {
        assert!(is_refused(key, value), "{key} {value}");
    }
    assert!(matches!(store.kept(), Err(Error::NoStore { .. })));
    let named = store.clone().with_types(Types::named("datetime64[25s]", "edge"));
    named.write::<u64, u32>(&Device::host(), Options::new()).unwrap().insert(&[1], &[2]).unwrap();
    let other = store.load::<i64, u32>(&Device::host()).unwrap_err();
    assert!(matches!(other, Error::OtherTypes { stored_value, .. } if stored_value == "edge"));
    assert_eq!(named.load::<u64, f32>(&Device::host()).unwrap().get(1).unwrap(), Some(f32::from_bits(2)));
}
