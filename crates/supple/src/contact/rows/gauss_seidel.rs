//! Signorini's and Coulomb's law for all contacts at once, by Gauss–Seidel over contacts.
//!
//! With the forces λ the nodes are at x_f + B⁻¹Cᵀ(λ − λ₀), B being the matrix of the step. So y = y_f + S(λ − λ₀) with the
//! Delassus operator S = C B⁻¹ Cᵀ, of which only the columns of contacts that ever bear a force are needed. For the matrix of
//! the global step the block of a contact with itself is s·I, and the law of one contact has a closed form,
//! λ = project(λ − y/s). For a Hessian, or with pins along axes, it is a 3×3 block, and the same map is iterated.

use super::anderson::Anderson;
use super::conjugate_gradients::{MANY, Many};
use super::delassus::block;
use super::semismooth_newton::{Dense, MOST};
use super::sticking::Stick;
use crate::contact::{Contact, Law, MOST_NODES};
use crate::math::nodes::Row;

/// Columns of B⁻¹.
pub trait Compliance {
    /// Numbers per pair of nodes: 1 for multiples of the identity, 3 for diagonals, 9 for blocks by columns.
    fn width(&self) -> usize;
    /// Makes the columns of these nodes.
    fn make(&mut self, nodes: &[u32]);
    /// The column of a node that was made, at each of `at`, in m/N.
    fn gather(&self, node: u32, at: &[u32], out: &mut Vec<f64>);
    /// How many nodes move.
    fn size(&self) -> usize;
    /// B⁻¹ of forces on the nodes that move, in place, in m.
    fn apply(&mut self, rows: &mut [Row]);
    /// About B times how far the nodes that move go, in N: with it conjugate gradients need fewer steps.
    fn resist(&self, rows: &[Row], out: &mut [Row]);
    /// About what the column of a node is at itself, for scale, in m/N; 0 for a node that does not move.
    fn own(&self, node: u32) -> f64;
    /// The same as long as the matrix is.
    fn version(&self) -> u64;
}

/// How the law was met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sweeps {
    /// Sweeps over all contacts.
    pub sweeps: usize,
    /// Largest change of the last one, s|Δλ| in m.
    pub change: f64,
    /// Largest change of a force in the last one, relative to the largest force.
    pub force: f64,
    /// True if both changes are within the tolerance.
    pub met: bool,
}

/// A contact as S sees it.
pub(in crate::contact) type Seen = ([u32; MOST_NODES], [f64; MOST_NODES]);

pub(in crate::contact) fn seen(c: &Contact) -> Seen {
    (c.nodes, c.weights)
}

/// A node that is not among those that move.
pub(in crate::contact) const FIXED: u32 = u32::MAX;

/// Up to this many contacts sweeps are tried where the method for many has failed.
const MOST_SWEPT: usize = 500;

/// Sweeps before acceleration begins.
const PLAIN: usize = 6;

/// Sweeps after which Newton's method is tried, and again after as many more.
const PATIENCE: usize = 12;

/// Memory of the method; columns stay while contacts and matrix do.
#[derive(Debug, Default)]
pub(in crate::contact) struct GaussSeidel {
    pub(in crate::contact) width: usize,
    /// Of the matrix whose columns are here.
    version: u64,
    /// Nodes of contacts that move.
    pub(in crate::contact) nodes: Vec<u32>,
    /// The nodes of each contact by their numbers in `nodes`.
    pub(in crate::contact) local: Vec<[u32; MOST_NODES]>,
    /// Column of B⁻¹ of each node, at all nodes; empty until it is needed.
    pub(in crate::contact) inverse: Vec<Vec<f64>>,
    /// Column of S of each contact, at all contacts, which are as `seen`; empty until it is needed.
    pub(in crate::contact) columns: Vec<Vec<f64>>,
    seen: Vec<Seen>,
    /// C B⁻¹Cᵀ(λ − λ₀) of each contact in world coordinates.
    pub(in crate::contact) moved: Vec<Row>,
    /// λ₀, y_f, and a bound of the block of the contact with itself, 0 until it is needed.
    pub(in crate::contact) first: Vec<[f64; 3]>,
    pub(in crate::contact) free: Vec<[f64; 3]>,
    pub(in crate::contact) bound: Vec<f64>,
    pub(in crate::contact) wanted: Vec<u32>,
    pub(in crate::contact) combined: Vec<f64>,
    pub(in crate::contact) anderson: Anderson,
    pub(in crate::contact) dense: Dense,
    pub(in crate::contact) stick: Stick,
    pub(in crate::contact) many: Many,
    /// True if the bounds are those of many contacts, which have no columns.
    without_columns: bool,
    pub(in crate::contact) trial: Vec<[f64; 3]>,
    pub(in crate::contact) before: Vec<f64>,
    pub(in crate::contact) after: Vec<f64>,
    pub(in crate::contact) weight: Vec<f64>,
    pub(in crate::contact) mixed: Vec<f64>,
}

impl GaussSeidel {
    /// A step begins.
    pub fn begin_step(&mut self) {
        self.stick.begin();
    }

    /// Takes another set of contacts; `free` nodes of the system move.
    pub fn begin(&mut self, contacts: &[Contact], free: usize) {
        let before = std::mem::take(&mut self.nodes);
        for c in contacts {
            self.nodes.extend(c.nodes[..c.count as usize].iter().filter(|&&i| (i as usize) < free));
        }
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.local.clear();
        for c in contacts {
            let mut local = [FIXED; MOST_NODES];
            for k in 0..c.count as usize {
                local[k] = self.nodes.binary_search(&c.nodes[k]).map_or(FIXED, |i| i as u32);
            }
            self.local.push(local);
        }
        if self.nodes != before {
            self.inverse.iter_mut().for_each(Vec::clear);
        }
        self.inverse.resize_with(self.nodes.len(), Vec::new);
        self.look(contacts);
    }

    /// Forgets all columns: the matrix is another.
    pub fn forget(&mut self) {
        self.inverse.iter_mut().for_each(Vec::clear);
        self.seen.clear();
        self.bound.fill(0.0);
    }

    /// Forgets the columns of S if the contacts are not those of before.
    fn look(&mut self, contacts: &[Contact]) {
        if !contacts.iter().map(seen).eq(self.seen.iter().copied()) {
            self.seen.clear();
            self.seen.extend(contacts.iter().map(seen));
            self.columns.resize_with(contacts.len(), Vec::new);
            self.columns.iter_mut().for_each(Vec::clear);
            self.bound.clear();
            self.bound.resize(contacts.len(), 0.0);
        }
    }

    /// A bound of the contact's own block in m/N; 0 where it was never needed.
    pub fn bound(&self, contact: usize) -> f64 {
        self.bound.get(contact).copied().unwrap_or(0.0)
    }

    /// Sets the bound of a contact's own block, for those who do not solve here.
    pub fn set_bound(&mut self, contact: usize, bound: f64) {
        if let Some(b) = self.bound.get_mut(contact) {
            *b = bound;
        }
    }

    /// Changes the forces of the contacts, whose y at x_f is given, so that all laws hold within a tolerance: `tolerance` is a share
    /// of the length `edge`, and of the largest force.
    pub fn solve(
        &mut self,
        contacts: &mut [Contact],
        gaps: impl Iterator<Item = [f64; 3]>,
        compliance: &mut dyn Compliance,
        (tolerance, edge, most): (f64, f64, usize),
    ) -> Sweeps {
        if (self.width, self.version) != (compliance.width(), compliance.version()) {
            self.forget();
            (self.width, self.version) = (compliance.width(), compliance.version());
        }
        self.look(contacts);
        self.free.clear();
        self.free.extend(gaps);
        self.first.clear();
        self.first.extend(contacts.iter().map(|c| c.force));
        self.moved.clear();
        self.moved.resize(contacts.len(), Row::default());
        // Those that will surely be needed, all at once.
        let needed = |(c, y): (&Contact, &[f64; 3])| {
            y[0] < 0.0 || c.force != [0.0; 3] || matches!(c.law, Law::Hold(_))
        };
        let needed: Vec<usize> =
            contacts.iter().zip(&self.free).enumerate().filter(|(_, p)| needed(*p)).map(|(i, _)| i).collect();
        if std::mem::take(&mut self.without_columns) {
            self.forget();
            self.look(contacts);
        }
        let many = needed.len() >= MANY;
        let may_stick = self.width == 1 && self.stick.candidates(contacts, &needed);
        if !many || may_stick {
            self.activate(contacts, &needed, compliance);
        }
        if may_stick
            && let Some(sweeps) = self.stick(contacts, &needed, compliance, (tolerance, tolerance * edge))
        {
            return Sweeps { sweeps, met: true, ..Sweeps::default() };
        }
        let mut done = 0;
        if many {
            self.without_columns = true;
            let result = self.solve_many(contacts, compliance, tolerance * edge);
            if result.met || needed.len() > MOST_SWEPT {
                return result;
            }
            done = result.sweeps;
            self.without_columns = false;
            self.forget();
            self.look(contacts);
            self.activate(contacts, &needed, compliance);
            self.replay(contacts);
        }
        self.anderson.restart();
        let mut result = Sweeps::default();
        let (mut last, mut mixed) = (f64::INFINITY, false);
        while result.sweeps < most {
            flatten(contacts, &mut self.before);
            (result.change, result.force) = self.sweep(contacts, compliance);
            result.sweeps += 1;
            // What rounding leaves of positions is no change; and linearly dependent contacts share their forces slowly.
            let force =
                result.force <= tolerance || result.change <= 1e-14 * edge || result.sweeps > 5 * PATIENCE;
            if result.change <= tolerance * edge && force {
                result.met = true;
                break;
            }
            if result.sweeps < PLAIN || result.sweeps + 1 >= most {
                continue;
            }
            if (PATIENCE..=3 * PATIENCE).contains(&result.sweeps)
                && result.sweeps.is_multiple_of(PATIENCE)
                && self.newton(contacts, tolerance * edge)
            {
                self.anderson.restart();
                (last, mixed) = (f64::INFINITY, false);
                continue;
            }
            self.weigh();
            flatten(contacts, &mut self.after);
            let size = self.distance();
            if mixed && !(size <= last) {
                // Worse than before: from this plain sweep on without what was learned.
                self.anderson.restart();
                (last, mixed) = (f64::INFINITY, false);
                continue;
            }
            last = size;
            self.mixed.resize(self.after.len(), 0.0);
            mixed = self.anderson.next(&self.before, &self.after, Some(&self.weight), &mut self.mixed);
            if mixed {
                for (i, c) in contacts.iter_mut().enumerate() {
                    c.force =
                        c.law.project([self.mixed[3 * i], self.mixed[3 * i + 1], self.mixed[3 * i + 2]]);
                }
                self.replay(contacts);
            }
        }
        result.sweeps += done;
        result
    }

    /// Newton steps while they help. False if there was none.
    fn newton(&mut self, contacts: &mut [Contact], tolerance: f64) -> bool {
        let mut helped = false;
        let mut size = self.violation(contacts);
        for _ in 0..10 {
            let which: Vec<usize> = (0..contacts.len())
                .filter(|&i| {
                    let held = matches!(contacts[i].law, Law::Hold(_));
                    let bears = held || contacts[i].force != [0.0; 3] || self.gap(contacts, i)[0] < 0.0;
                    self.bound[i] > 0.0 && !self.columns[i].is_empty() && bears
                })
                .collect();
            if which.is_empty() || which.len() > MOST {
                return helped;
            }
            let mut dense = std::mem::take(&mut self.dense);
            let step = dense.step(
                contacts,
                &which,
                |i| (self.gap(contacts, i), self.bound[i]),
                |i, j| self.between(contacts, i, j),
            );
            self.trial.clear();
            self.trial.extend(contacts.iter().map(|c| c.force));
            let mut better = false;
            if let Some(step) = step {
                let mut share = 1.0;
                while share > 0.1 && !better {
                    for (k, &i) in which.iter().enumerate() {
                        let f = std::array::from_fn(|c| self.trial[i][c] + share * step[3 * k + c]);
                        contacts[i].force = contacts[i].law.project(f);
                    }
                    self.replay(contacts);
                    let now = self.violation(contacts);
                    better = now < 0.9 * size;
                    if better {
                        size = now;
                    }
                    share *= 0.5;
                }
            }
            self.dense = dense;
            if !better {
                for (c, f) in contacts.iter_mut().zip(&self.trial) {
                    c.force = *f;
                }
                self.replay(contacts);
                return helped;
            }
            helped = true;
            if size <= 1e-6 * tolerance {
                return true;
            }
        }
        helped
    }

    /// √Σ|s(λ − project(λ − y/s))|², in m.
    fn violation(&self, contacts: &[Contact]) -> f64 {
        (0..contacts.len()).map(|i| self.off(contacts, i).powi(2)).fold(0.0, |a, b| a + b).sqrt()
    }

    /// One sweep; the largest s|Δλ|, and the largest |Δλ| relative to the largest |λ|.
    fn sweep(&mut self, contacts: &mut [Contact], compliance: &mut dyn Compliance) -> (f64, f64) {
        let (mut most, mut force_change, mut largest) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..contacts.len() {
            let mut y = self.gap(contacts, i);
            let idle = contacts[i].force == [0.0; 3] && matches!(contacts[i].law, Law::Coulomb(_));
            if idle && y[0] >= 0.0 {
                continue;
            }
            if self.columns[i].is_empty() {
                self.activate(contacts, &[i], compliance);
            }
            let s = self.bound[i];
            if !(s > 0.0 && s.is_finite()) {
                continue;
            }
            let c = contacts[i];
            let mut force = c.force;
            // With blocks the closed form is only a step.
            let steps = if self.width == 1 { 1 } else { 20 };
            for _ in 0..steps {
                let next = c.law.project(std::array::from_fn(|k| force[k] - y[k] / s));
                let change: [f64; 3] = std::array::from_fn(|k| next[k] - force[k]);
                force = next;
                if self.width > 1 {
                    let moved = c.to_local(block(&self.world(i, i), c.to_world(change)));
                    y = std::array::from_fn(|k| y[k] + moved[k]);
                }
                if length(change) <= 1e-13 * length(force) {
                    break;
                }
            }
            let change: [f64; 3] = std::array::from_fn(|k| force[k] - c.force[k]);
            largest = largest.max(length(force)).max(length(c.force));
            if change == [0.0; 3] {
                continue;
            }
            most = most.max(s * length(change));
            force_change = force_change.max(length(change));
            contacts[i].force = force;
            self.push(i, c.to_world(change));
        }
        (most, if largest > 0.0 { force_change / largest } else { 0.0 })
    }

    fn weigh(&mut self) {
        self.weight.clear();
        for s in &self.bound {
            self.weight.extend([s.sqrt(); 3]);
        }
    }

    /// |√s (after − before)|.
    fn distance(&self) -> f64 {
        let parts = self.before.iter().zip(&self.after).zip(&self.weight);
        parts.map(|((b, a), w)| (w * (a - b)).powi(2)).fold(0.0, |a, b| a + b).sqrt()
    }
}

fn flatten(contacts: &[Contact], out: &mut Vec<f64>) {
    out.clear();
    out.extend(contacts.iter().flat_map(|c| c.force));
}

pub(in crate::contact) fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
