//! The record forwards: how every state changes with a parameter. It costs as many solves per step as there are parameters, however much is asked of
//! the states.
//!
//! F(x⁺; x, v, θ) = 0 holds in every step, so H δx⁺ = −δF, where δF is how F changes with θ and with the state before while x⁺ stays. What a
//! parameter changes is not asked for by name: the scene is there with a little more and a little less of it, and δF is the difference of
//! both F, their states before being those of the record moved along with δx and δv. So everything counts that makes a scene.

use super::super::{Simulation, Snapshot};
use super::matrix::{Hessian, Side};
use super::rows::{Row3, active, relative};
use super::tape::{Inputs, State, Step, Tape};
use super::{GradientError, StepNote, refuse};
use crate::contact::{Contact, Pose};
use crate::error::BuildError;
use crate::math::elementary::exp;
use crate::math::nodes::Row;
use crate::math::small::{dot, sub};

/// A simulation, or something that drives one.
pub trait Driven {
    /// The simulation.
    fn simulation(&mut self) -> &mut Simulation;
    /// Sends what its own script moves to where it is at the end of a step, in s.
    fn aim(&mut self, end: f64) -> Result<(), BuildError>;
}

impl Driven for Simulation {
    fn simulation(&mut self) -> &mut Simulation {
        self
    }
    fn aim(&mut self, _: f64) -> Result<(), BuildError> {
        Ok(())
    }
}

/// The recorded scene, built anew with a parameter a little greater, and a little less.
pub struct Nearby<'a> {
    /// More and less.
    pub sides: [&'a mut dyn Driven; 2],
    /// By how much the parameter differs between both.
    pub width: f64,
}

/// States before the first step and after every step, by node, or their derivatives.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// x, or dx/dθ.
    pub positions: Vec<Vec<[f64; 3]>>,
    /// v, or dv/dθ.
    pub velocities: Vec<Vec<[f64; 3]>>,
}

/// What [`forward`] finds.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    /// The states of the record.
    pub states: Trajectory,
    /// For each parameter their derivatives.
    pub parameters: Vec<Trajectory>,
    /// Of each step, in order, what is to be said.
    pub notes: Vec<StepNote>,
}

/// The derivative of a state, and of the one before.
struct Moving {
    x: Vec<Row>,
    v: Vec<Row>,
    past: [Vec<Row>; 2],
    /// Of where each obstacle is.
    shifts: Vec<[f64; 3]>,
    /// Inputs of both sides as they were built.
    own: [Inputs; 2],
}

/// What a step of the record is differentiated at.
struct At<'a> {
    step: &'a Step,
    x: &'a [Row],
    last: &'a State,
    past: &'a State,
}

/// Derivatives of all recorded states with respect to some parameters. The state of `base`, which was recorded, stays; those nearby are used up.
pub fn forward(
    base: &mut dyn Driven,
    tape: &Tape,
    nearby: &mut [Nearby<'_>],
) -> Result<Tangents, GradientError> {
    tape.usable()?;
    let sim = base.simulation();
    if tape.fingerprint != sim.fingerprint {
        return Err(GradientError::Record("it is of another simulation".into()));
    }
    sim.differentiable()?;
    for q in nearby.iter_mut() {
        if !(q.width.is_finite() && q.width > 0.0) {
            return Err(GradientError::Seed(format!(
                "the parameter differs by {}, not by more than 0",
                q.width
            )));
        }
        for side in &mut q.sides {
            alike(sim, side.simulation())?;
        }
    }
    let here: Snapshot = sim.snapshot();
    let recording = sim.tape.take();
    let result = walk(base, tape, nearby);
    let sim = base.simulation();
    let back = sim.rewind(&here);
    sim.tape = recording;
    let found = result?;
    back?;
    Ok(found)
}

/// That both are the same scene but for numbers.
fn alike(a: &Simulation, b: &Simulation) -> Result<(), GradientError> {
    b.differentiable()?;
    let axes = a.axes.len() == b.axes.len()
        && a.axes.iter().zip(&b.axes).all(|(a, b)| a.node == b.node && a.held == b.held);
    let same = a.place == b.place && a.free == b.free && axes && a.anchors.len() == b.anchors.len();
    if !same || a.fibres.count() != b.fibres.count() || a.obstacles().len() != b.obstacles().len() {
        let e = "the parameter changes nodes, elements, pins or obstacles, not only numbers";
        return Err(GradientError::Record(e.into()));
    }
    if a.settings.time != b.settings.time {
        return refuse("the time step or the integrator", "keep them as they are");
    }
    let normal = |s: &Simulation, o: usize| s.obstacles()[o].shape.closest([0.0; 3]).normal;
    for o in 0..a.obstacles().len() {
        let turned = a.state.poses[o][1].rotation != b.state.poses[o][1].rotation;
        if turned || normal(a, o) != normal(b, o) {
            return refuse(
                format!("the direction of obstacle `{}`", a.obstacles()[o].name),
                "keep it as it is",
            );
        }
    }
    Ok(())
}

/// Half the difference of two lists, divided by half the width: the derivative; zero where `kept` is not what it was.
fn slope(sides: [&[Row]; 2], width: f64, (now, built): (&[Row], &[Row])) -> Vec<Row> {
    let mut out = vec![Row::default(); now.len()];
    for (i, out) in out.iter_mut().enumerate() {
        for c in (0..3).filter(|&c| now[i].0[c] == built[i].0[c]) {
            out.0[c] = (sides[0][i].0[c] - sides[1][i].0[c]) / width;
        }
    }
    out
}

fn walk(base: &mut dyn Driven, tape: &Tape, nearby: &mut [Nearby<'_>]) -> Result<Tangents, GradientError> {
    let count = tape.len();
    let parameters = vec![Trajectory::default(); nearby.len()];
    let mut out = Tangents { parameters, notes: Vec::with_capacity(count), ..Tangents::default() };
    let mut moving = Vec::with_capacity(nearby.len());
    for q in nearby.iter_mut() {
        let width = q.width;
        let [a, b] = &mut q.sides;
        let (a, b) = (a.simulation(), b.simulation());
        let x = slope([&a.state.x, &b.state.x], width, (&tape.start.x, &tape.built.x));
        let v = slope([&a.state.v, &b.state.v], width, (&tape.start.v, &tape.built.v));
        let (p, m) = (&a.state.past, &b.state.past);
        let known = [&p.x, &m.x, &tape.past.x].iter().all(|l| l.len() == x.len());
        let past = |a: &[Row], b: &[Row], now: &[Row]| match known {
            true => slope([a, b], width, (now, now)),
            false => vec![Row::default(); x.len()],
        };
        let past = [past(&p.x, &m.x, &tape.past.x), past(&p.v, &m.v, &tape.past.v)];
        let shifts = a.state.poses.iter().zip(&b.state.poses);
        let shifts = shifts.map(|(a, b)| sub(a[0].shift, b[0].shift).map(|d| d / width)).collect();
        let own = [a.inputs(None), b.inputs(None)];
        moving.push(Moving { x, v, past, shifts, own });
    }
    let keep = |sim: &Simulation, out: &mut Tangents, (x, v): (&[Row], &[Row]), moving: &[Moving]| {
        out.states.positions.push(sim.user_order(x));
        out.states.velocities.push(sim.user_order(v));
        for (t, m) in out.parameters.iter_mut().zip(moving) {
            t.positions.push(sim.user_order(&m.x));
            t.velocities.push(sim.user_order(&m.v));
        }
    };
    keep(base.simulation(), &mut out, (&tape.start.x, &tape.start.v), &moving);
    let mut hessian = Hessian::new(&base.simulation().system);
    let (mut last, mut past) = (tape.start.clone(), tape.past.clone());
    let mut k = 0;
    while k < count {
        let end = tape.checkpoints().find(|&s| s > k).filter(|_| !tape.whole()).unwrap_or(count);
        let (first, states) = base.simulation().states(tape, end)?;
        for state in states.into_iter().skip(k - first) {
            let step = &tape.steps[k];
            // What the recorded scene would have had by itself.
            let sim = base.simulation();
            sim.apply(&tape.built.inputs, true)?;
            base.aim(step.time)?;
            let sim = base.simulation();
            let own = sim.inputs(None);
            sim.apply(&step.inputs, false)?;
            let at = At { step, x: &state.x, last: &last, past: &past };
            let (rows, note) = sim.linearise(k, &at, &state.contacts, &mut hessian)?;
            out.notes.push(note);
            for (q, m) in nearby.iter_mut().zip(&mut moving) {
                let residual = one(q, m, &at, (sim, &own), (&mut hessian, rows.clone()))
                    .map_err(|e| e.unwrap_or(GradientError::Singular(k)))?;
                if let Some(note) = out.notes.last_mut() {
                    note.linear_residual = note.linear_residual.max(residual);
                }
                if !m.x.iter().chain(&m.v).all(|r| r.is_finite()) {
                    return Err(GradientError::NonFinite(k));
                }
            }
            keep(sim, &mut out, (&state.x, &state.v), &moving);
            past = std::mem::replace(&mut last, state);
            k += 1;
        }
    }
    Ok(out)
}

impl Simulation {
    /// The matrix of a step at its solution, factored.
    fn linearise(
        &mut self,
        k: usize,
        at: &At<'_>,
        contacts: &[Contact],
        hessian: &mut Hessian,
    ) -> Result<(Vec<Row3>, StepNote), GradientError> {
        let (exec, rule) = (self.exec.clone(), &at.step.rule);
        let mut base = vec![Row::default(); at.x.len()];
        rule.combine(rule.weights, &at.last.x, &at.past.x, &mut base);
        self.terms.lag(&base, 1.0 / rule.step, &exec);
        let (rows, switching) = active(contacts, at.x);
        hessian.assemble((&self.terms, &self.axes), (at.x, &self.mass, rule.step), &rows);
        let indefinite = exec.install(|| hessian.factor(&rows, Side::Tangent, &exec));
        let Some(indefinite) = indefinite else { return Err(GradientError::Singular(k)) };
        let (unconverged, residual) = (at.step.unconverged, at.step.residual);
        Ok((rows, StepNote { step: k, unconverged, residual, indefinite, linear_residual: 0.0, switching }))
    }

    /// F of a step at x⁺: M(x⁺ − x̃)/s² + ∇U(x⁺).
    fn unbalanced(
        &mut self,
        at: &At<'_>,
        inputs: &Inputs,
        [x, last, v, past_x, past_v]: [&[Row]; 5],
    ) -> Vec<Row> {
        let (exec, rule, s) = (self.exec.clone(), &at.step.rule, at.step.rule.step);
        let mut base = vec![Row::default(); x.len()];
        rule.combine(rule.weights, last, past_x, &mut base);
        let mut force = inputs.force.to_vec();
        self.air.blow(None, at.step.time, (last, v), &mut force, (&mut self.terms, 1.0 / s));
        self.terms.lag(&base, 1.0 / s, &exec);
        let mut out = vec![Row::default(); x.len()];
        exec.install(|| {
            self.terms.gradient(x, &exec);
            self.terms.sum_loads(&mut out, &exec, |_, sum, out| *out = sum);
        });
        let world = &inputs.settings.world;
        let kept = exp(-world.damping * rule.dt);
        let kept_before = kept * exp(-world.damping * at.step.past_dt);
        for i in 0..x.len() {
            let m = self.mass[i];
            for c in 0..3 {
                let mut velocity = rule.weights[0] * kept * v[i].0[c];
                if rule.weights[1] != 0.0 {
                    velocity += rule.weights[1] * kept_before * past_v[i].0[c];
                }
                let gained = (x[i].0[c] - base[i].0[c] - s * velocity) / (s * s);
                out[i].0[c] += m * (gained - world.gravity[c]) - force[i].0[c];
            }
        }
        out
    }
}

/// One step for one parameter: δx and δv are those of the state before, and then of the one after it.
fn one(
    q: &mut Nearby<'_>,
    m: &mut Moving,
    at: &At<'_>,
    (base, own): (&Simulation, &Inputs),
    (hessian, mut rows): (&mut Hessian, Vec<Row3>),
) -> Result<f64, Option<GradientError>> {
    let (n, free, rule, width) = (at.x.len(), base.free, &at.step.rule, q.width);
    let mut inputs = Vec::with_capacity(2);
    for (side, mine) in q.sides.iter_mut().zip(&m.own) {
        side.simulation().apply(mine, true).map_err(Some)?;
        side.aim(at.step.time).map_err(|e| Some(e.into()))?;
        let sim = side.simulation();
        let taken = sim.inputs(None).followed(own, &at.step.inputs);
        sim.apply(&taken, false).map_err(Some)?;
        inputs.push(taken);
    }
    let [more, less] = [&inputs[0], &inputs[1]];

    // Pins are at their targets.
    let difference = |a: &Row, b: &Row| -> [f64; 3] { sub(a.xyz(), b.xyz()).map(|d| d / width) };
    let mut told = vec![Row::default(); n];
    for (i, (a, b)) in more.targets.iter().zip(less.targets.iter()).enumerate() {
        told[free + i] = Row::new(difference(a, b));
    }
    for (axes, (a, b)) in base.axes.iter().zip(more.axis_targets.iter().zip(less.axis_targets.iter())) {
        let d = difference(a, b);
        (0..3).filter(|&c| axes.held[c]).for_each(|c| told[axes.node as usize].0[c] = d[c]);
    }

    // δF: of both sides, each with its state before.
    let moved = |rows: &[Row], by: &[Row], times: f64| -> Vec<Row> {
        if rows.len() != by.len() {
            return rows.to_vec();
        }
        let one = |(r, d): (&Row, &Row)| Row::new(std::array::from_fn(|c| r.0[c] + times * d.0[c]));
        rows.iter().zip(by).map(one).collect()
    };
    let mut forces = Vec::with_capacity(2);
    for ((side, inputs), times) in q.sides.iter_mut().zip(&inputs).zip([0.5 * width, -0.5 * width]) {
        let state = [
            &moved(at.x, &told, times)[..],
            &moved(&at.last.x, &m.x, times),
            &moved(&at.last.v, &m.v, times),
            &moved(&at.past.x, &m.past[0], times),
            &moved(&at.past.v, &m.past[1], times),
        ];
        forces.push(side.simulation().unbalanced(at, inputs, state));
    }
    let mut b: Vec<Row> =
        forces[0].iter().zip(&forces[1]).take(free).map(|(a, b)| Row::new(difference(b, a))).collect();

    // Contacts: gap, slip and friction change too.
    let shifts: Vec<[f64; 3]> = more
        .poses
        .iter()
        .zip(less.poses.iter())
        .map(|(a, b)| sub(a.shift, b.shift).map(|d| d / width))
        .collect();
    let [a, z] = &mut q.sides;
    let (a, z) = (a.simulation(), z.simulation());
    for row in &mut rows {
        let o = row.contact.obstacle as usize;
        let here = row.contact.rel(at.x);
        let distance = |s: &Simulation, pose: &Pose| {
            let o = &s.obstacles()[o];
            o.shape.closest(pose.undo(here)).distance - o.thickness
        };
        let (to, from) = (relative(row, &told), relative(row, &m.x));
        let normal = (distance(a, &more.poses[o]) - distance(z, &less.poses[o])) / width;
        let slip: [f64; 3] = std::array::from_fn(|c| to[c] - from[c] - shifts[o][c] + m.shifts[o][c]);
        row.multiplier[0] = -normal - dot(row.gap[0], to);
        for k in 1..row.count {
            row.multiplier[k] = -dot(row.gap[k], slip);
        }
        if row.turn > 0.0 {
            let friction = (a.obstacles()[o].friction - z.obstacles()[o].friction) / width;
            let n = row.contact.frame[0];
            let (t, up) = (dot(row.along, slip), dot(n, slip));
            for (node, weight) in row.parts().filter(|p| (p.0 as usize) < free) {
                for c in 0..3 {
                    let turned = row.turn * (slip[c] - t * row.along[c] - up * n[c]);
                    let pulled = row.contact.force[0] * friction * row.along[c];
                    b[node as usize].0[c] -= weight * (turned + pulled);
                }
            }
        }
    }
    let exec = base.exec.clone();
    let residual = exec.install(|| hessian.solve(&mut b, &mut rows, &exec)).ok_or(None)?;
    b.resize(n, Row::default());
    for (b, told) in b.iter_mut().zip(&told) {
        (0..3).for_each(|c| b.0[c] += told.0[c]);
    }

    // v⁺ = (x⁺ − X)/s.
    let mut base_x = vec![Row::default(); n];
    rule.combine(rule.weights, &m.x, &m.past[0], &mut base_x);
    let v = b.iter().zip(&base_x).map(|(x, b)| Row::new(sub(x.xyz(), b.xyz()).map(|d| d / rule.step)));
    let v: Vec<Row> = v.collect();
    m.past = [std::mem::replace(&mut m.x, b), std::mem::replace(&mut m.v, v)];
    m.shifts = shifts;
    Ok(residual)
}
