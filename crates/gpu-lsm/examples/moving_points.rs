//! Points that move on a plane: each step moves all of them, and rectangle queries find the points in a region.
//!
//! ```text
//! cargo run --release -p gpu-lsm --example moving_points -- gpu
//! ```
//!
//! A point is a key, ordered by its Morton code. So points near each other mostly have keys near each other, and a
//! rectangle is a few ranges of keys. A step deletes the old positions and inserts the new ones.

use gpu_lsm::{Device, Dictionary, Morton};

const POINTS: usize = 20_000;
/// The width and the height of the plane.
const SIDE: u32 = 1 << 16;
/// The number of columns in the picture. It has half as many rows.
const COLUMNS: u32 = 48;

fn main() -> gpu_lsm::Result<()> {
    let device: Device = std::env::args().nth(1).unwrap_or("auto".into()).parse()?;
    eprintln!("on {}", device.name());
    let mut swarm = Dictionary::<Morton, u32>::new(&device)?;
    let ids: Vec<u32> = (0..POINTS as u32).collect();
    let mut places: Vec<Morton> = ids.iter().map(|&id| place(id, 0)).collect();
    swarm.insert(&places, &ids)?;
    for step in 1..=3 {
        let moved: Vec<Morton> = ids.iter().map(|&id| place(id, step)).collect();
        // Two calls, not one: in one batch, a delete of a position would win over an insert there.
        swarm.delete(&places)?;
        swarm.insert(&moved, &ids)?;
        places = moved;
        // A gate to the right of the centre, which the rotating rings pass through.
        let gate = Morton { x: SIDE / 2, y: SIDE / 2 };
        let inside = swarm.rectangles(&[gate], &[Morton { x: SIDE - 1, y: SIDE / 2 + 999 }])?;
        let lowest = inside.values().iter().min();
        println!(
            "step {step}: {} points, {} of them in the gate, the lowest number {lowest:?}",
            swarm.len()?,
            inside.values().len()
        );
    }
    print_density(&swarm)
}

/// The position of a point after some steps: on one of three rotating rings.
fn place(id: u32, step: u32) -> Morton {
    let scattered = id.wrapping_mul(0x9E37_79B9);
    let radius = f64::from(SIDE) * (0.15 * f64::from(1 + id % 3) + f64::from(scattered >> 20) * 1e-5);
    let angle = f64::from(scattered) * 1.5e-9 + f64::from(step) * 0.1;
    let on_axis =
        |offset: f64| (f64::from(SIDE / 2) + radius * offset).clamp(0.0, f64::from(SIDE - 1)) as u32;
    Morton { x: on_axis(angle.cos()), y: on_axis(angle.sin()) }
}

/// Draws the number of points in each cell, with one batch of rectangles.
fn print_density(swarm: &Dictionary<Morton, u32>) -> gpu_lsm::Result<()> {
    let (width, height) = (SIDE / COLUMNS, SIDE / (COLUMNS / 2));
    let cells = (0..COLUMNS / 2).rev().flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    let lower: Vec<Morton> =
        cells.map(|(column, row)| Morton { x: column * width, y: row * height }).collect();
    let upper: Vec<Morton> =
        lower.iter().map(|cell| Morton { x: cell.x + width - 1, y: cell.y + height - 1 }).collect();
    let found = swarm.rectangles(&lower, &upper)?;
    let shades: Vec<char> =
        found.iter().map(|(points, _)| b" .:+*#@"[(points.len() / 9).min(6)] as char).collect();
    for row in shades.chunks(COLUMNS as usize) {
        println!("{}", row.iter().collect::<String>().trim_end());
    }
    Ok(())
}
