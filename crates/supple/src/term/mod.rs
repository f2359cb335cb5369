//! Terms: energies attached to nodes. Here the sum over elements of eq. (3) is taken.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | what a sum over elements gives |
//! | `interface.rs` | [`TermBatch`]: what the solvers ask of a batch of elements: [`Elements`], [`Split`], [`Energies`], and what only some can: [`HardTerms`], [`DampedTerms`] |
//! | `set.rs` | [`TermSet`]: all batches, asked like one |
//! | `batch.rs` | [`Batch`]: elements of one kind and one potential, in packets of lanes |
//! | `answers.rs` | … and how it answers |
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
//! | `constraint_weight.rs` | [`Reweight`]: weights of hard constraints, which follow their forces |
//!
//! Every term's local coordinates are Σ_v x_v g_vᵀ, a 3×D matrix: D_i x of the paper for a reduction matrix that
//! acts alike on x, y and z. To add an element, fill G in `stencil.rs`; nothing else changes.

mod answers;
mod batch;
mod constraint_weight;
mod curve;
mod fibres;
mod fields;
mod incidence;
mod interface;
mod kernel;
pub mod mix;
mod pull;
mod quadratic;
mod set;
mod source;
pub mod stencil;
mod sweep;
pub mod weight;

pub use batch::{Batch, ElementList};
pub use constraint_weight::Reweight;
pub use fibres::FibreRef;
pub use fields::{Share, fields, stresses};
pub use incidence::Incidence;
pub use interface::{DampedTerms, Elements, Energies, HardTerms, Split, TermBatch};
pub use pull::{Pull, VOLUME};
pub use set::TermSet;
pub use source::{BatchSource, Source};

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
    /// Elements that are inverted or nearly flat and mind it: their gradient leads nowhere.
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
