//! What a picture costs.
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::picture::{Camera, Drawable, Image, Scene3, render};

/// Width and height, the defaults of a run.
const SIZE: [u32; 2] = [960, 540];

/// Pictures of a body.
#[derive(Debug, Clone, Serialize)]
pub struct Picture {
    /// What is drawn.
    pub name: &'static str,
    /// Its triangles.
    pub triangles: usize,
    /// Threads.
    pub threads: usize,
    /// Milliseconds of the fastest picture, and of half of them at most.
    pub least_ms: f64,
    /// See `least_ms`.
    pub median_ms: f64,
}

/// A lumpy ball of 2·n² triangles.
fn ball(n: u32) -> Drawable {
    let mut body = Drawable::default();
    let turn = std::f64::consts::TAU / f64::from(n);
    for i in 0..=n {
        let (a, y) = (0.5 * f64::from(i) * turn, (0.5 * f64::from(i) * turn).cos());
        for j in 0..n {
            let b = f64::from(j) * turn;
            let r = 1.0 + 0.12 * (5.0 * b).sin() * a.sin() + 0.1 * (7.0 * a).cos();
            body.positions.push([r * a.sin() * b.cos(), r * y + 1.3, r * a.sin() * b.sin()]);
        }
    }
    for i in 0..n {
        for j in 0..n {
            let k = (j + 1) % n;
            let [a, b, c, d] = [i * n + j, i * n + k, (i + 1) * n + k, (i + 1) * n + j];
            body.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    body
}

/// A rippled sheet of 2·n² triangles.
fn sheet(n: u32) -> Drawable {
    let mut body = Drawable { two_sided: true, sheet: Some(0.004), ..Drawable::default() };
    for i in 0..=n {
        for j in 0..=n {
            let (x, z) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            body.positions.push([x, 0.3 + 0.06 * (17.0 * x).sin() * (9.0 * z).cos(), z]);
        }
    }
    for i in 0..n {
        for j in 0..n {
            let a = i * (n + 1) + j;
            body.triangles.extend([[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
        }
    }
    body
}

/// Draws each thing for a while, on one thread and on all.
pub fn measure(quick: bool) -> Vec<Picture> {
    let most = Duration::from_millis(if quick { 300 } else { 1500 });
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut list = Vec::new();
    for (name, body) in [("ball", ball(71)), ("sheet", sheet(71)), ("coarse sheet", sheet(20))] {
        let triangles = body.triangles.len();
        let scene = Scene3 { meshes: vec![body], floor: Some(0.0), ..Scene3::default() };
        let [width, height] = SIZE;
        let camera = Camera::fit(&scene.bounds(), f64::from(width) / f64::from(height));
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            let mut image = Image::default();
            let mut times = Vec::new();
            let begun = Instant::now();
            while times.len() < 3 || begun.elapsed() < most {
                let start = Instant::now();
                pool.install(|| render(&scene, &camera, width, height, &mut image));
                times.push(1e3 * start.elapsed().as_secs_f64());
            }
            times.sort_by(f64::total_cmp);
            let at = |k: usize| times.get(k).copied().unwrap_or(f64::NAN);
            let (least_ms, median_ms) = (at(0), at(times.len() / 2));
            list.push(Picture { name, triangles, threads, least_ms, median_ms });
        }
    }
    list
}

/// As a table.
pub fn table(list: &[Picture]) -> String {
    let mut text = format!("pictures of {} by {}, ms: least, median\n", SIZE[0], SIZE[1]);
    for p in list {
        let Picture { name, triangles, threads, least_ms, median_ms } = p;
        text += &format!(
            "  {name:<14}{triangles:>7} triangles {threads:>3} thr {least_ms:>8.1} {median_ms:>8.1}\n"
        );
    }
    text
}
