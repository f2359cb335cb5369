//! Lists of elements on their way to batches: one list for each kind of element and energy.

use super::cloth::{Along, Limit};
use super::material::{self, Group};
use super::{Material, MaterialKind, SpringKind};
use crate::energy::plane::plane_stress;
use crate::energy::project::{Flat, Lengths, Point, SheetStrains, SolidStrains, Turned};
use crate::energy::{
    Arap, Corotated, Hard, Lame, Membrane, NeoHookean, Potential, Soft, StVenantKirchhoff,
};
use crate::error::BuildError;
use crate::math::small::Mat3;
use crate::term::weight::WeightRule;
use crate::term::{BatchSource, ElementList, Source, stencil};

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
    fn hard_weight<const V: usize, const D: usize>(
        &self,
        factor: f64,
        place: &Place<V>,
        g: &[[f64; D]],
    ) -> f64 {
        let mass = place.nodes.iter().map(|&v| self.masses[(v - self.first) as usize]).sum::<f64>() / V as f64;
        let size = g.iter().flatten().map(|a| a * a).sum::<f64>() / g.len() as f64;
        factor * mass / (self.dt * self.dt * size)
    }
}

/// Weight of rods and ropes, and of strain limits, in units of the masses that they hold: measured to need fewest iterations.
const RODS: f64 = 10.0;
const STRAINS: f64 = 0.5;

/// All lists.
#[derive(Default)]
pub(super) struct Terms {
    solids: Vec<Group>,
    membranes: [ElementList<3, 2>; 4],
    threads: ElementList<3, 1>,
    hard_threads: ElementList<3, 2>,
    soft_threads: ElementList<3, 2>,
    hard_stretches: ElementList<3, 2>,
    soft_stretches: ElementList<3, 2>,
    solid_limits: ElementList<4, 3>,
    soft_solid_limits: ElementList<4, 3>,
    flat: ElementList<6, 3>,
    curved: ElementList<6, 3>,
    springs: ElementList<2, 1>,
    rods: ElementList<2, 1>,
    anchors: ElementList<1, 1>,
}

impl Terms {
    /// A tetrahedron of a material.
    pub fn solid(&mut self, m: &Material, place: Place<4>, shape: ([[f64; 3]; 3], f64)) {
        material::group(&mut self.solids, m).push(m, place.nodes, shape, place.origin);
    }

    /// A strain limit of a tetrahedron.
    pub fn solid_limit(&mut self, limit: &Limit, place: Place<4>, g: [[f64; 3]; 3], volume: f64, at: &Where<'_>) {
        let (list, k) = match limit.stiffness {
            Some(k) => (&mut self.soft_solid_limits, k * volume),
            None => (&mut self.solid_limits, at.hard_weight(STRAINS, &place, &g)),
        };
        list.push(place.nodes, &g, k, place.origin);
        list.params.extend(limit.stiffness.map(|k| k * volume));
        list.params.extend(limit.range);
    }

    /// A triangle of a material that sheets take.
    pub fn membrane(&mut self, m: &Material, place: Place<3>, g: [[f64; 2]; 2], volume: f64) {
        let lame = m.lame();
        let flat = Lame { mu: lame.mu, lambda: plane_stress(lame) };
        let mut weight = WeightRule::all(flat, volume);
        let (at, params) = match m.kind() {
            Some(MaterialKind::Arap) => {
                let k = m.arap_stiffness();
                weight[WeightRule::Shear as usize] = k * volume;
                (0, vec![k])
            }
            Some(MaterialKind::StVenantKirchhoff) => {
                let robust = &mut weight[WeightRule::Robust as usize];
                *robust = robust.min(0.6 * (flat.mu + 0.5 * flat.lambda) * volume);
                (2, vec![flat.mu, flat.lambda])
            }
            Some(MaterialKind::NeoHookean) => (3, vec![lame.mu, lame.lambda]),
            _ => (1, vec![flat.mu, flat.lambda]),
        };
        let list = &mut self.membranes[at];
        list.nodes.push(place.nodes);
        list.gradients.extend(g);
        list.volume.push(volume);
        list.weight.push(weight);
        list.origin.push(place.origin);
        list.params.extend(params);
    }

    /// Stiffness (J) along one direction of a triangle.
    pub fn thread(&mut self, stiffness: f64, place: Place<3>, g: [[f64; 1]; 2]) {
        if stiffness > 0.0 {
            self.threads.push(place.nodes, &g, stiffness, place.origin);
            self.threads.params.extend([stiffness, 1.0, 1.0]);
        }
    }

    /// A strain limit of a triangle.
    pub fn sheet_limit(&mut self, limit: &Limit, place: Place<3>, g: [[f64; 2]; 2], volume: f64, at: &Where<'_>) {
        let list = match (limit.along, limit.stiffness) {
            (Along::Threads, None) => &mut self.hard_threads,
            (Along::Threads, Some(_)) => &mut self.soft_threads,
            (Along::Stretches, None) => &mut self.hard_stretches,
            (Along::Stretches, Some(_)) => &mut self.soft_stretches,
        };
        let k = limit.stiffness.map_or_else(|| at.hard_weight(STRAINS, &place, &g), |k| k * volume);
        list.push(place.nodes, &g, k, place.origin);
        list.params.extend(limit.stiffness.map(|k| k * volume));
        list.params.extend(limit.range);
    }

    /// A triangle against its neighbours: stiffness (N·m·m²) towards being flat, or towards a curvature, however it is turned.
    pub fn bend(&mut self, stiffness: f64, place: Place<6>, g: [[f64; 3]; 5], rest: Option<Mat3<f64>>) {
        let list = if rest.is_some() { &mut self.curved } else { &mut self.flat };
        list.push(place.nodes, &g, stiffness, place.origin);
        list.params.push(stiffness);
        list.params.extend(rest.iter().flatten().flatten());
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

    /// The lists that hold something as sources of batches, and which of them holds the anchors.
    pub fn sources(self) -> (Vec<Box<dyn BatchSource>>, usize) {
        let mut sources: Vec<Box<dyn BatchSource>> = Vec::new();
        sources.extend(self.solids.into_iter().map(Group::source));
        add(&mut sources, Soft(Lengths("spring")), self.springs);
        let anchors = sources.len();
        add(&mut sources, Soft(Point), self.anchors);
        let [arap, corotated, st_venant_kirchhoff, neo_hookean] = self.membranes;
        add(&mut sources, Membrane(Arap), arap);
        add(&mut sources, Membrane(Corotated), corotated);
        add(&mut sources, Membrane(StVenantKirchhoff), st_venant_kirchhoff);
        add(&mut sources, Membrane(NeoHookean), neo_hookean);
        add(&mut sources, Soft(Lengths("thread")), self.threads);
        add(&mut sources, Soft(Flat), self.flat);
        add(&mut sources, Soft(Turned), self.curved);
        add(&mut sources, Hard(Lengths("rod or rope")), self.rods);
        add(&mut sources, Hard(SheetStrains::Threads), self.hard_threads);
        add(&mut sources, Soft(SheetStrains::Threads), self.soft_threads);
        add(&mut sources, Hard(SheetStrains::Stretches), self.hard_stretches);
        add(&mut sources, Soft(SheetStrains::Stretches), self.soft_stretches);
        add(&mut sources, Hard(SolidStrains), self.solid_limits);
        add(&mut sources, Soft(SolidStrains), self.soft_solid_limits);
        (sources, anchors)
    }
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
