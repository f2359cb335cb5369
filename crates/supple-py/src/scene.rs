//! Scenes: bodies and what holds them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use supple::scene::{file, settings};
use supple::settings::Wind;
use supple::{Along, BodyId, Cloth, Damping, Limit, Settings, Spring, SpringKind, TetMesh, TriMesh};
use supple_cli::load::{LoadError, Loaded};
use supple_cli::memory;

use crate::array;
use crate::body::{self, Body, Seen};
use crate::custom::Object;
use crate::engine::{Engine, Kind};
use crate::error::{bad, build, guard};
use crate::link;
use crate::material;
use crate::obstacle;
use crate::options::{Given, Options, world};
use crate::sheet;
use crate::simulation::Simulation;

enum Source {
    Own(Box<supple::Scene>),
    File { loaded: Box<Loaded>, solve: file::Solve, allowed: Vec<PathBuf> },
}

pub struct Content {
    source: Source,
    bodies: Vec<Body>,
    /// What is seen of each.
    seen: Vec<Seen>,
    objects: Vec<Arc<Object>>,
    obstacles: usize,
}

/// Bodies, pins and anchors; build() makes a simulation of them. Units are SI.
///
/// dt is the length of a time step in s (default 0.04), gravity an acceleration in m/s² (default (0, -9.8, 0)), integrator
/// "backward_euler" (default; first order, damps) or "bdf2" (second order, damps much less).
#[pyclass(subclass, frozen, module = "supple")]
pub struct Scene {
    number: u64,
    content: Mutex<Content>,
}

/// True, False or "thin".
fn averaging(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<supple::scene::Average>> {
    let Some(given) = given else { return Ok(None) };
    if given.extract::<&str>().is_ok_and(|word| word == "thin") {
        return Ok(Some(supple::scene::Average::thin()));
    }
    match given.extract::<bool>() {
        Ok(on) => Ok(on.then(supple::scene::Average::default)),
        Err(_) => Err(bad(format!("average must be True, False or \"thin\", not {}", given.repr()?))),
    }
}

fn load_error(e: LoadError) -> PyErr {
    bad(e.0.trim_end().to_string())
}

impl Scene {
    fn new_with(source: Source) -> Scene {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Scene {
            number,
            content: Mutex::new(Content {
                source,
                bodies: Vec::new(),
                seen: Vec::new(),
                objects: Vec::new(),
                obstacles: 0,
            }),
        }
    }

    /// The content; nobody waits for another thread, which may wait for Python.
    fn content(&self) -> PyResult<MutexGuard<'_, Content>> {
        match self.content.try_lock() {
            Ok(content) => Ok(content),
            Err(TryLockError::Poisoned(p)) => Ok(p.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the scene is in use by another thread; one at a time may use it",
            )),
        }
    }

    /// A simulation with these settings, or with those of the scene and some options.
    pub fn make(
        &self,
        py: Python<'_>,
        options: Option<&Options<'_>>,
        saved: Option<Settings>,
    ) -> PyResult<Simulation> {
        let mut guarded = self.content()?;
        let content: &mut Content = &mut guarded;
        let engine = content.engine(py, options, saved)?;
        let bodies = engine.sim().bodies().iter().enumerate().map(|(index, b)| Body {
            scene: self.number,
            index,
            name: b.name.clone(),
            first_node: b.first_node,
            node_count: b.nodes,
            corner_count: b.corners,
        });
        let bodies = bodies.collect();
        Ok(Simulation::new(engine, bodies))
    }
}

impl Content {
    fn own(&mut self) -> PyResult<&mut supple::Scene> {
        match &mut self.source {
            Source::Own(scene) => Ok(scene),
            Source::File { .. } => {
                Err(bad("a scene from a file is complete: add bodies, pins and anchors in the file"))
            }
        }
    }

    fn settings(&self) -> PyResult<Settings> {
        match &self.source {
            Source::Own(scene) => Ok(scene.settings.clone()),
            Source::File { loaded, solve, .. } => {
                let mut file = loaded.file.clone();
                file.solve = solve.clone();
                settings(&file).map_err(|e| load_error(loaded.explain(e)))
            }
        }
    }

    /// The name given, or one that is free.
    fn name(&self, name: Option<String>) -> String {
        let free = |n: &String| !self.bodies.iter().any(|b| b.name == *n);
        name.or_else(|| (self.bodies.len()..).map(|i| format!("body{i}")).find(free)).unwrap_or_default()
    }

    fn added(
        &mut self,
        scene: u64,
        id: BodyId,
        name: String,
        [corner_count, node_count]: [usize; 2],
        seen: Seen,
    ) -> Body {
        let first_node = self.bodies.last().map_or(0, |b| b.first_node + b.node_count);
        let body = Body { scene, index: id.0, name, first_node, node_count, corner_count };
        self.bodies.push(body.clone());
        self.seen.push(seen);
        body
    }

    fn engine(
        &mut self,
        py: Python<'_>,
        options: Option<&Options<'_>>,
        saved: Option<Settings>,
    ) -> PyResult<Engine> {
        let base = self.settings()?;
        let mut settings = saved.unwrap_or_else(|| base.clone());
        if let Some(o) = options {
            o.apply(&mut settings.solve)?;
        }
        settings.validate().map_err(build)?;
        let objects = self.objects.clone();
        let kind = match &mut self.source {
            Source::Own(scene) => {
                scene.settings = settings;
                for note in scene.notes() {
                    let note = std::ffi::CString::new(note).unwrap_or_default();
                    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, 2)?;
                }
                let made = py.detach(|| guard(|| scene.build()));
                scene.settings = base;
                Kind::Plain(Box::new(made?.map_err(build)?))
            }
            Source::File { loaded, allowed, .. } => {
                loaded.file.solve = file::Solve::from(&settings.solve);
                let made = py.detach(|| guard(|| loaded.build(allowed)));
                let (mut program, _) = made?.map_err(load_error)?;
                // Of a saved simulation: what the file does not say.
                program.simulation.update_settings(settings).map_err(build)?;
                Kind::Program(Box::new(program))
            }
        };
        let seen = match &kind {
            Kind::Plain(_) => self.seen.clone(),
            Kind::Program(p) => {
                let of =
                    |b: &supple::scene::Look| Seen { triangles: b.surface.clone(), edges: b.edges.clone() };
                p.bodies.iter().map(of).collect()
            }
        };
        Ok(Engine { kind, objects, seen: Arc::new(seen), pace: f64::INFINITY })
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (*, dt=Given::NOT, gravity=Given::NOT, integrator=Given::NOT, _file=None),
        text_signature = "(*, dt=0.04, gravity=(0.0, -9.8, 0.0), integrator='backward_euler', _file=None)")]
    fn new(
        py: Python<'_>,
        dt: Given<'_>,
        gravity: Given<'_>,
        integrator: Given<'_>,
        _file: Option<(PathBuf, Bound<'_, PyDict>, Vec<PathBuf>)>,
    ) -> PyResult<Scene> {
        if let Some((path, overrides, allowed)) = _file {
            return read(py, path, &overrides, allowed);
        }
        let mut settings = Settings::default();
        world(&mut settings, &dt, &gravity, &integrator)?;
        settings.validate().map_err(build)?;
        Ok(Scene::new_with(Source::Own(Box::new(supple::Scene::new(settings)))))
    }

    /// Adds a solid of tetrahedra.
    ///
    /// vertices: (n, 3) in m. tets: (m, 4) node numbers, det[b-a, c-a, d-a] > 0. material: a Material, an object with density,
    /// gradient and hessian, or a sequence of m of them. density in kg/m³, or masses (n,) in kg per node. fill: (m,) fill fractions in
    /// (0, 1], which multiply volumes in energy and mass. order: 1, or 2 for tetrahedra of ten nodes, which bend without locking: nodes in the
    /// middle of the edges stand behind the n given, whose ids and masks stay as they are; an edge between pinned ends has its node
    /// pinned. average: True averages the strain over patches of elements, so that it neither locks nor, of order 1, is too stiff; "thin" for bodies of one
    /// or two cells that bend.
    #[pyo3(signature = (vertices, tets, *, material, density=None, masses=None, name=None, fill=None, order=1, average=None),
        text_signature = "($self, vertices, tets, *, material, density=None, masses=None, name=None, fill=None, order=1, average=False)")]
    fn add_solid(
        &self,
        vertices: &Bound<'_, PyAny>,
        tets: &Bound<'_, PyAny>,
        material: &Bound<'_, PyAny>,
        density: Option<&Bound<'_, PyAny>>,
        masses: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
        fill: Option<&Bound<'_, PyAny>>,
        order: u32,
        average: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Body> {
        let mut content = self.content()?;
        content.own()?;
        let vertices = array::points(vertices, "vertices", None)?;
        let tets = array::elements::<4>(tets, "tets", vertices.len())?;
        let (n, m) = (vertices.len(), tets.len());
        memory::check_mesh(n, m, memory::limit()).map_err(|e| bad(format!("the mesh {e}")))?;
        let (materials, objects) = materials(material, m)?;
        let fill = fill.map_or(Ok(Vec::new()), |f| array::each(f, "fill", m))?;
        let mesh = TetMesh::new(vertices, tets).and_then(|mesh| mesh.with_fill(fill));
        let mesh = match order {
            1 => mesh,
            2 => mesh.and_then(|mesh| mesh.quadratic()),
            n => return Err(bad(format!("order must be 1 or 2, not {n}"))),
        };
        let mesh = mesh.map_err(|e| bad(e.to_string()))?;
        let nodes = mesh.vertices().len();
        let seen = Seen { triangles: mesh.surface(), ..Seen::default() };
        let name = content.name(name);
        let masses = match (density, masses) {
            (Some(density), None) => {
                let density = array::each(density, "density", m)?;
                if let Some(e) = density.iter().position(|d| !(d.is_finite() && *d > 0.0)) {
                    return Err(bad(format!("the density must be positive and finite, not {}", density[e])));
                }
                mesh.node_masses(|e| density[e])
            }
            (None, Some(masses)) => array::each(masses, "masses", nodes)?,
            _ => return Err(bad("a solid needs density or masses")),
        };
        let id = content.own()?.add_solid_with_masses(&name, mesh, materials, masses).map_err(build)?;
        content.objects.extend(objects);
        let body = content.added(self.number, id, name, [n, nodes], seen);
        if let Some(average) = averaging(average)? {
            content.own()?.average(id, average).map_err(build)?;
        }
        Ok(body)
    }

    /// Adds a sheet of triangles.
    ///
    /// vertices: (n, 3) in m. triangles: (m, 3) node numbers. material: Arap, Corotated, StVenantKirchhoff or NeoHookean, in plane
    /// stress, or None where a limit or threads are enough. thickness in m, density in kg/m³.
    /// limit: (least, greatest) stretch, exactly, or softly with limit_stiffness in Pa; limit_along: "stretches" in every direction
    /// or "threads" along warp and weft. warp: direction of the warp at rest; threads: more stiffness in Pa along warp and weft.
    /// bending: "plate" (of the material), "none", "flat" or "angle" (of the rest shape) with bending_stiffness in N·m.
    #[pyo3(signature = (vertices, triangles, *, material=None, thickness=0.001, density=500.0, limit=None, limit_along="stretches",
        limit_stiffness=None, warp=(1.0, 0.0, 0.0), threads=(0.0, 0.0), bending="plate", bending_stiffness=None, name=None),
        text_signature = "($self, vertices, triangles, *, material=None, thickness=0.001, density=500.0, limit=None, \
limit_along='stretches', limit_stiffness=None, warp=(1.0, 0.0, 0.0), threads=(0.0, 0.0), bending='plate', \
bending_stiffness=None, name=None)")]
    fn add_cloth(
        &self,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        material: Option<&Bound<'_, PyAny>>,
        thickness: f64,
        density: f64,
        limit: Option<(f64, f64)>,
        limit_along: &str,
        limit_stiffness: Option<f64>,
        warp: (f64, f64, f64),
        threads: (f64, f64),
        bending: &str,
        bending_stiffness: Option<f64>,
        name: Option<String>,
    ) -> PyResult<Body> {
        let mut content = self.content()?;
        content.own()?;
        let vertices = array::points(vertices, "vertices", None)?;
        let n = vertices.len();
        let triangles = array::elements::<3>(triangles, "triangles", n)?;
        let material = material.map(material::extract).transpose()?.map(|(m, _)| m);
        let cloth = Cloth {
            material,
            thickness,
            density,
            warp: warp.into(),
            threads: threads.into(),
            limit: sheet::limit(limit, limit_along, limit_stiffness)?,
            bending: sheet::bending(bending, bending_stiffness)?,
        };
        let seen = Seen { triangles: triangles.clone(), ..Seen::default() };
        let mesh = TriMesh::new(vertices, triangles).map_err(|e| bad(e.to_string()))?;
        let name = content.name(name);
        let id = content.own()?.add_cloth(&name, mesh, cloth).map_err(build)?;
        Ok(content.added(self.number, id, name, [n; 2], seen))
    }

    /// Limits the stretches of a solid in every direction to (least, greatest): exactly, or softly with a stiffness in Pa.
    #[pyo3(signature = (body, limit, *, stiffness=None))]
    fn limit(&self, body: &Bound<'_, PyAny>, limit: (f64, f64), stiffness: Option<f64>) -> PyResult<()> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        let limit = Limit { range: limit.into(), along: Along::Stretches, stiffness };
        content.own()?.limit(BodyId(b.index), limit).map_err(build)
    }

    /// Rayleigh damping of a body: mass in 1/s slows every node, stiffness in s the rate of strain of solids.
    #[pyo3(signature = (body, *, mass=0.0, stiffness=0.0))]
    fn damp(&self, body: &Bound<'_, PyAny>, mass: f64, stiffness: f64) -> PyResult<()> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        content.own()?.damp(BodyId(b.index), Damping { mass, stiffness }).map_err(build)
    }

    /// Wind on sheets: velocity (3,) in m/s, air_density in kg/m³, coefficients of drag across and friction along triangles; gust
    /// is the share by which the speed swings, over gust_time in s, other for each seed.
    #[pyo3(signature = (velocity, *, air_density=1.2, drag=1.2, friction=0.05, gust=0.0, gust_time=2.0, seed=0))]
    fn set_wind(
        &self,
        velocity: &Bound<'_, PyAny>,
        air_density: f64,
        drag: f64,
        friction: f64,
        gust: f64,
        gust_time: f64,
        seed: u64,
    ) -> PyResult<()> {
        let velocity = array::vector(velocity, "velocity")?;
        let mut content = self.content()?;
        let scene = content.own()?;
        let mut settings = scene.settings.clone();
        settings.world.wind = Some(Wind { velocity, air_density, drag, friction, gust, gust_time, seed });
        settings.validate().map_err(build)?;
        scene.settings = settings;
        Ok(())
    }

    /// Adds nodes joined by springs, rods or ropes.
    ///
    /// positions: (n, 3) in m. edges: (m, 2) node numbers. stiffness in N/m: a number or (m,). masses in kg per node: a number
    /// or (n,). rest_length in m: a number, (m,), or None for the lengths at the start. kind: "spring", "tension" (only pulls), "rod"
    /// (exactly the length) or "rope" (at most the length); the stiffness of the last two means nothing.
    #[pyo3(signature = (positions, edges, *, stiffness=None, masses, rest_length=None, kind="spring", name=None))]
    fn add_springs(
        &self,
        positions: &Bound<'_, PyAny>,
        edges: &Bound<'_, PyAny>,
        stiffness: Option<&Bound<'_, PyAny>>,
        masses: &Bound<'_, PyAny>,
        rest_length: Option<&Bound<'_, PyAny>>,
        kind: &str,
        name: Option<String>,
    ) -> PyResult<Body> {
        let mut content = self.content()?;
        content.own()?;
        let positions = array::points(positions, "positions", None)?;
        let n = positions.len();
        let edges = array::elements::<2>(edges, "edges", n)?;
        let kind = sheet::spring(kind)?;
        let hard = matches!(kind, SpringKind::Rod | SpringKind::Rope);
        let stiffness = match stiffness {
            Some(k) => array::each(k, "stiffness", edges.len())?,
            None if hard => vec![1.0; edges.len()],
            None => {
                return Err(PyTypeError::new_err("stiffness must be given in N/m, but for rods and ropes"));
            }
        };
        let masses = array::each(masses, "masses", n)?;
        let lengths = rest_length.map(|l| array::each(l, "rest_length", edges.len())).transpose()?;
        let springs = edges.iter().zip(stiffness).enumerate().map(|(e, (&nodes, stiffness))| Spring {
            rest_length: lengths.as_ref().map(|l| l[e]),
            kind,
            ..Spring::new(nodes, stiffness)
        });
        let name = content.name(name);
        let id = content.own()?.add_springs(&name, positions, masses, springs.collect()).map_err(build)?;
        Ok(content.added(self.number, id, name, [n; 2], Seen { edges, ..Seen::default() }))
    }

    /// Pins nodes of a body exactly where they are; Simulation.move_pins moves them. ids: (k,) of the body, or a mask (n,).
    ///
    /// axes: "y" or ("x", "z") pins these coordinates only, as a plane of symmetry or a rail does. An edge of order 2 with both ends pinned
    /// has its node pinned too. Where something may touch or is linked, methods other than "auto" and "newton" refuse such pins.
    #[pyo3(signature = (body, ids, *, axes=None))]
    fn pin(
        &self,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        axes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        let ids = b.ids(ids)?;
        match axes.map(crate::measure::axes).transpose()? {
            Some(axes) => content.own()?.pin_axes(BodyId(b.index), &ids, axes).map_err(build),
            None => content.own()?.pin(BodyId(b.index), &ids).map_err(build),
        }
    }

    /// Ties nodes of a body to where they are by springs of zero length of some stiffness in N/m; see move_anchors.
    #[pyo3(signature = (body, ids, *, stiffness))]
    fn anchor(&self, body: &Bound<'_, PyAny>, ids: &Bound<'_, PyAny>, stiffness: f64) -> PyResult<()> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        let ids = b.ids(ids)?;
        content.own()?.anchor(BodyId(b.index), &ids, stiffness).map_err(build)
    }

    /// Keeps nodes of a body on something, without friction and from both sides, and returns the number of the links.
    ///
    /// One of plane=(point, normal), line=(point, direction), curve=points (k, 3), a polyline, closed to a ring or with ends that go
    /// on without end, and surface=body, at a distance (m) along its normal or where each node is. A link breaks once its force is
    /// above breaking_force (N). ids: (k,) of the body, or a mask (n,).
    #[pyo3(signature = (body, ids, *, plane=None, line=None, curve=None, closed=false, surface=None, distance=None,
        breaking_force=None))]
    fn slide(
        &self,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        plane: Option<&Bound<'_, PyAny>>,
        line: Option<&Bound<'_, PyAny>>,
        curve: Option<&Bound<'_, PyAny>>,
        closed: bool,
        surface: Option<&Bound<'_, PyAny>>,
        distance: Option<f64>,
        breaking_force: Option<f64>,
    ) -> PyResult<usize> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        let ids = b.ids(ids)?;
        let on = link::Shapes { plane, line, curve, surface, closed, distance }.read(&content.bodies)?;
        let made = content.own()?.slide(BodyId(b.index), &ids, on, breaking_force);
        made.map(|id| id.0).map_err(build)
    }

    /// Attaches nodes of a body where they are, and returns the number of the links: to their places, which Simulation.move_link()
    /// moves, to another body, or to an obstacle by its number. A link breaks once its force is above breaking_force (N).
    #[pyo3(signature = (body, ids, *, to=None, obstacle=None, breaking_force=None))]
    fn attach(
        &self,
        body: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        to: Option<&Bound<'_, PyAny>>,
        obstacle: Option<usize>,
        breaking_force: Option<f64>,
    ) -> PyResult<usize> {
        let mut content = self.content()?;
        content.own()?;
        let b = body::find(body, &content.bodies)?.clone();
        let ids = b.ids(ids)?;
        let to = link::place(to, obstacle, &content.bodies)?;
        let made = content.own()?.attach(BodyId(b.index), &ids, to, breaking_force);
        made.map(|id| id.0).map_err(build)
    }

    /// Stitches two bodies together and returns the number of the links: pairs (k, 2) of a node of each, or nodes ids of the first
    /// to the nearest points of the other's surface. A stitch breaks once its force is above breaking_force (N).
    #[pyo3(signature = (body, other, *, pairs=None, ids=None, breaking_force=None))]
    fn stitch(
        &self,
        body: &Bound<'_, PyAny>,
        other: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
        ids: Option<&Bound<'_, PyAny>>,
        breaking_force: Option<f64>,
    ) -> PyResult<usize> {
        let mut content = self.content()?;
        content.own()?;
        let a = body::find(body, &content.bodies)?.clone();
        let b = body::find(other, &content.bodies)?.clone();
        let (first, second) = (BodyId(a.index), BodyId(b.index));
        let made = match (pairs, ids) {
            (Some(pairs), None) => {
                let pairs = link::pairs(pairs, [a.node_count, b.node_count])?;
                content.own()?.stitch(first, second, &pairs, breaking_force)
            }
            (None, Some(ids)) => {
                let ids = a.ids(ids)?;
                content.own()?.stitch_to_surface(first, &ids, second, breaking_force)
            }
            _ => return Err(bad("stitch() needs pairs or ids, one of them")),
        };
        made.map(|id| id.0).map_err(build)
    }

    /// Adds an obstacle (HalfSpace, Sphere, Box, Capsule or Cylinder) that bodies cannot enter, and returns its number, from 0.
    ///
    /// Simulation.move_obstacle() moves it, Simulation.reactions says with which force it pushes.
    #[pyo3(signature = (obstacle, *, name=None))]
    fn add_obstacle(&self, obstacle: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<usize> {
        let mut content = self.content()?;
        let name = name.unwrap_or_else(|| format!("obstacle{}", content.obstacles));
        let obstacle = obstacle::extract(obstacle, name)?;
        let id = content.own()?.add_obstacle(obstacle).map_err(build)?;
        content.obstacles += 1;
        Ok(id.0)
    }

    /// Lets solids touch each other; without this call bodies pass through each other.
    ///
    /// friction is Coulomb's coefficient, pairs a dict of others: {(body, body): friction}. Surfaces keep thickness (m) from each
    /// other. With self_contact a body may touch itself too.
    #[pyo3(signature = (*, friction=0.0, thickness=0.0, self_contact=false, pairs=None))]
    fn collide(
        &self,
        friction: f64,
        thickness: f64,
        self_contact: bool,
        pairs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut content = self.content()?;
        content.own()?;
        let mut list = Vec::new();
        for (key, value) in pairs.into_iter().flatten() {
            let (a, b): (Bound<'_, PyAny>, Bound<'_, PyAny>) = key.extract()?;
            let [a, b] = [a, b].map(|body| body::find(&body, &content.bodies).map(|b| BodyId(b.index)));
            list.push((a?, b?, value.extract::<f64>()?));
        }
        let collisions = supple::scene::Collisions {
            friction,
            thickness,
            within: self_contact,
            pairs: list,
            ..Default::default()
        };
        content.own()?.collide(collisions).map_err(build)
    }

    /// Makes a simulation: checks everything and factors the matrix. Options that are not given are the library's
    /// defaults, shown here, or what the scene file says.
    ///
    /// method: "auto" (default), "admm", "projective", "position", "quasi_newton", "newton".
    /// iterations: most per step (200). tolerance: a step stops early there (1e-6); 0 never does.
    /// time_budget: most seconds per step (None).
    /// weight_rule: "robust" (default), "bulk" (as published), "auto", "shear". weight_scale: factor of the weights w² (1).
    /// start: "best" (default) or "inertia" (as published). dual_start: "stress" (default) or "zero" (as published).
    /// acceleration: "anderson" (default), None (as published), "over_relaxation", "chebyshev"; memory of "anderson" (6),
    /// relaxation (1.6), spectral_radius of "chebyshev" (0.9).
    /// history: steps that L-BFGS looks back (8). first_hessian of "quasi_newton": "matrix" (default) or "identity".
    /// sweep of "position": "gauss_seidel" (default) or "jacobi".
    /// contact of "admm" with obstacles: "delassus" (default), "local" (as published), "uzawa" or "nodal"; with "auto" and "newton" also "potential".
    /// projections: sweeps over the hard constraints at the end of a step that has not converged (20); 0 as published.
    /// threads: 0 (default) takes as many as the machine has; results do not depend on it.
    #[pyo3(signature = (*, method=Given::NOT, iterations=Given::NOT, tolerance=Given::NOT, time_budget=Given::NOT,
        weight_rule=Given::NOT, weight_scale=Given::NOT, acceleration=Given::NOT, start=Given::NOT, dual_start=Given::NOT,
        memory=Given::NOT, relaxation=Given::NOT, spectral_radius=Given::NOT, history=Given::NOT, first_hessian=Given::NOT,
        sweep=Given::NOT, contact=Given::NOT, projections=Given::NOT, threads=Given::NOT),
        text_signature = "($self, *, method='auto', iterations=200, tolerance=1e-06, time_budget=None, weight_rule='robust', \
weight_scale=1.0, acceleration='anderson', start='best', dual_start='stress', memory=6, relaxation=1.6, spectral_radius=0.9, \
history=8, first_hessian='matrix', sweep='gauss_seidel', contact='delassus', projections=20, threads=0)")]
    fn build<'py>(
        &self,
        py: Python<'py>,
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
        threads: Given<'py>,
    ) -> PyResult<Simulation> {
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
            threads,
        };
        self.make(py, Some(&options), None)
    }

    /// Bodies in order of adding; empty for a scene from a file, whose bodies Simulation.bodies has.
    #[getter]
    fn bodies(&self) -> PyResult<Vec<Body>> {
        Ok(self.content()?.bodies.clone())
    }
    /// Length of a time step in s.
    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.content()?.settings()?.time.dt)
    }
    /// "backward_euler" or "bdf2".
    #[getter]
    fn integrator(&self) -> PyResult<&'static str> {
        Ok(self.content()?.settings()?.time.integrator.as_str())
    }
    /// Gravity in m/s².
    #[getter]
    fn gravity(&self) -> PyResult<[f64; 3]> {
        Ok(self.content()?.settings()?.world.gravity)
    }
    /// Frames that the scene file asks for; None for other scenes.
    #[getter]
    fn frames(&self) -> PyResult<Option<u64>> {
        Ok(match &self.content()?.source {
            Source::Own(_) => None,
            Source::File { loaded, .. } => Some(loaded.file.time.frames),
        })
    }
    fn __repr__(&self) -> PyResult<String> {
        let content = self.content()?;
        Ok(match &content.source {
            Source::Own(_) => format!("<supple.Scene of {} bodies>", content.bodies.len()),
            Source::File { loaded, .. } => format!("<supple.Scene from {}>", loaded.name),
        })
    }
}

/// Materials that are known by name: {name: {"kind", "young" (Pa), "poisson", "density" (kg/m³), "about", "source"}}.
#[pyfunction]
pub fn presets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for p in supple::scene::PRESETS {
        let d = PyDict::new(py);
        d.set_item("kind", p.kind.name())?;
        d.set_item("young", p.young)?;
        d.set_item("poisson", p.poisson)?;
        d.set_item("density", p.density)?;
        d.set_item("about", p.about)?;
        d.set_item("source", p.source)?;
        all.set_item(p.name, d)?;
    }
    Ok(all)
}

/// Reads a scene file.
fn read(
    py: Python<'_>,
    path: PathBuf,
    overrides: &Bound<'_, PyDict>,
    allow_dirs: Vec<PathBuf>,
) -> PyResult<Scene> {
    let mut set = Vec::new();
    for (key, value) in overrides {
        let key =
            key.cast::<PyString>().map_err(|_| PyTypeError::new_err("keys of overrides must be strings"))?;
        // True, not a word of TOML.
        let value = match value.extract::<bool>() {
            Ok(b) => b.to_string(),
            Err(_) => value.str()?.to_string(),
        };
        set.push(format!("{key}={value}"));
    }
    // A file that is not there is an OSError.
    crate::files::read(&path)?;
    let loaded = py.detach(|| guard(|| Loaded::read(&path, &set)))?.map_err(load_error)?;
    let solve = loaded.file.solve.clone();
    Ok(Scene::new_with(Source::File { loaded: Box::new(loaded), solve, allowed: allow_dirs }))
}

type Materials = (Vec<supple::Material>, Vec<Arc<Object>>);

/// One material for each of `m` elements.
fn materials(value: &Bound<'_, PyAny>, m: usize) -> PyResult<Materials> {
    let several = value.try_iter().ok().filter(|_| !value.is_instance_of::<PyString>());
    let Some(several) = several else {
        let (one, object) = material::extract(value)?;
        return Ok((vec![one; m], object.into_iter().collect()));
    };
    let (mut all, mut objects) = (Vec::new(), Vec::new());
    for item in several {
        if all.len() >= m {
            return Err(bad(format!("material must be one material or {m}, one per tetrahedron, not more")));
        }
        let (one, object) = material::extract(&item?)?;
        all.push(one);
        if let Some(o) = object
            && !objects.iter().any(|p| Arc::ptr_eq(p, &o))
        {
            objects.push(o);
        }
    }
    if all.len() != m {
        return Err(bad(format!(
            "material must be one material or {m}, one per tetrahedron, not {}",
            all.len()
        )));
    }
    Ok((all, objects))
}
