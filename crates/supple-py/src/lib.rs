//! The Python package of supple: the extension module `supple._supple`.
//!
//! | file | holds |
//! |---|---|
//! | `lib.rs` | the module |
//! | `scene.rs` `body.rs` `options.rs` | `Scene`, `Body`, options of `build` |
//! | `simulation.rs` `report.rs` | `Simulation`, `StepReport` |
//! | `iterations.rs` `session.rs` | `for it in sim.iterations()`: what Python sees; the thread that waits after each iteration |
//! | `slot.rs` `engine.rs` | who has the library's simulation; a step that Ctrl-C can end |
//! | `material.rs` `custom.rs` | materials; those written in Python |
//! | `obstacle.rs` | obstacles |
//! | `recipe.rs` | how things were made, so that they can be pickled |
//! | `measure.rs` | contacts, equilibria, snapshots, matrices |
//! | `gradient.rs` | records and gradients |
//! | `fill.rs` | surfaces filled, skins |
//! | `mesh.rs` `files.rs` `saved.rs` | meshes; files in and out; saved simulations |
//! | `array.rs` `error.rs` | arrays in and out; exceptions |
//!
//! The rest of the package is Python, in `python/supple`.

// `#[pymethods]` makes functions and constants that need no documentation of their own.
#![allow(missing_docs)]

mod array;
mod body;
mod custom;
mod engine;
mod error;
mod files;
mod fill;
mod gradient;
mod iterations;
mod link;
mod material;
mod measure;
mod mesh;
mod obstacle;
mod options;
mod recipe;
mod report;
mod saved;
mod scene;
mod session;
mod sheet;
mod simulation;
mod slot;

use pyo3::prelude::*;

#[pymodule]
mod _supple {
    use super::*;

    #[pymodule_export]
    use super::body::Body;
    #[pymodule_export]
    use super::error::{BuildError, StepError};
    #[pymodule_export]
    use super::files::_report_page;
    #[pymodule_export]
    use super::fill::{_Skin, fill_surface};
    #[pymodule_export]
    use super::gradient::{Derivatives, Record};
    #[pymodule_export]
    use super::iterations::{Iteration, Iterations};
    #[pymodule_export]
    use super::material::{
        Arap, Corotated, Fibre, FixedCorotated, Fung, Linear, Material, MooneyRivlin, NeoHookean, Ogden,
        PythonMaterial, Spline, StVenantKirchhoff, StableNeoHookean,
    };
    #[pymodule_export]
    use super::measure::{EquilibriumReport, Snapshot};
    #[pymodule_export]
    use super::mesh::{ball_mesh, box_mesh, cylinder_mesh, read_mesh, surface, write_mesh};
    #[pymodule_export]
    use super::obstacle::{Box, Capsule, ClosedMesh, Cylinder, DistanceGrid, HalfSpace, Obstacle, Sphere};
    #[pymodule_export]
    use super::report::StepReport;
    #[pymodule_export]
    use super::scene::{Scene, presets};
    #[pymodule_export]
    use super::simulation::Simulation;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        m.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
