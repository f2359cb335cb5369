//! Air: wind and drag on the triangles of sheets, damping of nodes. Before each step it sets the numbers of the drag terms.

use super::Simulation;
use super::integrator::Rule;
use crate::math::nodes::Row;
use crate::math::small::{axpy, cross, dot, scale, sub};
use crate::settings::{Method, Wind};
use crate::term::TermSet;

/// Who feels the air, and where the terms are.
#[derive(Clone, Debug, Default)]
pub struct Air {
    /// Triangles of sheets, by nodes.
    pub triangles: Vec<[u32; 3]>,
    /// For each drag term in order: its node, its damping α·m in kg/s, and the weight that it was given in N/m.
    pub drags: Vec<(u32, f64, f64)>,
    /// The largest C/Δt of a term at the last state, as a share of its weight.
    pub most: f64,
    /// What weights are multiplied by for projective dynamics; 0 means 1.
    pub weight_factor: f64,
    /// Which batch holds the drag terms.
    pub batch: usize,
    /// Memory for sums per node.
    pub pulls: Vec<Pull>,
}

/// The velocity of the air in m/s at a place and time. Gusts are two waves that travel with the wind, neither of them a multiple of
/// the other, so that they do not repeat.
pub fn velocity(wind: &Wind, at: [f64; 3], time: f64) -> [f64; 3] {
    let speed = dot(wind.velocity, wind.velocity).sqrt();
    if wind.gust == 0.0 || speed == 0.0 {
        return wind.velocity;
    }
    // Fractions of a turn from the seed, by the golden ratio.
    let phase = |k: u64| (wind.seed.wrapping_mul(2).wrapping_add(k) as f64 * 0.618_033_988_749_895).fract();
    let travel = dot(at, wind.velocity) / (speed * speed);
    let wave = |rate: f64, k: u64| {
        crate::math::elementary::sin(
            std::f64::consts::TAU * (rate * (time - travel) / wind.gust_time + phase(k)),
        )
    };
    let swing = (2.0 * wave(1.0, 0) + wave(2.618_033_988_749_895, 1)) / 3.0;
    scale(1.0 + wind.gust * swing, wind.velocity)
}

/// A symmetric matrix (xx, yy, zz, xy, xz, yz) and a vector.
pub type Pull = ([f64; 6], [f64; 3]);

impl Air {
    /// The same with other numbers of the nodes.
    pub fn renumber(&mut self, place: &[u32]) {
        self.triangles.iter_mut().flatten().for_each(|v| *v = place[*v as usize]);
        self.drags.iter_mut().for_each(|d| d.0 = place[d.0 as usize]);
    }

    /// True if nothing feels it.
    pub fn is_empty(&self) -> bool {
        self.drags.is_empty()
    }

    /// Sets C of each drag term at the present state, `rate` being 1/Δt, and adds the force C·(velocity of the air) to `force` (N).
    pub fn blow(
        &mut self,
        wind: Option<&Wind>,
        time: f64,
        (x, v): (&[Row], &[Row]),
        force: &mut [Row],
        (terms, rate): (&mut TermSet, f64),
    ) {
        if self.is_empty() {
            return;
        }
        let pulls = &mut self.pulls;
        pulls.clear();
        pulls.resize(x.len(), Pull::default());
        for (t, wind) in self.triangles.iter().zip(wind.into_iter().cycle()) {
            let rows = t.map(|v| v as usize);
            let p = rows.map(|r| x[r].xyz());
            let mean = |q: [[f64; 3]; 3]| -> [f64; 3] {
                std::array::from_fn(|c| (q[0][c] + q[1][c] + q[2][c]) / 3.0)
            };
            let air = velocity(wind, mean(p), time);
            let relative = sub(mean(rows.map(|r| v[r].xyz())), air);
            let normal = cross(sub(p[1], p[0]), sub(p[2], p[0]));
            let twice = dot(normal, normal).sqrt();
            if !(twice > 0.0) {
                continue;
            }
            let n = scale(1.0 / twice, normal);
            // A third of the triangle for each of its nodes.
            let size = 0.5 * wind.air_density * 0.5 * twice * dot(relative, relative).sqrt() / 3.0;
            let (along, across) = (size * wind.friction, size * (wind.drag - wind.friction));
            let c = [
                along + across * n[0] * n[0],
                along + across * n[1] * n[1],
                along + across * n[2] * n[2],
                across * n[0] * n[1],
                across * n[0] * n[2],
                across * n[1] * n[2],
            ];
            let push = axpy(scale(along, air), across * dot(n, air), n);
            for r in rows {
                for (sum, c) in pulls[r].0.iter_mut().zip(c) {
                    *sum += c;
                }
                pulls[r].1 = std::array::from_fn(|k| pulls[r].1[k] + push[k]);
            }
        }
        let Some(batch) = terms.batch_mut(self.batch) else { return };
        self.most = 0.0;
        for (element, &(node, damping, weight)) in self.drags.iter().enumerate() {
            let r = node as usize;
            let (mut c, push) = pulls[r];
            for k in 0..3 {
                c[k] += damping;
                force[r].0[k] += push[k];
            }
            batch.set_params(element, 0, &c);
            self.most = self.most.max(rate * (c[0] + c[1] + c[2]) / weight);
        }
    }

    /// The factor of the weights that projective dynamics needs, a power of two: it takes steps of drag's gradient, which lead
    /// away from the solution where C/Δt is more than twice as large as what is in the matrix.
    pub fn needed(&self) -> f64 {
        let mut factor = 1.0;
        while self.most > 1.5 * factor && factor < 1e12 {
            factor *= 2.0;
        }
        factor
    }
}

impl Simulation {
    /// What dissipates is taken at the last state.
    pub(super) fn blow(&mut self, rule: &Rule) {
        if self.air.is_empty() {
            return;
        }
        // At the end of the step, as far as the integrator can look ahead.
        let time = self.state.time + if rule.ahead[1] == 0.0 { 0.0 } else { rule.dt };
        let (wind, rate) = (self.settings.world.wind.as_ref(), 1.0 / rule.step);
        self.work.force.copy_from_slice(&self.state.force);
        let past = &self.state.past;
        rule.combine(rule.ahead, &self.state.x, &past.x, &mut self.work.x_base);
        rule.combine(rule.ahead, &self.state.v, &past.v, &mut self.work.v_base);
        let state = (&self.work.x_base[..], &self.work.v_base[..]);
        self.air.blow(wind, time, state, &mut self.work.force, (&mut self.terms, rate));
        let projective = self.settings.solve.method == Method::Projective;
        let factor = if projective { self.air.needed() } else { 1.0 };
        if factor != self.air.weight_factor.max(1.0) {
            self.air.weight_factor = factor;
            // A larger diagonal can be factored if the smaller one could; if not, the step will say so.
            if self.refactor().is_err() {
                self.air.weight_factor = 1.0;
                let _ = self.refactor();
            }
        }
    }
}
