//! Fig. 5: a horse falls through cylinders: once as in the paper, its nodes projected out of the obstacles, and once with exact contact.
use miette::{IntoDiagnostic, miette};
use serde_json::json;
use supple::scene::{Asset, Program};
use supple_files::load::Loaded;

use super::Context;
use super::bodies::{Figure, Model};
use super::page::{Claim, Section, paragraph, picture};
use crate::picture::{Camera, Colour, Drawable, Image, Scene3, palette, render};

/// No node may be deeper in an obstacle with exact contact, as a share of the body's extent.
const DEEP: f64 = 1e-6;
/// Iterations per frame, as in the paper.
const ITERATIONS: usize = 13;
/// Frames of 1/25 s.
const FRAMES: usize = 75;

/// The scene: the body above three cylinders and a floor. The paper's material is that of projective dynamics.
const SCENE: &str = r#"
version = 1

[time]
dt = 0.04

[[body]]
name = "horse"
mesh = "figure"
material = { kind = "arap", young = 1e5, poisson = 0.3, density = 1000.0 }
translate = [0.0, 2.2, 0.0]

[[obstacle]]
name = "left"
shape = { kind = "cylinder", from = [-0.35, 1.7, -1.2], to = [-0.35, 1.7, 1.2], radius = 0.12 }

[[obstacle]]
name = "right"
shape = { kind = "cylinder", from = [0.35, 1.5, -1.2], to = [0.35, 1.5, 1.2], radius = 0.12 }

[[obstacle]]
name = "lower"
shape = { kind = "cylinder", from = [-1.2, 0.7, 0.0], to = [1.2, 0.7, 0.0], radius = 0.12 }

[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
"#;

/// The horse above the cylinders, solved as in the paper, or exactly.
pub(super) fn program(c: &Context, model: &Model, published: bool) -> miette::Result<Program> {
    let mut set = vec![format!("solve.threads={}", c.threads), "solve.method=admm".into()];
    if published {
        let own = [
            format!("solve.iterations={ITERATIONS}"),
            "solve.tolerance=0".into(),
            "solve.contact=local".into(),
        ];
        set.extend(own);
    }
    let loaded = Loaded::parse("fig5", SCENE.into(), None, &set).map_err(|e| miette!("{}", e.0))?;
    let (vertices, tets) = (model.mesh.vertices().to_vec(), model.mesh.tets().to_vec());
    let asset = Asset { vertices, tets, fill: model.mesh.fill().to_vec(), ..Asset::default() };
    Program::new(&loaded.file, &mut |_| Ok(asset.clone())).map_err(|e| miette!("{e}"))
}

/// What happened in a fall.
struct Fall {
    deepest: f64,
    touched: usize,
    most: usize,
    /// Matrices factored after the first.
    factored: usize,
    inverted: usize,
    start: f64,
    end: f64,
    shots: Vec<Vec<[f64; 3]>>,
}

fn fall(program: &mut Program) -> miette::Result<Fall> {
    let middle = |p: &Program| {
        let x = p.simulation.positions();
        x.iter().map(|p| p[1]).sum::<f64>() / x.len().max(1) as f64
    };
    let start = middle(program);
    let shots = vec![program.simulation.positions()];
    let mut f =
        Fall { deepest: 0.0, touched: 0, most: 0, factored: 0, inverted: 0, start, end: start, shots };
    for frame in 1..=FRAMES {
        let r = program.frame().into_diagnostic()?;
        f.deepest = f.deepest.max(r.max_penetration);
        f.touched += usize::from(r.contacts > 0);
        f.most = f.most.max(r.contacts);
        f.factored += r.factored;
        f.inverted = r.inverted;
        if [FRAMES / 5, 2 * FRAMES / 5, FRAMES].contains(&frame) {
            f.shots.push(program.simulation.positions());
        }
    }
    f.end = middle(program);
    Ok(f)
}

/// Lets the horse fall both ways.
pub(super) fn section(c: &Context) -> miette::Result<Section> {
    let model = Figure::Steed.model(c.surface.as_ref())?;
    let mut first = program(c, &model, true)?;
    let [low, high] = first.bodies.first().map_or([[0.0; 3]; 2], |b| b.rest);
    let extent = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    let own = fall(&mut first)?;
    let exact = fall(&mut program(c, &model, false)?)?;
    let (nodes, elements) = (model.mesh.vertices().len(), model.mesh.tets().len());
    let claims = vec![
        Claim::new(
            format!(
                "Collisions are projections of nodes in the local step: the matrix is factored once. {ITERATIONS} iterations per frame"
            ),
            "a picture; 962 nodes, 3221 tetrahedra",
            format!(
                "{nodes} nodes, {elements} tetrahedra; {} of {FRAMES} frames touch, up to {} contacts; {} matrices factored after the first; \
                 depth at most {:.1e} m; the middle falls from {:.2} m to {:.2} m; {} elements inverted at the end",
                own.touched, own.most, own.factored, own.deepest, own.start, own.end, own.inverted
            ),
            Some(own.factored == 0 && own.touched > 0 && own.end < own.start),
        ),
        Claim::new(
            "Since then: the same fall with exact contact, solved to the default tolerance; nothing is entered",
            "–",
            format!(
                "{} of {FRAMES} frames touch, up to {} contacts; depth at most {:.1e} m; the middle falls to {:.2} m",
                exact.touched, exact.most, exact.deepest, exact.end
            ),
            Some(exact.deepest <= DEEP * extent && exact.touched > 0 && exact.end < exact.start),
        ),
    ];
    let image = draw(&first, &model, &own.shots);
    let mut html = picture(
        &image,
        "The horse at the start, on the way and at the end, as in the paper; drawn by its skin.",
    )?;
    html += &paragraph(
        "solve.contact = \"local\" is the paper's own: one term per node, whose proximal operator projects it out of the obstacles. By default contact and friction are solved exactly (docs/contact.md).",
    );
    let way = |f: &Fall| {
        json!({
            "deepest": f.deepest, "touched": f.touched, "contacts": f.most, "factored": f.factored, "inverted": f.inverted,
            "start": f.start, "end": f.end,
        })
    };
    let data = json!({
        "nodes": nodes, "elements": elements, "iterations": ITERATIONS, "frames": FRAMES, "extent": extent,
        "published": way(&own), "exact": way(&exact),
    });
    let title = "Fig. 5: a horse falls through cylinders".into();
    Ok(Section { id: "fig5", title, claims, html, data })
}

/// The body at several times side by side, among the obstacles.
fn draw(program: &Program, model: &Model, shots: &[Vec<[f64; 3]>]) -> Image {
    let mut scene = Scene3::default();
    for (i, shot) in shots.iter().enumerate() {
        let aside = |p: &[f64; 3]| [p[0] + 2.7 * i as f64, p[1], p[2]];
        for (k, o) in program.simulation.obstacles().iter().enumerate() {
            let (points, triangles) = o.shape.triangles();
            let pose = program.simulation.obstacle_pose(k).unwrap_or_default();
            if !triangles.is_empty() {
                scene.meshes.push(Drawable {
                    positions: points.into_iter().map(|p| aside(&pose.apply(p))).collect(),
                    triangles,
                    colour: Colour::Uniform([0.62, 0.64, 0.67]),
                    ..Drawable::default()
                });
            }
        }
        scene.meshes.push(Drawable {
            positions: model.drawn(shot).iter().map(aside).collect(),
            triangles: model.triangles.clone(),
            colour: Colour::Uniform(palette::body(0)),
            crease: 2.0,
            ..Drawable::default()
        });
    }
    let camera = Camera::fit_from(&scene.bounds(), 2.4, [0.5, 0.3, 1.0]);
    let mut image = Image::default();
    render(&scene, &camera, 1200, 520, &mut image);
    image
}
