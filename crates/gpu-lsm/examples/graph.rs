//! A changing graph: edges come and go at each step, and a search spreads from a vertex along the current edges.
//!
//! ```text
//! cargo run --release -p gpu-lsm --example graph -- gpu
//! ```
//!
//! An edge (source, target) is a key, so the neighbours of a vertex are one range, and those of a whole frontier are
//! one batch of ranges. The result is the adjacency in CSR form.

use gpu_lsm::{Device, Dictionary};

const VERTICES: u32 = 20_000;

/// The dictionary is a set: an edge has no value.
type Edges = Dictionary<(u32, u32), ()>;

fn main() -> gpu_lsm::Result<()> {
    let device: Device = std::env::args().nth(1).unwrap_or("auto".into()).parse()?;
    eprintln!("on {}", device.name());
    let mut edges = Edges::new(&device)?;
    let mut random = 1u64;
    let mut vertex = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((random >> 33) as u32) % VERTICES
    };
    for step in 1..=5 {
        let added: Vec<(u32, u32)> = (0..40_000).map(|_| (vertex(), vertex())).collect();
        // Every vertex of one tenth of the graph loses all its edges.
        let first = VERTICES / 10 * step;
        edges.insert(&added, &vec![(); added.len()])?;
        edges.delete_range(&[(first, 0)], &[(first + VERTICES / 10 - 1, u32::MAX)])?;
        let layers = layers_from(&edges, 0)?;
        let reached: usize = layers.iter().sum();
        println!(
            "step {step}: {:>6} edges, {reached:>5} vertices reached, by distance {layers:?}",
            edges.len()?
        );
    }
    Ok(())
}

/// The number of vertices that are 0, 1, 2, ... edges away from `start`.
fn layers_from(edges: &Edges, start: u32) -> gpu_lsm::Result<Vec<usize>> {
    let mut seen = vec![false; VERTICES as usize];
    seen[start as usize] = true;
    let mut frontier = vec![start];
    let mut layers = Vec::new();
    while !frontier.is_empty() {
        layers.push(frontier.len());
        let lower: Vec<(u32, u32)> = frontier.iter().map(|&vertex| (vertex, 0)).collect();
        let upper: Vec<(u32, u32)> = frontier.iter().map(|&vertex| (vertex, u32::MAX)).collect();
        let neighbours = edges.range(&lower, &upper)?;
        let targets = neighbours.keys().iter().map(|&(_, target)| target);
        frontier = targets.filter(|&target| !std::mem::replace(&mut seen[target as usize], true)).collect();
    }
    Ok(layers)
}
