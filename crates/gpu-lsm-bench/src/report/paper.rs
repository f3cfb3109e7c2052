//! The paper's measurements on an NVIDIA Tesla K40c: every number of its evaluation that ours are compared with.
//!
//! Rates are M elements/s or M queries/s. A row is identified by the number of batches that make n, because this
//! number, and not n, decides the number of levels. The paper's n was 2^27 for insertions and 2^24 for queries.

/// A row of Table II: the number of batches that make n = 2^27; minimum, maximum and mean rate of the LSM, and the same
/// of the sorted array.
pub const TABLE_2: [(usize, [f64; 3], [f64; 3]); 13] = [
    (1, [727.8, 727.8, 727.8], [727.8, 727.8, 727.8]),
    (1 << 1, [585.3, 727.7, 648.8], [583.1, 727.7, 647.4]),
    (1 << 2, [421.1, 727.1, 585.5], [472.2, 726.8, 561.2]),
    (1 << 3, [270.3, 727.1, 537.9], [346.0, 727.0, 459.2]),
    (1 << 4, [155.5, 726.3, 485.2], [224.0, 723.2, 334.0]),
    (1 << 5, [84.3, 714.8, 441.2], [132.6, 709.9, 219.2]),
    (1 << 6, [44.0, 694.0, 398.1], [74.2, 691.2, 131.2]),
    (1 << 7, [22.4, 664.2, 354.1], [39.8, 658.7, 73.8]),
    (1 << 8, [11.3, 558.2, 289.4], [20.5, 555.9, 39.4]),
    (1 << 9, [5.6, 432.0, 220.7], [10.5, 422.1, 20.3]),
    (1 << 10, [2.8, 326.8, 159.9], [2.6, 319.1, 10.3]),
    (1 << 11, [1.4, 194.3, 98.0], [1.3, 184.8, 5.2]),
    (1 << 12, [0.7, 101.4, 58.4], [0.6, 95.9, 2.6]),
];
/// The bulk build of the hash table, from Table II.
pub const CUCKOO_BUILD: f64 = 361.7;
/// The bulk build of the LSM and of the sorted array: Table II with a single batch.
pub const BULK_BUILD: f64 = 727.8;

/// A row of Table III: the number of batches that make n = 2^24; for lookups of absent keys minimum, maximum and mean
/// of the LSM and the mean of the sorted array; and the same for lookups of present keys.
pub const TABLE_3: [(usize, [f64; 4], [f64; 4]); 9] = [
    (1, [116.8, 116.8, 116.8, 106.8], [106.8, 106.8, 106.8, 116.7]),
    (1 << 1, [116.8, 133.1, 124.4, 112.4], [106.8, 118.6, 112.4, 124.3]),
    (1 << 2, [61.6, 183.1, 105.9, 113.9], [74.7, 142.2, 104.7, 128.9]),
    (1 << 3, [41.4, 237.4, 84.0, 118.4], [51.7, 194.7, 91.1, 132.9]),
    (1 << 4, [30.7, 291.3, 68.4, 120.3], [39.3, 251.1, 77.6, 135.0]),
    (1 << 5, [25.2, 331.7, 57.7, 123.4], [32.0, 299.2, 67.5, 138.7]),
    (1 << 6, [22.0, 361.5, 51.1, 125.4], [27.2, 332.0, 60.7, 141.2]),
    (1 << 7, [19.5, 376.7, 47.4, 126.8], [24.3, 347.3, 56.7, 143.0]),
    (1 << 8, [18.1, 386.1, 45.5, 127.6], [22.7, 365.7, 54.9, 144.1]),
];
/// Lookups in the hash table, with no and with all keys present, from Table III.
pub const CUCKOO_LOOKUP: [f64; 2] = [498.9, 758.0];

/// A row of Table IV: the number of batches that make n = 2^24; for L = 8 minimum, maximum and mean of the LSM and the
/// mean of the sorted array; and the same for L = 1024.
pub type RowOfTable4 = (usize, [f64; 4], [f64; 4]);
/// The upper half of Table IV: counts.
pub const TABLE_4_COUNT: [RowOfTable4; 5] = [
    (1 << 4, [27.0, 103.7, 48.0, 73.5], [2.58, 4.17, 3.01, 4.10]),
    (1 << 5, [22.4, 94.1, 39.8, 68.6], [2.51, 4.13, 2.86, 4.09]),
    (1 << 6, [19.0, 82.9, 35.1, 63.0], [2.44, 4.10, 2.79, 4.08]),
    (1 << 7, [16.2, 67.6, 27.4, 56.1], [2.36, 4.06, 2.63, 4.04]),
    (1 << 8, [15.1, 44.7, 23.9, 47.3], [2.32, 3.99, 2.57, 3.99]),
];
/// The lower half of Table IV: ranges.
pub const TABLE_4_RANGE: [RowOfTable4; 5] = [
    (1 << 4, [23.2, 72.1, 38.4, 42.2], [1.27, 1.80, 1.43, 1.81]),
    (1 << 5, [19.4, 63.2, 31.9, 38.2], [1.25, 1.81, 1.37, 1.81]),
    (1 << 6, [14.6, 50.5, 24.9, 33.8], [1.23, 1.81, 1.35, 1.81]),
    (1 << 7, [12.9, 36.3, 19.8, 29.1], [1.20, 1.81, 1.28, 1.81]),
    (1 << 8, [11.0, 23.0, 15.1, 25.0], [1.18, 1.76, 1.27, 1.80]),
];

/// Cleanup of 63 batches of 2^20, with 10 % and 50 % stale.
pub const CLEANUP: [(usize, f64); 2] = [(10, 1870.2), (50, 1828.2)];

/// Sentences for the averages and figures in the paper's text.
pub const TEXT: [&str; 6] = [
    "Insertion, mean over all batch sizes: 225.3 M/s, which is 13.5 times the sorted array's.",
    "Batch time over r (figure): the sort of a batch, and (2^ffz(r) - 1) times a merge of two batches.",
    "Effective insertion rate (figure): falls as 1/log n; the sorted array's as 1/n.",
    "Lookup, mean over all batch sizes: 67.9 (none) and 75.7 M/s (all); the sorted array 1.75 times, the hash table 7.34 and 10.01 times that.",
    "Count and range, mean over all batch sizes: 32.7 and 2.8, 23.3 and 1.3 M/s for L = 8 and 1024; the sorted array 1.84, 1.45, 1.39 and 1.36 times that.",
    "Cleanup is up to 2.5 times as fast as a build; lookups after it, cleanup included, 4.8 times as fast as before (10 % stale, 127 batches of 2^18).",
];

/// The paper's mean rate of a structure in a case, in operations per second; `None` if it gives none.
pub fn mean_rate(
    experiment: &str,
    structure: &str,
    batches: usize,
    l: Option<usize>,
    case: &str,
) -> Option<f64> {
    let millions = match (experiment, structure) {
        ("insert", "paper_lsm") if case == "insert" => row(&TABLE_2, batches)?.1[2],
        ("insert", "sorted_array") if case == "insert" => row(&TABLE_2, batches)?.2[2],
        ("lookup", "cuckoo_hash") => CUCKOO_LOOKUP[usize::from(case == "all")],
        ("lookup", _) => of_lsm_or_array(pick(row(&TABLE_3, batches)?, case == "all"), structure)?,
        ("ranges", _) => {
            let table = if case == "count" { &TABLE_4_COUNT } else { &TABLE_4_RANGE };
            of_lsm_or_array(pick(row(table, batches)?, l == Some(1024)), structure)?
        }
        ("build", "cuckoo_hash") => CUCKOO_BUILD,
        ("build", "paper_lsm" | "sorted_array") => BULK_BUILD,
        ("cleanup", "paper_lsm") => {
            CLEANUP.iter().find(|(stale, _)| case == format!("cleanup, {stale} % stale"))?.1
        }
        _ => return None,
    };
    Some(millions * 1e6)
}

fn row<const N: usize>(
    table: &[(usize, [f64; N], [f64; N])],
    batches: usize,
) -> Option<&(usize, [f64; N], [f64; N])> {
    table.iter().find(|row| row.0 == batches)
}

fn pick<const N: usize>(row: &(usize, [f64; N], [f64; N]), second: bool) -> [f64; N] {
    if second { row.2 } else { row.1 }
}

fn of_lsm_or_array(rates: [f64; 4], structure: &str) -> Option<f64> {
    match structure {
        "paper_lsm" => Some(rates[2]),
        "sorted_array" => Some(rates[3]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE_2, TABLE_3, TABLE_4_COUNT, TABLE_4_RANGE, mean_rate};
    use crate::record::statistics::Rates;

    fn mean(rates: impl Iterator<Item = f64>) -> f64 {
        Rates::of(rates).expect("a table has rows").mean
    }

    /// If a number were copied wrongly, the averages would differ from those in the paper's text.
    #[test]
    fn the_tables_have_the_means_that_the_text_gives() {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(near(mean(TABLE_2.iter().map(|row| row.1[2])), 225.3));
        assert!(near(mean(TABLE_2.iter().map(|row| row.2[2])), 16.7));
        assert!(near(mean(TABLE_3.iter().map(|row| row.1[2])), 67.9));
        assert!(near(mean(TABLE_3.iter().map(|row| row.2[2])), 75.7));
        assert!(near(mean(TABLE_4_COUNT.iter().map(|row| row.1[2])), 32.7));
        assert!(near(mean(TABLE_4_RANGE.iter().map(|row| row.1[2])), 23.3));
        assert!((mean(TABLE_4_COUNT.iter().map(|row| row.2[2])) - 2.8).abs() < 0.05);
        assert!((mean(TABLE_4_RANGE.iter().map(|row| row.2[2])) - 1.3).abs() < 0.05);
    }

    #[test]
    fn rows_are_found_by_how_many_batches_make_n() {
        assert_eq!(mean_rate("insert", "paper_lsm", 4, None, "insert"), Some(585.5e6));
        assert_eq!(mean_rate("lookup", "sorted_array", 256, None, "all"), Some(144.1e6));
        assert_eq!(mean_rate("ranges", "paper_lsm", 16, Some(1024), "range"), Some(1.43e6));
        assert_eq!(mean_rate("cleanup", "paper_lsm", 63, None, "cleanup, 50 % stale"), Some(1828.2e6));
        assert_eq!(mean_rate("insert", "gpu-lsm", 4, None, "insert"), None);
    }
}
