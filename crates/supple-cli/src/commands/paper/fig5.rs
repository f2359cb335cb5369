//! Fig. 5: an elastic body falls through cylinders. The paper's horse is a ring here, of the built-in scene `cylinders`.
use miette::miette;
use serde_json::json;
use supple::scene::Program;

use super::Context;
use super::page::{Claim, Section, paragraph, picture};
use crate::load::Loaded;
use crate::picture::{Camera, Colour, Drawable, Image, Scene3, palette, render};
use crate::scenes;

/// No node may be deeper in an obstacle, as a share of the body's extent.
const DEEP: f64 = 1e-6;

/// Lets the ring fall by ADMM.
pub(super) fn section(c: &Context) -> miette::Result<Section> {
    let built_in = scenes::find("cylinders").ok_or_else(|| miette!("there is no scene `cylinders`"))?;
    let set = ["solve.method=admm".to_string(), format!("solve.threads={}", c.threads)];
    let loaded = Loaded::parse("cylinders", built_in.text.to_string(), None, &set);
    let (mut program, _) = loaded.and_then(|l| l.build(&[])).map_err(|e| miette!("{}", e.0))?;
    let frames = if c.quick { 45 } else { program.frames };
    let [low, high] = program.bodies.first().map_or([[0.0; 3]; 2], |b| b.rest);
    let extent = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    let middle = |p: &Program| {
        let x = p.simulation.positions();
        x.iter().map(|p| p[1]).sum::<f64>() / x.len().max(1) as f64
    };
    let start = middle(&program);
    let (mut deepest, mut touched, mut most) = (0.0f64, 0, 0);
    let mut shots = vec![program.simulation.positions()];
    for frame in 1..=frames {
        let r = program.frame().map_err(|e| miette!("{e}"))?;
        deepest = deepest.max(r.max_penetration);
        touched += u64::from(r.contacts > 0);
        most = most.max(r.contacts);
        if frame == frames / 2 || frame == frames {
            shots.push(program.simulation.positions());
        }
    }
    let end = middle(&program);
    let holds = deepest <= DEEP * extent && touched > 0 && end < start;
    let claims = vec![Claim::new(
        "Collisions with obstacles need no other system matrix, and nothing is entered",
        "a picture",
        format!(
            "{touched} of {frames} frames touch, up to {most} contacts; depth at most {deepest:.1e} m; the middle falls from {start:.2} m to {end:.2} m"
        ),
        Some(holds),
    )];
    let mut html = picture(&draw(&program, &shots), "The ring at the start, halfway and at the end.")?;
    html += &paragraph(
        "Contact and friction are solved exactly in the metric of the prefactored matrix (docs/contact.md). The paper's own terms per node are there too: solve.contact = \"local\".",
    );
    let data = json!({
        "available": true, "frames": frames, "deepest": deepest, "extent": extent,
        "touched": touched, "contacts": most, "start": start, "end": end,
    });
    let title = "Fig. 5: an elastic body falls through cylinders".into();
    Ok(Section { id: "fig5", title, claims, html, data })
}

/// The body at several times side by side, among the obstacles.
fn draw(program: &Program, shots: &[Vec<[f64; 3]>]) -> Image {
    let mut scene = Scene3::default();
    let surface = program.bodies.first().map(|b| b.surface.clone()).unwrap_or_default();
    for (i, shot) in shots.iter().enumerate() {
        let aside = |p: &[f64; 3]| [p[0] + 2.2 * i as f64, p[1], p[2]];
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
            positions: shot.iter().map(aside).collect(),
            triangles: surface.clone(),
            colour: Colour::Uniform(palette::body(0)),
            ..Drawable::default()
        });
    }
    let camera = Camera::fit_from(&scene.bounds(), 2.4, [0.35, 0.3, 1.0]);
    let mut image = Image::default();
    render(&scene, &camera, 1200, 520, &mut image);
    image
}
