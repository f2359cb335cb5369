//! Accelerations of ADMM, all on s = Dx + u of its Douglas–Rachford form; see `term/mix.rs`.
//!
//! Anderson acceleration (Zhang et al. 2019): of the residuals r_k = W(G_k − s_k) of the last steps find θ = argmin |r − ΔR θ|,
//! and take s⁺ = G − ΔG θ. Safeguard: if a step so found has a larger residual than the one before, go back to the last plain
//! step and forget. Over-relaxation and Chebyshev's semi-iterative method (Wang 2015) are there to compare.

use crate::settings::{Acceleration, ContactMethod, SolveSettings};
use crate::solve::Problem;
use crate::term::MOST_MEMORY;
use crate::term::mix::{Change, Dots, Onward, Slots};

/// The state of an acceleration within a step.
#[derive(Clone, Copy, Debug)]
pub struct Accelerator {
    kind: Acceleration,
    memory: usize,
    relaxation: f64,
    radius: f64,
    /// ΔRᵢ·ΔRⱼ.
    gram: [[f64; MOST_MEMORY]; MOST_MEMORY],
    /// ΔRᵢ·r, and the last θ.
    with_residual: [f64; MOST_MEMORY],
    theta: [f64; MOST_MEMORY],
    /// Slots in use, and the one written last.
    used: usize,
    newest: usize,
    /// True if r and G of the last iteration are kept.
    known: bool,
    /// True if the last s was not a plain one.
    mixed: bool,
    /// |r| of the last iteration that was accepted.
    residual: f64,
    omega: f64,
    iteration: usize,
}

impl Accelerator {
    /// At the start of a step.
    pub fn new(s: &SolveSettings) -> Accelerator {
        Accelerator {
            // The terms of `local` contact are no part of what is accelerated.
            kind: if s.contact == ContactMethod::Local { Acceleration::None } else { s.acceleration },
            memory: s.memory.clamp(1, MOST_MEMORY),
            relaxation: s.relaxation,
            radius: s.spectral_radius,
            gram: [[0.0; MOST_MEMORY]; MOST_MEMORY],
            with_residual: [0.0; MOST_MEMORY],
            theta: [0.0; MOST_MEMORY],
            used: 0,
            newest: 0,
            known: false,
            mixed: false,
            residual: f64::INFINITY,
            omega: 1.0,
            iteration: 0,
        }
    }

    /// True if there is none.
    pub fn is_none(&self) -> bool {
        self.kind == Acceleration::None
    }

    /// What the look after a global step must keep for this acceleration.
    pub fn slots(&self) -> Option<Slots> {
        if self.kind != Acceleration::Anderson {
            return None;
        }
        if !self.known {
            return Some(Slots { newest: None, used: 0 });
        }
        let newest = if self.used == 0 { 0 } else { (self.newest + 1) % self.memory };
        Some(Slots { newest: Some(newest), used: (self.used + 1).min(self.memory) })
    }

    /// After the look that had [`Accelerator::slots`], `residual` being ‖W(Dx − z)‖ there: where the next local step starts.
    pub fn advance(&mut self, p: &mut Problem<'_>, residual: f64, dots: &Dots) -> Onward<'_> {
        self.iteration += 1;
        match self.kind {
            Acceleration::None => Onward::Kept(&[]),
            Acceleration::OverRelaxation => {
                p.terms.mix(p.x, Change::Relax(self.relaxation), p.exec);
                Onward::Plain
            }
            Acceleration::Chebyshev => {
                let rho2 = self.radius * self.radius;
                self.omega = match self.iteration {
                    1 => 1.0,
                    2 => 2.0 / (2.0 - rho2),
                    _ => 4.0 / (4.0 - rho2 * self.omega),
                };
                p.terms.mix(p.x, Change::Chebyshev(self.omega), p.exec);
                Onward::Plain
            }
            Acceleration::Anderson => self.anderson(residual, dots),
        }
    }

    fn anderson(&mut self, residual: f64, dots: &Dots) -> Onward<'_> {
        if self.mixed && !(residual <= self.residual) {
            (self.used, self.known, self.mixed) = (0, false, false);
            self.residual = f64::INFINITY;
            return Onward::Retreat;
        }
        self.residual = residual;
        self.mixed = false;
        let slots = self.slots();
        self.known = true;
        let Some(Slots { newest: Some(newest), used }) = slots else { return Onward::Kept(&[]) };
        (self.newest, self.used) = (newest, used);
        for j in 0..used {
            self.gram[j][newest] = dots.newest[j];
            self.gram[newest][j] = dots.newest[j];
            self.with_residual[j] += dots.newest[j];
        }
        self.with_residual[newest] = dots.residual;
        match least_squares(&self.gram, &self.with_residual, used) {
            Some(theta) => {
                self.theta = theta;
                self.mixed = true;
                Onward::Kept(&self.theta[..used])
            }
            None => {
                (self.used, self.newest) = (0, 0);
                Onward::Kept(&[])
            }
        }
    }
}

/// θ with ΔRᵀΔR θ = ΔRᵀr, by Cholesky after scaling to a unit diagonal; nearly dependent directions are damped.
fn least_squares(
    gram: &[[f64; MOST_MEMORY]; MOST_MEMORY],
    rhs: &[f64; MOST_MEMORY],
    n: usize,
) -> Option<[f64; MOST_MEMORY]> {
    const DAMPING: f64 = 1e-10;
    let mut scale = [0.0; MOST_MEMORY];
    let mut theta = [0.0; MOST_MEMORY];
    for i in 0..n {
        if !(gram[i][i] > 0.0 && gram[i][i].is_finite() && rhs[i].is_finite()) {
            return None;
        }
        scale[i] = 1.0 / gram[i][i].sqrt();
        theta[i] = rhs[i] * scale[i];
    }
    let mut l = [[0.0; MOST_MEMORY]; MOST_MEMORY];
    for j in 0..n {
        for i in j..n {
            let mut a = gram[i][j] * scale[i] * scale[j] + if i == j { DAMPING } else { 0.0 };
            for k in 0..j {
                a -= l[i][k] * l[j][k];
            }
            if i == j {
                if !(a > 0.0) {
                    return None;
                }
                l[j][j] = a.sqrt();
            } else {
                l[i][j] = a / l[j][j];
            }
        }
    }
    for i in 0..n {
        for k in 0..i {
            theta[i] -= l[i][k] * theta[k];
        }
        theta[i] /= l[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            theta[i] -= l[k][i] * theta[k];
        }
        theta[i] /= l[i][i];
    }
    for i in 0..n {
        theta[i] *= scale[i];
    }
    Some(theta)
}
