//! Terms: energies attached to nodes. Here the sum over elements of eq. (3) is taken.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`TermBatch`]: what the solvers ask of a batch of elements; [`TermSet`]: all batches, asked alike |
//! | `batch.rs` | [`Batch`]: elements of one kind and one potential, in packets of lanes |
//! | `source.rs` | elements before the nodes have their final numbers |
//! | `kernel.rs` | the loops over packets: local step, residuals, gradient, energy |
//! | `curve.rs` | … second derivatives |
//! | `pull.rs` | [`Pull`]: derivatives of an element's forces with respect to everything they depend on |
//! | `mix.rs` | … what accelerations of ADMM need |
//! | `quadratic.rs` | quadratic terms as one matrix, for accelerated ADMM |
//! | `sweep.rs` | … projection onto hard constraints, one after the other |
//! | `fields.rs` | stretch and stress of elements |
//! | `fibres.rs` | [`FibreRef`]: rest lengths of fibres, which may change |
//! | `stencil.rs` | tetrahedra, edges, nodes → gradients G |
//! | `incidence.rs` | node → contributions, summed in a fixed order |
//! | `weight.rs` | the choice of the weights w |
//! | `firm.rs` | [`Firm`]: weights of hard constraints, which follow their forces |
//!
//! Every term's local coordinates are Σ_v x_v g_vᵀ, a 3×D matrix: D_i x of the paper for a reduction matrix that
//! acts alike on x, y and z. To add an element, fill G in `stencil.rs`; nothing else changes.

mod batch;
mod curve;
mod fibres;
mod fields;
mod firm;
mod incidence;
mod kernel;
pub mod mix;
mod pull;
mod quadratic;
mod source;
pub mod stencil;
mod sweep;
pub mod weight;

pub use batch::{Batch, ElementList};
pub use fibres::FibreRef;
pub use fields::{Share, fields, stresses};
pub use firm::Firm;
pub use incidence::Incidence;
pub use pull::{Pull, VOLUME};
pub use source::{BatchSource, Source};

use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::Mat3;
use quadratic::Quadratic;

/// Most steps that Anderson acceleration looks back.
pub const MOST_MEMORY: usize = 10;

/// How the dual variables start a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DualStart {
    /// u = 0, as published.
    Zero,
    /// u = V P(Dx)/w², the forces at the start, for elements that are not inverted; for hard constraints the forces of the last
    /// step.
    #[default]
    Stress,
}

/// Sums over the elements of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// ‖W(Dx − z)‖², the square of (22).
    pub primal: f64,
    /// ‖W Dx‖².
    pub size: f64,
    /// Σ VΨ(Dx), in J.
    pub energy: f64,
    /// Elements with det F < 0.
    pub inverted: usize,
    /// Elements for which the energy is infinite.
    pub infinite: usize,
    /// Elements outside of their energy's domain: barrier energies and those that do not see a reflection.
    pub forbidden: usize,
    /// Elements that are inverted or nearly flat and have an energy that is not convex: their gradient leads nowhere.
    pub degenerate: usize,
    /// The part of `energy` that is dissipation, in J.
    pub dissipation: f64,
    /// The largest distance of Dx from the set of a hard constraint: m for lengths, no unit for strains.
    pub violation: f64,
    /// The largest of these distances as a share of ‖Dx‖.
    pub violated: f64,
}

impl Sums {
    /// Adds another sum.
    pub fn add(&mut self, o: &Sums) {
        self.primal += o.primal;
        self.size += o.size;
        self.energy += o.energy;
        self.inverted += o.inverted;
        self.infinite += o.infinite;
        self.forbidden += o.forbidden;
        self.degenerate += o.degenerate;
        self.dissipation += o.dissipation;
        self.violation = self.violation.max(o.violation);
        self.violated = self.violated.max(o.violated);
    }
}

/// A term as position-based dynamics sees it.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'a> {
    /// Its nodes.
    pub nodes: &'a [u32],
    /// Ψ.
    pub energy: f64,
    /// ∂Ψ/∂x of each node.
    pub gradient: &'a [[f64; 3]],
    /// w²|g|² of each node.
    pub stiffness: &'a [f64],
}

/// A batch of elements of one kind. One dynamic call per batch, never per element.
///
/// `loads` are the batch's own rows: for each of its chunks and each node of that, the sum of forces of the chunk's elements on it.
pub trait TermBatch: Pull + Send + Sync {
    /// Name of the potential, for messages.
    fn name(&self) -> &'static str;
    /// Elements.
    fn len(&self) -> usize;
    /// True if there is no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of its packets, about.
    fn bytes(&self) -> usize;
    /// Rows of `loads` that this batch writes.
    fn load_rows(&self) -> usize;
    /// Calls `f(node, row)` for each row of `loads` that belongs to a node.
    fn rows(&self, f: &mut dyn FnMut(u32, usize));
    /// Calls `f(node, number)` for each corner of each element, in the order they are stored.
    fn corners(&self, f: &mut dyn FnMut(u32, usize));
    /// Calls `f(i, j, w² g_i·g_j)` for each pair of corners i ≥ j of each element: the entries of DᵀW²D.
    fn assemble(&self, f: &mut dyn FnMut(u32, u32, f64));
    /// True if projective dynamics takes these terms.
    fn projective(&self) -> bool;
    /// True if these are hard constraints.
    fn hard(&self) -> bool;
    /// True if these are quadratic, their weight is their stiffness, and they see no translation; see `quadratic.rs`.
    fn quadratic(&self) -> bool;
    /// True if these stand beside the materials of their elements; see [`crate::energy::Potential::BESIDE`].
    fn beside(&self) -> bool;
    /// Takes the numbers of terms that dissipate at the last state; `rate` is 1/Δt.
    fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec);
    /// Keeps the forces of hard constraints for the start of the next step; `forget` lets them go.
    fn keep_forces(&mut self, forget: bool);
    /// The kept forces, as u of each element in order of adding, 3×D by columns; empty unless hard.
    fn kept_forces(&self) -> Vec<f64>;
    /// Sets what [`TermBatch::kept_forces`] gives.
    fn set_kept_forces(&mut self, u: &[f64]);
    /// Leaves hard constraints without a free node out of the iteration: nodes from `free` on are pinned.
    fn leave_out(&mut self, free: usize);
    /// The largest [`Sums::violated`] among those.
    fn left_out(&self, x: &[Row]) -> f64;
    /// Calls `f` with the origin of each hard constraint and how far it is off, if it is.
    fn violations(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), f64));
    /// Loads DᵀW²(Dx − P(Dx)) of hard constraints, P(Dx) being what they allow; Σ w²|Dx − P(Dx)|² is the sums' `primal`.
    fn off_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums;
    /// Sets the weights by another rule or scale.
    fn set_weights(&mut self, rule: weight::WeightRule, scale: f64);
    /// Sets the weights of hard constraints by their forces, which stay as they are; returns how many changed. See `firm.rs`.
    fn firm(&mut self, firm: Firm) -> usize;
    /// Starts a step at x: u by the rule, z = Dx.
    fn reset(&mut self, x: &[Row], dual: DualStart, exec: &Exec);
    /// Eqs. (24), (25): z = prox(s), u = s − z, where s = Dx + u or what [`mix::Onward`] says; loads DᵀW²(z − u − Dx). With `keep`, and
    /// always unless `Plain`, z and the z before are kept for the residuals.
    fn local_step(&mut self, x: &[Row], onward: mix::Onward<'_>, keep: bool, loads: &mut [Row], exec: &Exec);
    /// ‖W(Dx − z)‖² and ‖W Dx‖² with the kept z.
    fn primal(&mut self, x: &[Row], exec: &Exec) -> Sums;
    /// Loads DᵀW²(z − z_before), whose sum over elements is (23).
    fn dual_loads(&mut self, loads: &mut [Row], exec: &Exec);
    /// Loads DᵀW²u.
    fn force_loads(&mut self, loads: &mut [Row], exec: &Exec);
    /// Loads DᵀKDx with the material's stiffness K; the sum of their lengths, the fourth number, is the size of the numbers whose difference
    /// the forces are.
    fn size_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec);
    /// Loads Dᵀ∇U(Dx), with the sum of their lengths as the fourth number if that is asked for, and the energy.
    fn gradient(&mut self, x: &[Row], lengths: bool, loads: &mut [Row], exec: &Exec) -> Sums;
    /// The energy alone.
    fn energy(&mut self, x: &[Row], exec: &Exec) -> Sums;
    /// Calls `f(i, j, K)` for each pair of corners of each element: ∂²U/∂x_i∂x_j without its negative part, by columns; (j, i)
    /// is its transpose and is not called.
    fn curvature(&mut self, x: &[Row], exec: &Exec, f: &mut dyn FnMut(u32, u32, &Mat3<f64>));
    /// The same with the negative part, for those who look.
    fn second(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>));
    /// Eqs. (27), (28) of projective dynamics: z = the projection of Dx; loads DᵀW²(z − Dx).
    fn project(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec);
    /// ‖W(Dx − z)‖² and ‖W Dx‖² with the kept z, and what [`mix::Dots`] says; keeps what the next local step needs.
    fn look(&mut self, x: &[Row], slots: Option<mix::Slots>, exec: &Exec) -> (Sums, mix::Dots);
    /// Changes u for the next local step; see [`mix::Change`].
    fn mix(&mut self, x: &[Row], change: mix::Change, exec: &Exec);
    /// One term after the other in order of adding, each at the x that those before it left, as position-based dynamics does.
    fn each_constraint(&self, x: &mut [Row], f: &mut dyn FnMut(&mut [Row], &Constraint<'_>));
    /// Sweeps over the hard constraints: each in turn moves its nodes until it holds. `prepare` before the first sweep of a step; masses
    /// are inverse, in 1/kg, and 0 for nodes that stay.
    fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool);
    /// Replaces the numbers of one element from `first` on (anchors that move). False if there is no such place.
    fn set_params(&mut self, element: usize, first: usize, values: &[f64]) -> bool;
    /// The numbers of one element; empty if there is no such element.
    fn params(&self, element: usize) -> Vec<f64>;
    /// For each element in order of adding: which body's, and which of that body.
    fn origin(&self, element: usize) -> Option<(u32, u32)>;
    /// Calls `f` with the origin of each tetrahedron or triangle and this term's part in its fields; nothing for other elements.
    fn shares(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), Share));
    /// The first element whose z or u is not finite.
    fn find_non_finite(&self) -> Option<usize>;
    /// (z, u, w²) of one element, 3×D by columns; for observers and tests.
    fn local_state(&self, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)>;
}

/// All batches, asked like one.
pub struct TermSet {
    batches: Vec<Box<dyn TermBatch>>,
    loads: Vec<Row>,
    incidence: Incidence,
    /// The quadratic terms as one matrix, once it was asked for; the rows of loads of all others; and what to do with it now.
    quadratic: Quadratic,
    others: Incidence,
    whole: bool,
    /// Which loads were taken last.
    taken: Taken,
}

/// Whose loads there are.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
enum Taken {
    /// Of all batches.
    #[default]
    All,
    /// Of those that are split; to them come the matrix's loads, so many times.
    Split(f64),
}

impl TermSet {
    /// Joins batches over `nodes` nodes.
    pub fn new(batches: Vec<Box<dyn TermBatch>>, nodes: usize) -> TermSet {
        let rows = batches.iter().map(|b| b.load_rows()).sum();
        let incidence = Incidence::new(nodes, &batches, |_| true);
        let (quadratic, others, whole, taken) = Default::default();
        TermSet { batches, loads: vec![Row::default(); rows], incidence, quadratic, others, whole, taken }
    }

    /// From now on quadratic terms are part of f in (5) and not split, or split again; A is the same. Local steps, residuals of ADMM and
    /// accelerations leave them out then; energies and gradients do not.
    pub fn keep_quadratics_whole(&mut self, whole: bool) {
        self.whole = whole && self.batches.iter().any(|b| b.quadratic());
        if self.whole && self.others.nodes() == 0 {
            self.quadratic = Quadratic::new(self.incidence.nodes(), &self.batches);
            self.others = Incidence::new(self.incidence.nodes(), &self.batches, |b| !b.quadratic());
        }
    }

    /// The batches, in order.
    pub fn batches(&self) -> &[Box<dyn TermBatch>] {
        &self.batches
    }
    /// One batch, to change numbers of its elements.
    pub fn batch_mut(&mut self, i: usize) -> Option<&mut Box<dyn TermBatch>> {
        self.batches.get_mut(i)
    }
    /// Elements of all batches.
    pub fn len(&self) -> usize {
        self.batches.iter().map(|b| b.len()).sum()
    }
    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn each_load(&mut self, f: impl FnMut(&mut dyn TermBatch, &mut [Row])) {
        self.taken = Taken::All;
        self.each_load_of(|_| true, f);
    }

    /// The same for those that are split now; the matrix's loads come to the sums so many times.
    fn each_split_load(&mut self, times: f64, f: impl FnMut(&mut dyn TermBatch, &mut [Row])) {
        if !self.whole {
            return self.each_load(f);
        }
        self.taken = Taken::Split(times);
        self.each_load_of(|b| !b.quadratic(), f);
    }

    /// The batches that are split now.
    fn split(&mut self) -> impl Iterator<Item = &mut Box<dyn TermBatch>> {
        let whole = self.whole;
        self.batches.iter_mut().filter(move |b| !(whole && b.quadratic()))
    }

    fn each_load_of(
        &mut self,
        of: impl Fn(&dyn TermBatch) -> bool,
        mut f: impl FnMut(&mut dyn TermBatch, &mut [Row]),
    ) {
        let mut rest: &mut [Row] = &mut self.loads;
        for b in &mut self.batches {
            let (mine, others) = rest.split_at_mut(b.load_rows());
            if of(b.as_ref()) {
                f(b.as_mut(), mine);
            }
            rest = others;
        }
    }

    /// See [`TermBatch::leave_out`].
    pub fn leave_out(&mut self, free: usize) {
        for b in &mut self.batches {
            b.leave_out(free);
        }
    }
    /// See [`TermBatch::left_out`].
    pub fn left_out(&self, x: &[Row]) -> f64 {
        self.batches.iter().map(|b| b.left_out(x)).fold(0.0, f64::max)
    }
    /// See [`TermBatch::off_loads`]; then [`TermSet::sum_loads`] gives their sum.
    pub fn off_loads(&mut self, x: &[Row], exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        self.each_load(|b, loads| sums.add(&b.off_loads(x, loads, exec)));
        sums
    }
    /// Sets the weights of all terms by another rule or scale.
    pub fn set_weights(&mut self, rule: weight::WeightRule, scale: f64) {
        self.others = Incidence::default();
        for b in &mut self.batches {
            b.set_weights(rule, scale);
        }
    }
    /// See [`TermBatch::firm`].
    pub fn firm(&mut self, firm: Firm) -> usize {
        self.batches.iter_mut().map(|b| b.firm(firm)).sum()
    }
    /// Starts a step at x.
    pub fn reset(&mut self, x: &[Row], dual: DualStart, exec: &Exec) {
        for b in &mut self.batches {
            b.reset(x, dual, exec);
        }
    }
    /// Eqs. (24), (25) of all terms; then [`TermSet::sum_loads`] gives DᵀW²(z − u − Dx).
    pub fn local_step(&mut self, x: &[Row], onward: mix::Onward<'_>, keep: bool, exec: &Exec) {
        if self.whole {
            self.quadratic.take(x, exec);
        }
        self.each_split_load(1.0, |b, loads| b.local_step(x, onward, keep, loads, exec));
    }
    /// ‖W(Dx − z)‖² and ‖W Dx‖².
    pub fn primal(&mut self, x: &[Row], exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        for b in self.split() {
            sums.add(&b.primal(x, exec));
        }
        sums
    }
    /// True if there are hard constraints.
    pub fn hard(&self) -> bool {
        self.batches.iter().any(|b| b.hard())
    }
    /// Keeps the forces of hard constraints for the start of the next step; `forget` lets them go.
    pub fn keep_forces(&mut self, forget: bool) {
        for b in &mut self.batches {
            b.keep_forces(forget);
        }
    }
    /// Takes the numbers of terms that dissipate at the last state; `rate` is 1/Δt.
    pub fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec) {
        for b in &mut self.batches {
            b.lag(x, rate, exec);
        }
    }
    /// Then [`TermSet::sum_loads`] gives DᵀW²u.
    pub fn force_loads(&mut self, exec: &Exec) {
        self.each_split_load(-1.0, |b, loads| b.force_loads(loads, exec));
    }
    /// Then [`TermSet::sum_loads`] gives DᵀW²(z − z_before).
    pub fn dual_loads(&mut self, exec: &Exec) {
        self.each_split_load(0.0, |b, loads| b.dual_loads(loads, exec));
    }
    /// Then [`TermSet::sum_loads`] gives, as the fourth number, the size of the numbers whose difference the forces are.
    pub fn size_loads(&mut self, x: &[Row], exec: &Exec) {
        self.each_load(|b, loads| b.size_loads(x, loads, exec));
    }
    /// Energy; then [`TermSet::sum_loads`] gives ∇U(x) and, with `lengths` as the fourth number, the sum of the lengths of the elements' forces.
    pub fn gradient(&mut self, x: &[Row], lengths: bool, exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        self.each_load(|b, loads| sums.add(&b.gradient(x, lengths, loads, exec)));
        sums
    }
    /// Energy, inverted and infinite elements at x.
    pub fn energy(&mut self, x: &[Row], exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        for b in &mut self.batches {
            sums.add(&b.energy(x, exec));
        }
        sums
    }
    /// Blocks of ∂²U/∂x² without its negative part; see [`TermBatch::curvature`].
    pub fn curvature(&mut self, x: &[Row], exec: &Exec, f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        for b in &mut self.batches {
            b.curvature(x, exec, f);
        }
    }
    /// Blocks of ∂²U/∂x² with its negative part; see [`TermBatch::second`].
    pub fn second(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        self.batches.iter().for_each(|b| b.second(x, f));
    }
    /// (27), (28) of all terms; then [`TermSet::sum_loads`] gives DᵀW²(z − Dx).
    pub fn project(&mut self, x: &[Row], exec: &Exec) {
        self.each_load(|b, loads| b.project(x, loads, exec));
    }
    /// See [`TermBatch::look`].
    pub fn look(&mut self, x: &[Row], slots: Option<mix::Slots>, exec: &Exec) -> (Sums, mix::Dots) {
        let (mut sums, mut dots) = (Sums::default(), mix::Dots::default());
        for b in self.split() {
            let (s, d) = b.look(x, slots, exec);
            sums.add(&s);
            dots.add(&d);
        }
        (sums, dots)
    }
    /// See [`mix::Change`].
    pub fn mix(&mut self, x: &[Row], change: mix::Change, exec: &Exec) {
        for b in self.split() {
            b.mix(x, change, exec);
        }
    }
    /// See [`TermBatch::sweep`].
    pub fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool) {
        for b in &mut self.batches {
            b.sweep(x, inverse_mass, prepare);
        }
    }
    /// See [`TermBatch::each_constraint`].
    pub fn each_constraint(&self, x: &mut [Row], f: &mut dyn FnMut(&mut [Row], &Constraint<'_>)) {
        for b in &self.batches {
            b.each_constraint(x, f);
        }
    }
    /// For each node i below `out.len()`: `f(i, Σ loads, out_i)`, where the sum runs over the node's contributions in a fixed order.
    pub fn sum_loads(&self, out: &mut [Row], exec: &Exec, f: impl Fn(usize, Row, &mut Row) + Sync) {
        match self.taken {
            Taken::All => self.incidence.sum(&self.loads, out, exec, f),
            Taken::Split(times) => self.others.sum(&self.loads, out, exec, |i, sum, out| {
                let more = self.quadratic.load(i);
                f(i, Row(std::array::from_fn(|c| sum.0[c] + times * more[c])), out);
            }),
        }
    }
}
