//! What solvers ask of a batch of elements: what every batch does, and what only some can.

use super::{Constraint, DualStart, Pull, Reweight, Share, Sums, mix, weight};
use crate::exec::Exec;
use crate::math::nodes::Row;
use crate::math::small::Mat3;

/// A batch of elements of one kind. One dynamic call per batch, never per element.
///
/// `loads` are the batch's own rows: for each of its chunks and each node of that, the sum of forces of the chunk's elements on it.
pub trait TermBatch: Elements + Split + Energies + Pull + Send + Sync {
    /// These as hard constraints, if they are.
    fn hard(&self) -> Option<&dyn HardTerms>;
    /// The same, to change them.
    fn hard_mut(&mut self) -> Option<&mut dyn HardTerms>;
    /// These as terms that dissipate, if they do.
    fn damped(&mut self) -> Option<&mut dyn DampedTerms>;
    /// True if projective dynamics takes these terms.
    fn projective(&self) -> bool;
    /// Eqs. (27), (28) of projective dynamics: z = the projection of Dx; loads DᵀW²(z − Dx). Of use if [`TermBatch::projective`].
    fn project(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec);
}

/// Which elements there are, and what they are made of.
pub trait Elements {
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
    /// For each element in order of adding: which body's, and which of that body.
    fn origin(&self, element: usize) -> Option<(u32, u32)>;
    /// The numbers of one element; empty if there is no such element.
    fn params(&self, element: usize) -> Vec<f64>;
    /// Replaces the numbers of one element from `first` on (anchors that move). False if there is no such place.
    fn set_params(&mut self, element: usize, first: usize, values: &[f64]) -> bool;
    /// Rows of `loads` that this batch writes.
    fn load_rows(&self) -> usize;
    /// Calls `f(node, row)` for each row of `loads` that belongs to a node.
    fn rows(&self, f: &mut dyn FnMut(u32, usize));
    /// Calls `f(node, number)` for each corner of each element, in the order they are stored.
    fn corners(&self, f: &mut dyn FnMut(u32, usize));
    /// True if these stand beside the materials of their elements; see [`crate::energy::Potential::BESIDE`].
    fn beside(&self) -> bool;
    /// Calls `f` with the origin of each tetrahedron or triangle and this term's part in its fields; nothing for other elements.
    fn shares(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), Share));
    /// (z, u, w²) of one element, 3×D by columns; for observers and tests.
    fn local_state(&self, element: usize) -> Option<(Vec<f64>, Vec<f64>, f64)>;
    /// The first element whose z or u is not finite.
    fn find_non_finite(&self) -> Option<usize>;
}

/// What ADMM and its kin ask: the split into z = Dx.
pub trait Split {
    /// Calls `f(i, j, w² g_i·g_j)` for each pair of corners i ≥ j of each element: the entries of DᵀW²D.
    fn assemble(&self, f: &mut dyn FnMut(u32, u32, f64));
    /// Sets the weights by another rule or scale.
    fn set_weights(&mut self, rule: weight::WeightRule, scale: f64);
    /// True if these are quadratic, their weight is their stiffness, and they see no translation; see `quadratic.rs`.
    fn quadratic(&self) -> bool;
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
    /// Loads DᵀKz with the kept z and the material's stiffness K; the sum of their lengths, the fourth number, is the size of the numbers
    /// whose difference the forces are.
    fn size_loads(&mut self, loads: &mut [Row], exec: &Exec);
    /// ‖W(Dx − z)‖² and ‖W Dx‖² with the kept z, and what [`mix::Dots`] says; keeps what the next local step needs.
    fn look(&mut self, x: &[Row], slots: Option<mix::Slots>, exec: &Exec) -> (Sums, mix::Dots);
    /// Changes u for the next local step; see [`mix::Change`].
    fn mix(&mut self, x: &[Row], change: mix::Change, exec: &Exec);
}

/// Energies and their derivatives.
pub trait Energies {
    /// Loads Dᵀ∇U(Dx), with the sum of their lengths as the fourth number, and the energy.
    fn gradient(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums;
    /// The energy alone.
    fn energy(&mut self, x: &[Row], exec: &Exec) -> Sums;
    /// Calls `f(i, j, K)` for each pair of corners of each element: ∂²U/∂x_i∂x_j without its negative part, by columns; (j, i)
    /// is its transpose and is not called.
    fn curvature(&mut self, x: &[Row], exec: &Exec, f: &mut dyn FnMut(u32, u32, &Mat3<f64>));
    /// The same with the negative part, for those who look.
    fn second(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>));
    /// One term after the other in order of adding, each at the x that those before it left, as position-based dynamics does.
    fn each_constraint(&self, x: &mut [Row], f: &mut dyn FnMut(&mut [Row], &Constraint<'_>));
}

/// Hard constraints.
pub trait HardTerms {
    /// Keeps the forces of hard constraints for the start of the next step; `forget` lets them go.
    fn keep_forces(&mut self, forget: bool);
    /// The kept forces, as u of each element in order of adding, 3×D by columns.
    fn kept_forces(&self) -> Vec<f64>;
    /// Sets what [`HardTerms::kept_forces`] gives.
    fn set_kept_forces(&mut self, u: &[f64]);
    /// Leaves hard constraints without a free node out of the iteration: nodes from `free` on are pinned.
    fn leave_out(&mut self, free: usize);
    /// The largest [`Sums::violated`] among those.
    fn left_out(&self, x: &[Row]) -> f64;
    /// Calls `f` with the origin of each hard constraint and how far it is off, if it is.
    fn violations(&self, x: &[Row], f: &mut dyn FnMut((u32, u32), f64));
    /// Loads DᵀW²(Dx − P(Dx)), P(Dx) being what they allow; Σ w²|Dx − P(Dx)|² is the sums' `primal`.
    fn off_loads(&mut self, x: &[Row], loads: &mut [Row], exec: &Exec) -> Sums;
    /// Sets the weights of hard constraints by their forces, which stay as they are; returns how many changed. See `constraint_weight.rs`.
    fn reweight(&mut self, how: Reweight) -> usize;
    /// Sweeps over the hard constraints: each in turn moves its nodes until it holds. `prepare` before the first sweep of a step; masses
    /// are inverse, in 1/kg, and 0 for nodes that stay.
    fn sweep(&mut self, x: &mut [Row], inverse_mass: &[f64], prepare: bool);
}

/// Terms that dissipate.
pub trait DampedTerms {
    /// Takes the numbers of terms that dissipate at the last state; `rate` is 1/Δt.
    fn lag(&mut self, x: &[Row], rate: f64, exec: &Exec);
}
