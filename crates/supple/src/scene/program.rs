//! A scene file made ready to run: the simulation and the motions that drive it, frame by frame.
#![allow(
    clippy::indexing_slicing,
    reason = "bodies are found by name, nodes by `place::chosen`, which know what there is"
)]

use super::collide;
use super::contract::{Muscle, muscles};
use super::file::{Body, ContactPart, Keyframe, Mode, SceneFile};
use super::link_table::{self, MovedLink};
use super::material_table::material;
use super::obstacle::{self, Moved};
use super::output;
use super::parse::SceneError;
use super::pins::Holders;
use super::place::{self, Asset, Placed};
use super::sheet::cloth;
use super::skin::Skin;
use super::{Along, BodyId, Scene, Spring, SpringKind};
use crate::contact::Pose;
use crate::error::{BuildError, StepError};
use crate::math::small::{add, axpy, sub};
use crate::settings::{ContactMethod, Settings, SolveSettings, TimeSettings, WorldSettings};
use crate::sim::gradient::Driven;
use crate::sim::{Simulation, StepReport};
use crate::solve::{Control, Status};

/// What a body of a program looks like; ids are the body's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Its name.
    pub name: String,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Nodes on their edges, see [`crate::TetMesh::mids`]; empty for order 1.
    pub mids: Vec<[u32; 6]>,
    /// Boundary triangles, counter-clockwise from outside.
    pub surface: Vec<[u32; 3]>,
    /// Springs.
    pub edges: Vec<[u32; 2]>,
    /// Pinned nodes.
    pub pins: Vec<u32>,
    /// Nodes with soft anchors.
    pub anchors: Vec<u32>,
    /// Lowest and highest corner of the placed rest shape, in m.
    pub rest: [[f64; 3]; 2],
    /// The detailed surface that it carries, if any.
    pub skin: Option<Skin>,
    /// What filling its surface did, in words.
    pub notes: Vec<String>,
}

impl Look {
    /// Triangles of a sheet; none for solids, whose surface only bounds them, and for nets.
    pub fn triangles(&self) -> usize {
        if self.tets.is_empty() { self.surface.len() } else { 0 }
    }
}

/// Nodes that follow keyframes.
struct Script {
    body: usize,
    ids: Vec<u32>,
    /// Where the nodes are when nothing has moved.
    home: Vec<[f64; 3]>,
    /// Default centre of turns.
    centre: [f64; 3],
    keys: Vec<Key>,
    anchors: bool,
    /// Coordinates that it moves.
    held: [bool; 3],
}

#[derive(Clone, Copy)]
pub(super) struct Key {
    pub time: f64,
    translate: [f64; 3],
    /// Rotation vector: axis times angle in radians.
    turn: [f64; 3],
    centre: Option<[f64; 3]>,
}

/// A scene that runs frame by frame.
pub struct Program {
    /// The simulation; one frame is [`Program::substeps`] of its steps.
    pub simulation: Simulation,
    /// Bodies as they are drawn and exported.
    pub bodies: Vec<Look>,
    /// Frames that the scene asks for.
    pub frames: u64,
    /// Steps per frame.
    pub substeps: u32,
    /// Whether a frame is a motion or an equilibrium.
    pub mode: Mode,
    scripts: Vec<Script>,
    muscles: Vec<Muscle>,
    obstacles: Vec<Moved>,
    links: Vec<MovedLink>,
}

/// More frames than anyone waits for.
pub const MOST_FRAMES: u64 = 10_000_000;

/// The settings that a scene file means.
pub fn settings(file: &SceneFile) -> Result<Settings, SceneError> {
    let t = &file.time;
    let frame = match (t.dt, t.fps) {
        (Some(_), Some(_)) => {
            return Err(SceneError::at("time", "has both `dt` and `fps`: give one of them"));
        }
        (Some(dt), None) => dt,
        (None, Some(fps)) if fps.is_finite() && fps > 0.0 => 1.0 / fps,
        (None, Some(fps)) => return Err(SceneError::at("time.fps", format!("must be positive, not {fps}"))),
        (None, None) => TimeSettings::default().dt,
    };
    if t.substeps == 0 {
        return Err(SceneError::at("time.substeps", "at least one step per frame is needed"));
    }
    if file.time.frames > MOST_FRAMES {
        return Err(SceneError::at(
            "time.frames",
            format!("at most {MOST_FRAMES}, not {}", file.time.frames),
        ));
    }
    output::check(file)?;
    let settings = Settings {
        time: TimeSettings { dt: frame / f64::from(t.substeps), integrator: t.integrator },
        world: WorldSettings {
            wind: file.world.wind,
            gravity: file.world.gravity,
            damping: file.world.damping,
        },
        solve: SolveSettings::from(&file.solve),
    };
    settings.validate().map_err(|e| match e {
        BuildError::Setting { name: "solve.time_budget", reason } => {
            SceneError::at("solve.time_budget_ms", reason)
        }
        BuildError::Setting { name, reason } => SceneError::at(name, reason),
        other => SceneError::at("solve", other.to_string()),
    })?;
    Ok(settings)
}

pub(super) fn keys(motion: &[Keyframe], key: &str) -> Result<Vec<Key>, SceneError> {
    let mut keys: Vec<Key> = Vec::new();
    for (i, k) in motion.iter().enumerate() {
        let key = format!("{key}.motion[{i}]");
        let numbers = [&[k.time][..], &k.translate, &k.centre.unwrap_or_default()].concat();
        if numbers.iter().any(|v| !v.is_finite()) {
            return Err(SceneError::at(key, "times, translations and centres must be finite"));
        }
        if keys.last().is_some_and(|before| before.time >= k.time) {
            return Err(SceneError::at(format!("{key}.time"), "must be later than the keyframe before"));
        }
        let turn = match &k.rotate {
            None => [0.0; 3],
            Some(r) if r.angle.abs() <= 1e9 => {
                place::direction(r.axis, &format!("{key}.rotate.axis"))?.map(|a| a * r.angle.to_radians())
            }
            Some(_) => {
                return Err(SceneError::at(format!("{key}.rotate.angle"), "must lie within ±1e9 degrees"));
            }
        };
        keys.push(Key { time: k.time, translate: k.translate, turn, centre: k.centre });
    }
    Ok(keys)
}

/// Centre, rotation vector and translation at a time, between keyframes, of which there is at least one; `centre` is the default.
pub(super) fn between(keys: &[Key], time: f64, centre: [f64; 3]) -> [[f64; 3]; 3] {
    let after = keys.iter().position(|k| k.time > time).unwrap_or(keys.len());
    let before = keys.get(after.saturating_sub(1)).or(keys.last());
    let Some((ka, kb)) = before.zip(keys.get(after).or(keys.last())) else {
        return [centre, [0.0; 3], [0.0; 3]];
    };
    let share =
        if kb.time > ka.time { ((time - ka.time) / (kb.time - ka.time)).clamp(0.0, 1.0) } else { 0.0 };
    let mix = |p: [f64; 3], q: [f64; 3]| axpy(p, share, sub(q, p));
    let centre = mix(ka.centre.unwrap_or(centre), kb.centre.unwrap_or(centre));
    [centre, mix(ka.turn, kb.turn), mix(ka.translate, kb.translate)]
}

impl Script {
    /// Where the nodes are at a time.
    fn targets(&self, time: f64) -> Vec<[f64; 3]> {
        let [centre, turn, translate] = between(&self.keys, time, self.centre);
        let angle = turn.iter().map(|t| t * t).sum::<f64>().sqrt();
        let axis = if angle > 0.0 { turn.map(|t| t / angle) } else { [1.0, 0.0, 0.0] };
        self.home
            .iter()
            .map(|p| add(add(centre, place::turn(sub(*p, centre), axis, angle)), translate))
            .collect()
    }
}

impl Program {
    /// Builds what a scene file describes. `assets` reads the files that it names.
    pub fn new(
        file: &SceneFile,
        assets: &mut dyn FnMut(&str) -> Result<Asset, String>,
    ) -> Result<Program, SceneError> {
        let settings = settings(file)?;
        if file.body.is_empty() {
            return Err(SceneError::at("body", "the scene has no body"));
        }
        let delassus = settings.solve.contact == ContactMethod::Delassus;
        let mut scene = Scene::new(settings);
        let (mut looks, mut placed, mut start) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
        for (i, body) in file.body.iter().enumerate() {
            let key = format!("body[{i}]");
            let p = place::place(body, &key, assets)?;
            add_body(&mut scene, body, &p, &key)?;
            let (id, wrong) = (BodyId(i), |e: BuildError| SceneError::at(key.clone(), e.to_string()));
            if let Some(damping) = body.damping {
                scene.damp(id, damping).map_err(wrong)?;
            }
            if let Some(average) = body.average.average() {
                let told = |e: BuildError| SceneError::at(format!("{key}.average"), e.to_string());
                scene.average(id, average).map_err(told)?;
            }
            if let Some(limit) = body.limit {
                scene.limit(id, limit).map_err(wrong)?;
            }
            if body.contact == Some(ContactPart::Skin) {
                let at = format!("{key}.contact");
                if file.collide.is_some() {
                    let message = "`skin` is for obstacles alone: bodies that touch each other touch by their tetrahedra";
                    return Err(SceneError::at(at, message));
                }
                if !delassus {
                    let message = "`skin` needs the default `solve.contact`: the papers' ways are for nodes";
                    return Err(SceneError::at(at, message));
                }
                let Some(skin) = &p.skin else {
                    return Err(SceneError::at(
                        at,
                        "`skin` is for bodies with a skin; give the body `skin = true`",
                    ));
                };
                scene.touch_by_skin(id, &skin.embedding).map_err(wrong)?;
            }
            let (x, v) = place::start(&body.start, &format!("{key}.start"), &p.vertices)?;
            start.0.extend(x);
            start.1.extend(v);
            looks.push(Look {
                name: body.name.clone(),
                tets: p.mesh.as_ref().map_or_else(Vec::new, |m| m.tets().to_vec()),
                mids: p.mesh.as_ref().map_or_else(Vec::new, |m| m.mids().to_vec()),
                surface: match (&p.mesh, &p.sheet) {
                    (Some(m), _) => m.surface(),
                    (None, Some(m)) => m.triangles().to_vec(),
                    (None, None) => Vec::new(),
                },
                edges: p.edges.clone(),
                pins: Vec::new(),
                anchors: Vec::new(),
                rest: place::corners(&p.vertices),
                skin: p.skin.clone(),
                notes: p.notes.iter().cloned().chain(scene.thin(id)).collect(),
            });
            placed.push(p);
        }

        let mut scripts = Vec::new();
        let mut holders = Holders::new(&file.pin, placed.iter().map(|p| p.vertices.len()));
        let mut pinned_start: Vec<(usize, u32)> = Vec::new();
        let mut pinned_ids: Vec<(usize, Vec<u32>, [bool; 3])> = Vec::new();
        for (i, pin) in file.pin.iter().enumerate() {
            let key = format!("pin[{i}]");
            let body = find(file, &pin.body, &key)?;
            let ids = place::chosen(&pin.select, &format!("{key}.select"), &placed[body])?;
            holders.add(i, body, &ids, middle(&placed[body].vertices, &ids))?;
            scene
                .pin_axes(BodyId(body), &ids, pin.held())
                .map_err(|e| SceneError::at(key.clone(), e.to_string()))?;
            looks[body].pins.extend(&ids);
            pinned_start.extend(ids.iter().map(|&id| (body, id)));
            pinned_ids.push((body, ids.clone(), pin.held()));
            script(&mut scripts, &pin.motion, &key, body, ids, &placed[body].vertices, false)?;
            if !pin.motion.is_empty()
                && let Some(s) = scripts.last_mut()
            {
                s.held = pin.held();
            }
        }
        for (body, p) in placed.iter().enumerate().filter(|(_, p)| p.mesh.is_some()) {
            let pins =
                pinned_ids.iter().filter(|(b, ..)| *b == body).map(|(_, ids, axes)| (ids.as_slice(), *axes));
            let held = p.mesh.as_ref().map_or_else(Vec::new, |m| m.held_mids(pins));
            pinned_start.extend(held.iter().map(|(id, ..)| (body, *id)));
            looks[body].pins.extend(held.iter().map(|(id, ..)| *id));
        }
        for (i, anchor) in file.anchor.iter().enumerate() {
            let key = format!("anchor[{i}]");
            let body = find(file, &anchor.body, &key)?;
            let p = &placed[body];
            let ids = place::chosen(&anchor.select, &format!("{key}.select"), p)?;
            scene
                .anchor(BodyId(body), &ids, anchor.stiffness)
                .map_err(|e| SceneError::at(key.clone(), e.to_string()))?;
            looks[body].anchors.extend(&ids);
            script(&mut scripts, &anchor.motion, &key, body, ids, &p.vertices, true)?;
        }

        let muscles = muscles(file)?;
        let obstacles = obstacle::add(&mut scene, &file.obstacle, assets)?;
        let mut refuse = false;
        if let Some(mut collisions) = collide::read(file)? {
            // Only the state that the simulation starts from counts.
            refuse = std::mem::take(&mut collisions.intersecting) == collide::Intersecting::Refuse;
            scene.collide(collisions).map_err(|e| SceneError::at("collide", e.to_string()))?;
        }
        let shapes: Vec<Option<&Placed>> = placed.iter().map(Some).collect();
        let links = link_table::add(&mut scene, file, &shapes, &obstacles)?;
        let mut simulation = scene.build().map_err(|e| match e {
            // A method that cannot take an obstacle or a link.
            BuildError::Setting { name, reason } => SceneError::at(name, reason),
            e => SceneError::at("body", e.to_string()),
        })?;
        for m in &obstacles {
            simulation
                .place_obstacle(m.obstacle, m.pose(0.0))
                .map_err(|e| SceneError::at("obstacle", e.to_string()))?;
        }
        for m in &links {
            simulation
                .place_link(m.group(), m.pose(0.0))
                .map_err(|e| SceneError::at("slide", e.to_string()))?;
        }
        // Pinned nodes start at their place of the rest shape, whatever the start state does to the others.
        for (body, id) in pinned_start {
            let at = simulation.bodies()[body].first_node + id as usize;
            start.0[at] = placed[body].vertices[id as usize];
            start.1[at] = [0.0; 3];
        }
        // … or where their motion has them at the start.
        for s in scripts.iter().filter(|s| !s.anchors) {
            let first = simulation.bodies()[s.body].first_node;
            for (&id, target) in s.ids.iter().zip(s.targets(0.0)) {
                start.0[first + id as usize] = target;
            }
        }
        simulation.set_state(&start.0, &start.1).map_err(|e| SceneError::at("body", e.to_string()))?;
        if refuse {
            let told = |e: BuildError| SceneError::at("collide.intersecting", e.to_string());
            simulation.refuse_intersections().map_err(told)?;
        }
        let mut program = Program {
            simulation,
            bodies: looks,
            frames: file.time.frames,
            substeps: file.time.substeps,
            mode: file.time.mode,
            scripts,
            muscles,
            obstacles,
            links,
        };
        program.aim(0.0).map_err(|e| SceneError::at("pin", e.to_string()))?;
        program.contract(0.0).map_err(|e| SceneError::at("contract", e.to_string()))?;
        // Where nothing is moved all equilibria are the same.
        if program.mode == Mode::Static && program.last_keyframe() == 0.0 {
            program.frames = program.frames.min(1);
        }
        Ok(program)
    }

    /// Where keyframes send the nodes that they move, at a time in s: for each motion its body and the places.
    pub fn scripted(&self, time: f64) -> Vec<(usize, Vec<[f64; 3]>)> {
        self.scripts.iter().map(|s| (s.body, s.targets(time))).collect()
    }

    /// Where keyframes put an obstacle at a time in s, relative to its shape as given.
    pub fn obstacle_at(&self, number: usize, time: f64) -> Option<Pose> {
        self.obstacles.get(number).map(|m| m.pose(time))
    }

    /// True if an obstacle has keyframes.
    pub fn obstacle_moves(&self, number: usize) -> bool {
        self.obstacles.get(number).is_some_and(Moved::moves)
    }

    /// Time of the last keyframe in s: after it nothing is moved any more. 0 if there is none.
    pub fn last_keyframe(&self) -> f64 {
        let motions = self.scripts.iter().filter_map(|s| s.keys.last()).map(|k| k.time);
        let moved = self.obstacles.iter().map(Moved::last).chain(self.links.iter().map(MovedLink::last));
        motions.chain(moved).chain(self.muscles.iter().map(Muscle::last)).fold(0.0, f64::max)
    }

    /// Sends pins, anchors, obstacles and links to where they are at a time.
    fn aim(&mut self, time: f64) -> Result<(), BuildError> {
        for m in &self.links {
            self.simulation.move_link(m.group(), m.pose(time))?;
        }
        for m in &self.obstacles {
            self.simulation.move_obstacle(m.obstacle, m.pose(time))?;
        }
        for s in &self.scripts {
            let targets = s.targets(time);
            if s.anchors {
                self.simulation.move_anchors(s.body, &s.ids, &targets)?;
            } else {
                self.simulation.move_pins_along(s.body, &s.ids, &targets, s.held)?;
            }
        }
        Ok(())
    }

    /// Contracts the muscles as they are at a time.
    fn contract(&mut self, time: f64) -> Result<(), BuildError> {
        self.muscles.iter().try_for_each(|m| self.simulation.contract(m.body, m.at(time)))
    }

    /// Sends pins, anchors and muscles to where they are at the end of the next step. [`Program::frame`] does that itself; this is for
    /// those who call [`Simulation::step_with`] themselves.
    pub fn aim_next(&mut self) -> Result<(), StepError> {
        let next = self.simulation.time() + self.simulation.settings().time.dt;
        self.aim(next).and_then(|()| self.contract(next)).map_err(|e| StepError::target(&e))
    }

    /// One frame. The report is that of its last step, with the iterations and times of all, the worst status and the largest
    /// residuals, depths, violations and numbers of inverted elements.
    pub fn frame(&mut self) -> Result<StepReport, StepError> {
        self.frame_with(&mut || false)
    }

    /// One frame; `stop` is asked after each iteration and ends the frame early, with status `stopped`.
    pub fn frame_with(&mut self, stop: &mut (dyn FnMut() -> bool + Send)) -> Result<StepReport, StepError> {
        if self.mode == Mode::Static {
            let steps = f64::from(self.substeps);
            let next = self.simulation.time() + steps * self.simulation.settings().time.dt;
            self.aim(next).and_then(|()| self.contract(next)).map_err(|e| StepError::target(&e))?;
            return self.simulation.rest(u64::from(self.substeps));
        }
        let mut whole: Option<StepReport> = None;
        for _ in 0..self.substeps {
            self.aim_next()?;
            let r =
                self.simulation.step_with(&mut |_| if stop() { Control::Stop } else { Control::Continue })?;
            whole = Some(match whole {
                None => r,
                Some(before) => StepReport {
                    status: worse(before.status, r.status),
                    iterations: before.iterations + r.iterations,
                    factored: before.factored + r.factored,
                    hessians: before.hessians + r.hessians,
                    primal: before.primal.max(r.primal),
                    dual: before.dual.max(r.dual),
                    force_residual: before.force_residual.max(r.force_residual),
                    step: before.step.max(r.step),
                    inverted: before.inverted.max(r.inverted),
                    violation: before.violation.max(r.violation),
                    max_penetration: before.max_penetration.max(r.max_penetration),
                    contact_residual: before.contact_residual.max(r.contact_residual),
                    cone_violation: before.cone_violation.max(r.cone_violation),
                    sweeps: before.sweeps + r.sweeps,
                    islands_shortened: before.islands_shortened + r.islands_shortened,
                    held: r.held,
                    held_way: r.held_way,
                    detections: before.detections + r.detections,
                    stick_slip: before.stick_slip.max(r.stick_slip),
                    link_gap: before.link_gap.max(r.link_gap),
                    links_broken: before.links_broken + r.links_broken,
                    timings: before.timings.plus(&r.timings),
                    ..r
                },
            });
            if r.status == Status::Stopped {
                break;
            }
        }
        whole.map_or_else(|| self.simulation.step(), Ok)
    }
}

impl Driven for Program {
    fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }
    fn aim(&mut self, end: f64) -> Result<(), BuildError> {
        Program::aim(self, end)?;
        self.contract(end)
    }
}

/// The status that says more about what went wrong.
fn worse(a: Status, b: Status) -> Status {
    let rank = |s: Status| match s {
        Status::Converged => 0,
        Status::IterationLimit => 1,
        Status::TimeLimit => 2,
        Status::Stalled => 3,
        Status::Infeasible => 4,
        Status::Diverged => 5,
        Status::Stopped => 6,
    };
    if rank(b) >= rank(a) { b } else { a }
}

/// A material of solids on a surface from a file: a solid was meant, and what is missing is its filling.
fn meant_solid(e: SceneError, body: &Body) -> SceneError {
    let Some(path) = body.mesh.as_ref().filter(|_| e.message.contains("is a material of solids")) else {
        return e;
    };
    let message = format!("{path} is a surface, without tetrahedra; {}", e.message);
    let hint =
        "fill it, `fill = { tets = 10000 }`, or use it as a sheet with one of those materials".to_string();
    SceneError { message, hint: Some(hint), ..e }
}

/// Adds a body to a scene.
fn add_body(scene: &mut Scene, body: &Body, p: &Placed, key: &str) -> Result<(), SceneError> {
    let built = |e: BuildError| SceneError::at(key, e.to_string());
    if let Some(damping) = &body.damping {
        damping.check().map_err(|e| SceneError::at(format!("{key}.damping"), e))?;
        if damping.stiffness > 0.0 && p.mesh.is_none() && body.material.is_none() {
            return Err(SceneError::at(
                format!("{key}.damping.stiffness"),
                "is for solids and for sheets with a material",
            ));
        }
    }
    if let Some(limit) = &body.limit {
        if p.mesh.is_none() {
            return Err(SceneError::at(format!("{key}.limit"), "is for solids; a sheet has `cloth.limit`"));
        }
        limit.find().map_err(|(what, e)| SceneError::at(format!("{key}.limit.{what}"), e))?;
        if limit.along == Along::Threads {
            return Err(SceneError::at(
                format!("{key}.limit.along"),
                "a solid has no threads: it is limited in every direction, along `stretches`",
            ));
        }
    }
    if let Some(sheet) = &p.sheet {
        return scene
            .add_cloth(&body.name, sheet.clone(), cloth(body, sheet, key).map_err(|e| meant_solid(e, body))?)
            .map(|_| ())
            .map_err(built);
    }
    if body.cloth.is_some() {
        return Err(SceneError::at(
            format!("{key}.cloth"),
            "is for sheets: a cloth shape or a mesh of triangles",
        ));
    }
    let Some(mesh) = &p.mesh else {
        let Some(s) = &body.springs else {
            return Err(SceneError::at(key, "is a net of springs and needs `springs`"));
        };
        if body.material.is_some() {
            return Err(SceneError::at(
                format!("{key}.material"),
                "is for solids and sheets; a net has `springs`",
            ));
        }
        let rigid = matches!(s.kind, SpringKind::Rod | SpringKind::Rope);
        let Some(stiffness) = s.stiffness.or(rigid.then_some(1.0)) else {
            return Err(SceneError::at(format!("{key}.springs"), "need a `stiffness` in N/m"));
        };
        for (name, v) in [("stiffness", stiffness), ("mass", s.mass), ("rest", s.rest)] {
            if !(v.is_finite() && v > 0.0) {
                return Err(SceneError::at(
                    format!("{key}.springs.{name}"),
                    format!("must be positive, not {v}"),
                ));
            }
        }
        let list = p.edges.iter().map(|&nodes| {
            let [a, b] = nodes.map(|v| p.vertices[v as usize]);
            let d = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt();
            Spring { rest_length: Some(s.rest * d), kind: s.kind, ..Spring::new(nodes, stiffness) }
        });
        let masses = vec![s.mass / p.vertices.len() as f64; p.vertices.len()];
        return scene
            .add_springs(&body.name, p.vertices.clone(), masses, list.collect())
            .map(|_| ())
            .map_err(built);
    };
    let Some(whole) = &body.material else {
        return Err(SceneError::at(key, "is a solid and needs a `material`"));
    };
    if body.springs.is_some() {
        return Err(SceneError::at(format!("{key}.springs"), "are for cloth and ropes, not for solids"));
    }
    let of = place::regions(mesh, &body.region, key)?;
    let (base, base_density) = material(whole, &format!("{key}.material"))?;
    let mut others = Vec::new();
    for (i, r) in body.region.iter().enumerate() {
        others.push(material(&r.material, &format!("{key}.region[{i}].material"))?);
    }
    let masses = mesh.node_masses(|e| of[e].map_or(base_density, |r| others[r].1));
    let materials = of.iter().map(|region| region.map_or(&base, |r| &others[r].0).clone()).collect();
    scene.add_solid_with_masses(&body.name, mesh.clone(), materials, masses).map(|_| ()).map_err(built)
}

/// Mean of some points: the default centre of turns.
fn middle(points: &[[f64; 3]], ids: &[u32]) -> [f64; 3] {
    place::centre(&ids.iter().map(|&i| points[i as usize]).collect::<Vec<_>>())
}

fn script(
    scripts: &mut Vec<Script>,
    motion: &[Keyframe],
    key: &str,
    body: usize,
    ids: Vec<u32>,
    rest: &[[f64; 3]],
    anchors: bool,
) -> Result<(), SceneError> {
    let keys = keys(motion, key)?;
    if !keys.is_empty() {
        let home: Vec<[f64; 3]> = ids.iter().map(|&i| rest[i as usize]).collect();
        let centre = middle(rest, &ids);
        scripts.push(Script { body, ids, home, centre, keys, anchors, held: [true; 3] });
    }
    Ok(())
}

/// The body of a name.
pub(super) fn find(file: &SceneFile, name: &str, key: &str) -> Result<usize, SceneError> {
    file.body.iter().position(|b| b.name == name).ok_or_else(|| {
        let mut e = SceneError::at(format!("{key}.body"), format!("there is no body `{name}`"));
        let names = file.body.iter().map(|b| b.name.as_str());
        e.hint = super::parse::nearest(name, names).map(|n| format!("did you mean `{n}`?"));
        e
    })
}

/// Everything that is wrong with a scene file, as far as one thing can be looked at without another.
pub fn problems(file: &SceneFile, assets: &mut dyn FnMut(&str) -> Result<Asset, String>) -> Vec<SceneError> {
    let mut wrong: Vec<SceneError> = settings(file).err().into_iter().collect();
    let mut scene = Scene::new(Settings::default());
    let mut placed = Vec::new();
    for (i, body) in file.body.iter().enumerate() {
        let key = format!("body[{i}]");
        let p = place::place(body, &key, assets);
        if let Ok(p) = &p {
            wrong.extend(add_body(&mut scene, body, p, &key).err());
            wrong.extend(place::start(&body.start, &format!("{key}.start"), &p.vertices).err());
        }
        placed.push(p.map_err(|e| wrong.push(e)).ok());
    }
    let pins = file.pin.iter().enumerate().map(|(i, p)| ("pin", i, &p.body, &p.select, &p.motion));
    let anchors = file.anchor.iter().enumerate().map(|(i, a)| ("anchor", i, &a.body, &a.select, &a.motion));
    let counts = placed.iter().map(|p| p.as_ref().map_or(0, |p| p.vertices.len()));
    let mut holders = Holders::new(&file.pin, counts);
    for (kind, i, body, select, motion) in pins.chain(anchors) {
        let key = format!("{kind}[{i}]");
        wrong.extend(keys(motion, &key).err());
        let body = find(file, body, &key).map_err(|e| wrong.push(e)).ok();
        let Some((b, Some(p))) = body.map(|b| (b, &placed[b])) else { continue };
        match place::chosen(select, &format!("{key}.select"), p) {
            Ok(ids) if kind == "pin" => {
                wrong.extend(holders.add(i, b, &ids, middle(&p.vertices, &ids)).err());
            }
            Ok(_) => {}
            Err(e) => wrong.push(e),
        }
    }
    wrong.extend(muscles(file).err());
    wrong.extend(obstacle::problems(&file.obstacle, assets));
    let shapes: Vec<Option<&Placed>> = placed.iter().map(Option::as_ref).collect();
    wrong.extend(link_table::problems(file, &shapes));
    wrong.extend(collide::read(file).err());
    if wrong.is_empty() {
        // What is left: things that only show when all is put together.
        wrong.extend(Program::new(file, assets).err());
    }
    wrong
}
