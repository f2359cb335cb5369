//! What every step says about itself.

use crate::math::nodes::Row;
use crate::settings::Method;
use crate::solve::Status;
use serde::Serialize;

/// Energies in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Σ VΨ; infinite while an element of a barrier material is inverted.
    pub elastic: f64,
    /// ½Σ m|v|².
    pub kinetic: f64,
    /// −Σ m g·x.
    pub potential: f64,
    /// Σψ of the repulsion between bodies that touch (docs/contact.md).
    pub contact: f64,
}

/// Seconds of wall-clock time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timings {
    /// In local steps (24), (25), all iterations.
    pub local: f64,
    /// In global steps (15), all iterations: right-hand side, solve, update.
    pub global: f64,
    /// The part of `global` in the solve with the factor.
    pub solve: f64,
    /// The part of `global` and `rest` in looking for contacts: what is near, what meets on its way, what has entered what.
    pub detection: f64,
    /// In everything else.
    pub rest: f64,
}

impl Timings {
    /// Both together.
    pub fn plus(&self, o: &Timings) -> Timings {
        Timings {
            local: self.local + o.local,
            global: self.global + o.global,
            solve: self.solve + o.solve,
            detection: self.detection + o.detection,
            rest: self.rest + o.rest,
        }
    }
    /// The whole step.
    pub fn total(&self) -> f64 {
        self.local + self.global + self.rest
    }
}

/// Matrices factored over the life of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Factors {
    /// Global matrices A = M + Δt² DᵀW²D, that of the build included.
    pub matrices: u64,
    /// Hessians, of `newton`, `auto`, equilibria, and where bodies may touch each other.
    pub hessians: u64,
}

/// How good a step is, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepReport {
    /// Steps taken, this one included.
    pub frame: u64,
    /// Simulated time at the end of the step in s.
    pub time: f64,
    /// How the iteration ended.
    pub status: Status,
    /// Who solved it: the method asked for, or the one that `auto` ended with.
    pub method: Method,
    /// Iterations done.
    pub iterations: usize,
    /// Global matrices factored in the step: weights of hard constraints followed their forces, `projective` needed more weight for drag, or
    /// the integrator's coefficients changed. 0 in all other steps.
    pub factored: usize,
    /// Hessians factored in the step, by `newton`, `auto` and where bodies may touch each other.
    pub hessians: usize,
    /// ‖W(Dx − z)‖ (22), with x after the last global step.
    pub primal: f64,
    /// ‖DᵀW²(z − z_before)‖ (23) over the nodes that are not pinned, in N.
    pub dual: f64,
    /// ‖M(x − x̃)/Δt² + ∇U(x) − Cᵀλ‖/f_ref over the nodes that are not pinned, f_ref = √Σ_i(Σ_e|f_e,i| + m_i|a_i|)²: 0 is exact,
    /// 1 means that forces do not balance at all. The force of a hard constraint is its multiplier DᵀW²u. Infinite while an
    /// element of a barrier material is inverted.
    pub force_residual: f64,
    /// How far any node would still move, in units of the diagonal of its body's bounding box; 0 for methods that do not know
    /// (`admm`, `projective`, `position`).
    pub step: f64,
    /// Energies at the end of the step.
    pub energy: Energy,
    /// Tetrahedra with negative volume at the end of the step.
    pub inverted: usize,
    /// The largest distance of an element from the set that a hard constraint allows: in m for rods and ropes, without unit for
    /// strain limits. 0 without hard constraints.
    pub violation: f64,
    /// Contacts that bear a force.
    pub contacts: usize,
    /// Contacts that were looked at.
    pub candidates: usize,
    /// Largest depth at the end of the step in m, measured anew: of a node inside an obstacle or another solid, or of the shorter end
    /// of an edge that passes through a triangle.
    pub max_penetration: f64,
    /// max_c s_c|λ_c − project(λ_c − y_c/s_c)| in m: how far contacts are from the law of Signorini and Coulomb. 0 exactly when
    /// it holds.
    pub contact_residual: f64,
    /// How far contact forces leave their friction cones, relative to the largest normal force.
    pub cone_violation: f64,
    /// Sweeps over the contacts, all iterations.
    pub sweeps: usize,
    /// Bodies whose step was shortened because they would have passed through an obstacle, a body or themselves.
    pub islands_shortened: usize,
    /// Nodes that were held back at the end of the step so that nothing passes through anything; they catch up later.
    pub held: usize,
    /// The largest way that they, or pins, lack, in m.
    pub held_way: f64,
    /// Smallest distance between bodies that touch each other, or obstacles, in m; infinite if none do, or contact is by rows.
    pub gap: f64,
    /// Largest d̂ − d of a pair that touches in m: how far they are nearer than without force.
    pub contact_offset: f64,
    /// Largest way in m that a contact gave in this step while it sticks; 0 at rest.
    pub stick_slip: f64,
    /// Lists of what may touch that were made in this step.
    pub detections: usize,
    /// Largest distance of a linked node from where it should be, in m.
    pub link_gap: f64,
    /// Links that broke at the end of this step.
    pub links_broken: usize,
    /// Where the time went.
    pub timings: Timings,
}

impl StepReport {
    /// Of no step.
    pub(super) fn idle(method: Method) -> StepReport {
        StepReport {
            frame: 0,
            time: 0.0,
            status: Status::Stalled,
            method,
            iterations: 0,
            factored: 0,
            hessians: 0,
            primal: 0.0,
            dual: 0.0,
            force_residual: 0.0,
            step: 0.0,
            energy: Energy::default(),
            inverted: 0,
            violation: 0.0,
            contacts: 0,
            candidates: 0,
            max_penetration: 0.0,
            contact_residual: 0.0,
            cone_violation: 0.0,
            sweeps: 0,
            islands_shortened: 0,
            held: 0,
            held_way: 0.0,
            gap: f64::INFINITY,
            contact_offset: 0.0,
            stick_slip: 0.0,
            detections: 0,
            link_gap: 0.0,
            links_broken: 0,
            timings: Timings::default(),
        }
    }
}

/// ½Σ m|(x⁺ − X)/s|², the kinetic energy after a step that is not yet taken.
pub(super) fn kinetic(mass: &[f64], x: &[Row], x_new: &[Row], dt: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..mass.len() {
        for c in 0..3 {
            let v = (x_new[i].0[c] - x[i].0[c]) / dt;
            sum += 0.5 * mass[i] * v * v;
        }
    }
    sum
}

/// Energies of a state whose elastic energy is known.
pub(super) fn energy(elastic: f64, mass: &[f64], x: &[Row], v: &[Row], gravity: [f64; 3]) -> Energy {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for i in 0..mass.len() {
        for c in 0..3 {
            kinetic += 0.5 * mass[i] * v[i].0[c] * v[i].0[c];
            potential -= mass[i] * gravity[c] * x[i].0[c];
        }
    }
    Energy { elastic, kinetic, potential, contact: 0.0 }
}
