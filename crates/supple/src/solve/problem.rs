//! One time step's optimisation problem (5): its objective, gradient, global step and residuals.

use super::admm::{baselines, contact};
use super::axis_pins::Axes;
use super::free_bodies::Free;
use super::run::Run;
use crate::contact::{Columns, ContactSet};
use crate::exec::Exec;
use crate::global::{Cholesky, SolveScratch, Split, System};
use crate::math::nodes::Row;
use crate::settings::{ContactMethod, DualStart, Method};
use crate::term::{Sums, TermSet};

/// min ½Δt⁻²‖M^½(x − x̃)‖² + U(Dx) over the free nodes (5), and the memory to solve it.
///
/// Nodes are in the order of the factor: the free ones first, then the pinned ones, which stay where they are.
pub struct Problem<'a> {
    /// The terms of U.
    pub terms: &'a mut TermSet,
    /// A = M + Δt² DᵀW²D over the free nodes, factored.
    pub global: &'a mut Cholesky,
    /// A itself: Newton's Hessian has its pattern.
    pub matrix: &'a mut System,
    /// Memory of the solve.
    pub scratch: &'a mut SolveScratch,
    /// A⁻¹ where some coordinates are held.
    pub split: &'a mut Split,
    /// Mass of each node in kg.
    pub mass: &'a [f64],
    /// Where each node would go without elastic forces; for pinned nodes their target.
    pub x_tilde: &'a [Row],
    /// x_n + Δt v_n: where each node would go without any force.
    pub x_free: &'a [Row],
    /// The iterate.
    pub x: &'a mut [Row],
    /// Free nodes of which some coordinates are held.
    pub axes: &'a [Axes],
    /// Per free node, memory for right-hand sides and gradients.
    pub rhs: &'a mut [Row],
    /// Bodies that nothing holds.
    pub free_bodies: &'a mut Free,
    /// Body of each free node.
    pub body: &'a [u32],
    /// Diagonal of the bounding box of each body in m.
    pub body_size: &'a [f64],
    /// Memory for sums per body.
    pub per_body: &'a mut [BodySums],
    /// Memory: per body, how far forces move it in this step, in m.
    pub motion: &'a mut [f64],
    /// Per free node, what rounding leaves of forces at best, in N; see [`Problem::find_rounding`].
    pub rounding: &'a mut [f64],
    /// What may touch in this step.
    pub contact: &'a mut ContactSet,
    /// Columns of A⁻¹Δt² at the nodes that may touch, kept for good.
    pub columns: &'a mut Columns,
    /// The matrix by colours, for contact by `nodal`.
    pub nodal: &'a mut baselines::Nodal,
    /// Δt in s.
    pub dt: f64,
    /// ε(x⁰) where someone looks at the iterations; else not a number.
    pub start_objective: f64,
    /// Who is at work.
    pub method: Method,
    /// Threads.
    pub exec: &'a Exec,
}

/// √Σ|row|², in order.
fn norm(rows: &[Row]) -> f64 {
    rows.iter().map(square).fold(0.0, |a, b| a + b).sqrt()
}
fn norm_of(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |s, a| s + a * a).sqrt()
}
/// The largest coordinate of a row.
fn largest(r: &Row) -> f64 {
    r.0[0].abs().max(r.0[1].abs()).max(r.0[2].abs())
}
pub(super) fn square(r: &Row) -> f64 {
    r.0[0] * r.0[0] + r.0[1] * r.0[1] + r.0[2] * r.0[2]
}

/// Squares of forces, of their reference and of their rounding, summed over a body.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodySums {
    force: f64,
    reference: f64,
    rounding: f64,
}

impl BodySums {
    fn add(&mut self, force: f64, reference: f64, rounding: f64) {
        self.force += force * force;
        self.reference += reference * reference;
        self.rounding += rounding * rounding;
    }
    /// ‖force‖/‖reference‖; 0 where the force is only rounding, infinite where something overflows.
    fn relative(&self) -> f64 {
        if !(self.force.is_finite() && self.reference.is_finite() && self.rounding.is_finite()) {
            f64::INFINITY
        } else if self.force == 0.0 {
            0.0
        } else {
            (self.force / self.reference.max(self.rounding)).sqrt()
        }
    }
}

/// The force residual, and what it was found with.
#[derive(Clone, Copy, Debug)]
pub struct ForceResidual {
    /// ‖M(x−x̃)/Δt² + ∇U(x) − Cᵀλ‖/f_ref, f_ref = √Σ_i(Σ_e|f_e,i| + m_i|a_i|)²; 0 where f_ref vanishes against rounding.
    pub relative: f64,
    /// The largest of the same ratios taken body by body: a stiff body does not hide a soft one.
    pub worst: f64,
    /// Energy and inverted elements at x.
    pub sums: Sums,
}

impl Problem<'_> {
    /// Free nodes.
    pub fn free(&self) -> usize {
        self.rhs.len()
    }

    /// ½Δt⁻²‖M^½(x − x̃)‖² at the given positions.
    pub fn inertia(&self, x: &[Row]) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.free() {
            for c in 0..3 {
                let d = x[i].0[c] - self.x_tilde[i].0[c];
                sum += self.mass[i] * d * d;
            }
        }
        0.5 * sum / (self.dt * self.dt)
    }

    /// ε(x) = f(x) + g(Dx), the objective of (5), at the iterate.
    pub fn objective(&mut self) -> f64 {
        let sums = self.terms.energy(self.x, self.exec);
        self.inertia(self.x) + sums.energy
    }

    /// ε(x) and its gradient M(x − x̃)/Δt² + ∇U(x) at the iterate; ε is infinite where U is.
    pub fn gradient(&mut self, out: &mut [Row]) -> (f64, Sums) {
        let sums = self.terms.gradient(self.x, self.exec);
        let inv = 1.0 / (self.dt * self.dt);
        let (mass, x, x_tilde) = (self.mass, &*self.x, self.x_tilde);
        self.terms.sum_loads(out, self.exec, |i, sum, out| {
            for c in 0..3 {
                out.0[c] = sum.0[c] + mass[i] * inv * (x[i].0[c] - x_tilde[i].0[c]);
            }
            out.0[3] = 0.0;
        });
        self.hold(out);
        (if sums.infinite > 0 { f64::INFINITY } else { self.inertia(self.x) + sums.energy }, sums)
    }

    /// max_i |step_i|/L, L the size of the node's body.
    pub fn relative_step(&self, step: &[Row]) -> f64 {
        let mut most = 0.0f64;
        for (d, &b) in step.iter().zip(self.body) {
            let size = self.body_size.get(b as usize).copied().unwrap_or(1.0);
            let part = square(d) / (size * size);
            // `max` would overlook a NaN.
            if part.is_nan() {
                return f64::INFINITY;
            }
            most = most.max(part);
        }
        most.sqrt()
    }

    /// max_i |step_i|/(1000·a), a the largest of |x − x_free| and |x̃ − x_free| in the node's body: what is left, against what all forces and
    /// what outer ones do in this step.
    ///
    /// Without it, accelerations below tolerance·L/Δt² would be lost, and a body released with a short Δt would stand still. Where
    /// forces move a body by a thousandth of its size or more in a step, L is the smaller unit. Steps that rounding of positions hides count
    /// as 0.
    pub fn step_against_motion(&mut self, step: &[Row]) -> f64 {
        const SHARE: f64 = 1000.0;
        self.motion.fill(0.0);
        for i in 0..step.len() {
            let way = |to: &Row| -> f64 { (0..3).map(|c| (to.0[c] - self.x_free[i].0[c]).powi(2)).sum() };
            let far = way(&self.x[i]).max(way(&self.x_tilde[i]));
            if let Some(most) = self.motion.get_mut(self.body[i] as usize) {
                *most = most.max(far);
            }
        }
        let mut most = 0.0f64;
        for (i, d) in step.iter().enumerate() {
            let length = square(d).sqrt();
            let motion = self.motion.get(self.body[i] as usize).map_or(0.0, |m| m.sqrt());
            if !length.is_finite() {
                return f64::INFINITY;
            }
            if length > self.resolution(i) {
                most = most.max(length / (SHARE * motion));
            }
        }
        most
    }

    /// How far bodies would get in the long run, over L, if every step left a force that moves them by `step`, B⁻¹g: Σ_j (B⁻¹M/Δt²)^j B⁻¹g,
    /// which is K⁻¹g for B = M/Δt² + K. The sum is taken as a geometric one from its third term on. `step` is used up; `solve` is v ← B⁻¹v.
    pub fn lasting_step(&mut self, step: &mut [Row], solve: &mut dyn FnMut(&mut Self, &mut [Row])) -> f64 {
        let inv = 1.0 / (self.dt * self.dt);
        let mut terms = [self.relative_step(step), 0.0, 0.0];
        for term in &mut terms[1..] {
            for (r, m) in step.iter_mut().zip(self.mass) {
                r.0 = r.0.map(|d| m * inv * d);
            }
            solve(self, step);
            *term = self.relative_step(step);
        }
        let [first, second, third] = terms;
        first + second / (1.0 - if second > 0.0 { third / second } else { 0.0 }).max(1e-12)
    }

    /// What rounding leaves of a node's position, in m: half a unit in the last place for each of x_n, x_free and x, and some reserve.
    fn resolution(&self, i: usize) -> f64 {
        4.0 * f64::EPSILON * largest(&self.x[i])
    }

    /// True if a step is lost in the rounding of every node's position.
    pub fn is_lost(&self, step: &[Row]) -> bool {
        step.iter().zip(self.x.iter()).all(|(d, x)| (0..3).all(|c| x.0[c] + d.0[c] == x.0[c]))
    }

    /// True if the gradient is nothing but rounding at every node; see [`Problem::find_rounding`].
    pub fn is_rounding(&self, gradient: &[Row]) -> bool {
        gradient.iter().zip(self.rounding.iter()).all(|(g, most)| square(g) <= most * most)
    }

    /// What rounding leaves of ε at best, in J: forces that are off by their rounding, over the size of the body.
    pub fn energy_rounding(&self) -> f64 {
        let size = |b: &u32| self.body_size.get(*b as usize).copied().unwrap_or(1.0);
        let parts = self.rounding.iter().zip(self.body).map(|(r, b)| r * size(b) / 64.0);
        parts.fold(0.0, |a, b| a + b)
    }

    /// True if the rounding of the gradient hides its slope along a direction.
    pub fn is_flat(&self, slope: f64, direction: &[Row]) -> bool {
        let noise = direction.iter().zip(self.rounding.iter()).map(|(d, r)| square(d).sqrt() * r);
        slope.abs() <= noise.fold(0.0, |a, b| a + b)
    }

    /// After [`Problem::force_residual`] or [`Problem::dual`]: the forces g that they left lead to the step A⁻¹Δt²g, taken against the motion
    /// of this time step, or over L in the long run, whichever is less. For methods whose test is one of forces.
    pub fn forces_against_motion(&mut self) -> f64 {
        let h2 = self.dt * self.dt;
        let step = std::mem::take(&mut self.rhs);
        for (r, rounding) in step.iter_mut().zip(self.rounding.iter()) {
            let scale = if square(r).sqrt() <= *rounding { 0.0 } else { 1.0 };
            *r = Row([scale * r.0[0], scale * r.0[1], scale * r.0[2], 0.0]);
        }
        let mut solve = |p: &mut Self, v: &mut [Row]| {
            v.iter_mut().for_each(|r| r.0 = r.0.map(|f| h2 * f));
            p.solve_matrix(v);
        };
        solve(self, step);
        let against = self.step_against_motion(step);
        let least = if against > 0.0 { against.min(self.lasting_step(step, &mut solve)) } else { 0.0 };
        self.rhs = step;
        least
    }

    /// ‖W(Dx − z)‖² and ‖W Dx‖² at the iterate.
    pub fn primal(&mut self) -> Sums {
        self.terms.primal(self.x, self.exec)
    }

    /// Right after the terms' reset at the start of a step: what rounding leaves of forces at each node.
    ///
    /// Forces are differences of numbers of the size kV|Dx·g|, k the material's stiffness; 64 units in the last place of
    /// their sum is what the proximal operators and sums lose at rest, with some reserve. Inertia m(x − x̃)/Δt² loses the rounding of both
    /// positions.
    pub fn find_rounding(&mut self) {
        self.terms.size_loads(self.exec);
        self.terms.sum_loads(self.rhs, self.exec, |_, sum, out| *out = sum);
        let inv = 1.0 / (self.dt * self.dt);
        for i in 0..self.rhs.len() {
            let inertia = f64::EPSILON * self.mass[i] * inv * largest(&self.x[i]);
            self.rounding[i] = 64.0 * f64::EPSILON * self.rhs[i].0[3] + inertia;
        }
    }

    /// [`Problem::find_rounding`] for methods that have no use for the terms' own state.
    pub(super) fn find_start_rounding(&mut self) {
        self.terms.reset(self.x, DualStart::Zero, self.exec);
        self.find_rounding();
    }

    /// True if the right-hand side of the global step, Δt² times forces, is nothing but rounding at every node.
    pub fn only_rounding(&self) -> bool {
        let h2 = self.dt * self.dt;
        let contact = self.contact.force();
        self.rhs.iter().zip(self.rounding.iter()).enumerate().all(|(i, (r, most))| {
            let size = r.0[0] * r.0[0] + r.0[1] * r.0[1] + r.0[2] * r.0[2];
            let most = most + contact::rounding(contact.get(i), self.mass[i] / h2, &self.x[i]);
            size <= h2 * most * (h2 * most)
        })
    }

    /// After a local step: A δ = M(x̃ − x) + Δt² Σ loads, x += δ; eq. (15) in increment form.
    pub fn global_step(&mut self, h2: f64, run: &mut Run<'_, '_>) {
        let way = run.settings.contact;
        let local = way == ContactMethod::Local && !self.contact.is_empty();
        if local {
            baselines::local::local_step(self);
        }
        let (mass, x_tilde, x, contact) = (self.mass, self.x_tilde, &*self.x, self.contact.force());
        let more = if local { self.contact.change() } else { &[] };
        self.terms.sum_loads(self.rhs, self.exec, |i, sum, out| {
            for c in 0..3 {
                let force = |rows: &[Row]| rows.get(i).map_or(0.0, |f| f.0[c]);
                let load = sum.0[c] + force(contact) + force(more);
                out.0[c] = mass[i] * (x_tilde[i].0[c] - x[i].0[c]) + h2 * load;
            }
            out.0[3] = 0.0;
        });
        self.hold_rhs();
        let ready = run.clock.seconds();
        // A body at rest stays exactly at rest: what is only rounding would add up to a drift over many frames.
        if !self.contact.is_empty() {
            match way {
                ContactMethod::Delassus => contact::global_step(self, run.settings.tolerance),
                ContactMethod::Local => baselines::local::global_step(self),
                ContactMethod::Uzawa => baselines::uzawa(self, run.settings.tolerance),
                ContactMethod::Nodal => baselines::nodal(self, run.settings.tolerance),
            }
        } else if !self.only_rounding() {
            self.solve_rhs();
            for (x, d) in self.x.iter_mut().zip(self.rhs.iter()) {
                for c in 0..3 {
                    x.0[c] += d.0[c];
                }
            }
        }
        self.put_held();
        run.solve += run.clock.seconds() - ready;
    }

    /// ‖DᵀW²(z − z_before)‖ over the free nodes (23).
    pub fn dual(&mut self) -> f64 {
        self.terms.dual_loads(self.exec);
        self.terms.sum_loads(self.rhs, self.exec, |_, sum, out| *out = sum);
        self.hold_rhs();
        norm(self.rhs)
    }

    /// ‖DᵀW²(z − z_before)‖/‖DᵀW²u‖: with hard constraints, how far their forces are from settled.
    pub fn relative_dual(&mut self) -> f64 {
        let dual = self.dual();
        self.terms.force_loads(self.exec);
        self.terms.sum_loads(self.rhs, self.exec, |_, sum, out| *out = sum);
        self.hold_rhs();
        let size = norm(self.rhs);
        if dual == 0.0 { 0.0 } else { dual / size.max(norm_of(self.rounding)) }
    }

    /// The gradient of (5) at the iterate, relative to the forces it is made of.
    pub fn force_residual(&mut self) -> ForceResidual {
        let sums = self.terms.gradient(self.x, self.exec);
        let inv = 1.0 / (self.dt * self.dt);
        let (mass, x, x_tilde) = (self.mass, &*self.x, self.x_tilde);
        let contact = self.contact.force();
        self.terms.sum_loads(self.rhs, self.exec, |i, sum, out| {
            for c in 0..3 {
                let load = sum.0[c] - contact.get(i).map_or(0.0, |f| f.0[c]);
                out.0[c] = load + mass[i] * inv * (x[i].0[c] - x_tilde[i].0[c]);
            }
            out.0[3] = sum.0[3];
        });
        self.hold_rhs();
        let (x, contact) = (&*self.x, self.contact.force());
        let mut all = BodySums::default();
        self.per_body.fill(all);
        for i in 0..self.rhs.len() {
            let mut a = 0.0;
            for c in 0..3 {
                let d = (x[i].0[c] - self.x_free[i].0[c]) * inv;
                a += d * d;
            }
            let force = square(&self.rhs[i]).sqrt();
            let reference = self.rhs[i].0[3] + mass[i] * a.sqrt();
            // What is only rounding counts as nothing.
            let rounding = self.rounding[i] + contact::rounding(contact.get(i), mass[i] * inv, &x[i]);
            let force = if force <= rounding { 0.0 } else { force };
            all.add(force, reference, rounding);
            if let Some(body) = self.per_body.get_mut(self.body[i] as usize) {
                body.add(force, reference, rounding);
            }
        }
        let infinite = sums.infinite > 0;
        let relative = if infinite { f64::INFINITY } else { all.relative() };
        let worst = self.per_body.iter().map(BodySums::relative).fold(relative, f64::max);
        ForceResidual { relative, worst, sums }
    }
}
