//! Gradients through steps: how a number that depends on the last state, or on several, changes with everything that led there.
//!
//! A step solves F(x⁺) = M(x⁺ − x̃)/s² + ∇U(x⁺) − Cᵀλ = 0. By the implicit function theorem its derivatives need one linear system with the
//! Hessian at the solution, as it is, not made positive: Hᵀμ = ∂L/∂x⁺, and then dL/dθ = −μ·∂F/∂θ for whatever θ is. Steps are walked
//! through backwards (Griewank & Walther 2008).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Gradient`]; what can be recorded and what is refused |
//! | `tape.rs` | [`Tape`]: inputs of steps and their states, or checkpoints from which they are found again |
//! | `reverse.rs` | one step backwards |
//! | `forward.rs` | [`forward`]: the record forwards, for few parameters and many results |
//! | `matrix.rs` | the linear system |
//! | `rows.rs` | … with what touches obstacles: the active set of contact and friction |
//! | `constants.rs` | from numbers of elements to constants of bodies |

mod constants;
mod forward;
mod matrix;
mod reverse;
mod rows;
mod tape;

pub use constants::{ByConstant, Constant, Recipe, Varied};
pub use forward::{Driven, Nearby, Tangents, Trajectory, forward};
pub use tape::{Seed, Tape};

use super::Simulation;
use crate::error::{BuildError, CheckpointError, StepError};
use crate::settings::{ContactMethod, Integrator};
use crate::solve::capabilities;
use std::sync::Arc;

/// Why there is no gradient.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GradientError {
    /// Something whose derivative is not covered: an error is better than a wrong gradient.
    #[error("no gradient through {what}: {instead}")]
    Refused {
        /// What it is.
        what: String,
        /// What to do.
        instead: String,
    },
    /// The linear system of a step has no solution.
    #[error("step {0} of the record: the matrix at its solution is singular")]
    Singular(usize),
    /// NaN or infinity.
    #[error("step {0} of the record: the gradient is not finite")]
    NonFinite(usize),
    /// Gradients of the wrong size, or of a step that was not recorded.
    #[error("{0}")]
    Seed(String),
    /// The simulation is not the one that was recorded, or something was done to it between steps.
    #[error("the record cannot be used: {0}")]
    Record(String),
    /// A step that was repeated failed.
    #[error("{0}")]
    Step(#[from] StepError),
    /// Inputs of a step that was repeated failed.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// A state could not be taken up again.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
}

/// What a step of the record says about its derivative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepNote {
    /// Its number in the record, from 0.
    pub step: usize,
    /// True if it ended before it had converged: then the derivative is that of a point near the solution.
    pub unconverged: bool,
    /// The force residual of the step.
    pub residual: f64,
    /// True if the Hessian was not positive definite.
    pub indefinite: bool,
    /// ‖Hμ − b‖/‖b‖ of its linear system.
    pub linear_residual: f64,
    /// A contact, a slipping one or a limit is about to switch: the derivative on the other side is another.
    pub switching: bool,
}

/// Derivatives of L with respect to what led to the recorded states. Arrays of nodes hold all bodies in order of adding.
#[derive(Clone, Debug, Default)]
pub struct Gradient {
    /// With respect to the positions before the first step, as [`Simulation::set_state`] sets them: pins that nothing moved since go along.
    pub positions: Vec<[f64; 3]>,
    /// … the velocities.
    pub velocities: Vec<[f64; 3]>,
    /// … the force on each node, step by step.
    pub forces: Vec<Vec<[f64; 3]>>,
    /// … the target of each pin at the end of each step; of nodes pinned along some axes these coordinates; zero for others.
    pub pins: Vec<Vec<[f64; 3]>>,
    /// … gravity.
    pub gravity: [f64; 3],
    /// … the mass of each node.
    pub masses: Vec<f64>,
    /// … the rest position of each node, masses and lengths of springs being what they are; an error says which body has none.
    pub rest: Vec<[f64; 3]>,
    /// Bodies without a derivative with respect to their rest shape, and why.
    pub no_rest: Vec<String>,
    /// … the place of each obstacle at the end of each step.
    pub obstacles: Vec<Vec<[f64; 3]>>,
    /// … the coefficient of friction of each obstacle.
    pub frictions: Vec<f64>,
    /// … the contraction of each element with fibres, step by step: (body, element) and the values.
    pub contractions: Vec<((u32, u32), Vec<f64>)>,
    /// … volume and numbers of every element, by batch; see [`Simulation::by_constant`].
    pub(super) numbers: Vec<Vec<f64>>,
    /// Of each step, in order, what is to be said.
    pub notes: Vec<StepNote>,
}

impl StepNote {
    /// True if something is to be said of it.
    pub fn flagged(&self) -> bool {
        self.unconverged || self.indefinite || self.switching || self.linear_residual > 1e-8
    }
}

impl Gradient {
    /// Steps of which something is to be said.
    pub fn flagged(&self) -> impl Iterator<Item = &StepNote> {
        self.notes.iter().filter(|n| n.flagged())
    }
}

fn refuse<T>(what: impl Into<String>, instead: &str) -> Result<T, GradientError> {
    Err(GradientError::Refused { what: what.into(), instead: instead.into() })
}

impl Simulation {
    /// What the constants of bodies mean; a scene gives it.
    pub fn keep_recipe(&mut self, recipe: Arc<dyn Recipe>) {
        self.recipe = Some(recipe);
    }

    /// That every part of the simulation can be differentiated.
    pub(super) fn differentiable(&self) -> Result<(), GradientError> {
        if self.contact.by_potential() {
            return refuse("contact between bodies", "leave out `collide`");
        }
        if let Some(o) = self.contact.obstacles().iter().find(|o| !o.shape.is_flat()) {
            let what = format!("the curved obstacle `{}`", o.name);
            return refuse(what, "only half-spaces are covered");
        }
        if let Some(g) = self.groups.first() {
            return refuse(format!("`{}`", g.kind), "use pins or springs");
        }
        if self.settings.world.wind.is_some() {
            return refuse("wind", "leave it out");
        }
        if let Some(b) = self.terms.batches().iter().find(|b| b.hard().is_some()) {
            let body = b.origin(0).and_then(|(body, _)| self.bodies.get(body as usize));
            let body = body.map_or("", |b| b.name.as_str());
            let what = format!("the hard `{}` elements of body `{body}`", b.name());
            return refuse(what, "give them a stiffness");
        }
        let obstacles = !self.contact.obstacles().is_empty();
        if obstacles && self.settings.time.integrator != Integrator::BackwardEuler {
            return refuse("contact with `bdf2`", "use `backward_euler`");
        }
        if obstacles && self.settings.solve.contact != ContactMethod::Delassus {
            return refuse("contact by the papers' ways", "use `delassus`");
        }
        let method = self.settings.solve.method;
        if !capabilities::of(method).derivatives {
            return refuse(format!("`{method}`, which solves another problem"), "use `auto` or `newton`");
        }
        Ok(())
    }
}
