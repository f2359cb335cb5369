//! What every step says about itself.

use crate::contact::ContactReport;
use crate::math::nodes::Row;
use crate::report::Value;
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
    /// The whole step.
    pub fn total(&self) -> f64 {
        self.local + self.global + self.rest
    }
}

impl std::ops::Add for Timings {
    type Output = Timings;
    fn add(self, o: Timings) -> Timings {
        Timings {
            local: self.local + o.local,
            global: self.global + o.global,
            solve: self.solve + o.solve,
            detection: self.detection + o.detection,
            rest: self.rest + o.rest,
        }
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

report! {
    /// How good a step is, and what it cost; of a frame of several steps their sums and their worst.
    ///
    /// What it says of contacts reads like a part of itself: `report.gap` is `report.contact.gap`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StepReport {
        /// Steps taken, this one included.
        frame: u64, last;
        /// Simulated time at the end of the step in s.
        time: f64, last;
        /// How the iteration ended: "converged", "iteration_limit", "time_limit", "stalled", "infeasible", "diverged" or "stopped".
        status: Status, worse;
        /// Who solved it: the method asked for, or the one that `auto` ended with.
        method: Method, last;
        /// Iterations done.
        iterations: usize, sum;
        /// Global matrices factored in the step: weights of hard constraints followed their forces, `projective` needed more weight for drag, or
        /// the integrator's coefficients changed. 0 in all other steps.
        factored: usize, sum;
        /// Hessians factored in the step, by `newton`, `auto` and where bodies may touch each other.
        hessians: usize, sum;
        /// ‖W(Dx − z)‖ (22), with x after the last global step; of `admm`.
        primal: f64, max;
        /// ‖DᵀW²(z − z_before)‖ (23) over the nodes that are not pinned, in N; of `admm` and `projective`.
        dual: f64, max;
        /// ‖M(x − x̃)/Δt² + ∇U(x) − Cᵀλ‖/f_ref over the nodes that are not pinned, f_ref = √Σ_i(Σ_e|f_e,i| + m_i|a_i|)²: 0 is exact,
        /// 1 means that forces do not balance at all. The force of a hard constraint is its multiplier DᵀW²u. Infinite while an
        /// element of a barrier material is inverted.
        force_residual: f64, max;
        /// How far any node would still move, in units of the diagonal of its body's bounding box; 0 for methods that do not know
        /// (`admm`, `projective`, `position`).
        step: f64, max;
        /// Energies at the end of the step.
        energy: Energy, last;
        /// Tetrahedra with negative volume at the end of the step.
        inverted: usize, max;
        /// The largest distance of an element from the set that a hard constraint allows: in m for rods and ropes, without unit for
        /// strain limits. 0 without hard constraints.
        violation: f64, max;
        /// Where the time went.
        timings: Timings, sum;
        .. /// Contacts and links.
        contact: ContactReport;
    }
}

impl std::ops::Deref for StepReport {
    type Target = ContactReport;
    fn deref(&self) -> &ContactReport {
        &self.contact
    }
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
            timings: Timings::default(),
            contact: ContactReport::default(),
        }
    }
}

impl From<Status> for Value {
    fn from(status: Status) -> Value {
        Value::Word(status.as_str())
    }
}
impl From<Method> for Value {
    fn from(method: Method) -> Value {
        Value::Word(method.as_str())
    }
}
impl From<Energy> for Value {
    fn from(e: Energy) -> Value {
        let parts = [
            ("elastic", e.elastic),
            ("kinetic", e.kinetic),
            ("potential", e.potential),
            ("contact", e.contact),
        ];
        Value::Group(parts.map(|(name, joules)| (name, joules.into())).to_vec())
    }
}
impl From<Timings> for Value {
    fn from(t: Timings) -> Value {
        let parts = [
            ("local", t.local),
            ("global", t.global),
            ("solve", t.solve),
            ("detection", t.detection),
            ("rest", t.rest),
            ("total", t.total()),
        ];
        Value::Group(parts.map(|(name, seconds)| (name, seconds.into())).to_vec())
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
