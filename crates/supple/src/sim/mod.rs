//! The simulation: state, and one time step after another.
//!
//! | file | holds |
//! |---|---|
//! | `step.rs` | ← START READING HERE: one time step |
//! | `mod.rs` | [`Simulation`]: the state and what users ask of it |
//! | `assemble.rs` | from bodies to a factored system |
//! | `air.rs` | wind and drag: what the air does before a step |
//! | `links.rs` | sliding constraints, attachments and stitches: forces, motion, breaking |
//! | `integrator/` | prediction and velocity, eqs. (1), (2), of backward Euler and BDF2 |
//! | `report.rs` | [`StepReport`]: what every step says about itself |
//! | `violations.rs` | [`Violation`]: hard constraints that do not hold |
//! | `muscle.rs` | fibres that contract |
//! | `checkpoint.rs` | the state as bytes, and back |
//! | `intersections.rs` | [`Intersection`]: things that have entered each other |
//! | `axes.rs` | pins along some of the axes |
//! | `equilibrium.rs` | statics: where bodies are at rest |
//! | `rigid.rs` | rigid motions that nothing prevents |
//! | `forces.rs` | what pins, anchors and contacts bear; gradient, Hessian and mass |
//! | `snapshot.rs` | a state in memory, and back |
//! | `gradient/` | [`Gradient`]: derivatives through recorded steps |
//! | `adopt.rs` | the state of another simulation of the same bodies |

mod adopt;
mod air;
mod assemble;
mod axes;
mod checkpoint;
mod equilibrium;
mod forces;
pub mod gradient;
pub mod integrator;
mod intersections;
mod links;
mod muscle;
mod report;
mod rigid;
mod snapshot;
mod step;
mod violations;

pub use air::Air;
pub use assemble::{AnchorRef, Body, Parts};
pub use equilibrium::{EquilibriumReport, Static};
pub use forces::{ContactForce, EachBlock, Hessian};
pub use gradient::{Gradient, GradientError, Tape};
pub use intersections::{Entered, Intersection};
pub use links::Group;
pub use report::{Energy, Factors, StepReport, Timings};
pub use rigid::RigidMode;
pub use snapshot::Snapshot;
pub use step::{Iteration, LocalState};
pub use violations::Violation;

use crate::contact::{Columns, ContactSet, Kept, Obstacle, Pose, Reaches, Touch};
use crate::error::{BuildError, StepError};
use crate::exec::Exec;
use crate::global::{Cholesky, SolveScratch, Split, System};
use crate::math::nodes::Row;
use crate::settings::Settings;
use crate::solve::contact_methods::Nodal;
use crate::solve::whole::Free;
use crate::solve::{Axes, BodySums, Descent, Lagged};
use crate::term::{FibreRef, TermSet};
use std::sync::Arc;

/// A running simulation.
///
/// Nodes are numbered over all bodies in order of adding, wherever an index or an array of nodes is taken or given.
pub struct Simulation {
    settings: Settings,
    exec: Arc<Exec>,
    bodies: Vec<Body>,
    anchors: Vec<AnchorRef>,
    /// Numbers of the anchors, by body and node, to find them.
    anchor_order: Vec<u32>,
    fibres: FibreRef,
    air: Air,
    terms: TermSet,
    system: System,
    global: Cholesky,
    scratch: SolveScratch,
    /// A⁻¹ where nodes are pinned along some axes.
    split: Split,
    /// For each node of the user its place in the system: free nodes first, in the order of the factor.
    place: Vec<u32>,
    /// Pinned nodes on edges between pinned ends.
    followers: Vec<Follower>,
    free: usize,
    /// Free nodes that are pinned along some axes.
    axes: Vec<Axes>,
    mass: Vec<f64>,
    /// s of the integrator's rule that the matrix is factored for.
    matrix_step: f64,
    state: State,
    /// Obstacles and what touches them, and links.
    contact: ContactSet,
    /// What each call for links has made, in order.
    groups: Vec<Group>,
    columns: Columns,
    /// True if states with intersections are refused.
    refuse: bool,
    nodal: Nodal,
    /// Memory of the Newton-like methods, and the Hessian that `auto` keeps over steps.
    descent: Descent,
    lagged: Lagged,
    work: Workspace,
    /// What was factored before the step.
    counted: Factors,
    /// What makes this scene this scene; checkpoints carry it.
    fingerprint: u64,
    /// The constants of bodies by name.
    recipe: Option<Arc<dyn gradient::Recipe>>,
    /// Steps under record.
    tape: Option<Box<Tape>>,
}

/// A node on an edge between ends that are pinned along some axes, which moves along these as the ends do; nodes of the system.
struct Follower {
    node: usize,
    ends: [usize; 2],
    held: [bool; 3],
    /// From the middle of the edge, in m.
    offset: [f64; 3],
}

/// What a checkpoint holds; rows in the order of the system.
#[derive(Clone)]
struct State {
    frame: u64,
    time: f64,
    x: Vec<Row>,
    v: Vec<Row>,
    /// Acceleration of the last step, and of the one before it.
    a: Vec<Row>,
    a_before: Vec<Row>,
    /// The state before, for integrators that look back.
    past: integrator::Past,
    /// Where the pinned nodes will be at the end of the next step.
    targets: Vec<Row>,
    /// The same for nodes that are pinned along some axes, of which only these coordinates count.
    axis_targets: Vec<Row>,
    /// External force on each node in N, besides gravity.
    force: Vec<Row>,
    /// Where each obstacle is, and where it will be at the end of the next step.
    poses: Vec<[Pose; 2]>,
    /// Forces of contacts that the next step starts with.
    kept: Vec<Kept>,
    /// How near bodies come to each other that began nearer than others do.
    reaches: Reaches,
    /// Force of each obstacle on the bodies in the last step.
    reactions: Vec<[f64; 3]>,
    /// What touched what at the end of the last step.
    touches: Vec<Touch>,
    /// Where the frame of each group of links is, and where it will be at the end of the next step.
    frames: Vec<[Pose; 2]>,
    /// The links that are broken.
    broken: Vec<bool>,
    /// Force of each link on its node in the last step; empty before it.
    link_forces: Vec<[f64; 3]>,
}

impl State {
    /// As if nothing had been accelerated.
    fn forget_accelerations(&mut self) {
        self.a.fill(Row::default());
        self.a_before.fill(Row::default());
    }
}

/// Memory of a step, allocated once.
struct Workspace {
    x: Vec<Row>,
    /// X and V of the integrator's rule.
    x_base: Vec<Row>,
    v_base: Vec<Row>,
    x_tilde: Vec<Row>,
    x_free: Vec<Row>,
    rhs: Vec<Row>,
    force: Vec<Row>,
    rounding: Vec<f64>,
    /// Body of each free node.
    whole: Free,
    body: Vec<u32>,
    body_size: Vec<f64>,
    per_body: Vec<BodySums>,
    motion: Vec<f64>,
    /// The largest acceleration in each body before the step, at least that of gravity.
    jolt: Vec<f64>,
    /// Where the Hessian was taken before the step, while someone looks who may discard it.
    hessian_at: Vec<Row>,
}

impl Simulation {
    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// The bodies, in order of adding.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
    /// Nodes of all bodies.
    pub fn node_count(&self) -> usize {
        self.place.len()
    }
    /// Terms of the energy: one for each tetrahedron, spring and anchor; several for a triangle of a sheet, which stretches, bends and may
    /// have threads and a limit of its own.
    pub fn element_count(&self) -> usize {
        self.terms.len()
    }
    /// True if there are hard constraints: strain limits without a stiffness, rods or ropes.
    pub fn constrained(&self) -> bool {
        self.terms.hard()
    }
    /// Threads that work.
    pub fn threads(&self) -> usize {
        self.exec.threads()
    }
    /// Steps taken.
    pub fn frame(&self) -> u64 {
        self.state.frame
    }
    /// Simulated time in s.
    pub fn time(&self) -> f64 {
        self.state.time
    }
    /// Bytes of the factor that one global solve reads.
    pub fn factor_bytes(&self) -> usize {
        self.global.bytes()
    }

    /// Matrices factored since the simulation was built.
    pub fn factors(&self) -> Factors {
        Factors {
            matrices: self.global.count(),
            hessians: self.lagged.hessian.count + self.lagged.contact.count(),
        }
    }

    /// Bytes of the terms: gradients, numbers of materials, z and u.
    pub fn term_bytes(&self) -> usize {
        self.terms.batches().iter().map(|b| b.bytes()).sum()
    }

    /// Rows in the user's order.
    fn user_order(&self, rows: &[Row]) -> Vec<[f64; 3]> {
        self.place.iter().map(|&p| rows[p as usize].xyz()).collect()
    }
    /// Position of each node in m.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.user_order(&self.state.x)
    }
    /// Position of one node in m, without copying all.
    pub fn position(&self, node: usize) -> Option<[f64; 3]> {
        self.place.get(node).map(|&p| self.state.x[p as usize].xyz())
    }
    /// Velocity of each node in m/s.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        self.user_order(&self.state.v)
    }
    /// Mass of each node in kg.
    pub fn masses(&self) -> Vec<f64> {
        self.place.iter().map(|&p| self.mass[p as usize]).collect()
    }
    /// True for nodes that are pinned.
    pub fn pinned(&self) -> Vec<bool> {
        self.place.iter().map(|&p| p as usize >= self.free).collect()
    }

    /// Body and number within the body of a node of the system.
    fn name_of(&self, system_node: usize) -> (String, usize) {
        let node = self.place.iter().position(|&p| p as usize == system_node).unwrap_or(0);
        self.bodies
            .iter()
            .rev()
            .find(|b| b.first_node <= node)
            .map_or_else(|| (String::new(), node), |b| (b.name.clone(), node - b.first_node))
    }

    /// Copies rows given in the user's order, checked, into the order of the system.
    fn take(&self, what: &str, rows: &[[f64; 3]]) -> Result<Vec<Row>, BuildError> {
        if rows.len() != self.place.len() {
            return Err(BuildError::Setting {
                name: "state",
                reason: format!("{what} of {} nodes were given, there are {}", rows.len(), self.place.len()),
            });
        }
        let mut out = vec![Row::default(); rows.len()];
        for (&p, row) in self.place.iter().zip(rows) {
            let row = Row::new(*row);
            if !row.is_finite() {
                let (body, node) = self.name_of(p as usize);
                return Err(BuildError::Node {
                    body,
                    node,
                    reason: format!("its {what} {:?} is not finite", row.xyz()),
                });
            }
            out[p as usize] = row;
        }
        Ok(out)
    }

    /// Sets positions (m) and velocities (m/s) of all nodes. A pinned node stays where it is put. After
    /// [`Simulation::refuse_intersections`] bodies must not have entered anything there.
    pub fn set_state(&mut self, positions: &[[f64; 3]], velocities: &[[f64; 3]]) -> Result<(), BuildError> {
        let x = self.take("position", positions)?;
        let v = self.take("velocity", velocities)?;
        self.break_record("set_state()");
        if self.refuse {
            self.check_intersections(&x)?;
        }
        self.state.targets.copy_from_slice(&x[self.free..]);
        self.state.axis_targets = axes::targets(&self.axes, &x);
        self.state.touches.clear();
        self.state.x = x;
        self.state.v = v;
        self.state.forget_accelerations();
        self.state.past.forget();
        self.terms.keep_forces(true);
        self.state.kept.clear();
        self.state.reaches = Reaches::default();
        Ok(())
    }

    /// Sets the external force on each node in N, besides gravity; it stays until it is set again.
    pub fn set_forces(&mut self, forces: &[[f64; 3]]) -> Result<(), BuildError> {
        self.state.force = self.take("force", forces)?;
        Ok(())
    }

    /// Node of the system for node `id` of a body.
    fn node_of(&self, body: usize, id: usize) -> Result<usize, BuildError> {
        let b = self.bodies.get(body).ok_or(BuildError::NoBody(body))?;
        if id >= b.nodes {
            return Err(BuildError::Node {
                body: b.name.clone(),
                node: id,
                reason: format!("does not exist (the body has {} nodes)", b.nodes),
            });
        }
        Ok(self.place[b.first_node + id] as usize)
    }

    /// Checks ids and targets that belong together.
    fn moves(&self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        let b = self.bodies.get(body).ok_or(BuildError::NoBody(body))?;
        if ids.len() != targets.len() {
            return Err(BuildError::Body {
                body: b.name.clone(),
                reason: format!("{} nodes were given {} targets", ids.len(), targets.len()),
            });
        }
        for (&id, t) in ids.iter().zip(targets) {
            if t.iter().any(|a| !a.is_finite()) {
                return Err(BuildError::Node {
                    body: b.name.clone(),
                    node: id as usize,
                    reason: format!("its target {t:?} is not finite"),
                });
            }
        }
        Ok(())
    }

    /// Moves pinned nodes of a body, of those pinned along some axes these coordinates: they reach their targets (m) at the end of the next step.
    /// Nothing is factored. A pinned node on an edge of an element of order 2 follows the edge's ends unless it is given a target itself.
    pub fn move_pins(&mut self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        self.move_pins_along(body, ids, targets, [true; 3])
    }

    /// As [`Simulation::move_pins`], some coordinates of the targets only.
    pub fn move_pins_along(
        &mut self,
        body: usize,
        ids: &[u32],
        targets: &[[f64; 3]],
        axes: [bool; 3],
    ) -> Result<(), BuildError> {
        self.moves(body, ids, targets)?;
        let mut places = Vec::with_capacity(ids.len());
        for &id in ids {
            let p = self.node_of(body, id as usize)?;
            if p < self.free && self.axes_of(p).is_none() {
                let (body, node) = self.name_of(p);
                return Err(BuildError::Node { body, node, reason: "is not pinned".into() });
            }
            places.push(p);
        }
        for (&p, t) in places.iter().zip(targets) {
            if let Some(to) = self.target_mut(p) {
                (0..3).filter(|&c| axes[c]).for_each(|c| to.0[c] = t[c]);
            }
        }
        if !self.followers.is_empty() {
            places.sort_unstable();
            let given = |p: &usize| places.binary_search(p).is_ok();
            let followers = std::mem::take(&mut self.followers);
            for f in followers.iter().filter(|f| !given(&f.node) && f.ends.iter().any(given)) {
                let [a, b] = f.ends.map(|e| self.target_mut(e).map_or([0.0; 3], |t| t.xyz()));
                if let Some(to) = self.target_mut(f.node) {
                    (0..3).filter(|&c| f.held[c]).for_each(|c| to.0[c] = 0.5 * (a[c] + b[c]) + f.offset[c]);
                }
            }
            self.followers = followers;
        }
        Ok(())
    }

    /// Where a node of the system that is pinned, or pinned along some axes, is to be.
    fn target_mut(&mut self, p: usize) -> Option<&mut Row> {
        match (p.checked_sub(self.free), self.axes_of(p)) {
            (Some(p), _) => self.state.targets.get_mut(p),
            (None, Some(k)) => self.state.axis_targets.get_mut(k),
            (None, None) => None,
        }
    }

    /// Moves the targets (m) of soft anchors of a body. Nothing is factored.
    pub fn move_anchors(&mut self, body: usize, ids: &[u32], targets: &[[f64; 3]]) -> Result<(), BuildError> {
        self.moves(body, ids, targets)?;
        let mut found = Vec::with_capacity(ids.len());
        for &id in ids {
            self.node_of(body, id as usize)?;
            let order = |&k: &u32| (self.anchors[k as usize].body as usize, self.anchors[k as usize].node);
            let Ok(k) = self.anchor_order.binary_search_by_key(&(body, id), order) else {
                let b = &self.bodies[body];
                return Err(BuildError::Node {
                    body: b.name.clone(),
                    node: id as usize,
                    reason: "has no anchor".into(),
                });
            };
            let a = &self.anchors[self.anchor_order[k] as usize];
            found.push((a.batch, a.element));
        }
        for ((batch, element), target) in found.into_iter().zip(targets) {
            if let Some(b) = self.terms.batch_mut(batch) {
                b.set_params(element, 1, target);
            }
        }
        Ok(())
    }

    /// The obstacles, in order of adding.
    pub fn obstacles(&self) -> &[Obstacle] {
        self.contact.obstacles()
    }

    /// Where an obstacle is, relative to where it was added.
    pub fn obstacle_pose(&self, obstacle: usize) -> Option<Pose> {
        self.state.poses.get(obstacle).map(|p| p[0])
    }

    /// Force of each obstacle on the bodies in the last step, in N; empty before the first step.
    pub fn reactions(&self) -> &[[f64; 3]] {
        &self.state.reactions
    }

    /// Moves an obstacle: at the end of the next step it is at this pose, relative to where it was added. Bodies that it touches
    /// feel its velocity.
    pub fn move_obstacle(&mut self, obstacle: usize, pose: Pose) -> Result<(), BuildError> {
        let count = self.state.poses.len();
        let Some(at) = self.state.poses.get_mut(obstacle) else {
            return Err(BuildError::NoObstacle { obstacle, count });
        };
        if !pose.is_finite() {
            let name = self.contact.obstacles()[obstacle].name.clone();
            return Err(BuildError::Obstacle { obstacle: name, reason: "its motion is not finite".into() });
        }
        at[1] = pose;
        Ok(())
    }

    /// Puts an obstacle somewhere at once, without a motion.
    pub fn place_obstacle(&mut self, obstacle: usize, pose: Pose) -> Result<(), BuildError> {
        self.break_record("place_obstacle()");
        self.move_obstacle(obstacle, pose)?;
        self.state.poses[obstacle][0] = pose;
        self.state.reaches = Reaches::default();
        Ok(())
    }

    /// True if bodies may touch obstacles or each other.
    pub fn touching(&self) -> bool {
        !self.contact.obstacles().is_empty() || self.contact.by_potential()
    }

    /// Changes settings while the simulation runs. A new time step or new weights are factored again; the number of
    /// threads cannot change.
    pub fn update_settings(&mut self, settings: Settings) -> Result<(), BuildError> {
        settings.validate_as_update(&self.settings)?;
        let (obstacles, collide) = (self.contact.obstacles(), self.contact.by_potential());
        assemble::allowed(&settings, &self.terms, &self.bodies, obstacles, collide)?;
        links::allowed(&settings, &self.groups, &self.bodies)?;
        assemble::carries(&settings, obstacles, collide, &self.groups)?;
        let (old, new) = (&self.settings, &settings);
        // Local terms of contact are part of the matrix.
        let touching = self.touching();
        let factor = old.solve.weights(touching) != new.solve.weights(touching)
            || old.time != new.time
            || old.solve.contact != new.solve.contact;
        let before = std::mem::replace(&mut self.settings, settings);
        if factor && let Err(e) = self.refactor() {
            self.settings = before;
            self.refactor()?;
            return Err(e);
        }
        Ok(())
    }

    /// Energies at the present state, in J.
    pub fn energy(&mut self) -> Energy {
        let exec = self.exec.clone();
        let sums = exec.install(|| self.terms.energy(&self.state.x, &exec));
        report::energy(
            sums.energy - sums.dissipation,
            &self.mass,
            &self.state.x,
            &self.state.v,
            self.settings.world.gravity,
        )
    }

    /// Number of inverted elements at the present state.
    pub fn inverted(&mut self) -> usize {
        let exec = self.exec.clone();
        exec.install(|| self.terms.energy(&self.state.x, &exec)).inverted
    }

    /// For each tetrahedron, body after body in order of adding, and then for each triangle of a sheet: its largest stretch, and its
    /// von Mises stress in Pa, of sheets that of the thickness at rest. Fibres and threads are counted, damping and hard constraints are
    /// not. Not a number where a sheet has no material.
    pub fn element_fields(&self) -> Vec<[f64; 2]> {
        crate::term::fields(&self.terms, &self.state.x)
    }

    /// One time step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let before = self.before_step();
        let result = self.advance(None);
        self.after_step(before, result.as_ref().ok());
        result
    }
}
