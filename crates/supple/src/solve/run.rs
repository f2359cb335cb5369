//! What all methods share while they run.

use super::stop::Status;
use super::{ForceResidual, Problem};
use crate::exec::Stopwatch;
use crate::settings::{Method, SolveSettings};

/// What the iteration ended with.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub status: Status,
    /// Who did it.
    pub method: Method,
    /// Iterations done.
    pub iterations: usize,
    /// ‖W(Dx − z)‖ (22), with x after the last global step.
    pub primal: f64,
    /// ‖DᵀW²(z − z_before)‖ (23).
    pub dual: f64,
    /// max_i |step_i|/L_i, how far any node would still move; for methods that know.
    pub step: f64,
    /// Forces at the end.
    pub force: ForceResidual,
    /// Seconds in local steps, or in gradients.
    pub local: f64,
    /// Seconds in global steps.
    pub global: f64,
    /// Seconds of those in the solve with the factor.
    pub solve: f64,
}

/// Goes on or stops, after an iteration that someone looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End this step now, as it is.
    Stop,
    /// End this step now and forget it: the state stays as it was before.
    Discard,
}

/// Someone who looks at each iteration: gets its number (from 1) and the problem at its iterate.
pub type Observer<'a> = &'a mut (dyn FnMut(usize, &mut Problem<'_>) -> Control + Send);

/// A step's iteration under way.
pub struct Run<'a, 'o> {
    /// How to solve.
    pub settings: &'a SolveSettings,
    /// Runs since the step began.
    pub clock: &'a Stopwatch,
    /// Who looks.
    pub observer: Option<Observer<'o>>,
    /// True once the observer said [`Control::Discard`].
    pub discarded: bool,
    /// Iterations done.
    pub iterations: usize,
    /// Seconds of the time budget that are kept for the end of the step.
    pub reserve: f64,
    /// Seconds in local steps, or in gradients.
    pub local: f64,
    /// Seconds in global steps.
    pub global: f64,
    /// Seconds of those in the solve with the factor.
    pub solve: f64,
}

impl<'a, 'o> Run<'a, 'o> {
    /// At the start of a step.
    pub fn new(
        settings: &'a SolveSettings,
        clock: &'a Stopwatch,
        observer: Option<Observer<'o>>,
    ) -> Run<'a, 'o> {
        Run {
            settings,
            clock,
            observer,
            discarded: false,
            iterations: 0,
            reserve: 0.0,
            local: 0.0,
            global: 0.0,
            solve: 0.0,
        }
    }

    /// After an iteration that took so many seconds: shows it to the observer; `Some` status if it must be the last.
    pub fn look(&mut self, p: &mut Problem<'_>, seconds: f64) -> Option<Status> {
        self.iterations += 1;
        let control = match &mut self.observer {
            Some(observer) if !self.discarded => observer(self.iterations, p),
            _ => Control::Continue,
        };
        self.discarded |= control == Control::Discard;
        if self.discarded || control == Control::Stop {
            return Some(Status::Stopped);
        }
        // The last iteration of all is no matter of time.
        (self.iterations < self.settings.iterations && !self.fits(seconds)).then_some(Status::TimeLimit)
    }

    /// True if so many seconds more are within the time budget.
    pub fn fits(&self, seconds: f64) -> bool {
        self.settings.time_budget.is_none_or(|budget| self.clock.seconds() + seconds + self.reserve <= budget)
    }

    /// True if no iteration is left.
    pub fn used_up(&self) -> bool {
        self.iterations >= self.settings.iterations
    }

    /// The outcome at the problem's iterate.
    pub fn end(&self, p: &mut Problem<'_>, method: Method, status: Status, step: f64) -> Outcome {
        self.end_with(p.force_residual(), method, status, step)
    }

    /// The outcome where the forces are known.
    pub fn end_with(&self, force: ForceResidual, method: Method, status: Status, step: f64) -> Outcome {
        Outcome {
            status,
            method,
            iterations: self.iterations,
            primal: 0.0,
            dual: 0.0,
            step,
            force,
            local: self.local,
            global: self.global,
            solve: self.solve,
        }
    }
}
