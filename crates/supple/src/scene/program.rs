//! A scene file made ready to run: the simulation and the motions that drive it, frame by frame.
#![allow(
    clippy::indexing_slicing,
    reason = "bodies are found by name, nodes by `select::chosen`, which know what there is"
)]

use super::body::add_body;
use super::collide;
use super::contract::{Muscle, muscles};
use super::file::{ContactPart, Mode, SceneFile};
use super::link_table::{self, MovedLink};
use super::motion::{Script, keys, middle, script};
use super::obstacle::{self, Moved};
use super::output;
use super::parse::SceneError;
use super::pins::Holders;
use super::place::{self, Asset, Placed};
use super::select::chosen;
use super::skin::Skin;
use super::start;
use super::{BodyId, Scene};
use crate::contact::Pose;
use crate::error::{BuildError, StepError};
use crate::settings::{ContactMethod, Settings, TimeSettings};
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
        world: file.world.clone(),
        solve: file.solve.clone(),
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
        let (mut looks, mut placed, mut begin) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
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
            let (x, v) = start::start(&body.start, &format!("{key}.start"), &p.vertices)?;
            begin.0.extend(x);
            begin.1.extend(v);
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
            let ids = chosen(&pin.select, &format!("{key}.select"), &placed[body])?;
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
            let ids = chosen(&anchor.select, &format!("{key}.select"), p)?;
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
            begin.0[at] = placed[body].vertices[id as usize];
            begin.1[at] = [0.0; 3];
        }
        // … or where their motion has them at the start.
        for s in scripts.iter().filter(|s| !s.anchors) {
            let first = simulation.bodies()[s.body].first_node;
            for (&id, target) in s.ids.iter().zip(s.targets(0.0)) {
                begin.0[first + id as usize] = target;
            }
        }
        simulation.set_state(&begin.0, &begin.1).map_err(|e| SceneError::at("body", e.to_string()))?;
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

    /// One frame; `stop` is asked after each iteration, of an equilibrium after each step of continuation, and ends the frame early, with status `stopped`.
    pub fn frame_with(&mut self, stop: &mut (dyn FnMut() -> bool + Send)) -> Result<StepReport, StepError> {
        if self.mode == Mode::Static {
            let steps = f64::from(self.substeps);
            let next = self.simulation.time() + steps * self.simulation.settings().time.dt;
            self.aim(next).and_then(|()| self.contract(next)).map_err(|e| StepError::target(&e))?;
            return self.simulation.rest(u64::from(self.substeps), &mut || !stop());
        }
        let mut whole: Option<StepReport> = None;
        for _ in 0..self.substeps {
            self.aim_next()?;
            let r =
                self.simulation.step_with(&mut |_| if stop() { Control::Stop } else { Control::Continue })?;
            whole = Some(match whole {
                None => r,
                Some(before) => before.and(&r),
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
            wrong.extend(start::start(&body.start, &format!("{key}.start"), &p.vertices).err());
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
        match chosen(select, &format!("{key}.select"), p) {
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
