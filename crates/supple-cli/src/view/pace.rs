//! When the next frame is due.
use supple::exec::Stopwatch;

/// Frames per second below which motion does not look continuous.
const SMOOTH: f64 = 32.0;
/// The share of that time in which the solver works; the rest is for colours and the stream.
const SOLVING: f64 = 0.75;
/// Frames per second above which no viewer needs to see each.
const SHOWN: f64 = 60.0;

/// Keeps the time between frames.
#[derive(Debug)]
pub struct Pace {
    /// A multiple of real time; 0: as fast as it goes.
    pub speed: f64,
    clock: Stopwatch,
    /// By the clock, in s.
    due: f64,
    shown: Option<f64>,
}

impl Pace {
    /// Real time; a frame is due at once.
    pub fn new() -> Pace {
        Pace { speed: 1.0, clock: Stopwatch::start(), due: 0.0, shown: None }
    }

    /// The time in s that solving one frame may take if [`SMOOTH`] frames per second are to be shown; none if it may take as long as it does.
    pub fn budget(&self) -> Option<f64> {
        (self.speed != 0.0).then_some(SOLVING / SMOOTH)
    }

    /// How long until the next frame, in s.
    pub fn wait(&self) -> f64 {
        (self.due - self.clock.seconds()).max(0.0)
    }

    /// A frame of `dt` s was begun: the next is due one interval after it was due, or now if that is past.
    pub fn begun(&mut self, dt: f64) {
        let now = self.clock.seconds();
        // Ten seconds are as good as for ever, and any dt then makes a duration.
        let interval = if self.speed == 0.0 { 0.0 } else { (dt / self.speed).clamp(0.0, 10.0) };
        self.due = (self.due + interval).max(now);
    }

    /// After a pause: now.
    pub fn restart(&mut self) {
        self.due = self.clock.seconds();
    }

    /// Is it time to show a frame? Not more often than anyone can see.
    pub fn show(&mut self) -> bool {
        let now = self.clock.seconds();
        let yes = self.shown.is_none_or(|s| now - s >= 0.95 / SHOWN);
        if yes {
            self.shown = Some(now);
        }
        yes
    }
}
