//! The law of many contacts at once, without columns: gradient projection and conjugate gradients (Moré & Toraldo 1991).
//!
//! Sweeps over n contacts cost n², and the more there are the more sweeps are needed. With the friction that the last normal forces allow,
//! |λ_t| ≤ r = μλ_n, the law says that λ minimises ½(λ − λ₀)ᵀS(λ − λ₀) + y_fᵀ(λ − λ₀) over half-lines and discs; its gradient is y. Steps along
//! the projected gradient find which contacts are open, stick or slip; conjugate gradients, which apply S = C B⁻¹ Cᵀ by the factor of B,
//! then solve for the others; r follows. What slips may turn: along the circle the curvature is |y_t|/r more.

use super::gauss_seidel::{Compliance, GaussSeidel, Sweeps, length};
use crate::contact::{Contact, Law};
use crate::math::nodes::Row;

/// From this many contacts that bear a force on, sweeps are slower.
pub(in crate::contact) const MANY: usize = 250;

/// Cycles, and how many without a gain end the search.
const MOST_CYCLES: usize = 80;
const PATIENCE: usize = 12;

/// Steps of gradient projection per cycle, and of conjugate gradients.
const MOST_STEPS: usize = 2;
const MOST_GRADIENTS: usize = 100;

/// Of what they are preconditioned with, this much is the diagonal.
const DIAGONAL: f64 = 0.1;

/// How far conjugate gradients reduce what is left, as long as contacts still change what they do.
const REDUCED: f64 = 0.1;

/// What is unknown about the force of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Face {
    normal: bool,
    tangent: Tangent,
}

/// What the force along the surface may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Tangent {
    /// None: as there is no friction, or no force.
    #[default]
    Held,
    /// The first, or both components.
    Free(bool, bool),
    /// On the circle: it turns in this direction.
    Turns([f64; 2]),
}

/// Memory of the method. Vectors are in the frames of the contacts.
#[derive(Debug, Default)]
pub(in crate::contact) struct Many {
    rows: Vec<Row>,
    resisting: Vec<Row>,
    /// Scale of each contact's own block in m/N, and the friction that is allowed in N.
    scale: Vec<f64>,
    radius: Vec<f64>,
    y: Vec<[f64; 3]>,
    face: Vec<Face>,
    last_face: Vec<Face>,
    /// Curvature of the circle where a contact turns, in m/N.
    bend: Vec<f64>,
    direction: Vec<[f64; 3]>,
    moved: Vec<[f64; 3]>,
    residual: Vec<[f64; 3]>,
    search: Vec<[f64; 3]>,
    trial: Vec<[f64; 3]>,
    image: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    /// How often S was applied.
    applied: usize,
}

impl Many {
    /// S v, to `out`.
    fn apply(
        &mut self,
        contacts: &[Contact],
        v: &[[f64; 3]],
        compliance: &mut dyn Compliance,
        out: &mut Vec<[f64; 3]>,
    ) {
        self.applied += 1;
        self.rows.clear();
        self.rows.resize(compliance.size(), Row::default());
        for (c, v) in contacts.iter().zip(v).filter(|(_, v)| **v != [0.0; 3]) {
            add_to(c, 1.0, c.to_world(*v), &mut self.rows);
        }
        compliance.apply(&mut self.rows);
        out.clear();
        out.extend(contacts.iter().map(|c| c.to_local(seen_by(c, &self.rows))));
    }

    /// Scales of the contacts' own blocks: the diagonal of the matrix, times what one column says of it.
    fn measure(&mut self, contacts: &[Contact], compliance: &mut dyn Compliance) {
        self.scale.clear();
        self.scale.extend(contacts.iter().map(|c| {
            let own = |k: usize| c.weights[k] * c.weights[k] * compliance.own(c.nodes[k]);
            (0..c.count as usize).map(own).sum::<f64>().max(f64::MIN_POSITIVE)
        }));
        let sample = contacts.len() / 2;
        let mut unit = vec![[0.0; 3]; contacts.len()];
        unit[sample] = [1.0, 0.0, 0.0];
        let mut image = std::mem::take(&mut self.image);
        self.apply(contacts, &unit, compliance, &mut image);
        let ratio = (image[sample][0] / self.scale[sample]).clamp(1.0, 1e3);
        self.image = image;
        self.scale.iter_mut().for_each(|s| *s *= ratio);
    }

    /// max s|λ − project(λ − y/s)|, in m.
    fn violation(&self, contacts: &[Contact]) -> f64 {
        let mut most = 0.0f64;
        for ((c, y), &s) in contacts.iter().zip(&self.y).zip(&self.scale) {
            let q = c.law.project(std::array::from_fn(|k| c.force[k] - y[k] / s));
            let part = s * length(std::array::from_fn(|k| c.force[k] - q[k]));
            most = if part.is_nan() { f64::INFINITY } else { most.max(part) };
        }
        most
    }

    /// Goes from the forces as they are along the direction, whose image under S is in `moved`, as far as the energy falls; what leaves its
    /// set goes to its border. False if it does not fall.
    fn advance(&mut self, contacts: &mut [Contact], compliance: &mut dyn Compliance, mut share: f64) -> bool {
        let (mut trial, mut image) = (std::mem::take(&mut self.trial), std::mem::take(&mut self.image));
        let mut fell = false;
        for _ in 0..4 {
            let mut stays = true;
            trial.clear();
            for ((c, d), &r) in contacts.iter().zip(&self.direction).zip(&self.radius) {
                let q: [f64; 3] = std::array::from_fn(|k| c.force[k] + share * d[k]);
                let p = clamp(c.law, r, q);
                stays &= p == q;
                trial.push(std::array::from_fn(|k| p[k] - c.force[k]));
            }
            if stays {
                image.clear();
                image.extend(self.moved.iter().map(|m| m.map(|m| share * m)));
            } else {
                self.apply(contacts, &trial, compliance, &mut image);
            }
            let parts = trial.iter().zip(&self.y).zip(&image);
            let change: f64 = parts.map(|((t, y), i)| dot(t, y) + 0.5 * dot(t, i)).sum();
            if change < 0.0 {
                for (c, t) in contacts.iter_mut().zip(&trial) {
                    c.force = std::array::from_fn(|k| c.force[k] + t[k]);
                }
                add(&mut self.y, 1.0, &image);
                fell = true;
                break;
            }
            share *= 0.25;
        }
        (self.trial, self.image) = (trial, image);
        fell
    }

    /// What is unknown of each force, from where it is and where the energy falls.
    fn look(&mut self, contacts: &[Contact]) {
        std::mem::swap(&mut self.face, &mut self.last_face);
        self.face.clear();
        self.bend.clear();
        for ((c, y), &r) in contacts.iter().zip(&self.y).zip(&self.radius) {
            let mut bend = 0.0;
            self.face.push(match c.law {
                Law::Hold(count) => Face { normal: count > 0, tangent: Tangent::Free(count > 1, count > 2) },
                Law::Coulomb(_) => {
                    let normal = c.force[0] > 0.0 || y[0] < 0.0;
                    let size = (c.force[1] * c.force[1] + c.force[2] * c.force[2]).sqrt();
                    let outward = c.force[1] * y[1] + c.force[2] * y[2] < 0.0;
                    let tangent = if r == 0.0 {
                        Tangent::Held
                    } else if size < r * (1.0 - 1e-9) || !outward {
                        Tangent::Free(true, true)
                    } else {
                        bend = (y[1] * y[1] + y[2] * y[2]).sqrt() / r;
                        Tangent::Turns([-c.force[2] / size, c.force[1] / size])
                    };
                    Face { normal, tangent }
                }
            });
            self.bend.push(bend);
        }
    }

    /// True if the same components are unknown as before; directions may differ.
    fn same_faces(&self) -> bool {
        let alike = |(a, b): (&Face, &Face)| {
            let turn = matches!((a.tangent, b.tangent), (Tangent::Turns(_), Tangent::Turns(_)));
            a.normal == b.normal && (turn || a.tangent == b.tangent)
        };
        self.face.len() == self.last_face.len() && self.face.iter().zip(&self.last_face).all(alike)
    }

    /// The part of a vector that may change.
    fn free(face: &Face, v: [f64; 3]) -> [f64; 3] {
        let n = if face.normal { v[0] } else { 0.0 };
        match face.tangent {
            Tangent::Held => [n, 0.0, 0.0],
            Tangent::Free(a, b) => [n, if a { v[1] } else { 0.0 }, if b { v[2] } else { 0.0 }],
            Tangent::Turns(t) => {
                let along = t[0] * v[1] + t[1] * v[2];
                [n, along * t[0], along * t[1]]
            }
        }
    }

    /// One step along the projected gradient, as far as is best along its straight part.
    fn descend(&mut self, contacts: &mut [Contact], compliance: &mut dyn Compliance) -> bool {
        self.look(contacts);
        self.direction.clear();
        for ((face, y), &s) in self.face.iter().zip(&self.y).zip(&self.scale) {
            self.direction.push(Many::free(face, y.map(|y| -y / s)));
        }
        let (direction, mut moved) = (std::mem::take(&mut self.direction), std::mem::take(&mut self.moved));
        self.apply(contacts, &direction, compliance, &mut moved);
        let (mut slope, mut curve) = (0.0, 0.0);
        for (((d, y), m), &b) in direction.iter().zip(&self.y).zip(&moved).zip(&self.bend) {
            slope -= dot(d, y);
            curve += dot(d, m) + b * (d[1] * d[1] + d[2] * d[2]);
        }
        (self.direction, self.moved) = (direction, moved);
        slope > 0.0 && curve > 0.0 && self.advance(contacts, compliance, slope / curve)
    }

    /// About S⁻¹ of the residual, as for domains that are torn apart (Farhat & Roux 1991): C B Cᵀ with weights that give the place of a
    /// contact what they take from it, and some of 1/(s + κ), κ being the curvature of the circle.
    fn precondition(&mut self, contacts: &[Contact], compliance: &dyn Compliance, out: &mut Vec<[f64; 3]>) {
        self.rows.clear();
        self.rows.resize(compliance.size(), Row::default());
        self.resisting.resize(compliance.size(), Row::default());
        let share = |c: &Contact| 1.0 / c.weights[..c.count as usize].iter().map(|w| w * w).sum::<f64>();
        // Where it turns the circle is what resists; half of that here and half below, so that it stays symmetric.
        let turn = |s: f64, b: f64| (s / (s + b)).sqrt();
        for (i, c) in contacts.iter().enumerate() {
            let (r, part) = (self.residual[i], turn(self.scale[i], self.bend[i]));
            add_to(c, share(c), c.to_world([r[0], part * r[1], part * r[2]]), &mut self.rows);
        }
        compliance.resist(&self.rows, &mut self.resisting);
        out.clear();
        for (i, c) in contacts.iter().enumerate() {
            let f = c.to_local(seen_by(c, &self.resisting)).map(|f| share(c) * f);
            let (r, s, b) = (self.residual[i], self.scale[i], self.bend[i]);
            let part = turn(s, b);
            let normal = f[0] + DIAGONAL * r[0] / s;
            let along = |d: usize| part * f[d] + DIAGONAL * r[d] / (s + b);
            out.push(Many::free(&self.face[i], [normal, along(1), along(2)]));
        }
    }

    /// Conjugate gradients for the unknown forces; then as far as the energy falls.
    fn solve(&mut self, contacts: &mut [Contact], compliance: &mut dyn Compliance, tolerance: f64) -> bool {
        self.look(contacts);
        let n = contacts.len();
        let largest = |r: &[[f64; 3]]| r.iter().map(|r| length(*r)).fold(0.0, f64::max);
        self.residual.clear();
        self.residual.extend(self.face.iter().zip(&self.y).map(|(face, y)| Many::free(face, y.map(|y| -y))));
        let first = largest(&self.residual);
        let enough = if self.same_faces() { 0.1 * tolerance } else { (0.1 * tolerance).max(REDUCED * first) };
        self.direction.clear();
        self.direction.resize(n, [0.0; 3]);
        self.moved.clear();
        self.moved.resize(n, [0.0; 3]);
        let mut search = std::mem::take(&mut self.search);
        let mut image = std::mem::take(&mut self.image);
        let mut z = std::mem::take(&mut self.trial);
        self.precondition(contacts, compliance, &mut z);
        search.clear();
        search.extend_from_slice(&z);
        let mut rz: f64 = self.residual.iter().zip(&search).map(|(r, z)| dot(r, z)).sum();
        for _ in 0..MOST_GRADIENTS {
            if !(largest(&self.residual) > enough) {
                break;
            }
            self.apply(contacts, &search, compliance, &mut image);
            let mut curve = 0.0;
            for ((p, q), &b) in search.iter().zip(&image).zip(&self.bend) {
                curve += dot(p, q) + b * (p[1] * p[1] + p[2] * p[2]);
            }
            if !(curve > 0.0) {
                break;
            }
            let length = rz / curve;
            add(&mut self.direction, length, &search);
            add(&mut self.moved, length, &image);
            for i in 0..n {
                let b = self.bend[i];
                let (p, q) = (search[i], image[i]);
                let full = [q[0], q[1] + b * p[1], q[2] + b * p[2]];
                let q = Many::free(&self.face[i], full);
                for d in 0..3 {
                    self.residual[i][d] -= length * q[d];
                }
            }
            self.precondition(contacts, compliance, &mut z);
            let next: f64 = self.residual.iter().zip(&z).map(|(r, z)| dot(r, z)).sum();
            for (s, z) in search.iter_mut().zip(&z) {
                for d in 0..3 {
                    s[d] = z[d] + next / rz * s[d];
                }
            }
            rz = next;
        }
        (self.search, self.image, self.trial) = (search, image, z);
        self.advance(contacts, compliance, 1.0)
    }
}

/// Adds a force on a contact to its nodes.
fn add_to(c: &Contact, share: f64, force: [f64; 3], rows: &mut [Row]) {
    for k in 0..c.count as usize {
        if let Some(row) = rows.get_mut(c.nodes[k] as usize) {
            for d in 0..3 {
                row.0[d] += share * c.weights[k] * force[d];
            }
        }
    }
}

/// What a contact sees of its nodes' rows.
fn seen_by(c: &Contact, rows: &[Row]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for k in 0..c.count as usize {
        if let Some(row) = rows.get(c.nodes[k] as usize) {
            for d in 0..3 {
                sum[d] += c.weights[k] * row.0[d];
            }
        }
    }
    sum
}

/// The force that is next to q, with no more than `radius` along the surface.
fn clamp(law: Law, radius: f64, q: [f64; 3]) -> [f64; 3] {
    match law {
        Law::Hold(_) => q,
        Law::Coulomb(_) => {
            let size = (q[1] * q[1] + q[2] * q[2]).sqrt();
            let share = if size > radius { radius / size } else { 1.0 };
            [q[0].max(0.0), share * q[1], share * q[2]]
        }
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a += s b.
fn add(a: &mut [[f64; 3]], s: f64, b: &[[f64; 3]]) {
    for (a, b) in a.iter_mut().zip(b) {
        for d in 0..3 {
            a[d] += s * b[d];
        }
    }
}

impl GaussSeidel {
    /// As `solve`, for many contacts.
    pub(in crate::contact) fn solve_many(
        &mut self,
        contacts: &mut [Contact],
        compliance: &mut dyn Compliance,
        tolerance: f64,
    ) -> Sweeps {
        let mut m = std::mem::take(&mut self.many);
        m.applied = 0;
        m.measure(contacts, compliance);
        self.bound.copy_from_slice(&m.scale);
        m.y.clear();
        m.y.extend_from_slice(&self.free);
        m.face.clear();
        let mut result = Sweeps::default();
        let (mut least, mut worse) = (f64::INFINITY, 0);
        for cycle in 0..=MOST_CYCLES {
            // The friction that is allowed now.
            let mut changed = false;
            let mut trial = std::mem::take(&mut m.trial);
            trial.clear();
            for c in contacts.iter_mut() {
                let p = c.law.project(c.force);
                changed |= p != c.force;
                trial.push(std::array::from_fn(|k| p[k] - c.force[k]));
                c.force = p;
            }
            if changed {
                let mut image = std::mem::take(&mut m.image);
                m.apply(contacts, &trial, compliance, &mut image);
                add(&mut m.y, 1.0, &image);
                m.image = image;
            }
            m.trial = trial;
            m.radius.clear();
            m.radius.extend(contacts.iter().map(|c| match c.law {
                Law::Coulomb(mu) => mu * c.force[0],
                Law::Hold(_) => f64::INFINITY,
            }));
            let size = m.violation(contacts);
            worse = if size < 0.9 * least { 0 } else { worse + 1 };
            if size < least {
                m.best.clear();
                m.best.extend(contacts.iter().map(|c| c.force));
                least = size;
            }
            result.met = size <= tolerance;
            if result.met || worse > PATIENCE || cycle == MOST_CYCLES {
                break;
            }
            for _ in 0..MOST_STEPS {
                if !m.descend(contacts, compliance) {
                    break;
                }
                if m.same_faces() {
                    break;
                }
            }
            m.solve(contacts, compliance, tolerance);
        }
        for (c, f) in contacts.iter_mut().zip(&m.best) {
            c.force = *f;
        }
        result.change = least;
        result.sweeps = m.applied;
        self.many = m;
        result
    }
}
