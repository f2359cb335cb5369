//! Draws a twisted bar, a ball and a cloth: `cargo run --release -p supple-cli --example picture -- out`.
use std::error::Error;
use std::f64::consts::PI;
use std::io::Write;
use std::time::Instant;

use supple_cli::export::apng::write_apng;
use supple_cli::export::gif::write_gif;
use supple_cli::export::png::write_png;
use supple_cli::picture::{
    Ball, Bounds, Camera, Colour, Drawable, Image, Label, Legend, Look, Rod, Scene3, Wire, palette, render,
};
use supple_files::output::OutputDir;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out".to_owned());
    let out = OutputDir::create(folder, true)?;
    let mut image = Image::default();
    let mut log = std::io::stdout();

    for (name, scene) in [
        ("bar.png", bar_scene(1.2 * PI)),
        ("bodies.png", bodies_scene()),
        ("cloth.png", cloth_scene(0.7)),
        ("dark.png", Scene3 { look: Look::DARK, ..bodies_scene() }),
    ] {
        let camera = Camera::fit(&scene.bounds(), 16.0 / 9.0);
        render(&scene, &camera, 960, 540, &mut image);
        let best = (0..7)
            .map(|_| {
                let start = Instant::now();
                render(&scene, &camera, 960, 540, &mut image);
                start.elapsed().as_secs_f64() * 1e3
            })
            .fold(f64::INFINITY, f64::min);
        let triangles: usize = scene.meshes.iter().map(|m| m.triangles.len()).sum();
        writeln!(log, "{name}: {triangles} triangles, {best:.1} ms")?;
        out.write(name, |file| write_png(file, &image))?;
    }

    // A movie, the camera fitted to all of it.
    let scenes: Vec<Scene3> =
        (0..48).map(|k| bar_scene(1.2 * PI * (2.0 * PI * k as f64 / 48.0).sin())).collect();
    let mut bounds = Bounds::EMPTY;
    for scene in &scenes {
        bounds.join(&scene.bounds());
    }
    let camera = Camera::fit(&bounds, 16.0 / 9.0);
    let frames: Vec<Image> = scenes
        .iter()
        .map(|scene| {
            let mut frame = Image::default();
            render(scene, &camera, 640, 360, &mut frame);
            frame
        })
        .collect();
    let start = Instant::now();
    let gif = out.write("bar.gif", |file| write_gif(file, &frames, 24.0))?;
    writeln!(log, "{}: {} kB, {:.2?}", gif.display(), gif.metadata()?.len() / 1000, start.elapsed())?;
    let start = Instant::now();
    let apng = out.write("bar.apng", |file| write_apng(file, &frames, 24.0))?;
    writeln!(log, "{}: {} kB, {:.2?}", apng.display(), apng.metadata()?.len() / 1000, start.elapsed())?;
    Ok(())
}

/// A bar of hexahedra, twisted by `angle`, coloured by its twist.
fn bar_scene(angle: f64) -> Scene3 {
    let n = [56, 14, 14];
    let size = [4.0, 1.0, 1.0];
    let (mut positions, triangles) = box_surface(n, size);
    let mut strain = Vec::new();
    for p in &mut positions {
        let s = p[0] / size[0];
        let (y, z) = (p[1] - 0.5, p[2] - 0.5);
        let turn = angle * s * s * (3.0 - 2.0 * s);
        let (sin, cos) = turn.sin_cos();
        strain.push((angle * 6.0 * s * (1.0 - s)).abs() / 4.0 * y.hypot(z));
        *p = [p[0], 0.85 + y * cos - z * sin, y * sin + z * cos];
    }
    let body = Drawable {
        colour: Colour::PerVertex(palette::scalars(&strain, 0.0, 1.0)),
        wire: Wire::Quads,
        positions,
        triangles,
        ..Drawable::default()
    };
    let (wall, faces) = box_surface([1, 1, 1], [0.12, 1.7, 1.7]);
    let plate = |x: f64| Drawable {
        positions: wall.iter().map(|p| [p[0] + x, p[1], p[2] - 0.85]).collect(),
        triangles: faces.clone(),
        colour: Colour::Uniform(palette::body(7)),
        ..Drawable::default()
    };
    Scene3 {
        meshes: vec![body, plate(-0.12), plate(4.0)],
        floor: Some(0.0),
        caption: Some(format!("Twisted bar, {:.0}°", angle.to_degrees())),
        legend: Some(Legend { title: "shear strain".to_owned(), low: 0.0, high: 1.0 }),
        ..Scene3::default()
    }
}

/// Two bodies, a pin, a spring.
fn bodies_scene() -> Scene3 {
    let ball = |centre: [f64; 3], radius: f64, colour: usize| Drawable {
        colour: Colour::Uniform(palette::body(colour)),
        ..sphere(centre, radius, 100)
    };
    let (positions, triangles) = box_surface([10, 10, 10], [0.9, 0.9, 0.9]);
    let cube = Drawable {
        positions: positions.iter().map(|p| [p[0] + 1.05, p[1], p[2] - 0.6]).collect(),
        triangles,
        colour: Colour::Uniform(palette::body(1)),
        wire: Wire::Quads,
        ..Drawable::default()
    };
    let mut rods = Vec::new();
    let coil =
        |t: f64| [2.6 + 0.16 * (t * 9.0 * PI).cos(), 0.55 + 1.1 * t, 0.3 + 0.16 * (t * 9.0 * PI).sin()];
    for k in 0..120 {
        let (a, b) = (f64::from(k) / 120.0, f64::from(k + 1) / 120.0);
        rods.push(Rod { from: coil(a), to: coil(b), radius: 0.025, colour: palette::body(7) });
    }
    Scene3 {
        meshes: vec![
            ball([0.0, 0.7, 0.0], 0.7, 0),
            cube,
            ball([0.75, 0.3, 0.8], 0.3, 2),
            ball([2.6, 0.3, 0.3], 0.3, 3),
        ],
        balls: vec![Ball { centre: coil(1.0), radius: 0.06, colour: palette::body(4) }],
        rods,
        floor: Some(0.0),
        caption: Some("Bodies, a spring and a pin: E = 2.5e5 Pa, ν = 0.45, 10 kg/m³".to_owned()),
        labels: vec![Label { at: coil(1.0), text: "pin".to_owned() }],
        ..Scene3::default()
    }
}

/// A cloth over a ball.
fn cloth_scene(radius: f64) -> Scene3 {
    let n = 100_u32;
    let mut positions = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (x, z) = (3.0 * f64::from(i) / f64::from(n) - 1.5, 3.0 * f64::from(j) / f64::from(n) - 1.5);
            let (r, a) = (x.hypot(z), z.atan2(x));
            // Over the ball, then down in folds.
            let theta = (r / radius).min(1.35);
            let over = (r - 1.35 * radius).max(0.0);
            let fold = 0.17 * over.powf(0.8) * (8.0 * a).cos();
            let out = radius * theta.sin() + over * 0.32 + fold;
            let y = 0.98 + radius * theta.cos() - 0.93 * over;
            positions.push([out * a.cos(), y, out * a.sin()]);
        }
    }
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            triangles.extend([
                [at(i, j), at(i, j + 1), at(i + 1, j + 1)],
                [at(i, j), at(i + 1, j + 1), at(i + 1, j)],
            ]);
        }
    }
    let cloth = Drawable {
        positions,
        triangles,
        two_sided: true,
        crease: 2.0,
        colour: Colour::Uniform(palette::body(3)),
        ..Drawable::default()
    };
    Scene3 { meshes: vec![cloth], floor: Some(0.0), ..Scene3::default() }
}

fn sphere(centre: [f64; 3], radius: f64, sides: u32) -> Drawable {
    let rings = sides / 2;
    let mut positions = Vec::new();
    for ring in 0..=rings {
        let (s, c) = (PI * f64::from(ring) / f64::from(rings)).sin_cos();
        for side in 0..sides {
            let (sin, cos) = (2.0 * PI * f64::from(side) / f64::from(sides)).sin_cos();
            positions.push([
                centre[0] + radius * s * sin,
                centre[1] + radius * c,
                centre[2] + radius * s * cos,
            ]);
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let (a, b) = (ring * sides + side, ring * sides + (side + 1) % sides);
            triangles.extend([[a, a + sides, b + sides], [a, b + sides, b]]);
        }
    }
    Drawable { positions, triangles, ..Drawable::default() }
}

/// Surface of a box of n[0] × n[1] × n[2] cells; edges are shared, so that only the crease angle keeps them sharp.
fn box_surface(n: [u32; 3], size: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut index = std::collections::BTreeMap::new();
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut vertex = |g: [u32; 3]| {
        *index.entry(g).or_insert_with(|| {
            positions.push([0, 1, 2].map(|k| size[k] * f64::from(g[k]) / f64::from(n[k])));
            positions.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, n[axis]] {
            for i in 0..n[u] {
                for j in 0..n[v] {
                    let mut corner = |di: u32, dj: u32| {
                        let mut g = [0; 3];
                        (g[axis], g[u], g[v]) = (side, i + di, j + dj);
                        vertex(g)
                    };
                    let q = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if side == 0 {
                        triangles.extend([[q[0], q[2], q[1]], [q[0], q[3], q[2]]]);
                    } else {
                        triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                    }
                }
            }
        }
    }
    (positions, triangles)
}
