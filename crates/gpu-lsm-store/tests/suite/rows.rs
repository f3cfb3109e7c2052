//! Files of runs whose numbers of rows contradict each other. A file has three, in its pages, in its row groups and in its footer, and
//! the manifest has a fourth. The checksum is right, so nothing else stands between such a file and a wrong answer.

use crate::format::{file_of, is_corrupt, layout, read};
use bytes::Bytes;
use gpu_lsm::Columns;
use gpu_lsm_store::run_file;
use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};

/// The rows that the file really has.
const ROWS: usize = 5;

fn run() -> Columns<u64, u32> {
    Columns { keys: (1..=ROWS as u64).collect(), values: (10..10 + ROWS as u32).collect(), marks: vec![] }
}

/// A file whose footer says that it has `rows` rows, and its only row group `group_rows`.
fn forged(rows: u8, group_rows: u8) -> Bytes {
    let bytes = run_file::encode(&layout::<u64, u32>(), &run(), 0..ROWS).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes).unwrap();
    let [group] = metadata.row_groups() else { panic!("one row group") };
    let forged = ParquetMetaData::new(metadata.file_metadata().clone(), vec![of(group, group_rows.into())]);
    let (start, mut file) = (footer_start(&bytes), bytes.to_vec());
    file.truncate(start);
    ParquetMetaDataWriter::new(&mut file, &forged).finish().unwrap();
    // The writer has added up the rows of row groups. They come before the list of row groups, of which there is one.
    let footer = &mut file[start..];
    let all_rows = footer.windows(4).position(|field| field == [0x16, 2 * group_rows, 0x19, 0x1c]);
    footer[all_rows.unwrap() + 1] = 2 * rows;
    let file = Bytes::from(file);
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap();
    assert_eq!(metadata.file_metadata().num_rows(), i64::from(rows));
    assert_eq!(metadata.row_group(0).num_rows(), i64::from(group_rows));
    file
}

/// A row group with another number of rows, in each of its columns too.
fn of(group: &RowGroupMetaData, rows: i64) -> RowGroupMetaData {
    let columns = group.columns().iter();
    let columns = columns.map(|column| column.clone().into_builder().set_num_values(rows).build().unwrap());
    group.clone().into_builder().set_num_rows(rows).set_column_metadata(columns.collect()).build().unwrap()
}

/// The footer ends with its length and four letters.
fn footer_start(bytes: &Bytes) -> usize {
    let end = bytes.len() - 8;
    end - u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize
}

#[test]
fn a_file_with_more_or_fewer_rows_than_it_says_is_refused() {
    let counts = || ROWS as u8 - 2..=ROWS as u8 + 2;
    for (rows, group_rows) in counts().flat_map(|rows| counts().map(move |group| (rows, group))) {
        let bytes = forged(rows, group_rows);
        for named in counts() {
            let case = format!("manifest {named}, footer {rows}, row group {group_rows}, pages {ROWS}");
            let file = (file_of(1, named.into(), &bytes), bytes.clone());
            let run_of = read::<u64, u32>(&layout::<u64, u32>(), &[file]);
            match [named, rows, group_rows].iter().all(|&rows| usize::from(rows) == ROWS) {
                true => assert_eq!(run_of.unwrap(), run()),
                false => assert!(is_corrupt(run_of), "{case}"),
            }
        }
    }
}
