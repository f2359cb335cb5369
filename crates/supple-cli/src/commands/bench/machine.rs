//! Clock and memory of the machine, measured in the run that uses them.
use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use supple::math::lane::{Kernel, backend, dispatch};
use supple::math::real::Real;

/// What the machine can do.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Clock in GHz while busy, from a chain of dependent multiply-adds (4 cycles each).
    pub ghz: f64,
    /// Read bandwidth in GB/s on all threads.
    pub read_gbs: f64,
    /// Read bandwidth in GB/s on one thread.
    pub read_gbs_1: f64,
    /// Hardware threads.
    pub threads: usize,
    /// The lanes that kernels use.
    pub lanes: &'static str,
}

/// A chain of `n` multiply-adds, each of which waits for the one before.
struct Chain(usize);

impl Kernel for Chain {
    type Out = f64;
    #[inline(always)]
    fn run<R: Real>(self) -> f64 {
        let (a, b) = (R::splat(black_box(0.999_999)), R::splat(black_box(1e-6)));
        let mut x = R::splat(1.0);
        for _ in 0..self.0 {
            x = x.madd(a, b);
        }
        x.lane(0)
    }
}

/// Sums an array.
struct Sum<'a>(&'a [supple::math::real::Block]);

impl Kernel for Sum<'_> {
    type Out = f64;
    #[inline(always)]
    fn run<R: Real>(self) -> f64 {
        let mut s = [R::zero(); 8];
        for eight in self.0.chunks_exact(8) {
            for i in 0..8 {
                for lane in (0..8).step_by(R::LANES) {
                    s[i] += R::load(&eight[i], lane);
                }
            }
        }
        let mut total = 0.0;
        for v in s {
            total += v.lane(0);
        }
        total
    }
}

/// Fewest seconds of several runs.
pub fn fastest(repeats: usize, mut f: impl FnMut()) -> f64 {
    (0..repeats)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Measures the machine.
pub fn measure(quick: bool) -> Machine {
    let repeats = if quick { 5 } else { 15 };
    let links = 2_000_000;
    // On lanes without a fused instruction a link is a product and a sum: 3–4 cycles each.
    let cycles = if backend().contains("fma") { 4.0 } else { 7.0 };
    let seconds = fastest(repeats, || {
        black_box(dispatch(Chain(black_box(links))));
    });
    let ghz = cycles * links as f64 / seconds / 1e9;

    let blocks = if quick { 1 << 21 } else { 1 << 22 }; // 128 or 256 MiB: beyond any cache
    let data = vec![supple::math::real::Block([1.0; 8]); blocks];
    let bytes = (64 * blocks) as f64;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let one = fastest(repeats, || {
        black_box(dispatch(Sum(black_box(&data))));
    });
    let all = fastest(repeats, || {
        black_box(data.par_chunks(blocks / (8 * threads)).map(|part| dispatch(Sum(part))).sum::<f64>());
    });
    Machine {
        ghz,
        read_gbs: bytes / all.min(one) / 1e9,
        read_gbs_1: bytes / one / 1e9,
        threads,
        lanes: backend(),
    }
}
