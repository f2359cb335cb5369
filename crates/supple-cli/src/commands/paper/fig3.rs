//! Fig. 3: a soft St. Venant–Kirchhoff body recovers from having its nodes collapsed to a point, or strewn at random.
use std::collections::BTreeSet;

use miette::{IntoDiagnostic, miette};
use serde_json::json;
use supple::energy::check::Random;
use supple::math::polar::polar;
use supple::math::small::{mul_vec, transpose};
use supple::mesh::TetMesh;
use supple::{Material, MaterialKind, Scene, Settings, Simulation, SolveSettings};

use super::Context;
use super::bodies::{Figure, Model};
use super::page::{Claim, Section, picture};
use crate::picture::{Camera, Colour, Drawable, Image, Scene3, palette, render};

/// Iterations per frame of Table 1.
pub(super) const ITERATIONS: usize = 10;
/// What counts as recovered: edges as long as at rest, within this, on average.
const RECOVERED: f64 = 0.05;

/// The body, free in space.
pub(super) fn simulation(c: &Context, mesh: &TetMesh) -> miette::Result<Simulation> {
    let mut settings = Settings::published();
    settings.world.gravity = [0.0; 3];
    settings.solve = SolveSettings {
        iterations: ITERATIONS,
        tolerance: 0.0,
        threads: c.threads,
        ..SolveSettings::published()
    };
    let mut scene = Scene::new(settings);
    let soft = Material::new(MaterialKind::StVenantKirchhoff, 1e4, 0.3).map_err(|e| miette!("{e}"))?;
    scene.add_solid("hare", mesh.clone(), soft, 1000.0).into_diagnostic()?;
    scene.build().into_diagnostic()
}

/// All nodes at one point.
fn collapsed(mesh: &TetMesh) -> Vec<[f64; 3]> {
    vec![[0.0, 0.4, 0.0]; mesh.vertices().len()]
}

/// All nodes at random in the box around the body.
pub(super) fn strewn(mesh: &TetMesh) -> Vec<[f64; 3]> {
    let mut random = Random(7);
    let mut point = || [random.between(-0.35, 0.35), random.between(0.0, 1.0), random.between(-0.45, 0.4)];
    mesh.vertices().iter().map(|_| point()).collect()
}

/// Root mean square of the edges' changes of length, relative to their lengths.
fn shape_error(mesh: &TetMesh, x: &[[f64; 3]]) -> f64 {
    let mut edges = BTreeSet::new();
    for t in mesh.tets() {
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            edges.insert((t[a].min(t[b]), t[a].max(t[b])));
        }
    }
    let length = |p: &[[f64; 3]], (a, b): (u32, u32)| {
        (0..3).map(|c| (p[a as usize][c] - p[b as usize][c]).powi(2)).sum::<f64>().sqrt()
    };
    let (mut off, mut all) = (0.0, 0.0);
    for &e in &edges {
        let rest = length(mesh.vertices(), e);
        off += (length(x, e) - rest).powi(2);
        all += rest * rest;
    }
    (off / all).sqrt()
}

/// Runs both starts and draws them.
pub(super) fn section(c: &Context) -> miette::Result<Section> {
    let model = Figure::Hare.model(c.surface.as_ref())?;
    let mesh = &model.mesh;
    let frames = if c.quick { 200 } else { 600 };
    let still = vec![[0.0; 3]; mesh.vertices().len()];
    let (mut claims, mut rows, mut shots) = (Vec::new(), Vec::new(), Vec::new());
    for (name, words, start) in [
        ("collapsed", "collapsed to a point", collapsed(mesh)),
        ("random", "at random places of its box", strewn(mesh)),
    ] {
        let mut simulation = simulation(c, mesh)?;
        simulation.set_state(&start, &still).into_diagnostic()?;
        let (mut row, mut back) = (vec![start], None);
        let mut inverted = 0;
        for frame in 1..=frames {
            inverted = simulation.step().into_diagnostic()?.inverted;
            if [5, 20, frames].contains(&frame) {
                row.push(simulation.positions());
            }
            let whole = inverted == 0 && shape_error(mesh, &simulation.positions()) <= RECOVERED;
            back = if whole { back.or(Some(frame)) } else { None };
        }
        let error = shape_error(mesh, &simulation.positions());
        claims.push(Claim::new(
            format!("A soft St. Venant–Kirchhoff body recovers from having all its nodes {words}"),
            "it does (pictures)",
            match back {
                Some(frame) => format!("back in shape after {frame} frames of {ITERATIONS} iterations: edges within {:.1e}, none inverted", error),
                None => format!("not in {frames} frames of {ITERATIONS} iterations: edges off by {error:.1e}, {inverted} elements inverted"),
            },
            Some(back.is_some()),
        ));
        rows.push(json!({ "start": name, "recovered_after_frames": back, "shape_error": error, "inverted": inverted }));
        shots.push(row);
    }
    let html = picture(
        &draw(&model, &shots),
        "From left to right: the start, and after 5, 20 and all frames, turned upright. Above collapsed to a point (which is not seen), below strewn at random.",
    )?;
    let data = json!({ "nodes": mesh.vertices().len(), "elements": mesh.tets().len(), "frames": frames, "starts": rows });
    Ok(Section {
        id: "fig3",
        title: "Fig. 3: recovery from collapsed and random nodes".into(),
        claims,
        html,
        data,
    })
}

/// The shape moved and turned as close as it gets to the body at rest: free in space, it turns as it likes.
fn upright(mesh: &TetMesh, shot: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mean = |x: &[[f64; 3]]| -> [f64; 3] {
        std::array::from_fn(|c| x.iter().map(|p| p[c]).sum::<f64>() / x.len() as f64)
    };
    let (here, rest) = (mean(shot), mean(mesh.vertices()));
    let mut moment = [[0.0; 3]; 3];
    for (p, q) in shot.iter().zip(mesh.vertices()) {
        for c in 0..3 {
            for r in 0..3 {
                moment[c][r] += (p[r] - here[r]) * (q[c] - rest[c]);
            }
        }
    }
    let back = transpose(&polar(&moment).r);
    shot.iter().map(|p| mul_vec(&back, std::array::from_fn(|c| p[c] - here[c]))).collect()
}

fn draw(model: &Model, shots: &[Vec<Vec<[f64; 3]>>]) -> Image {
    let mut scene = Scene3::default();
    for (row, list) in shots.iter().enumerate() {
        for (i, shot) in list.iter().enumerate() {
            let turned = model.drawn(&upright(&model.mesh, shot));
            let at = [1.1 * i as f64, 1.15 * (1.0 - row as f64), 0.0];
            scene.meshes.push(Drawable {
                positions: turned.iter().map(|p| std::array::from_fn(|c| p[c] + at[c])).collect(),
                triangles: model.triangles.clone(),
                colour: Colour::Uniform(palette::body(row)),
                two_sided: true,
                crease: 2.0,
                ..Drawable::default()
            });
        }
    }
    let camera = Camera::fit_from(&scene.bounds(), 1.9, [0.5, 0.15, 1.0]);
    let mut image = Image::default();
    render(&scene, &camera, 1100, 580, &mut image);
    image
}
