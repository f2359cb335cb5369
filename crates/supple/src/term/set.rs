//! All batches, asked like one.

use super::incidence::Incidence;
use super::quadratic::Quadratic;
use super::{Constraint, DualStart, Reweight, Sums, TermBatch, mix, weight};
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::Mat3;

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

    /// The hard constraints among them.
    fn hard_terms(&mut self) -> impl Iterator<Item = &mut dyn super::HardTerms> {
        self.batches.iter_mut().filter_map(|b| b.hard_mut())
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

    /// See [`HardTerms::leave_out`](super::HardTerms::leave_out).
    pub fn leave_out(&mut self, free: usize) {
        self.hard_terms().for_each(|b| b.leave_out(free));
    }
    /// See [`HardTerms::left_out`](super::HardTerms::left_out).
    pub fn left_out(&self, x: &[Row]) -> f64 {
        self.batches.iter().filter_map(|b| b.hard()).map(|b| b.left_out(x)).fold(0.0, f64::max)
    }
    /// See [`HardTerms::off_loads`](super::HardTerms::off_loads); then [`TermSet::sum_loads`] gives their sum.
    pub fn off_loads(&mut self, x: &[Row], exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        self.each_load(|b, loads| match b.hard_mut() {
            Some(b) => sums.add(&b.off_loads(x, loads, exec)),
            None => loads.fill(Row::default()),
        });
        sums
    }
    /// Sets the weights of all terms by another rule or scale.
    pub fn set_weights(&mut self, rule: weight::WeightRule, scale: f64) {
        self.others = Incidence::default();
        for b in &mut self.batches {
            b.set_weights(rule, scale);
        }
    }
    /// See [`HardTerms::reweight`](super::HardTerms::reweight).
    pub fn reweight(&mut self, how: Reweight) -> usize {
        self.hard_terms().map(|b| b.reweight(how)).sum()
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
        self.batches.iter().any(|b| b.hard().is_some())
    }
    /// Keeps the forces of hard constraints for the start of the next step; `forget` lets them go.
    pub fn keep_forces(&mut self, forget: bool) {
        self.hard_terms().for_each(|b| b.keep_forces(forget));
    }
    /// Takes the numbers of terms that dissipate at the last state; `rate` is 1/Δt.
    pub fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec) {
        for b in self.batches.iter_mut().filter_map(|b| b.damped()) {
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
    pub fn size_loads(&mut self, exec: &Exec) {
        self.each_load(|b, loads| b.size_loads(loads, exec));
    }
    /// Energy; then [`TermSet::sum_loads`] gives ∇U(x) and, as the fourth number, the sum of the lengths of the elements' forces.
    pub fn gradient(&mut self, x: &[Row], exec: &Exec) -> Sums {
        let mut sums = Sums::default();
        self.each_load(|b, loads| sums.add(&b.gradient(x, loads, exec)));
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
    /// Blocks of ∂²U/∂x² without its negative part; see [`Energies::curvature`](super::Energies::curvature).
    pub fn curvature(&mut self, x: &[Row], exec: &Exec, f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        for b in &mut self.batches {
            b.curvature(x, exec, f);
        }
    }
    /// Blocks of ∂²U/∂x² with its negative part; see [`Energies::second`](super::Energies::second).
    pub fn second(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        self.batches.iter().for_each(|b| b.second(x, f));
    }
    /// (27), (28) of all terms; then [`TermSet::sum_loads`] gives DᵀW²(z − Dx).
    pub fn project(&mut self, x: &[Row], exec: &Exec) {
        self.each_load(|b, loads| b.project(x, loads, exec));
    }
    /// See [`Split::look`](super::Split::look).
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
    /// See [`HardTerms::sweep`](super::HardTerms::sweep).
    pub fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool) {
        self.hard_terms().for_each(|b| b.sweep(x, inverse_mass, prepare));
    }
    /// See [`Energies::each_constraint`](super::Energies::each_constraint).
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
