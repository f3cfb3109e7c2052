//! A tour of the library: a small shop keeps its orders, its customers' last visits and its delivery points on a device.
//!
//! `cargo run --release --example tour` takes the best device and says why; `... --example tour -- gpu` asks for one.

use gpu_lsm::{Batch, Config, Device, Dictionary, Error, Morton, Result, Snapshot};

/// An order: what it cost, in cents, and how many things are in it.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Order {
    cents: u32,
    things: u32,
}
gpu_lsm::value!(Order);

fn main() -> Result<()> {
    let device = match std::env::args().nth(1) {
        Some(name) => name.parse()?,
        None => Device::default(),
    };
    println!("on {}: {}", device.name(), device.reason().unwrap_or("it was asked for"));
    orders(&device)?;
    columns(&device)?;
    pages(&device)?;
    visits(&device)?;
    deliveries(&device)?;
    left_on_the_device(&device)?;
    forks(&device)?;
    limits(&device)
}

/// Entries by key: a dictionary from the order's number to the order.
fn orders(device: &Device) -> Result<()> {
    let config = Config::new().with_batch_size(1 << 12);
    let mut orders = Dictionary::<u64, Order>::with_config(device, config)?;
    assert_eq!((orders.config().batch_size(), orders.config().byte_budget()), (1 << 12, None));

    // A batch is a collection of operations, which are applied in their order, all or none.
    let mut batch: Batch<u64, Order> =
        (1..=1000).map(|number| (number, Order { cents: number as u32 * 5, things: 1 })).collect();
    batch.extend([(7, None), (8, Some(Order { cents: 1, things: 9 }))]);
    batch.delete(9);
    orders.apply(&batch)?;
    batch.clear();
    batch.insert(1001, Order { cents: 5005, things: 2 });
    orders.apply(&batch)?;

    assert_eq!(orders.get(8)?, Some(Order { cents: 1, things: 9 }));
    assert!(!orders.contains(7)? && !orders.contains(9)?);
    assert_eq!(orders.len()?, 999);
    assert_eq!(orders.count_in(..=10)?, 8);
    let (numbers, last) = orders.range_in(999..)?;
    assert_eq!((numbers, last[2].things), (vec![999, 1000, 1001], 2));

    // Old orders go; a Rust range says which.
    orders.delete_in(..900)?;
    let mut cents = 0;
    for order in &orders {
        cents += u64::from(order?.1.cents);
    }
    println!("{} orders of {cents} cents in all are left", orders.len()?);
    orders.clear()?;
    assert!(orders.is_empty()?);
    Ok(())
}

/// Columns go in as slices, arrays, vectors or boxes, by reference or by value.
fn columns(device: &Device) -> Result<()> {
    let mut prices = Dictionary::<u32, f32>::new(device)?;
    prices.insert([1, 2, 3], [0.5, 0.75, 1.0])?;
    prices.insert(vec![4, 5], &[2.0, 2.5][..])?;
    prices.insert(vec![6].into_boxed_slice(), &vec![3.0])?;
    // Inserts and deletes of one batch; what is in both is deleted.
    prices.update([1, 7], [0.6, 9.0], [2, 7])?;

    // Questions come in batches, too, and so do their answers.
    let answers = prices.lookup([1, 2, 3, 7])?;
    for (answer, asked) in answers.iter().zip([1, 2, 3, 7]) {
        match answer {
            Some(price) => println!("{asked} costs {price}"),
            None => println!("{asked} is not for sale"),
        }
    }
    assert_eq!(answers.to_vec(), [Some(0.6), None, Some(1.0), None]);
    let (found, values) = answers.into_parts();
    assert_eq!((found, values), (vec![1, 0, 1, 0], vec![0.6, 0.0, 1.0, 0.0]));
    Ok(())
}

/// Intervals, neighbours and pages.
fn pages(device: &Device) -> Result<()> {
    let keys: Vec<i64> = (-50..50).map(|i| i * 10).collect();
    let squares: Vec<i64> = keys.iter().map(|key| key * key).collect();
    let dictionary = Dictionary::build(device, Config::new(), &keys, squares)?;
    assert_eq!(dictionary.count([-20, 0], [20, 9])?, [5, 1]);
    let found = dictionary.range([-20, 470], [0, i64::MAX])?;
    for (keys, values) in &found {
        assert!(keys.iter().zip(values).all(|(key, value)| key * key == *value));
    }
    assert_eq!(found.entries().next(), Some((-20, 400)));
    let (offsets, keys, _) = found.into_parts();
    assert_eq!((offsets, keys), (vec![0, 3, 6], vec![-20, -10, 0, 470, 480, 490]));

    let mut page = dictionary.range_first([i64::MIN], [i64::MAX], 40)?;
    let mut sizes = Vec::new();
    while let Some(&last) = page.keys().last() {
        sizes.push(page.keys().len());
        page = dictionary.range_after([last], [i64::MAX], 40)?;
    }
    assert_eq!(sizes, [40, 40, 20]);
    assert_eq!(dictionary.first()?.zip(dictionary.last()?), Some(((-500, 250_000), (490, 240_100))));
    let next = dictionary.successor([1, 491])?;
    assert_eq!((next.to_vec(), next.into_parts().0), (vec![Some((10, 100)), None], vec![1, 0]));
    assert_eq!(dictionary.predecessor([-1])?.get(0), Some((-10, 100)));
    let chunks = dictionary.scan(64).collect::<Result<Vec<_>>>()?;
    assert_eq!(chunks.iter().map(|(keys, _)| keys.len()).collect::<Vec<_>>(), [64, 36]);
    Ok(())
}

/// A set: no values.
fn visits(device: &Device) -> Result<()> {
    let mut visited = Dictionary::build_set(device, Config::new(), [(1u32, 20u32), (1, 21), (2, 20)])?;
    visited.insert_keys([(3, 22)])?;
    let mut batch = Batch::with_capacity(2);
    batch.insert_key((2, 23));
    batch.delete((1, 20));
    visited.apply(&batch)?;
    // All visits of customer 2: pairs are ordered by their first number, then by their second.
    assert_eq!(visited.range_in((2, 0)..(3, 0))?.0, [(2, 20), (2, 23)]);
    Ok(())
}

/// Points, and keys that are already on the device.
fn deliveries(device: &Device) -> Result<()> {
    let points: Vec<Morton> = (0..100).map(|i| Morton { x: i % 10, y: i / 10 }).collect();
    let there = device.upload_keys(&points)?;
    let set = Dictionary::<Morton, ()>::build_set(device, Config::new(), there)?;
    let inside = set.rectangles(&[Morton { x: 2, y: 3 }], &[Morton { x: 4, y: 4 }])?;
    assert_eq!(inside.keys().len(), 6);
    Ok(())
}

/// Results that stay on the device go into the next call without a copy.
fn left_on_the_device(device: &Device) -> Result<()> {
    let keys = device.upload(&(0..1000).collect::<Vec<u32>>())?;
    let mut dictionary = Dictionary::<u32, u32>::build(device, Config::new(), &keys, &keys)?;
    let (_, old, _) = dictionary.on_device().range([0], [499])?.into_parts();
    assert_eq!(old.len(), 500);
    dictionary.delete(old.slice(..400)?)?;
    let (found, values) = dictionary.on_device().lookup(&keys)?.into_parts();
    assert_eq!(found.read()?.iter().sum::<u32>(), 600);
    assert_eq!(values.read_first(401)?[400], 400);
    Ok(())
}

/// Snapshots stay as they are; forks go their own way.
fn forks(device: &Device) -> Result<()> {
    let mut stock = Dictionary::build(device, Config::new(), [1u32, 2], [10u32, 20])?;
    let yesterday: Snapshot<u32, u32> = stock.snapshot();
    stock.insert([1], [11])?;
    let mut plan = stock.clone();
    plan.insert([3], [30])?;
    let mut other_plan = yesterday.fork();
    other_plan.delete([2])?;
    let lens = [yesterday.len()?, stock.len()?, plan.len()?, other_plan.len()?];
    assert_eq!(lens, [2, 2, 3, 1]);
    assert_eq!((yesterday.get(1)?, stock.get(1)?), (Some(10), Some(11)));
    assert_eq!(plan.device(), *device);
    plan.verify()
}

/// What cannot be done is an error, and the dictionary stays as it was.
fn limits(device: &Device) -> Result<()> {
    let config = Config::new().with_batch_size(64).with_byte_budget(50_000);
    let mut small = Dictionary::<u32, u32>::with_config(device, config)?;
    small.insert([1], [1])?;
    let many: Vec<u32> = (0..100_000).collect();
    let error = small.insert(&many, &many).expect_err("it is more than the budget");
    println!("as it should be: {error}");
    assert_eq!(small.len()?, 1);
    let error = small.insert([1, 2], [1]).expect_err("a value is missing");
    assert_eq!(error, Error::UnequalColumns { keys: 2, values: 1 });
    small.set_byte_budget(None)?;
    small.insert(&many, &many)?;
    println!("{} entries on {} levels", small.len()?, small.statistics().levels.len());
    Ok(())
}
