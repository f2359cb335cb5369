//! The methods of minimisation against the oracle, against each other and against what they promise.
//!
//! | file | what it shows |
//! |---|---|
//! | `setup.rs` | the methods by name, bodies, and one step of library and oracle |
//! | `curvature.rs` | projected Hessians equal dense ones whose negative eigenvalues are set to zero |
//! | `minimiser.rs` | steps and trajectories equal those of the oracle's Newton |
//! | `accelerate.rs` | over-relaxation, Chebyshev and Anderson iterate by iterate, and what they gain |
//! | `projective.rs` | projective dynamics iterate by iterate, and what it refuses |
//! | `descent.rs` | Newton and quasi-Newton never invert a barrier element, and always descend |
//! | `position.rs` | position-based dynamics: projections, momentum, and why stiffness needs more |
//! | `automatic.rs` | `auto` keeps its promise, says who ended, keeps its time, leads out of bad states |
//! | `same_bits.rs` | threads, restarts and changes of settings leave every bit as it was |
//! | `laws.rs` | every method: rest, falling, pins, momentum, numbers that are none, honest statuses |
//! | `any_step.rs` | `converged` means the same at every Δt, stiffness and mass |
//! | `converged.rs` | what `converged` promises, on random scenes |
//! | `whole.rs` | bodies that nothing holds fall whatever a step leaves undone |
//! | `odd.rs` | settings and bodies at the ends of their ranges |
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::type_complexity)]

mod bridge;
mod common;
mod reference;

#[path = "methods/accelerate.rs"]
mod accelerate;
#[path = "methods/any_step.rs"]
mod any_step;
#[path = "methods/automatic.rs"]
mod automatic;
#[path = "methods/converged.rs"]
mod converged;
#[path = "methods/curvature.rs"]
mod curvature;
#[path = "methods/descent.rs"]
mod descent;
#[path = "methods/laws.rs"]
mod laws;
#[path = "methods/minimiser.rs"]
mod minimiser;
#[path = "methods/odd.rs"]
mod odd;
#[path = "methods/position.rs"]
mod position;
#[path = "methods/projective.rs"]
mod projective;
#[path = "methods/same_bits.rs"]
mod same_bits;
#[path = "methods/setup.rs"]
mod setup;
#[path = "methods/whole.rs"]
mod whole;
