//! What is recorded: the inputs of each step, its state, and checkpoints from which states are found again when there is no room for all.

use super::super::integrator::Rule;
use super::super::{Simulation, Snapshot, StepReport};
use super::GradientError;
use crate::contact::{Contact, Pose};
use crate::math::nodes::Row;
use crate::settings::Settings;
use crate::solve::Status;
use std::sync::Arc;

/// dL/dx and dL/dv of the state after a recorded step, or before the first.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// So many steps after the beginning of the record: 0 is the state before it.
    pub step: usize,
    /// dL/dx for each node; empty for zero.
    pub dx: Vec<[f64; 3]>,
    /// dL/dv.
    pub dv: Vec<[f64; 3]>,
}

/// What a user may change between steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    pub settings: Arc<Settings>,
    pub targets: Arc<Vec<Row>>,
    pub axis_targets: Arc<Vec<Row>>,
    pub force: Arc<Vec<Row>>,
    pub poses: Arc<Vec<Pose>>,
    /// Numbers of anchors, and rest lengths of fibres.
    pub anchors: Arc<Vec<f64>>,
    pub fibres: Arc<Vec<f64>>,
}

/// A state after a step, and the contacts that led there.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub x: Vec<Row>,
    pub v: Vec<Row>,
    pub contacts: Vec<Contact>,
}

/// Positions, velocities and inputs of a simulation that nobody has touched.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub x: Vec<Row>,
    pub v: Vec<Row>,
    pub inputs: Inputs,
}

impl Built {
    /// State and pins are what nothing is equal to.
    fn forget_state(&mut self) {
        let none = Row([f64::NAN; 4]);
        self.x.fill(none);
        self.v.fill(none);
        self.inputs.targets = Arc::new(vec![none; self.inputs.targets.len()]);
        self.inputs.axis_targets = Arc::new(vec![none; self.inputs.axis_targets.len()]);
    }
}

/// A recorded step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Time at its end in s.
    pub time: f64,
    pub inputs: Inputs,
    pub rule: Rule,
    /// Time from the state before the last one to the last, for rules that look back.
    pub past_dt: f64,
    pub unconverged: bool,
    pub residual: f64,
    pub state: Option<State>,
}

/// Steps under record.
#[derive(Clone, Debug)]
pub struct Tape {
    pub(super) fingerprint: u64,
    pub(super) steps: Vec<Step>,
    /// Before the first step: positions, velocities and, for rules that look back, the state before that.
    pub(super) start: State,
    pub(super) past: State,
    /// State and inputs when the record was asked for: what differs from them since was set by hand.
    pub(super) built: Built,
    /// Snapshots before some of the steps, in order.
    pub(super) snapshots: Vec<(usize, Snapshot)>,
    /// Bytes that may be used, steps from one snapshot to the next.
    memory: usize,
    stride: usize,
    /// Why it cannot be used, if so.
    broken: Option<String>,
}

/// What [`Simulation::step`] knows of a recorded step before it is taken.
pub(in crate::sim) struct Before {
    time: f64,
    inputs: Inputs,
    rule: Rule,
    past_dt: f64,
    snapshot: Option<Snapshot>,
}

/// Bytes of a node in a state, and in a snapshot.
const STATE: usize = 64;
const SNAPSHOT: usize = 256;

/// What is deeper inside an obstacle, as a share of the body, is pushed out by a rule of its own.
const DEEP: f64 = 1e-5;

impl Tape {
    /// Steps that were recorded.
    pub fn len(&self) -> usize {
        self.steps.len()
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let n = self.start.x.len();
        let states = self.steps.iter().filter(|s| s.state.is_some()).count();
        states * STATE * n + self.snapshots.len() * SNAPSHOT * n
    }
    /// True if the states of all steps are kept; else they are found again from checkpoints.
    pub fn whole(&self) -> bool {
        self.steps.iter().all(|s| s.state.is_some())
    }
    pub(super) fn usable(&self) -> Result<(), GradientError> {
        match &self.broken {
            Some(why) => Err(GradientError::Record(why.clone())),
            None => Ok(()),
        }
    }

    /// Makes room: first states go, then every other snapshot.
    fn bound(&mut self) {
        while self.bytes() > self.memory {
            if self.steps.iter().any(|s| s.state.is_some()) {
                self.steps.iter_mut().for_each(|s| s.state = None);
            } else if self.snapshots.len() > 2 {
                self.stride *= 2;
                let stride = self.stride;
                self.snapshots.retain(|(step, _)| step % stride == 0);
            } else {
                return;
            }
        }
    }
}

impl Simulation {
    /// Records steps from here on, with at most about so many bytes of states; see [`Simulation::backward`]. What is not covered is refused.
    pub fn record(&mut self, memory: usize) -> Result<(), GradientError> {
        self.differentiable()?;
        let past = &self.state.past;
        self.tape = Some(Box::new(Tape {
            fingerprint: self.fingerprint,
            steps: Vec::new(),
            start: State { x: self.state.x.clone(), v: self.state.v.clone(), contacts: Vec::new() },
            past: State { x: past.x.clone(), v: past.v.clone(), contacts: Vec::new() },
            built: self.built(),
            snapshots: Vec::new(),
            memory,
            stride: 8,
            broken: None,
        }));
        Ok(())
    }

    /// Ends the record and gives it; none if there is none.
    pub fn end_record(&mut self) -> Option<Tape> {
        self.tape.take().map(|t| *t)
    }

    /// Something happens between steps that a gradient does not go through.
    pub(in crate::sim) fn break_record(&mut self, what: &str) {
        if let Some(tape) = self.tape.as_mut().filter(|t| !t.steps.is_empty() && t.broken.is_none()) {
            tape.broken = Some(format!("{what} was called between its steps"));
        } else if let Some(tape) = self.tape.take() {
            // Before the first step the record begins anew.
            let again = self.record(tape.memory);
            debug_assert!(again.is_ok(), "it could be recorded before");
            if let Some(new) = &mut self.tape {
                new.built = tape.built;
                if what == "set_state()" {
                    // It was set by hand, to whatever: nothing that the scene is made of leads to it.
                    new.built.forget_state();
                }
            }
        }
    }

    pub(super) fn built(&self) -> Built {
        Built { x: self.state.x.clone(), v: self.state.v.clone(), inputs: self.inputs(None) }
    }

    pub(super) fn inputs(&self, last: Option<&Inputs>) -> Inputs {
        fn shared<T: PartialEq + Clone>(now: &T, last: Option<&Arc<T>>) -> Arc<T> {
            last.filter(|l| ***l == *now).cloned().unwrap_or_else(|| Arc::new(now.clone()))
        }
        let s = &self.state;
        let poses: Vec<Pose> = s.poses.iter().map(|p| p[1]).collect();
        let of = |a: &crate::sim::AnchorRef| self.terms.batches()[a.batch].params(a.element);
        let anchors: Vec<f64> = self.anchors.iter().flat_map(of).collect();
        let fibres = self.fibres.rest_lengths(&self.terms);
        Inputs {
            settings: shared(&self.settings, last.map(|l| &l.settings)),
            targets: shared(&s.targets, last.map(|l| &l.targets)),
            axis_targets: shared(&s.axis_targets, last.map(|l| &l.axis_targets)),
            force: shared(&s.force, last.map(|l| &l.force)),
            poses: shared(&poses, last.map(|l| &l.poses)),
            anchors: shared(&anchors, last.map(|l| &l.anchors)),
            fibres: shared(&fibres, last.map(|l| &l.fibres)),
        }
    }

    /// Puts the numbers of anchors and fibres, and all else if `all`, to what they were.
    pub(super) fn apply(&mut self, inputs: &Inputs, all: bool) -> Result<(), GradientError> {
        if all {
            if self.settings != *inputs.settings {
                self.update_settings((*inputs.settings).clone())?;
            }
            self.state.targets.clone_from(&inputs.targets);
            self.state.axis_targets.clone_from(&inputs.axis_targets);
            self.state.force.clone_from(&inputs.force);
            for (pose, to) in self.state.poses.iter_mut().zip(inputs.poses.iter()) {
                pose[1] = *to;
            }
        }
        for (a, numbers) in self.anchors.iter().zip(inputs.anchors.chunks_exact(4)) {
            if let Some(b) = self.terms.batch_mut(a.batch) {
                b.set_params(a.element, 0, numbers);
            }
        }
        self.fibres.set_rest_lengths(&mut self.terms, &inputs.fibres);
        Ok(())
    }

    /// Before a step under record; the first one begins where the state is now, whoever set it.
    pub(in crate::sim) fn before_step(&mut self) -> Option<Before> {
        let state = &self.state;
        let tape = self.tape.as_mut()?;
        if tape.steps.is_empty() {
            tape.start.x.clone_from(&state.x);
            tape.start.v.clone_from(&state.v);
            tape.past.x.clone_from(&state.past.x);
            tape.past.v.clone_from(&state.past.v);
        }
        let tape = self.tape.as_ref()?;
        let snapshot = (tape.steps.len() % tape.stride == 0).then(|| self.snapshot());
        Some(Before {
            time: self.state.time + self.settings.time.dt,
            inputs: self.inputs(tape.steps.last().map(|s| &s.inputs)),
            rule: self.rule(),
            past_dt: self.state.past.dt,
            snapshot,
        })
    }

    /// After it.
    pub(in crate::sim) fn after_step(&mut self, before: Option<Before>, report: Option<&StepReport>) {
        let (Some(before), Some(report)) = (before, report) else { return };
        let Some(mut tape) = self.tape.take() else { return };
        if report.status == Status::Diverged && tape.broken.is_none() {
            tape.broken = Some(format!("step {} diverged", tape.steps.len()));
        }
        if let Err(e) = self.differentiable()
            && tape.broken.is_none()
        {
            tape.broken = Some(e.to_string());
        }
        let first = tape.steps.first().map_or(&before.inputs, |s| &s.inputs);
        let turned =
            first.poses.iter().zip(before.inputs.poses.iter()).any(|(a, b)| a.rotation != b.rotation);
        if (turned || self.state.poses.iter().any(|p| p[0].rotation != p[1].rotation))
            && tape.broken.is_none()
        {
            tape.broken = Some("an obstacle was turned, of which there is no gradient".into());
        }
        let size = self.work.body_size.iter().copied().fold(0.0, f64::max);
        if report.max_penetration > DEEP * size && tape.broken.is_none() {
            tape.broken =
                Some("a node is deep inside an obstacle, where it comes out little by little".into());
        }
        if let Some(snapshot) = before.snapshot {
            tape.snapshots.push((tape.steps.len(), snapshot));
        }
        let whole = tape.whole();
        tape.steps.push(Step {
            time: before.time,
            inputs: before.inputs,
            rule: before.rule,
            past_dt: before.past_dt,
            unconverged: report.status != Status::Converged,
            residual: report.force_residual,
            state: whole.then(|| self.kept_state()),
        });
        tape.bound();
        self.tape = Some(tape);
    }

    pub(super) fn kept_state(&self) -> State {
        State { x: self.state.x.clone(), v: self.state.v.clone(), contacts: self.contact.contacts().to_vec() }
    }
}

impl Tape {
    /// Before which steps there are checkpoints.
    pub(super) fn checkpoints(&self) -> impl Iterator<Item = usize> + '_ {
        self.snapshots.iter().map(|s| s.0)
    }
}

impl Inputs {
    /// These, where a step took those that the scene has by itself; what was set by hand stays as it was taken.
    pub(super) fn followed(&self, own: &Inputs, taken: &Inputs) -> Inputs {
        let pick = |mine: f64, own: f64, taken: f64| if taken == own { mine } else { taken };
        let rows = |mine: &[Row], own: &[Row], taken: &[Row]| -> Arc<Vec<Row>> {
            let one = |((m, o), t): ((&Row, &Row), &Row)| {
                Row::new(std::array::from_fn(|c| pick(m.0[c], o.0[c], t.0[c])))
            };
            Arc::new(mine.iter().zip(own).zip(taken).map(one).collect())
        };
        let numbers = |mine: &[f64], own: &[f64], taken: &[f64]| -> Arc<Vec<f64>> {
            Arc::new(mine.iter().zip(own).zip(taken).map(|((m, o), t)| pick(*m, *o, *t)).collect())
        };
        let mut settings = (*self.settings).clone();
        let (own_world, world) = (&own.settings.world, &taken.settings.world);
        for (c, g) in settings.world.gravity.iter_mut().enumerate() {
            *g = pick(*g, own_world.gravity[c], world.gravity[c]);
        }
        settings.world.damping = pick(settings.world.damping, own_world.damping, world.damping);
        let poses = self.poses.iter().zip(own.poses.iter()).zip(taken.poses.iter());
        let poses = poses.map(|((m, o), t)| Pose {
            rotation: t.rotation,
            shift: std::array::from_fn(|c| pick(m.shift[c], o.shift[c], t.shift[c])),
        });
        Inputs {
            settings: Arc::new(settings),
            targets: rows(&self.targets, &own.targets, &taken.targets),
            axis_targets: rows(&self.axis_targets, &own.axis_targets, &taken.axis_targets),
            force: rows(&self.force, &own.force, &taken.force),
            poses: Arc::new(poses.collect()),
            anchors: numbers(&self.anchors, &own.anchors, &taken.anchors),
            fibres: numbers(&self.fibres, &own.fibres, &taken.fibres),
        }
    }
}
