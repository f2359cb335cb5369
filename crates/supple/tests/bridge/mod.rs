//! The same scene twice: in the library and in the oracle (`tests/reference`).
//!
//! A [`RefBody`] is the description. Nodes up to the last one that a tetrahedron uses become the library's body 0,
//! `solid`; the nodes after them, with the springs, its next body, `net`. Nodes therefore have the same numbers in both.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::panic)]

use super::reference::V3;
use super::reference::admm_dense::{Iterate, Weights};
use super::reference::body::RefBody;
use super::reference::material::{Lame, RefMaterial};
use nalgebra::DVector;
use supple::sim::Iteration;
use supple::{Material, MaterialKind, Scene, Settings, Simulation, Spring, TetMesh};

/// E = 1e5 Pa, ν = 0.4: the constants of most tests.
pub fn lame() -> Lame {
    Lame::from_young(1e5, 0.4)
}

pub fn rows(x: &[V3]) -> Vec<[f64; 3]> {
    x.iter().map(|p| [p.x, p.y, p.z]).collect()
}

pub fn points(x: &[[f64; 3]]) -> Vec<V3> {
    x.iter().map(|p| V3::new(p[0], p[1], p[2])).collect()
}

/// The library's material for the oracle's. `lame` are the constants that its weights follow; arap needs them, since
/// its own k does not say both.
pub fn material(m: RefMaterial, lame: Lame) -> Material {
    let of = |kind, l: Lame| Material::from_lame(kind, supple::energy::Lame::new(l.mu, l.lambda).unwrap());
    match m {
        RefMaterial::Linear(l) => of(MaterialKind::Linear, l),
        RefMaterial::Arap { k } => {
            assert_eq!(k, 2.0 * lame.mu, "arap with its default stiffness");
            of(MaterialKind::Arap, lame)
        }
        RefMaterial::Corotated(l) => of(MaterialKind::Corotated, l),
        RefMaterial::NeoHookean(l) => of(MaterialKind::NeoHookean, l),
        RefMaterial::StVenantKirchhoff(l) => of(MaterialKind::StVenantKirchhoff, l),
        RefMaterial::More(m, l) => {
            of(MaterialKind::ALL.into_iter().find(|k| k.name() == m.name()).unwrap(), l)
        }
    }
}

/// Nodes of the body `solid`.
fn solid_nodes(body: &RefBody) -> usize {
    body.tets.iter().flatten().max().map_or(0, |last| last + 1)
}

/// Number of the library's body, and of the node within it.
fn owner(body: &RefBody, node: usize) -> (usize, u32) {
    let n = solid_nodes(body);
    if node < n { (0, node as u32) } else { (usize::from(n > 0), (node - n) as u32) }
}

/// The mesh of the tetrahedra.
pub fn mesh(body: &RefBody) -> TetMesh {
    let tets = body.tets.iter().map(|t| t.map(|v| v as u32)).collect();
    TetMesh::new(rows(&body.rest[..solid_nodes(body)]), tets).unwrap()
}

/// The library's scene, with the body at rest, pins and anchors where its nodes are.
pub fn scene(body: &RefBody, settings: Settings, lame: Lame) -> Scene {
    let mut scene = Scene::new(settings);
    let n = solid_nodes(body);
    let mut ids = Vec::new();
    if n > 0 {
        let materials = body.materials.iter().map(|m| material(*m, lame)).collect();
        let masses = body.masses[..n].to_vec();
        ids.push(scene.add_solid_with_masses("solid", mesh(body), materials, masses).unwrap());
    }
    if body.rest.len() > n {
        let local = |node: usize| (node - n) as u32;
        let springs = body
            .springs
            .iter()
            .map(|s| Spring { rest_length: Some(s.length), ..Spring::new([local(s.a), local(s.b)], s.k) })
            .collect();
        let masses = body.masses[n..].to_vec();
        ids.push(scene.add_springs("net", rows(&body.rest[n..]), masses, springs).unwrap());
    } else {
        assert!(body.springs.is_empty(), "springs need nodes of their own");
    }
    for pin in &body.pins {
        let (b, node) = owner(body, pin.node);
        scene.pin(ids[b], &[node]).unwrap();
    }
    for anchor in &body.anchors {
        let (b, node) = owner(body, anchor.node);
        scene.anchor(ids[b], &[node], anchor.k).unwrap();
    }
    scene
}

/// The library's simulation, with pins and anchors on their way to their targets.
pub fn simulation(body: &RefBody, settings: Settings, lame: Lame) -> Simulation {
    let mut sim = scene(body, settings, lame).build().unwrap();
    move_targets(&mut sim, body);
    sim
}

/// Sends pins and anchors to the targets that the body has.
pub fn move_targets(sim: &mut Simulation, body: &RefBody) {
    for pin in &body.pins {
        let (b, node) = owner(body, pin.node);
        sim.move_pins(b, &[node], &rows(&[pin.target])).unwrap();
    }
    for anchor in &body.anchors {
        let (b, node) = owner(body, anchor.node);
        sim.move_anchors(b, &[node], &rows(&[anchor.target])).unwrap();
    }
}

/// Puts the library's nodes at x with velocities v; pins go to their targets in the next step.
pub fn put(sim: &mut Simulation, body: &RefBody, x: &[V3], v: &[V3]) {
    sim.set_state(&rows(x), &rows(v)).unwrap();
    move_targets(sim, body);
}

/// The oracle's weights for the library's rule `bulk` with a scale: w² = s·κ·V, s·k for springs and anchors.
pub fn weights(body: &RefBody, lame: Lame, scale: f64) -> Weights {
    Weights::stiffness(body, lame.bulk()).scaled(scale)
}

/// x, z and u of the library in the oracle's order: tetrahedra, springs, anchors.
pub fn iterate(it: &Iteration<'_, '_>) -> Iterate {
    let (mut z, mut u) = (Vec::new(), Vec::new());
    for (batch, elements) in it.batches().into_iter().enumerate() {
        for e in 0..elements {
            let (ze, ue, _) = it.local_state(batch, e).unwrap();
            z.extend(ze);
            u.extend(ue);
        }
    }
    Iterate { x: points(&it.positions()), z: DVector::from_vec(z), u: DVector::from_vec(u) }
}
