//! Elastic bodies by implicit time integration with ADMM.
//!
//! One time step is the optimisation problem
//!
//! ```text
//!   min  1/(2Δt²) ‖M^½ (x − x̃)‖²  +  Σ_i U_i(D_i x)          x̃ = x_n + Δt v_n + Δt² M⁻¹ f_ext
//!    x
//! ```
//!
//! over the positions x of all nodes, where each energy U_i sees the nodes through a few linear local coordinates D_i x (for a
//! tetrahedron, its deformation gradient F). It is solved by the alternating direction method of multipliers as in
//! *ADMM ⊇ Projective Dynamics* (Narain, Overby, Brown, SCA 2016; Overby et al., TVCG 2017): a local step per element,
//! its proximal operator, in parallel; and a global step with a matrix that is factored once. Any energy and any hard
//! constraint fits in; projective dynamics is a special case.
//!
//! ```
//! use supple::{Material, MaterialKind, Scene, Settings, mesh::shapes};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mesh = shapes::box_mesh([1.0, 0.2, 0.2], [10, 2, 2], shapes::Split::default())?;
//! let wall: Vec<u32> =
//!     (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
//!
//! let mut scene = Scene::new(Settings::default()); // steps of 40 ms, gravity along −y, all SI units
//! let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.4)?; // Young's modulus in Pa, Poisson's ratio
//! let beam = scene.add_solid("beam", mesh, rubber, 1000.0)?; // density in kg/m³
//! scene.pin(beam, &wall)?;
//!
//! let mut simulation = scene.build()?;
//! for _ in 0..5 {
//!     let report = simulation.step()?;
//!     println!("{}: {} iterations, {}, residual {:.1e}", report.time, report.iterations, report.status, report.force_residual);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`scene`] | bodies, pins, anchors, obstacles → simulation; scene files |
//! | [`sim`] | the simulation and its time step: start reading at `sim/step.rs` |
//! | [`settings`], [`error`], [`report`] | what can be set, what can go wrong, how reports are written |
//! | [`mesh`] | rest shapes |
//! | [`energy`] | materials, and what a material of your own needs |
//! | [`contact`] | obstacles, what an obstacle of your own needs, and the law of touching them |
//!
//! What solves a step is hidden here and may change without notice: `solve` (the step's problem and who minimises it), `term` (energies attached to
//! nodes, in packets of lanes), `global` (the system matrix, its factor and solve), `math`, `exec` (numbers in lanes; threads). `tests/public_api.txt`
//! lists what is public.

#[macro_use]
mod choice;
#[macro_use]
pub mod report;

pub mod contact;
pub mod energy;
pub mod error;
#[doc(hidden)]
pub mod exec;
#[doc(hidden)]
pub mod global;
#[doc(hidden)]
pub mod math;
pub mod mesh;
pub mod scene;
pub mod settings;
pub mod sim;
#[doc(hidden)]
pub mod solve;
#[doc(hidden)]
pub mod term;

pub use contact::{ContactReport, Obstacle};
pub use error::{BuildError, CheckpointError, ParameterError, StepError};
pub use mesh::{TetMesh, TriMesh};
pub use scene::{
    Along, AttachTo, Bending, BodyId, Cloth, Damping, Limit, LinkId, Material, MaterialKind, ObstacleId,
    Scene, SlideOn, Spring, SpringKind,
};
pub use settings::{
    Acceleration, ContactMethod, DualStart, FirstHessian, Integrator, Method, Settings, SolveSettings, Start,
    Sweep, WeightRule,
};
pub use sim::{Energy, Factors, Simulation, StepReport, Violation};
pub use solve::{Control, Status};
