//! Lists of elements on their way to batches: one list for each kind of element and energy. Those of sheets are filled in
//! `sheet_terms.rs`.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::average::Patch;
use super::cloth::Limit;
use super::material::{self, Group};
use super::{Content, Entry, Material, SpringKind};
use crate::energy::lagged::{Drag, StrainRate};
use crate::energy::lagged_sheet::SheetStrainRate;
use crate::energy::project::{Flat, Lengths, Point, SheetStrains, SolidStrains, Turned};
use crate::energy::sided::Sided;
use crate::energy::{
    Arap, Corotated, Hard, Limited, Membrane, NeoHookean, Potential, Soft, StVenantKirchhoff,
};
use crate::error::BuildError;
use crate::math::small::dot;
use crate::math::triangle::triangle;
use crate::settings::Wind;
use crate::sim::Air;
use crate::term::weight::WeightRule;
use crate::term::{BatchSource, ElementList, Source, stencil};
use std::collections::HashMap;

/// Where elements of a body stand among all.
pub(super) struct Where<'a> {
    pub name: &'a str,
    pub body: u32,
    /// Number of the body's first node.
    pub first: u32,
    /// Masses of the body's nodes in kg.
    pub masses: &'a [f64],
    /// Time step in s.
    pub dt: f64,
    /// Damping by stiffness in s.
    pub beta: f64,
}

/// An element's nodes, and which of its body it is.
#[derive(Clone, Copy)]
pub(super) struct Place<const V: usize> {
    pub nodes: [u32; V],
    pub origin: (u32, u32),
}

impl Where<'_> {
    pub fn element<const V: usize>(&self, nodes: &[u32; V], number: usize) -> Place<V> {
        Place { nodes: nodes.map(|v| self.first + v), origin: (self.body, number as u32) }
    }
    pub fn wrong(&self, element: usize, reason: String) -> BuildError {
        BuildError::Element { body: self.name.to_string(), element, reason }
    }
    /// w² of a hard constraint, which has no stiffness of its own: that of inertia, so that its share in A is some multiple of
    /// the mass of its nodes.
    pub fn hard_weight<const V: usize, const D: usize>(
        &self,
        factor: f64,
        place: &Place<V>,
        g: &[[f64; D]],
    ) -> f64 {
        let mass =
            place.nodes.iter().map(|&v| self.masses[(v - self.first) as usize]).sum::<f64>() / V as f64;
        let size = g.iter().flatten().map(|a| a * a).sum::<f64>() / g.len() as f64;
        factor * mass / (self.dt * self.dt * size)
    }
}

/// Weight of rods and ropes, of limits of threads, and of limits of strains in every direction, in units of the masses that they hold: measured to
/// need fewest iterations.
const RODS: f64 = 10.0;
pub(super) const THREADS: f64 = 2.0;
pub(super) const STRAINS: f64 = 0.5;

/// Lists of elements of solids with V nodes.
pub(super) struct Solids<const V: usize> {
    materials: Vec<Group<V>>,
    fibres: ElementList<V, 1>,
    limits: ElementList<V, 3>,
    soft_limits: ElementList<V, 3>,
    rates: ElementList<V, 3>,
}

/// Where a list of solids stands among all.
pub(super) trait SolidLists {
    /// The lists of this number of nodes.
    fn of(terms: &mut Terms) -> &mut Self;
}

impl SolidLists for Solids<4> {
    fn of(terms: &mut Terms) -> &mut Self {
        &mut terms.four
    }
}

impl SolidLists for Solids<10> {
    fn of(terms: &mut Terms) -> &mut Self {
        &mut terms.ten
    }
}

impl<const V: usize> Default for Solids<V> {
    fn default() -> Self {
        Solids {
            materials: Vec::new(),
            fibres: ElementList::default(),
            limits: ElementList::default(),
            soft_limits: ElementList::default(),
            rates: ElementList::default(),
        }
    }
}

impl<const V: usize> Solids<V> {
    /// Strain-rate damping, β (s) times the stiffness of the material.
    fn rate(&mut self, m: &Material, place: Place<V>, (g, volume): (&[[f64; 3]], f64), at: &Where<'_>) {
        let (beta, lame, list) = (at.beta, m.lame(), &mut self.rates);
        list.push(place.nodes, g, 1.0, place.origin);
        // Per volume, unlike other terms that stand beside a material.
        if let (Some(v), Some(w)) = (list.volume.last_mut(), list.weight.last_mut()) {
            (*v, *w) = (volume, WeightRule::all(lame, volume * beta / at.dt));
        }
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0 / at.dt];
        list.params.extend([beta * lame.mu, beta * lame.lambda]);
        list.params.extend(identity);
    }
}

/// All lists.
#[derive(Default)]
pub(super) struct Terms {
    four: Solids<4>,
    ten: Solids<10>,
    pub(super) membranes: [ElementList<3, 2>; 4],
    pub(super) limited: [ElementList<3, 2>; 4],
    pub(super) threads: ElementList<3, 1>,
    pub(super) hard_threads: ElementList<3, 1>,
    pub(super) edge_threads: ElementList<2, 1>,
    /// Numbers of the latter by their nodes.
    pub(super) edges: HashMap<[u32; 2], usize>,
    pub(super) soft_threads: ElementList<3, 2>,
    pub(super) hard_stretches: ElementList<3, 2>,
    pub(super) soft_stretches: ElementList<3, 2>,
    pub(super) flat: ElementList<6, 3>,
    pub(super) curved: ElementList<6, 3>,
    pub(super) sided: ElementList<6, 5>,
    springs: ElementList<2, 1>,
    rods: ElementList<2, 1>,
    anchors: ElementList<1, 1>,
    drags: ElementList<1, 1>,
    pub(super) sheet_rates: ElementList<3, 2>,
}

impl Terms {
    /// A solid's element, or a quadrature point of it: its material with what stands beside that. `g` and `volume` are those of its rest
    /// shape.
    pub fn solid<const V: usize>(
        &mut self,
        m: &Material,
        place: Place<V>,
        (g, volume): (&[[f64; 3]], f64),
        limit: Option<&Limit>,
        at: &Where<'_>,
    ) where
        Solids<V>: SolidLists,
    {
        let lists = Solids::<V>::of(self);
        material::group(&mut lists.materials, m).push(m.base(), place.nodes, (g, volume), place.origin);
        if let Some(f) = m.fibres() {
            let along: Vec<[f64; 1]> = g.iter().map(|g| [dot(*g, f.direction())]).collect();
            let stiffness = f.stiffness() * volume;
            lists.fibres.push(place.nodes, &along, stiffness, place.origin);
            lists.fibres.params.push(stiffness);
            lists.fibres.params.extend(f.lengths());
        }
        if let Some(limit) = limit {
            let (list, k) = match limit.stiffness {
                Some(k) => (&mut lists.soft_limits, k * volume),
                None => (&mut lists.limits, at.hard_weight(STRAINS, &place, g)),
            };
            list.push(place.nodes, g, k, place.origin);
            list.params.extend(limit.stiffness.map(|k| k * volume));
            list.params.extend(limit.range);
        }
        if at.beta > 0.0 {
            lists.rate(m, place, (g, volume), at);
        }
    }

    /// A patch of elements of a material.
    pub fn patch(&mut self, m: &Material, p: &Patch, at: &Where<'_>) {
        let place = at.element(&p.nodes, p.members.first().map_or(0, |m| m.0 as usize));
        let group = material::group(&mut self.ten.materials, m);
        group.push(m.base(), place.nodes, (&p.gradients, p.volume), place.origin);
        if let Some(members) = group.list.members.last_mut() {
            members.clone_from(&p.members);
        }
    }

    /// Fibres of elements with four nodes, and of quadrature points of those with ten.
    pub fn fibre_counts(&self) -> [usize; 2] {
        [self.four.fibres.nodes.len(), self.ten.fibres.nodes.len()]
    }

    /// A spring, rod or rope.
    pub fn spring(&mut self, kind: SpringKind, stiffness: f64, length: f64, place: Place<2>, at: &Where<'_>) {
        let soft = matches!(kind, SpringKind::Spring | SpringKind::Tension);
        let list = if soft { &mut self.springs } else { &mut self.rods };
        let k = if soft { stiffness } else { at.hard_weight(RODS, &place, &stencil::EDGE) };
        list.push(place.nodes, &stencil::EDGE, k, place.origin);
        list.params.extend(soft.then_some(stiffness));
        let least = if matches!(kind, SpringKind::Spring | SpringKind::Rod) { length } else { 0.0 };
        list.params.extend([least, length]);
    }

    /// A soft anchor; returns its number.
    pub fn anchor(&mut self, stiffness: f64, target: [f64; 3], place: Place<1>) -> usize {
        self.anchors.push(place.nodes, &stencil::NODE, stiffness, place.origin);
        self.anchors.params.extend([stiffness, target[0], target[1], target[2]]);
        self.anchors.nodes.len() - 1
    }

    /// Drag of a body's nodes: of sheets in wind, and where damping by mass is asked for.
    pub fn air(&mut self, body: &Entry, at: &Where<'_>, wind: Option<&Wind>, air: &mut Air) {
        let mut area = vec![0.0; body.positions.len()];
        if let (Some(_), Content::Cloth { mesh, .. }) = (wind, &body.content) {
            for t in mesh.triangles() {
                air.triangles.push(t.map(|v| at.first + v));
                let third = triangle(t.map(|v| mesh.vertices()[v as usize]), [1.0, 0.0, 0.0])
                    .map_or(0.0, |t| t.1)
                    / 3.0;
                t.iter().for_each(|&v| area[v as usize] += third);
            }
        }
        // As if everything met the wind with half as much speed again.
        let pull = wind.map_or(0.0, |w| {
            let speed = w.velocity.iter().map(|v| v * v).sum::<f64>().sqrt().max(1.0);
            1.5 * 0.5 * w.air_density * w.drag.max(w.friction) * speed * (1.0 + w.gust)
        });
        for (node, (area, mass)) in area.iter().zip(at.masses).enumerate() {
            let damping = body.damping.mass * mass;
            let weight = (damping + pull * area) / at.dt;
            if weight > 0.0 {
                let place = at.element(&[node as u32], node);
                air.drags.push((place.nodes[0], damping, weight));
                self.drags.push(place.nodes, &stencil::NODE, weight, place.origin);
                let p = body.positions[node];
                self.drags.params.extend([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, p[0], p[1], p[2], 1.0 / at.dt]);
            }
        }
    }

    /// The lists that hold something as sources of batches; which of them hold what is changed later.
    pub fn sources(self) -> (Vec<Box<dyn BatchSource>>, Batches) {
        let mut sources: Vec<Box<dyn BatchSource>> = Vec::new();
        sources.extend(self.four.materials.into_iter().map(Group::<4>::source));
        sources.extend(self.ten.materials.into_iter().map(Group::<10>::source));
        add(&mut sources, Soft(Lengths("spring")), self.springs);
        let first = sources.len();
        add(&mut sources, Soft(Lengths("fibre")), self.four.fibres);
        let fibres = [first, sources.len()];
        add(&mut sources, Soft(Lengths("fibre")), self.ten.fibres);
        let anchors = sources.len();
        add(&mut sources, Soft(Point), self.anchors);
        let [arap, corotated, st_venant_kirchhoff, neo_hookean] = self.membranes;
        add(&mut sources, Membrane(Arap), arap);
        add(&mut sources, Membrane(Corotated), corotated);
        add(&mut sources, Membrane(StVenantKirchhoff), st_venant_kirchhoff);
        add(&mut sources, Membrane(NeoHookean), neo_hookean);
        let [arap, corotated, st_venant_kirchhoff, neo_hookean] = self.limited;
        add(&mut sources, Limited(Arap), arap);
        add(&mut sources, Limited(Corotated), corotated);
        add(&mut sources, Limited(StVenantKirchhoff), st_venant_kirchhoff);
        add(&mut sources, Limited(NeoHookean), neo_hookean);
        add(&mut sources, Soft(Lengths("thread")), self.threads);
        add(&mut sources, Soft(Flat), self.flat);
        add(&mut sources, Soft(Turned), self.curved);
        add(&mut sources, Soft(Sided), self.sided);
        add(&mut sources, Hard(Lengths("rod or rope")), self.rods);
        add(&mut sources, Hard(Lengths("strain limit")), self.hard_threads);
        add(&mut sources, Hard(Lengths("strain limit")), self.edge_threads);
        add(&mut sources, Soft(SheetStrains::Threads), self.soft_threads);
        add(&mut sources, Hard(SheetStrains::Stretches), self.hard_stretches);
        add(&mut sources, Soft(SheetStrains::Stretches), self.soft_stretches);
        add(&mut sources, Hard(SolidStrains), self.four.limits);
        add(&mut sources, Hard(SolidStrains), self.ten.limits);
        add(&mut sources, Soft(SolidStrains), self.four.soft_limits);
        add(&mut sources, Soft(SolidStrains), self.ten.soft_limits);
        let drags = sources.len();
        add(&mut sources, Drag, self.drags);
        add(&mut sources, StrainRate, self.four.rates);
        add(&mut sources, StrainRate, self.ten.rates);
        add(&mut sources, SheetStrainRate, self.sheet_rates);
        (sources, Batches { fibres, anchors, drags })
    }
}

/// Numbers of batches that are changed while the simulation runs.
pub(super) struct Batches {
    pub fibres: [usize; 2],
    pub anchors: usize,
    pub drags: usize,
}

fn add<const V: usize, const D: usize, P: Potential<D> + Clone>(
    sources: &mut Vec<Box<dyn BatchSource>>,
    potential: P,
    list: ElementList<V, D>,
) {
    if !list.nodes.is_empty() {
        sources.push(Box::new(Source { potential, list }));
    }
}
