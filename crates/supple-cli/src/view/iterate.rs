//! One step, iteration by iteration: the step runs with an observer that shows each iterate and then waits for a command. What
//! changes the problem discards the step; what lets it go on finishes it.
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;

use supple::Control;
use supple::sim::Iteration;

use super::command::Command;
use super::hub::{Hub, Mail};
use super::session::Session;
use super::skin::Skin;
use super::stream::{self, Numbers};
use crate::commands::run::obstacles::corners;

/// Mail that may wait; more of it discards the step.
const MOST: usize = 1024;

struct Guide<'a> {
    hub: &'a Hub,
    skin: &'a Skin,
    /// Corners of obstacles in m.
    corners: Vec<[f64; 3]>,
    inbox: &'a mut Receiver<Mail>,
    waiting: &'a mut VecDeque<Mail>,
    numbers: Numbers,
    /// The rest of the step goes on without waiting.
    finish: bool,
}

impl Guide<'_> {
    /// Shows an iterate and waits for what is to be done.
    fn look(&mut self, iteration: &mut Iteration<'_, '_>) -> Control {
        if self.finish {
            return Control::Continue;
        }
        let index = iteration.index() as u32;
        let numbers = Numbers {
            iteration: index,
            iterations: index,
            residual: iteration.force_residual() as f32,
            ..self.numbers
        };
        let mut places = iteration.positions();
        places.extend(&self.corners);
        let positions: Vec<[f64; 3]> = self.skin.positions(&places).collect();
        self.hub.frame.send_replace(stream::frame(&numbers, positions.into_iter(), &Default::default()));
        loop {
            let mail = self.inbox.recv().unwrap_or(Mail::End);
            match &mail {
                Mail::Command(_, Command::Iterate {}) => return Control::Continue,
                Mail::Command(_, Command::Step {}) => {
                    self.finish = true;
                    return Control::Continue;
                }
                Mail::Command(_, Command::Run { on: true }) => {
                    self.finish = true;
                    self.waiting.push_back(mail);
                    return Control::Continue;
                }
                Mail::Command(_, Command::Run { .. } | Command::Speed { .. } | Command::Colour { .. })
                | Mail::Came
                | Mail::Built(_) => self.waiting.push_back(mail),
                _ => {
                    self.waiting.push_back(mail);
                    return Control::Discard;
                }
            }
            if self.waiting.len() > MOST {
                return Control::Discard;
            }
        }
    }
}

impl Session {
    /// One iteration of a step, and as many more as are asked for.
    pub(super) fn iterate(&mut self) {
        if self.error.is_some() {
            return;
        }
        // The viewers see at once that it is paused.
        self.hub.state.send_replace(self.state().to_string().into());
        for grip in &mut self.grips {
            grip.pull(&mut self.program);
        }
        let limit = self.program.simulation.settings().solve.iterations;
        let numbers = Numbers {
            model: self.model,
            frame: self.frame_number() + 1,
            time: self.program.simulation.time(),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            ..Numbers::default()
        };
        let mut guide = Guide {
            hub: &self.hub,
            skin: &self.skin,
            corners: corners(&self.program),
            inbox: &mut self.inbox,
            waiting: &mut self.waiting,
            numbers,
            finish: false,
        };
        let program = &mut self.program;
        let taken = catch_unwind(AssertUnwindSafe(|| {
            program.aim_next()?;
            program.simulation.step_with(&mut |iteration| guide.look(iteration))
        }));
        self.conclude(taken.ok());
        self.publish(true);
    }
}
