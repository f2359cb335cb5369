//! The simulation as Python has it.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice, PyType};

use crate::array;
use crate::body::{self, Body, Seen};
use crate::engine::{self, Engine};
use crate::error::build;
use crate::files;
use crate::gradient;
use crate::iterations::Iterations;
use crate::measure::{self, EquilibriumReport, Snapshot, frozen};
use crate::obstacle;
use crate::options::{Given, Options, Whole, world};
use crate::recipe::Recipe;
use crate::report::{self, StepReport};
use crate::saved;
use crate::scene::Scene;
use crate::slot::Shared;

/// A running simulation; made by Scene.build() or Simulation.restore().
///
/// Arrays of nodes hold all bodies in order of adding; Body.slice picks one. One thread at a time may use it.
#[pyclass(frozen, module = "supple")]
pub struct Simulation {
    shared: Arc<Shared>,
    bodies: Vec<Body>,
    nodes: usize,
    elements: usize,
    substeps: u32,
    seen: Arc<Vec<Seen>>,
    masses: Vec<f64>,
    pinned: Vec<bool>,
    threads: usize,
    /// After building.
    start: supple::sim::Snapshot,
    /// Of its scene.
    recipe: Recipe,
}

type SeenArrays<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<i64>>);
type EntryArrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

impl Simulation {
    pub fn new(engine: Engine, bodies: Vec<Body>) -> Simulation {
        let sim = engine.sim();
        Simulation {
            bodies,
            nodes: sim.node_count(),
            elements: sim.element_count(),
            masses: sim.masses(),
            pinned: sim.pinned(),
            threads: sim.threads(),
            start: sim.snapshot(),
            recipe: Recipe::default(),
            substeps: engine.substeps(),
            seen: engine.seen.clone(),
            shared: Arc::new(Shared::new(Box::new(engine))),
        }
    }

    pub fn shared(&self) -> &Shared {
        &self.shared
    }
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    fn body(&self, body: &Bound<'_, PyAny>) -> PyResult<&Body> {
        body::find(body, &self.bodies)
    }

    /// State and settings as save() writes them.
    fn saved(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let packed =
            self.shared.with(py, "save()", |e| saved::pack(e.sim().settings(), &e.sim().checkpoint()))?;
        packed.map_err(crate::error::bad)
    }

    fn from_saved(
        py: Python<'_>,
        scene: &Bound<'_, Scene>,
        bytes: &[u8],
        from: &str,
    ) -> PyResult<Simulation> {
        let wrong = |e: String| crate::error::bad(format!("{from}{e}"));
        let (settings, checkpoint) = saved::unpack(bytes).map_err(wrong)?;
        let sim = scene.get().make(py, None, settings)?;
        sim.shared
            .with(py, "restore()", |e| e.sim_mut().restore(checkpoint))?
            .map_err(|e| wrong(e.to_string()))?;
        if let Some(recipe) = scene.getattr_opt("_recipe")? {
            sim.recipe.keep(py, recipe.call0()?);
        }
        Ok(sim)
    }

    /// Ids and targets that belong together.
    fn moves(
        &self,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, Vec<u32>, Vec<[f64; 3]>)> {
        let b = self.body(body)?;
        let ids = b.ids(ids)?;
        let positions = array::points(positions, "positions", Some(ids.len()))?;
        Ok((b.index, ids, positions))
    }
}

#[pymethods]
impl Simulation {
    /// Takes n time steps and returns the report of the last. Other Python threads run meanwhile.
    ///
    /// Ctrl-C ends it with KeyboardInterrupt, and a failure with StepError; the state is then that before the step that failed.
    #[pyo3(signature = (n=Whole(1)), text_signature = "($self, n=1)")]
    fn step(&self, py: Python<'_>, n: Whole) -> PyResult<StepReport> {
        let mut last = None;
        for _ in 0..n.0 {
            let engine = self.shared.take(py, "step()")?;
            let (engine, result) = engine::step(py, engine);
            self.shared.put(engine);
            last = Some(result?);
            self.shared.set_last(last);
        }
        last.map(StepReport).ok_or_else(|| crate::error::bad("step(n) takes at least one step, not 0"))
    }

    /// Goes to the equilibrium under the present loads (gravity, forces, pins and obstacles at their targets), inertia left out, and
    /// returns a report. Time does not pass; velocities are zero afterwards.
    ///
    /// load_steps: steps in which the loads grow; found automatically unless given. tolerance: the force residual at which it is found (1e-9,
    /// with contact or hard constraints that of the solver).
    #[pyo3(signature = (*, load_steps=None, tolerance=None))]
    fn equilibrium(
        &self,
        py: Python<'_>,
        load_steps: Option<Whole>,
        tolerance: Option<f64>,
    ) -> PyResult<EquilibriumReport> {
        let load_steps = load_steps.map(|n| n.0);
        if load_steps == Some(0) || tolerance.is_some_and(|t| !(t.is_finite() && t > 0.0)) {
            return Err(crate::error::bad("load_steps and tolerance must be positive"));
        }
        let options = supple::sim::Static { load_steps, tolerance };
        let engine = self.shared.take(py, "equilibrium()")?;
        let (engine, result) = engine::equilibrium(py, engine, options);
        self.shared.put(engine);
        Ok(EquilibriumReport(result?))
    }

    /// Records steps for gradients: with sim.record() as tape: …steps…, then tape.backward(dx=…) gives how a number that depends on the last
    /// state changes with everything that led there.
    ///
    /// memory: bytes for states, beyond which they are found again from checkpoints. What has no gradient is refused by name.
    #[pyo3(signature = (*, memory=268435456))]
    fn record<'py>(slf: &Bound<'py, Self>, memory: usize) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._gradient")?.call_method1("Tape", (slf, memory))
    }
    fn _begin_record(&self, py: Python<'_>, memory: usize) -> PyResult<()> {
        gradient::begin(py, self, memory)
    }
    fn _end_record(&self, py: Python<'_>) -> PyResult<Option<gradient::Record>> {
        gradient::end(py, self)
    }
    fn _backward(
        &self,
        py: Python<'_>,
        record: &Bound<'_, gradient::Record>,
        seeds: Vec<(usize, Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>)>,
    ) -> PyResult<gradient::Derivatives> {
        gradient::backward(py, self, record, seeds)
    }
    fn _forward<'py>(
        &self,
        py: Python<'py>,
        record: &Bound<'_, gradient::Record>,
        nearby: Vec<(Bound<'_, Simulation>, Bound<'_, Simulation>, f64)>,
    ) -> PyResult<gradient::Found<'py>> {
        gradient::forward(py, self, record, &nearby)
    }
    /// The constants of a body with their values: a dict of numbers, or arrays by element where there are several.
    fn constants<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let b = self.body(body)?.index;
        let out = PyDict::new(py);
        for c in self.shared.with(py, "constants()", |e| e.sim().constants(b))? {
            match c.values.as_slice() {
                [first, rest @ ..] if rest.iter().all(|v| v == first) => out.set_item(c.name, *first)?,
                values => out.set_item(c.name, PyArray1::from_slice(py, values))?,
            }
        }
        Ok(out)
    }

    /// The state now, settings included, in memory; see rewind().
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.shared.with(py, "snapshot()", |e| e.sim().snapshot()).map(Snapshot)
    }
    /// Comes back to a snapshot of this simulation: every later step has the same bits.
    fn rewind(&self, py: Python<'_>, snapshot: &Bound<'_, Snapshot>) -> PyResult<()> {
        let snapshot = snapshot.get();
        self.shared
            .with(py, "rewind()", |e| e.sim_mut().rewind(&snapshot.0))?
            .map_err(|e| crate::error::bad(e.to_string()))?;
        self.shared.set_last(None);
        Ok(())
    }
    /// Comes back to the state after building.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.shared
            .with(py, "reset()", |e| e.sim_mut().rewind(&self.start))?
            .map_err(|e| crate::error::bad(e.to_string()))?;
        self.shared.set_last(None);
        Ok(())
    }

    /// Force of each pin on its node at the end of the last step in N: a new array (n, 3), zero for what is not pinned.
    #[getter]
    fn pin_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.with(py, "pin_forces", |e| e.sim_mut().pin_forces())?;
        frozen(array::rows(py, rows)?)
    }
    /// Force of the anchors on each node at the present state in N: a new array (n, 3).
    #[getter]
    fn anchor_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.with(py, "anchor_forces", |e| e.sim().anchor_forces())?;
        frozen(array::rows(py, rows)?)
    }
    /// Every contact that bears a force at the end of the last step: a dict of arrays "point" (k, 3) in m, "normal" (k, 3) towards the first
    /// body, "force" (k, 3) on it in N, "bodies" (k, 2), the second -1 for an obstacle, and "obstacle" (k,), -1 for a body.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.shared.with(py, "contacts()", |e| e.sim().contacts())?;
        measure::contacts(py, &all)
    }
    /// Sums of contact forces at the end of the last step in N, (bodies, bodies + obstacles, 3): on each body, those of each other body and
    /// then of each obstacle.
    fn contact_sums<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArrayDyn<f64>>> {
        let sums = self.shared.with(py, "contact_sums()", |e| e.sim().contact_sums())?;
        let shape = vec![sums.len(), sums.first().map_or(0, Vec::len), 3];
        array::shaped(py, sums.into_iter().flatten().flatten().collect(), shape)
    }
    /// First derivatives of the energy of elements and anchors at the present state in N: a new array (n, 3), minus their forces.
    fn gradient<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.with(py, "gradient()", |e| e.sim_mut().gradient())?;
        array::rows(py, rows)
    }
    /// Second derivatives of the same: a sparse SciPy matrix (3n, 3n) in N/m. Loaded bodies may have negative eigenvalues; projected=True leaves
    /// out the negative part of each element, as Newton's method does.
    #[pyo3(signature = (*, projected=false))]
    fn hessian<'py>(slf: &Bound<'py, Self>, projected: bool) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._sparse")?.call_method1("hessian", (slf, projected))
    }
    fn _hessian_entries<'py>(&self, py: Python<'py>, projected: bool) -> PyResult<EntryArrays<'py>> {
        use supple::sim::Hessian;
        let kind = if projected { Hessian::Projected } else { Hessian::Exact };
        let (rows, columns, values) =
            self.shared.with(py, "hessian()", |e| measure::hessian(e.sim_mut(), kind))?;
        Ok((PyArray1::from_vec(py, rows), PyArray1::from_vec(py, columns), PyArray1::from_vec(py, values)))
    }
    /// The mass matrix: a sparse SciPy matrix (3n, 3n) in kg, diagonal.
    #[getter]
    fn mass<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._sparse")?.call_method1("mass", (slf,))
    }
    /// The k lowest vibrations about the present state, which should be one of rest: frequencies in Hz (k,) and shapes (k, n, 3) of unit modal
    /// mass. Negative frequencies are rates: such a shape grows by e^(2π|f|t), since the state is unstable. Needs SciPy.
    #[pyo3(signature = (k=Whole(6)), text_signature = "($self, k=6)")]
    fn modes<'py>(slf: &Bound<'py, Self>, k: Whole) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._sparse")?.call_method1("modes", (slf, k.0))
    }

    /// One step, iteration by iteration: an iterator of Iteration.
    ///
    /// Running to the end commits the step; leaving the loop rolls it back. Meanwhile positions, velocities, energy(), inverted,
    /// time and frame are those before the step, and any other use of the simulation rolls back. local=False leaves out z and u.
    #[pyo3(signature = (*, local=true))]
    fn iterations(&self, local: bool) -> Iterations {
        Iterations::new(self.shared.clone(), local)
    }

    /// The report of the last step, or None.
    #[getter]
    fn last_report(&self) -> Option<StepReport> {
        self.shared.last().map(StepReport)
    }

    /// Positions in m: a new array (n, 3), read-only; set_state() changes them.
    #[getter(positions)]
    fn all_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.read(|e| e.sim().positions(), |s| s.positions.clone())?;
        frozen(array::rows(py, rows)?)
    }
    /// Positions in m, written into out (n, 3) if it is given, which is what it returns.
    #[pyo3(signature = (out=None))]
    fn get_positions<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array::filled(py, out, self.nodes, |rows| {
            // While an iteration waits: those before its step.
            let before = self.shared.read(
                |e| {
                    e.sim().write_positions(rows);
                    None
                },
                |s| Some(s.positions.clone()),
            )?;
            if let Some(before) = before {
                rows.copy_from_slice(&before);
            }
            Ok(())
        })
    }
    /// Velocities in m/s, written into out (n, 3) if it is given, which is what it returns.
    #[pyo3(signature = (out=None))]
    fn get_velocities<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array::filled(py, out, self.nodes, |rows| {
            // While an iteration waits: those before its step.
            let before = self.shared.read(
                |e| {
                    e.sim().write_velocities(rows);
                    None
                },
                |s| Some(s.velocities.clone()),
            )?;
            if let Some(before) = before {
                rows.copy_from_slice(&before);
            }
            Ok(())
        })
    }
    /// Forces on each node at the end of the last step in N, a dict of arrays (n, 3): "elastic" of elements, anchors and damping, "contact" of
    /// contacts and links, "constraint" of pins.
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (mut elastic, contact, pins) = self.shared.with(py, "forces()", |e| {
            let sim = e.sim_mut();
            (sim.gradient(), sim.contact_forces(), sim.pin_forces())
        })?;
        elastic.iter_mut().flatten().for_each(|f| *f = -*f);
        let out = PyDict::new(py);
        out.set_item("elastic", array::rows(py, elastic)?)?;
        out.set_item("contact", array::rows(py, contact)?)?;
        out.set_item("constraint", array::rows(py, pins)?)?;
        Ok(out)
    }
    /// Cauchy's stress in Pa of every tetrahedron, and then of every triangle of a sheet: (m, 3, 3).
    fn stress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArrayDyn<f64>>> {
        let all = self.shared.with(py, "stress()", |e| e.sim().element_stresses())?;
        let m = all.len();
        // Symmetric: by columns is by rows.
        array::shaped(py, all.into_flattened().into_flattened(), vec![m, 3, 3])
    }
    /// Velocities in m/s: a new array (n, 3), read-only; set_state() changes them.
    #[getter(velocities)]
    fn all_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.read(|e| e.sim().velocities(), |s| s.velocities.clone())?;
        frozen(array::rows(py, rows)?)
    }
    /// Simulated time in s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.shared.read(|e| e.sim().time(), |s| s.time)
    }
    /// Steps taken.
    #[getter]
    fn frame(&self) -> PyResult<u64> {
        self.shared.read(|e| e.sim().frame(), |s| s.frame)
    }

    /// Energies at the present state in J: {"elastic", "kinetic", "potential"}.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energy = match self.shared.read(|_| None, |s| Some(s.energy))? {
            Some(e) => e,
            None => self.shared.with(py, "energy()", |e| e.sim_mut().energy())?,
        };
        report::energy(py, &energy)
    }
    /// Tetrahedra with negative volume at the present state.
    #[getter]
    fn inverted(&self, py: Python<'_>) -> PyResult<usize> {
        match self.shared.read(|_| None, |s| Some(s.inverted))? {
            Some(n) => Ok(n),
            None => self.shared.with(py, "inverted", |e| e.sim_mut().inverted()),
        }
    }

    /// Sets positions in m and velocities in m/s, (n, 3) each, of all bodies; without velocities they are zero.
    ///
    /// A pinned node stays where it is put.
    #[pyo3(signature = (positions, velocities=None))]
    fn set_state(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        velocities: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let x = array::points(positions, "positions", Some(self.nodes))?;
        let v = match velocities {
            Some(v) => array::points(v, "velocities", Some(self.nodes))?,
            None => vec![[0.0; 3]; self.nodes],
        };
        self.shared.with(py, "set_state()", |e| e.sim_mut().set_state(&x, &v))?.map_err(build)
    }

    /// Sets the force on each node in N besides gravity, (n, 3); it stays until it is set again.
    fn set_forces(&self, py: Python<'_>, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        let f = array::points(forces, "forces", Some(self.nodes))?;
        self.shared.with(py, "set_forces()", |e| e.sim_mut().set_forces(&f))?.map_err(build)
    }

    /// Moves pinned nodes of a body: they are at positions (k, 3) in m at the end of the next step. ids: (k,) of the body.
    fn move_pins(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (body, ids, x) = self.moves(body, ids, positions)?;
        self.shared.with(py, "move_pins()", |e| e.sim_mut().move_pins(body, &ids, &x))?.map_err(build)
    }

    /// Moves the targets of soft anchors of a body to positions (k, 3) in m. ids: (k,) of the body.
    fn move_anchors(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (body, ids, x) = self.moves(body, ids, positions)?;
        self.shared.with(py, "move_anchors()", |e| e.sim_mut().move_anchors(body, &ids, &x))?.map_err(build)
    }

    /// Contracts the fibres of a body from the next step on, from 0 to 0.95: their rest length is 1 - contraction. elements: (k,) of
    /// the body; all of them unless given.
    #[pyo3(signature = (body, contraction, *, elements=None))]
    fn contract(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        contraction: f64,
        elements: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let b = self.body(body)?.index;
        let some = elements.map(|e| array::ids(e, "elements", u32::MAX as usize)).transpose()?;
        self.shared
            .with(py, "contract()", |e| match &some {
                Some(some) => e.sim_mut().contract_elements(b, some, contraction),
                None => e.sim_mut().contract(b, contraction),
            })?
            .map_err(build)
    }

    /// Moves an obstacle, given by its number or name: at the end of the next step it is turned about center by the rotation
    /// vector (axis times angle in radians) and then moved by translation (m), both relative to where it was added.
    ///
    /// Bodies that it touches feel its velocity. Without center it turns about its own middle.
    #[pyo3(signature = (obstacle, *, translation=None, rotation=None, center=None))]
    fn move_obstacle(
        &self,
        py: Python<'_>,
        obstacle: &Bound<'_, PyAny>,
        translation: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let known: Vec<(String, [f64; 3])> = self.shared.with(py, "move_obstacle()", |e| {
            e.sim().obstacles().iter().map(|o| (o.name.clone(), o.shape.centre())).collect()
        })?;
        let number = match obstacle.extract::<String>() {
            Ok(name) => known
                .iter()
                .position(|o| o.0 == name)
                .ok_or_else(|| crate::error::bad(format!("there is no obstacle `{name}`")))?,
            Err(_) => obstacle.extract::<usize>()?,
        };
        let middle = known.get(number).map_or([0.0; 3], |o| o.1);
        let pose = obstacle::pose(translation, rotation, center, middle)?;
        self.shared.with(py, "move_obstacle()", |e| e.sim_mut().move_obstacle(number, pose))?.map_err(build)
    }

    /// Moves the plane, line, curve or places of links, given by their number: at the end of the next step they are turned about
    /// center by the rotation vector (axis times angle in radians), then moved by translation (m), relative to where they were added.
    #[pyo3(signature = (link, *, translation=None, rotation=None, center=None))]
    fn move_link(
        &self,
        py: Python<'_>,
        link: usize,
        translation: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let pose = obstacle::pose(translation, rotation, center, [0.0; 3])?;
        self.shared.with(py, "move_link()", |e| e.sim_mut().move_link(link, pose))?.map_err(build)
    }

    /// Force of each link of a number on its node in the last step in N: a new array (nodes, 3).
    fn link_forces<'py>(&self, py: Python<'py>, link: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.with(py, "link_forces()", |e| e.sim().link_forces(link))?.map_err(build)?;
        array::rows(py, rows)
    }

    /// Which links of a number are broken: a new array (nodes,) of bool.
    fn broken_links<'py>(&self, py: Python<'py>, link: usize) -> PyResult<Bound<'py, numpy::PyArray1<bool>>> {
        let all = self.shared.with(py, "broken_links()", |e| e.sim().broken_links(link))?.map_err(build)?;
        Ok(numpy::PyArray1::from_vec(py, all))
    }

    /// Force of each obstacle on the bodies in the last step in N: a new array (obstacles, 3).
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.shared.with(py, "reactions", |e| {
            let mut rows = e.sim().reactions().to_vec();
            rows.resize(e.sim().obstacles().len(), [0.0; 3]);
            rows
        })?;
        array::rows(py, rows)
    }

    /// The hard constraints that are off, the worst first, at most `most`: (body, kind, element, off), `off` in m for rods and ropes and
    /// without unit for strain limits.
    #[pyo3(signature = (most=10))]
    fn violations(&self, py: Python<'_>, most: usize) -> PyResult<Vec<(String, String, usize, f64)>> {
        self.shared.with(py, "violations", |e| {
            let all = e.sim().violations(most).into_iter();
            all.map(|v| (v.body, v.kind.to_owned(), v.element, v.off)).collect()
        })
    }

    /// Names of the obstacles, in order of adding.
    #[getter]
    fn obstacles(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.shared.with(py, "obstacles", |e| e.sim().obstacles().iter().map(|o| o.name.clone()).collect())
    }

    /// Changes options of Scene.build(), dt, gravity and integrator while the simulation runs; a new dt or new weights are factored again.
    #[pyo3(signature = (*, dt=Given::NOT, gravity=Given::NOT, integrator=Given::NOT, method=Given::NOT, iterations=Given::NOT, tolerance=Given::NOT,
        time_budget=Given::NOT, weight_rule=Given::NOT, weight_scale=Given::NOT, acceleration=Given::NOT, start=Given::NOT,
        dual_start=Given::NOT, memory=Given::NOT, relaxation=Given::NOT, spectral_radius=Given::NOT, history=Given::NOT,
        first_hessian=Given::NOT, sweep=Given::NOT, contact=Given::NOT, projections=Given::NOT))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        dt: Given<'py>,
        gravity: Given<'py>,
        integrator: Given<'py>,
        method: Given<'py>,
        iterations: Given<'py>,
        tolerance: Given<'py>,
        time_budget: Given<'py>,
        weight_rule: Given<'py>,
        weight_scale: Given<'py>,
        acceleration: Given<'py>,
        start: Given<'py>,
        dual_start: Given<'py>,
        memory: Given<'py>,
        relaxation: Given<'py>,
        spectral_radius: Given<'py>,
        history: Given<'py>,
        first_hessian: Given<'py>,
        sweep: Given<'py>,
        contact: Given<'py>,
        projections: Given<'py>,
    ) -> PyResult<()> {
        let options = Options {
            method,
            iterations,
            tolerance,
            time_budget,
            weight_rule,
            weight_scale,
            start,
            dual_start,
            acceleration,
            memory,
            relaxation,
            spectral_radius,
            history,
            first_hessian,
            sweep,
            contact,
            projections,
            threads: Given::NOT,
        };
        let mut settings = self.shared.with(py, "update()", |e| e.sim().settings().clone())?;
        options.apply(&mut settings.solve)?;
        world(&mut settings, &dt, &gravity, &integrator)?;
        self.shared.with(py, "update()", |e| e.sim_mut().update_settings(settings))?.map_err(build)
    }

    /// The settings in force: a dict of "dt", "integrator", "gravity" and the options of Scene.build().
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        saved::settings(py, &self.shared.with(py, "settings", |e| e.sim().settings().clone())?)
    }

    /// Writes the state and the settings to a file, whole or not at all; see restore().
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = self.saved(py)?;
        files::write(&path, |out| out.write_all(&bytes))
    }

    /// Builds the same scene again and continues from a file that save() wrote, bit for bit, with the settings saved in it.
    ///
    /// A checkpoint of the command line will do too; then the settings are the scene's.
    #[classmethod]
    fn restore(
        _cls: &Bound<'_, PyType>,
        py: Python<'_>,
        scene: &Bound<'_, Scene>,
        path: PathBuf,
    ) -> PyResult<Simulation> {
        let bytes = files::read(&path)?;
        Simulation::from_saved(py, scene, &bytes, &format!("{}: ", path.display()))
    }
    /// The same from bytes.
    #[staticmethod]
    fn _restored(py: Python<'_>, scene: &Bound<'_, Scene>, bytes: &[u8]) -> PyResult<Simulation> {
        Simulation::from_saved(py, scene, bytes, "")
    }

    /// Bodies in order of adding.
    #[getter]
    fn bodies(&self) -> Vec<Body> {
        self.bodies.clone()
    }
    /// A picture of the present state by matplotlib, which must be installed: the axes. ax: three-dimensional axes to draw into.
    #[pyo3(signature = (ax=None))]
    fn plot<'py>(slf: &Bound<'py, Self>, ax: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._plot")?.call_method1("plot", (slf, ax))
    }
    /// The viewer in a notebook, with this simulation behind it: a widget. Needs anywidget (pip install supple[notebook]).
    #[pyo3(signature = (*, title="supple", height=480))]
    fn show<'py>(slf: &Bound<'py, Self>, title: &str, height: u32) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("supple._view")?.call_method1("View", (slf, title, height))
    }
    /// Triangles and springs of each body that are seen, by nodes of all bodies.
    fn _seen<'py>(&self, py: Python<'py>) -> PyResult<Vec<SeenArrays<'py>>> {
        let each = self.bodies.iter().zip(self.seen.iter());
        each.map(|(body, seen)| {
            let global = |ids: &[u32]| ids.iter().map(|&i| body.first_node as i64 + i64::from(i)).collect();
            let triangles: Vec<i64> = global(seen.triangles.as_flattened());
            let edges: Vec<i64> = global(seen.edges.as_flattened());
            Ok((
                PyArray1::from_vec(py, triangles).reshape([seen.triangles.len(), 3])?,
                PyArray1::from_vec(py, edges).reshape([seen.edges.len(), 2])?,
            ))
        })
        .collect()
    }
    /// Rows of a body in arrays of all nodes.
    fn body_slice<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PySlice>> {
        let b = self.body(body)?;
        Ok(PySlice::new(py, b.first_node as isize, (b.first_node + b.node_count) as isize, 1))
    }
    /// Mass of each node in kg: (n,).
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        frozen(PyArray1::from_slice(py, &self.masses))
    }
    /// True for nodes that are pinned along all axes: (n,).
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        frozen(PyArray1::from_slice(py, &self.pinned))
    }
    /// True for pinned coordinates, those of pins along some axes included: (n, 3).
    #[getter]
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let held = self.shared.with(py, "held", |e| e.sim().held())?;
        let n = held.len();
        frozen(PyArray1::from_vec(py, held.into_flattened()).reshape([n, 3])?)
    }
    /// w² of every tetrahedron in J, body after body in order of adding: (m,).
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let all = self.shared.with(py, "weights", |e| e.sim().tetrahedra())?;
        Ok(PyArray1::from_vec(py, all.iter().map(|t| t.weight).collect()))
    }
    /// Largest stretch and von Mises stress in Pa of every tetrahedron, and then of every triangle of a sheet: (m, 2).
    fn element_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let fields = self.shared.with(py, "element_fields()", |e| e.sim().element_fields())?;
        let n = fields.len();
        PyArray1::from_vec(py, fields.into_flattened()).reshape([n, 2])
    }
    /// Nodes of all bodies.
    #[getter]
    fn node_count(&self) -> usize {
        self.nodes
    }
    /// Elements of all bodies: tetrahedra, springs and anchors.
    #[getter]
    fn element_count(&self) -> usize {
        self.elements
    }
    /// Steps per frame: 1, or what the scene file says.
    #[getter]
    fn substeps(&self) -> u32 {
        self.substeps
    }
    /// Threads that work.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// Keeps how its scene was made.
    fn _of(&self, py: Python<'_>, recipe: Bound<'_, PyAny>) {
        self.recipe.keep(py, recipe);
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let scene = self.recipe.reduce(
            py,
            "a Simulation is pickled as its scene and its state, and its scene is not known: save() it and restore() it with its scene",
        )?;
        let bytes = self.saved(py)?;
        py.import("supple._pickle")?.call_method1("simulation", (scene, PyBytes::new(py, &bytes)))
    }
    fn __repr__(&self) -> String {
        let (b, n, m) = (self.bodies.len(), self.nodes, self.elements);
        format!("<supple.Simulation of {b} bodies, {n} nodes, {m} elements>")
    }
}
