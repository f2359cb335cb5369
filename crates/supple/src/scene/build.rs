//! From a scene to a simulation: everything checked and listed.

use super::terms::{Terms, Where};
use super::{Content, Intersecting, Scene};
use crate::error::BuildError;
use crate::sim::{Air, AnchorRef, Body, Parts, Simulation};
use crate::term::{FibreRef, stencil};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Scene {
    /// Checks the settings, packs the elements and factors the system matrix.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        let mut simulation = Simulation::assemble(self.parts()?)?;
        simulation.keep_recipe(Arc::new(self.blueprint()));
        if self.collisions.as_ref().is_some_and(|c| c.intersecting == Intersecting::Refuse) {
            simulation.refuse_intersections()?;
        }
        Ok(simulation)
    }

    /// Everything checked and listed.
    #[allow(
        clippy::indexing_slicing,
        reason = "nodes of elements and pins were checked when they were added"
    )]
    pub(super) fn parts(&self) -> Result<Parts, BuildError> {
        self.settings.validate()?;
        if self.bodies.is_empty() {
            return Err(BuildError::Empty);
        }
        let mut parts = Parts {
            settings: self.settings.clone(),
            bodies: Vec::new(),
            positions: Vec::new(),
            masses: Vec::new(),
            pinned: Vec::new(),
            axes: Vec::new(),
            followers: Vec::new(),
            fill: Vec::new(),
            sources: Vec::new(),
            anchors: Vec::new(),
            air: Air::default(),
            fibres: FibreRef::default(),
            obstacles: self.obstacles.clone(),
            touching: self.touching(),
            surfaces: self.surfaces(),
            groups: self.links.groups.clone(),
            links: self.links.links.clone(),
            skins: self.skins(),
        };
        let mut terms = Terms::default();
        for (number, b) in self.bodies.iter().enumerate() {
            let first = parts.positions.len();
            let body = number as u32;
            let corners = match &b.content {
                Content::Solid { mesh, .. } => mesh.corner_count(),
                _ => b.positions.len(),
            };
            let (name, nodes) = (b.name.clone(), b.positions.len());
            parts.bodies.push(Body { name, first_node: first, nodes, corners });
            parts.positions.extend(&b.positions);
            parts.masses.extend(&b.masses);
            parts.pinned.resize(first + b.positions.len(), false);
            let pins = || b.pins.iter().map(|(ids, axes)| (ids.as_slice(), *axes));
            let followers = match &b.content {
                Content::Solid { mesh, .. } => mesh.held_mids(pins()),
                _ => Vec::new(),
            };
            let mut held = BTreeMap::<u32, [bool; 3]>::new();
            let named = pins().flat_map(|(ids, axes)| ids.iter().map(move |&i| (i, axes)));
            for (i, axes) in named.chain(followers.iter().map(|&(i, _, axes)| (i, axes))) {
                let held = held.entry(i).or_default();
                (0..3).for_each(|c| held[c] |= axes[c]);
            }
            for (i, held) in held {
                match held {
                    [true, true, true] => parts.pinned[first + i as usize] = true,
                    _ => parts.axes.push((first as u32 + i, held)),
                }
            }
            let place_of = |v: u32| first as u32 + v;
            let followers =
                followers.into_iter().map(|(i, ends, held)| (place_of(i), ends.map(place_of), held));
            parts.followers.extend(followers);
            let at = Where {
                name: &b.name,
                body,
                first: first as u32,
                masses: &b.masses,
                dt: self.settings.time.dt,
                beta: b.damping.stiffness,
            };
            match &b.content {
                Content::Solid { mesh, materials } => {
                    parts.fill.extend(mesh.fill());
                    let place = |v: u32| mesh.vertices()[v as usize];
                    let parts_of = b.average.map(|a| a.split(materials, mesh.order())).transpose();
                    let parts_of = parts_of.map_err(|(element, e)| at.wrong(element, e.reason))?;
                    if let Some(split) = &parts_of {
                        for p in split.patches(mesh) {
                            terms.patch(p.material, &p.patch, &at);
                        }
                    }
                    for (e, (t, m)) in mesh.tets().iter().zip(materials).enumerate() {
                        let m = parts_of.as_ref().map_or(m, |split| split.own(e));
                        let wrong = |reason: stencil::TetError| at.wrong(e, reason.to_string());
                        let (fill, limit) = (mesh.fill_of(e), b.limit.as_ref());
                        let Some(ten) = mesh.ten_nodes(e) else {
                            let (g, volume) = stencil::tetrahedron(t.map(place)).map_err(wrong)?;
                            terms.solid(m, at.element(t, e), (&g, volume * fill), limit, &at);
                            continue;
                        };
                        for (g, volume) in &stencil::quadratic(ten.map(place)).map_err(wrong)? {
                            terms.solid(m, at.element(&ten, e), (g, volume * fill), limit, &at);
                        }
                    }
                }
                Content::Cloth { mesh, cloth } => cloth.terms(mesh, &at, &mut terms)?,
                Content::Springs(list) => {
                    for (e, s) in list.iter().enumerate() {
                        let [p, q] = s.nodes.map(|v| b.positions[v as usize]);
                        let d = (0..3).map(|c| (p[c] - q[c]) * (p[c] - q[c])).sum::<f64>().sqrt();
                        let length = s.rest_length.unwrap_or(d);
                        terms.spring(s.kind, s.stiffness, length, at.element(&s.nodes, e), &at);
                    }
                }
            }
            terms.air(b, &at, self.settings.world.wind.as_ref(), &mut parts.air);
            for (e, (node, stiffness, target)) in b.anchors.iter().enumerate() {
                let element = terms.anchor(*stiffness, *target, at.element(&[*node], e));
                parts.anchors.push(AnchorRef { body, node: *node, batch: 0, element });
            }
        }
        let counts = terms.fibre_counts();
        let (sources, batches) = terms.sources();
        parts.air.batch = batches.drags;
        parts.fibres = FibreRef { batches: batches.fibres, counts };
        for a in &mut parts.anchors {
            a.batch = batches.anchors;
        }
        parts.sources = sources;
        Ok(parts)
    }
}
