//! One step, iteration by iteration. Nothing waits within a step: to show its k-th iterate the step runs anew, which gives the same iterates, is
//! discarded after k iterations, and leaves the state as it was. Whatever comes next then finds a session like any other.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::scene::Program;
use supple::{Control, StepError};

use super::session::{Outlet, Session};
use super::skin::Skin;
use super::stream::{self, Numbers};
use super::taking::Taken;
use crate::show::obstacles::corners;

impl<O: Outlet> Session<O> {
    /// One more iteration of the coming step, by each method.
    pub(super) fn iterate(&mut self) {
        if self.error.is_some() {
            return;
        }
        if self.looked == 0 {
            self.pull();
        }
        let next = self.looked + 1;
        let numbers = Numbers {
            model: self.model,
            frame: self.frame_number() + 1,
            time: self.program.simulation.time(),
            iteration: next,
            iterations: next,
            newest: self.newest(),
            ..Numbers::default()
        };
        let (taken, mut first) = look(&mut self.program, &self.skin, numbers);
        let beside =
            self.beside.as_mut().map(|b| look(&mut b.program, &self.skin, Numbers { side: 1, ..numbers }));
        let (beside, second) = beside.map_or((None, None), |(taken, message)| (Some(taken), message));
        let discarded = |t: &Taken| matches!(t, Some(Err(StepError::Discarded)));
        // Both steps are taken once one of them is at its end, so that both methods stay at the same time.
        let ended = !discarded(&taken) || beside.as_ref().is_some_and(|b| !discarded(b));
        self.looked = if ended { 0 } else { next };
        if ended && self.beside.is_some() {
            let rest = |taken: Taken, program: &mut Program| match discarded(&taken) {
                true => catch_unwind(AssertUnwindSafe(|| program.simulation.step())).ok(),
                false => taken,
            };
            let taken = rest(taken, &mut self.program);
            let beside = beside.zip(self.beside.as_mut()).map(|(taken, b)| rest(taken, &mut b.program));
            self.conclude(taken, beside);
        } else {
            if let Some(message) = first.take() {
                self.outlet.frame(message, second);
            }
            self.conclude(taken, beside);
        }
        self.publish(self.looked == 0);
    }

    /// The iterates that were shown are of a step that will not be taken: back to the state.
    pub(super) fn forget_iterates(&mut self) {
        if std::mem::take(&mut self.looked) > 0 {
            self.publish(true);
        }
    }
}

/// The coming step of a program up to an iteration, and the message that shows it; a step that ends before is taken.
fn look(program: &mut Program, skin: &Skin, numbers: Numbers) -> (Taken, Option<Vec<u8>>) {
    let limit = program.simulation.settings().solve.iterations;
    let corners = corners(program);
    let mut message = None;
    let taken = catch_unwind(AssertUnwindSafe(|| {
        program.aim_next()?;
        program.simulation.step_with(&mut |iteration| {
            if iteration.index() < numbers.iteration as usize {
                return Control::Continue;
            }
            let mut places = iteration.positions();
            places.extend(&corners);
            let positions: Vec<[f64; 3]> = skin.positions(&places).collect();
            let numbers = Numbers {
                residual: iteration.force_residual() as f32,
                limit: u32::try_from(limit).unwrap_or(u32::MAX),
                ..numbers
            };
            message = Some(stream::frame(&numbers, positions.into_iter(), &Default::default()));
            Control::Discard
        })
    }));
    (taken.ok(), message)
}
