//! Contacts most of which stick: Gauss–Seidel over those that do not.
//!
//! The matrix of the global step acts alike on x, y and z, and so does S = C B⁻¹ Cᵀ: one number per pair of contacts, whatever
//! their normals are. Where forces are known as functions of what the contacts do, λ = λ₀ + G(y − y_f) with G = S⁻¹, those that
//! stick have y = 0 and need nothing; of one that does not, λ' being its force less its own part g·y, the law
//! says λ = project(λ') and y = (λ − λ')/g. G falls off much faster than S does from contact to contact, so few rounds are
//! enough; at rest there is none.

use super::delassus::Push;
use super::gauss_seidel::{Compliance, GaussSeidel, Seen, length, seen};
use crate::contact::{Contact, Law};
use crate::math::lane::{Kernel, dispatch};
use crate::math::nodes::Row;
use crate::math::real::Real;

/// Fewer are found as fast by sweeps; more take too long to invert.
const RANGE: std::ops::RangeInclusive<usize> = 12..=500;

/// Solves that are left to sweeps after one that was not as hoped.
const PATIENCE: usize = 10;

/// Updates of single contacts, per contact, after which sweeps shall go on.
const MOST_UPDATES: usize = 40;

/// Times that contacts which were entered are added.
const MOST_GROWTHS: usize = 4;

/// A contact of which the others leave no more than this share of its own compliance is linearly dependent on them.
const DEPENDENT: f64 = 1e-6;

/// G = S⁻¹ of some contacts, and what they do.
#[derive(Debug, Default)]
pub(in crate::contact) struct Stick {
    /// The contacts by their numbers, and as they were.
    which: Vec<usize>,
    seen: Vec<Seen>,
    version: u64,
    /// Rows of G.
    inverse: Vec<Vec<f64>>,
    /// True before the first solve of a step.
    first: bool,
    /// True if there are more than at a step's first solve: the next step then begins anew, so that its last digit does
    /// not depend on what was before.
    grown: bool,
    wait: usize,
    /// λ of each in world coordinates in N, y in its own in m, and memory for a column of S.
    force: Vec<Row>,
    slip: Vec<[f64; 3]>,
    column: Vec<f64>,
}

impl Stick {
    /// A step begins.
    pub fn begin(&mut self) {
        (self.first, self.wait) = (true, 0);
    }

    /// True if it is worth a try: all contacts that bear a force or are entered could stick.
    pub fn candidates(&mut self, contacts: &[Contact], needed: &[usize]) -> bool {
        let could = |&i: &usize| match contacts[i].law {
            Law::Coulomb(mu) => mu > 0.0,
            Law::Hold(count) => count == 3,
        };
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        RANGE.contains(&needed.len()) && needed.iter().all(could)
    }

    /// G of those that are needed, and of others that were in this step. `between` gives the numbers of S, `version` is that of the
    /// matrix. False if contacts say nearly the same as others, as two of one node do.
    fn arrange(
        &mut self,
        contacts: &[Contact],
        needed: &[usize],
        version: u64,
        between: impl Fn(usize, usize) -> f64,
    ) -> bool {
        let known = |&i: &usize| contacts.get(i).map(seen);
        let same =
            self.version == version && self.which.iter().map(known).eq(self.seen.iter().map(|&s| Some(s)));
        if !same || (self.first && (self.grown || self.which != needed)) {
            (self.version, self.grown) = (version, false);
            self.which.clear();
            self.seen.clear();
            self.inverse.clear();
            self.slip.clear();
        }
        if std::mem::take(&mut self.first) {
            self.slip.clear();
        }
        let first = self.which.len();
        let mut there = vec![false; contacts.len()];
        self.which.iter().for_each(|&i| there[i] = true);
        for &i in needed {
            if there[i] {
                continue;
            }
            self.column.clear();
            self.column.extend(self.which.iter().map(|&j| between(i, j)));
            if !self.append(between(i, i)) {
                self.seen.clear();
                return false;
            }
            self.grown |= first > 0;
            self.which.push(i);
            self.seen.push(seen(&contacts[i]));
        }
        true
    }

    /// One more contact by the bordering method: its numbers in S with the others are in `column`.
    fn append(&mut self, own: f64) -> bool {
        let n = self.inverse.len();
        let mut g = vec![0.0; n];
        dispatch(Combine { rows: &self.inverse, by: &self.column, out: &mut g });
        let rest = own - g.iter().zip(&self.column).map(|(g, s)| g * s).fold(0.0, |a, b| a + b);
        if !(rest > DEPENDENT * own) {
            return false;
        }
        dispatch(Spread { rows: &mut self.inverse, by: &g, share: 1.0 / rest });
        for (row, g) in self.inverse.iter_mut().zip(&g) {
            row.push(-g / rest);
        }
        g.iter_mut().for_each(|g| *g /= -rest);
        g.push(1.0 / rest);
        self.inverse.push(g);
        true
    }

    /// λ = λ₀ + G(y − y_f), then rounds over those that do not stick until the law holds within a share of the largest force and a length.
    /// How many rounds; none if that takes too long.
    fn rounds(
        &mut self,
        contacts: &[Contact],
        free: &[[f64; 3]],
        (share, within): (f64, f64),
    ) -> Option<usize> {
        self.slip.resize(self.which.len(), [0.0; 3]);
        self.force.clear();
        self.force.extend(self.which.iter().map(|&i| Row::new(contacts[i].to_world(contacts[i].force))));
        for (k, &i) in self.which.iter().enumerate() {
            let (y, f) = (self.slip[k], free[i]);
            let d = contacts[i].to_world([y[0] - f[0], y[1] - f[1], y[2] - f[2]]);
            dispatch(Push { width: 1, column: &self.inverse[k], force: Row::new(d), moved: &mut self.force });
        }
        let mut left = MOST_UPDATES * self.which.len();
        for round in 1.. {
            let (mut way, mut change, mut largest) = (0.0f64, 0.0f64, 0.0f64);
            for (k, &i) in self.which.iter().enumerate() {
                let (c, g, y) = (&contacts[i], self.inverse[k][k], self.slip[k]);
                let force = c.to_local(self.force[k].xyz());
                let without = std::array::from_fn(|d| force[d] - g * y[d]);
                let next = c.law.project(without);
                let slip: [f64; 3] = std::array::from_fn(|d| (next[d] - without[d]) / g);
                let step: [f64; 3] = std::array::from_fn(|d| slip[d] - y[d]);
                largest = largest.max(length(next));
                if step == [0.0; 3] {
                    continue;
                }
                way = way.max(length(step));
                change = change.max(g * length(step));
                self.slip[k] = slip;
                let step = Row::new(c.to_world(step));
                dispatch(Push { width: 1, column: &self.inverse[k], force: step, moved: &mut self.force });
                left = left.saturating_sub(1);
            }
            if way <= within && change <= share * largest {
                return Some(round);
            }
            if left == 0 {
                return None;
            }
        }
        None
    }
}

/// out = Σ rows · by.
struct Combine<'a> {
    rows: &'a [Vec<f64>],
    by: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for Combine<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for (row, by) in self.rows.iter().zip(self.by) {
            for (o, r) in self.out.iter_mut().zip(row) {
                *o += by * r;
            }
        }
    }
}

/// rows += share · by byᵀ.
struct Spread<'a> {
    rows: &'a mut [Vec<f64>],
    by: &'a [f64],
    share: f64,
}

impl Kernel for Spread<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for (row, by) in self.rows.iter_mut().zip(self.by) {
            let share = self.share * by;
            for (r, b) in row.iter_mut().zip(self.by) {
                *r += share * b;
            }
        }
    }
}

impl GaussSeidel {
    /// Looks for forces with which the law holds, most of the contacts that are needed sticking. How many rounds it took; none, and nothing has
    /// changed, if it did not get there.
    pub(in crate::contact) fn stick(
        &mut self,
        contacts: &mut [Contact],
        needed: &[usize],
        compliance: &mut dyn Compliance,
        (share, tolerance): (f64, f64),
    ) -> Option<usize> {
        let mut stick = std::mem::take(&mut self.stick);
        let mut needed = needed.to_vec();
        let (mut rounds, mut met) = (0, false);
        for _ in 0..MOST_GROWTHS {
            if !stick.arrange(contacts, &needed, compliance.version(), |i, j| self.number(i, j)) {
                stick.wait = usize::MAX;
                break;
            }
            self.activate(contacts, &stick.which, compliance);
            for (c, first) in contacts.iter_mut().zip(&self.first) {
                c.force = *first;
            }
            let done = stick.rounds(contacts, &self.free, (share, 0.1 * tolerance));
            for (k, &i) in stick.which.iter().enumerate() {
                contacts[i].force = contacts[i].law.project(contacts[i].to_local(stick.force[k].xyz()));
            }
            self.replay(contacts);
            let Some(done) = done else { break };
            rounds += done;
            needed.clear();
            needed.extend((0..contacts.len()).filter(|&i| self.off(contacts, i) > tolerance));
            met = needed.is_empty();
            if met || needed.iter().any(|i| stick.which.contains(i)) {
                break;
            }
            self.activate(contacts, &needed, compliance);
        }
        if !met {
            stick.wait = stick.wait.max(PATIENCE);
            for (c, first) in contacts.iter_mut().zip(&self.first) {
                c.force = *first;
            }
            self.moved.fill(Row::default());
        }
        self.stick = stick;
        met.then_some(rounds)
    }

    /// s|λ − project(λ − y/s)| of a contact in m, or how far it is entered if it bears no force.
    pub(in crate::contact) fn off(&self, contacts: &[Contact], i: usize) -> f64 {
        let (c, y, s) = (&contacts[i], self.gap(contacts, i), self.bound[i]);
        if s > 0.0 {
            let q = c.law.project(std::array::from_fn(|k| c.force[k] - y[k] / s));
            s * length(std::array::from_fn(|k| c.force[k] - q[k]))
        } else {
            (-y[0]).max(0.0)
        }
    }
}
