//! Triangles of a sheet and what resists their bending, on their way to batches.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::cloth::{Along, Limit};
use super::terms::{Place, STRAINS, THREADS, Terms, Where};
use super::{Material, MaterialKind};
use crate::energy::plane::plane_stress;
use crate::energy::{Lame, sided};
use crate::math::small::{Mat3, cross, dot, sub};
use crate::term::weight::WeightRule;

/// What is smaller than this part is rounding of the rest shape.
const ROUNDING: f64 = 1e-9;

impl Terms {
    /// A triangle of a material that sheets take. A strain limit in every direction and a material are one term, others are two.
    pub fn membrane(
        &mut self,
        m: &Material,
        limit: Option<&Limit>,
        place: Place<3>,
        g: [[f64; 2]; 2],
        volume: f64,
        at: &Where<'_>,
    ) {
        let limit = limit.filter(|l| l.joins_a_material());
        let lame = m.lame();
        let flat = Lame { mu: lame.mu, lambda: plane_stress(lame) };
        let mut weight = WeightRule::all(flat, volume);
        let (law, params) = match m.kind() {
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
        let list = if limit.is_some() { &mut self.limited[law] } else { &mut self.membranes[law] };
        if limit.is_some() {
            let hard = at.hard_weight(STRAINS, &place, &g);
            weight.iter_mut().for_each(|w| *w += hard);
        }
        list.nodes.push(place.nodes);
        list.gradients.extend(g);
        list.volume.push(volume);
        list.weight.push(weight);
        list.origin.push(place.origin);
        list.params.extend(params);
        list.params.extend(limit.iter().flat_map(|l| l.range));
    }

    /// Stiffness (J) along one direction of a triangle.
    pub fn thread(&mut self, stiffness: f64, place: Place<3>, g: [[f64; 1]; 2]) {
        if stiffness > 0.0 {
            self.threads.push(place.nodes, &g, stiffness, place.origin);
            self.threads.params.extend([stiffness, 1.0, 1.0]);
        }
    }

    /// A strain limit of a triangle.
    pub fn sheet_limit(
        &mut self,
        limit: &Limit,
        place: Place<3>,
        g: [[f64; 2]; 2],
        volume: f64,
        at: &Where<'_>,
    ) {
        let hard = if limit.along == Along::Threads { THREADS } else { STRAINS };
        let k = limit.stiffness.map_or_else(|| at.hard_weight(hard, &place, &g), |k| k * volume);
        let list = match (limit.along, limit.stiffness) {
            (Along::Threads, None) => {
                return (0..2).for_each(|d| self.thread_limit(limit.range, place, [g[0][d], g[1][d]], k));
            }
            (Along::Threads, Some(_)) => &mut self.soft_threads,
            (Along::Stretches, None) => &mut self.hard_stretches,
            (Along::Stretches, Some(_)) => &mut self.soft_stretches,
        };
        list.push(place.nodes, &g, k, place.origin);
        list.params.extend(limit.stiffness.map(|k| k * volume));
        list.params.extend(limit.range);
    }

    /// The limit of one of a triangle's threads, whose stretch is |Σ g_v x_v|. One that runs along an edge is a limit of that edge, and one and
    /// the same for both of its triangles.
    fn thread_limit(&mut self, range: [f64; 2], place: Place<3>, g: [f64; 2], weight: f64) {
        let g = [-(g[0] + g[1]), g[0], g[1]];
        let small = ROUNDING * g.iter().fold(0.0, |a: f64, g| a.max(g.abs()));
        let Some(across) = g.iter().position(|g| g.abs() <= small) else {
            self.hard_threads.push(place.nodes, &[[g[1]], [g[2]]], weight, place.origin);
            return self.hard_threads.params.extend(range);
        };
        let (i, j) = ((across + 1) % 3, (across + 2) % 3);
        let (mut nodes, scale) = ([place.nodes[i], place.nodes[j]], g[j].abs());
        nodes.sort_unstable();
        let list = &mut self.edge_threads;
        if let Some(&e) = self.edges.get(&nodes)
            && (list.gradients[e][0] - scale).abs() <= ROUNDING * scale
            && list.params[2 * e..2 * e + 2] == range
        {
            list.weight[e].iter_mut().for_each(|w| *w += weight);
            return;
        }
        self.edges.insert(nodes, list.nodes.len());
        list.push(nodes, &[[scale]], weight, place.origin);
        list.params.extend(range);
    }

    /// A triangle against its neighbours: stiffness (N·m·m²) towards being flat, or towards a curvature to either side.
    pub fn bend(&mut self, stiffness: f64, place: Place<6>, g: [[f64; 3]; 5], rest: Option<Mat3<f64>>) {
        let list = if rest.is_some() { &mut self.curved } else { &mut self.flat };
        list.push(place.nodes, &g, stiffness, place.origin);
        list.params.push(stiffness);
        list.params.extend(rest.iter().flatten().flatten());
    }

    /// … towards a curvature on its own side; gradients of curvature and of F.
    pub fn sided(
        &mut self,
        stiffness: f64,
        place: Place<6>,
        (bend, flat): ([[f64; 3]; 5], [[f64; 2]; 2]),
        rest: Mat3<f64>,
        corners: [[f64; 3]; 3],
    ) {
        // F at rest are the first two axes of the triangle's frame.
        let edges = [sub(corners[1], corners[0]), sub(corners[2], corners[0])];
        let axis = |d: usize| std::array::from_fn(|c| edges[0][c] * flat[0][d] + edges[1][c] * flat[1][d]);
        let (x, y) = (axis(0), axis(1));
        let frame = [x, y, cross(x, y)];
        let c = rest.map(|column| frame.map(|axis| dot(axis, column)));
        let s = sided::scale_of(&c);
        let mut g = [[0.0; 5]; 5];
        for (v, row) in g.iter_mut().enumerate() {
            row[..3].copy_from_slice(&bend[v]);
            if let Some(flat) = flat.get(v) {
                (row[3], row[4]) = (s * flat[0], s * flat[1]);
            }
        }
        self.sided.push(place.nodes, &g, stiffness, place.origin);
        self.sided.params.push(stiffness);
        self.sided.params.extend(c.iter().flatten());
        self.sided.params.push(s);
    }

    /// Strain-rate damping of a triangle, β (s) times its stiffness.
    pub fn sheet_strain_rate(
        &mut self,
        m: &Material,
        place: Place<3>,
        (g, volume): ([[f64; 2]; 2], f64),
        at: &Where<'_>,
    ) {
        let beta = at.beta;
        if beta > 0.0 {
            let lame = m.lame();
            let flat = Lame { mu: lame.mu, lambda: plane_stress(lame) };
            let list = &mut self.sheet_rates;
            list.push(place.nodes, &g, 1.0, place.origin);
            if let (Some(v), Some(w)) = (list.volume.last_mut(), list.weight.last_mut()) {
                (*v, *w) = (volume, WeightRule::all(flat, volume * beta / at.dt));
            }
            list.params.extend([beta * flat.mu, beta * flat.lambda]);
            list.params.extend([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0 / at.dt]);
        }
    }
}
