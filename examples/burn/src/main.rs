//! Prices by article, in Burn's tensors: tensor operations compute keys and values, a dictionary takes them, and tensor
//! operations go on with what it finds. Nothing is copied to or from the host, or on the device, between the two.
//!
//! `just burn [DEVICE]`

use burn::backend::Cube;
use burn::backend::wgpu::CubeTensor;
use burn::tensor::{DType, Int, Shape, Tensor};
use burn_cubecl::kernel::into_contiguous;
use gpu_lsm::{Buffer, Device, Dictionary, Value, interop};
use std::collections::BTreeMap;
use std::error::Error;

const SALES: i64 = 200_000;
const ARTICLES: i32 = 60_013;

fn main() -> Result<(), Box<dyn Error>> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "gpu".into()).parse()?;
    let burn = burn::tensor::Device::new(interop::engine_device(&device)?);
    println!("{SALES} sales on {}", device.name());

    // Which article each sale is of, and for how much. The last sale of an article sets its price.
    let sales = Tensor::<1, Int>::arange(0..SALES, &burn);
    let articles = (sales.clone() * 7919) % ARTICLES - 1000;
    let prices = sales.float().sqrt() + 0.5;
    let mut price_list = Dictionary::<i32, f32>::new(&device)?;
    price_list.insert(ints(&device, &articles)?, floats(&device, &prices)?)?;

    // An order of articles, of which some have never been sold.
    let order = Tensor::<1, Int>::arange(0..50_000, &burn) * 3 - 20_000;
    let (found, found_prices) = price_list.on_device().lookup(ints(&device, &order)?)?.into_parts();
    let found = Tensor::<1, Int>::from_primitive::<Cube>(tensor(&device, &found, DType::U32)?);
    let found_prices = Tensor::<1>::from_primitive::<Cube>(tensor(&device, &found_prices, DType::F32)?);
    let costs = (found_prices * 1.5).mask_fill(found.equal_elem(0), -1.0);

    let traffic = price_list.statistics().traffic;
    println!("{} bytes uploaded, {} read back: the number of articles", traffic.uploaded, traffic.downloaded);
    assert_eq!((traffic.uploaded, traffic.downloaded), (0, 4));

    // Only now are tensors read, to be compared with what a map on the host says.
    let articles: Vec<i32> = articles.into_data().try_into_vec()?;
    let prices: Vec<f32> = prices.into_data().try_into_vec()?;
    let expected: BTreeMap<i32, f32> = articles.into_iter().zip(prices).collect();
    let order: Vec<i32> = order.into_data().try_into_vec()?;
    let costs: Vec<f32> = costs.into_data().try_into_vec()?;
    for (article, cost) in order.iter().zip(&costs) {
        let price = expected.get(article);
        assert_eq!(*cost, price.map_or(-1.0, |price| price * 1.5), "article {article}");
    }
    let sold = order.iter().filter(|article| expected.contains_key(article)).count();
    println!("{} articles have a price, {sold} of {} ordered ones among them", expected.len(), order.len());
    assert!(0 < sold && sold < order.len(), "the order has articles of both kinds");
    assert_eq!(price_list.len()?, expected.len() as u64);
    Ok(())
}

fn ints(device: &Device, tensor: &Tensor<1, Int>) -> Result<Buffer<i32>, Box<dyn Error>> {
    let tensor = tensor.clone().try_into_primitive::<Cube>().map_err(|error| format!("{error:?}"))?;
    assert_eq!(tensor.dtype, DType::I32);
    buffer(device, tensor)
}

fn floats(device: &Device, tensor: &Tensor<1>) -> Result<Buffer<f32>, Box<dyn Error>> {
    let tensor = tensor.clone().try_into_primitive::<Cube>().map_err(|error| format!("{error:?}"))?;
    assert_eq!(tensor.dtype, DType::F32);
    buffer(device, tensor)
}

/// A tensor's memory as a buffer. Only a view, such as a transposed tensor, is copied.
fn buffer<T: Value>(device: &Device, tensor: CubeTensor) -> Result<Buffer<T>, Box<dyn Error>> {
    let tensor = into_contiguous(tensor);
    let length = tensor.meta.shape().num_elements();
    Ok(interop::buffer(device, tensor.handle, length)?)
}

/// A buffer's memory as a tensor.
fn tensor<T: Value>(device: &Device, buffer: &Buffer<T>, dtype: DType) -> Result<CubeTensor, Box<dyn Error>> {
    let (client, engine) = (interop::client(device)?, interop::engine_device(device)?);
    let shape = Shape::new([buffer.len()]);
    Ok(CubeTensor::new_contiguous(client, engine, shape, interop::handle(buffer)?, dtype))
}
