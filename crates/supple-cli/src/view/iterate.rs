//! One step, iteration by iteration. Nothing waits within a step: to show its k-th iterate the step runs anew, which gives the same iterates, is
//! discarded after k iterations, and leaves the state as it was. Whatever comes next then finds a session like any other.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::{Control, StepError};

use super::session::{Outlet, Session};
use super::stream::{self, Numbers};
use crate::show::obstacles::corners;

impl<O: Outlet> Session<O> {
    /// One more iteration of the coming step.
    pub(super) fn iterate(&mut self) {
        if self.error.is_some() {
            return;
        }
        if self.looked == 0 {
            self.pull();
        }
        let next = self.looked + 1;
        let limit = self.program.simulation.settings().solve.iterations;
        let numbers = Numbers {
            model: self.model,
            frame: self.frame_number() + 1,
            time: self.program.simulation.time(),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            iteration: next,
            iterations: next,
            ..Numbers::default()
        };
        let corners = corners(&self.program);
        let taken = catch_unwind(AssertUnwindSafe(|| {
            self.program.aim_next()?;
            let mut shown = None;
            let taken = self.program.simulation.step_with(&mut |iteration| {
                if iteration.index() < next as usize {
                    return Control::Continue;
                }
                let mut places = iteration.positions();
                places.extend(&corners);
                shown = Some((iteration.force_residual() as f32, places));
                Control::Discard
            });
            if let Some((residual, places)) = shown {
                let positions: Vec<[f64; 3]> = self.skin.positions(&places).collect();
                let numbers = Numbers { residual, ..numbers };
                self.outlet.frame(stream::frame(&numbers, positions.into_iter(), &Default::default()));
            }
            taken
        }));
        self.looked = if matches!(taken, Ok(Err(StepError::Discarded))) { next } else { 0 };
        self.conclude(taken.ok());
        self.publish(self.looked == 0);
    }

    /// The iterates that were shown are of a step that will not be taken: back to the state.
    pub(super) fn forget_iterates(&mut self) {
        if std::mem::take(&mut self.looked) > 0 {
            self.publish(true);
        }
    }
}
