//! Contact and friction: in the global step, and in Newton-like methods.
//!
//! Forces of contacts are found in the metric of the matrix at hand, B: x_f = x − B⁻¹(∇E(x) − Cᵀλ₀) is where the nodes would
//! go with the forces as they were; Gauss–Seidel finds the forces λ with which the law holds at x⁺ = x_f + B⁻¹Cᵀ(λ − λ₀). For
//! `admm` and `projective` that is the global step itself. Newton-like methods then search between x and x⁺: with the normal
//! forces found, x⁺ minimises a model of E plus the work of friction, so that sum falls along the way.

use super::descent::{CAUTION, Choice, Descent, End, Metric, Policy, RESERVE, apply};
use super::held::Inverse;
use super::newton::Hessian;
use super::{Problem, Run, Status};
use crate::contact::{Anderson, Columns, Compliance};
use crate::exec::Exec;
use crate::global::{BlockFactor, System};
use crate::math::nodes::{Row, dot};
use crate::settings::Method;
use crate::term::Sums;

/// Columns of A⁻¹Δt²; with pins along axes those of x, y and z differ.
struct OfMatrix<'a> {
    columns: &'a mut Columns,
    inverse: Inverse<'a>,
    h2: f64,
}

impl Compliance for OfMatrix<'_> {
    fn width(&self) -> usize {
        if self.inverse.axes.is_empty() { 1 } else { 3 }
    }
    fn make(&mut self, nodes: &[u32]) {
        let missing: Vec<u32> = nodes.iter().copied().filter(|&i| !self.columns.has(i)).collect();
        if missing.is_empty() {
            return;
        }
        let mut rhs = vec![Row::default(); self.size()];
        if self.width() == 3 {
            for &i in &missing {
                rhs.fill(Row::default());
                rhs[i as usize] = Row::new([self.h2; 3]);
                self.inverse.solve(&mut rhs);
                let column = self.columns.reach(i).iter().flat_map(|&j| rhs[j as usize].xyz()).collect();
                self.columns.keep(i, column);
            }
            return;
        }
        // A solve has room for three right-hand sides.
        for three in missing.chunks(3) {
            rhs.fill(Row::default());
            for (c, &i) in three.iter().enumerate() {
                rhs[i as usize].0[c] = self.h2;
            }
            self.inverse.solve(&mut rhs);
            for (c, &i) in three.iter().enumerate() {
                let column = self.columns.reach(i).iter().map(|&j| rhs[j as usize].0[c]).collect();
                self.columns.keep(i, column);
            }
        }
    }
    fn gather(&self, node: u32, at: &[u32], out: &mut Vec<f64>) {
        self.columns.gather(node, at, self.width(), out);
    }
    fn size(&self) -> usize {
        self.inverse.global.n()
    }
    fn apply(&mut self, rows: &mut [Row]) {
        rows.iter_mut().for_each(|r| r.0 = r.0.map(|f| self.h2 * f));
        self.inverse.solve(rows);
    }
    fn resist(&self, rows: &[Row], out: &mut [Row]) {
        resist(self.inverse.matrix, self.h2, rows, out);
    }
    fn own(&self, node: u32) -> f64 {
        self.inverse.matrix.diagonal(node as usize).map_or(0.0, |a| self.h2 / a)
    }
    fn version(&self) -> u64 {
        self.columns.version()
    }
}

/// Columns of H⁻¹.
struct OfHessian<'a> {
    columns: &'a mut Columns,
    factor: &'a mut BlockFactor,
    matrix: &'a System,
    h2: f64,
    exec: &'a Exec,
}

impl Compliance for OfHessian<'_> {
    fn width(&self) -> usize {
        9
    }
    fn make(&mut self, nodes: &[u32]) {
        for &i in nodes {
            if !self.columns.has(i) {
                let column = self.factor.columns(i, self.columns.reach(i), self.exec);
                self.columns.keep(i, column.into_boxed_slice());
            }
        }
    }
    fn gather(&self, node: u32, at: &[u32], out: &mut Vec<f64>) {
        self.columns.gather(node, at, 9, out);
    }
    fn size(&self) -> usize {
        self.factor.nodes()
    }
    fn apply(&mut self, rows: &mut [Row]) {
        self.factor.solve(rows, false, self.exec);
    }
    fn resist(&self, rows: &[Row], out: &mut [Row]) {
        resist(self.matrix, self.h2, rows, out);
    }
    fn own(&self, node: u32) -> f64 {
        self.matrix.diagonal(node as usize).map_or(0.0, |a| self.h2 / a)
    }
    fn version(&self) -> u64 {
        self.columns.version()
    }
}

/// A/Δt² times rows; for a Hessian it is about right.
fn resist(matrix: &System, h2: f64, rows: &[Row], out: &mut [Row]) {
    matrix.mul(rows, out);
    out.iter_mut().for_each(|r| r.0 = r.0.map(|f| f / h2));
}

/// What rounding leaves of the sum of a contact force and inertia, in N; `stiffness` is m/Δt².
pub(super) fn rounding(contact: Option<&Row>, stiffness: f64, x: &Row) -> f64 {
    let size = |r: &Row| r.0[0].abs() + r.0[1].abs() + r.0[2].abs();
    match contact {
        Some(f) if f.0 != [0.0; 4] => 64.0 * f64::EPSILON * (size(f) + stiffness * size(x)),
        _ => 0.0,
    }
}

/// The global step with contact; the right-hand side is ready, with the forces as they were.
pub(super) fn global_step(p: &mut Problem<'_>, tolerance: f64) {
    if p.only_rounding() && p.contact.is_met(p.x, 0.0) {
        return;
    }
    p.solve_rhs();
    add(p.x, p.rhs);
    if solve_law(p, tolerance) {
        let h2 = p.dt * p.dt;
        for (r, f) in p.rhs.iter_mut().zip(p.contact.change()) {
            *r = Row([h2 * f.0[0], h2 * f.0[1], h2 * f.0[2], 0.0]);
        }
        p.solve_rhs();
        add(p.x, p.rhs);
    }
    p.contact.update(p.x);
}

/// Forces with which the law holds in the metric of A, from where nodes go with the forces as they were.
fn solve_law(p: &mut Problem<'_>, tolerance: f64) -> bool {
    let (global, matrix, axes, exec) = (&*p.global, &*p.matrix, p.axes, p.exec);
    let inverse = Inverse { global, matrix, split: &mut *p.split, scratch: &mut *p.scratch, axes, exec };
    let mut compliance = OfMatrix { columns: &mut *p.columns, inverse, h2: p.dt * p.dt };
    p.contact.solve(p.x, &mut compliance, tolerance)
}

/// Anderson acceleration of positions.
#[derive(Debug, Default)]
pub struct Mixer {
    anderson: Anderson,
    numbers: [Vec<f64>; 3],
    /// From the iterate to the accelerated one.
    way: Vec<Row>,
}

impl Mixer {
    /// From x and the step d of the method the accelerated one; false if there is none.
    fn next(&mut self, x: &[Row], d: &[Row]) -> bool {
        let [a, b, c] = &mut self.numbers;
        a.clear();
        a.extend(x.iter().flat_map(|r| r.xyz()));
        b.clear();
        b.extend(x.iter().zip(d).flat_map(|(x, d)| [x.0[0] + d.0[0], x.0[1] + d.0[1], x.0[2] + d.0[2]]));
        c.resize(b.len(), 0.0);
        let mixed = self.anderson.next(a, b, None, c);
        if mixed {
            self.way.clear();
            let parts = c.as_chunks::<3>().0.iter().zip(a.as_chunks::<3>().0);
            self.way.extend(
                parts.map(|(to, from)| Row([to[0] - from[0], to[1] - from[1], to[2] - from[2], 0.0])),
            );
        }
        mixed
    }
}

pub(super) fn add(x: &mut [Row], d: &[Row]) {
    for (x, d) in x.iter_mut().zip(d) {
        for c in 0..3 {
            x.0[c] += d.0[c];
        }
    }
}

/// Part of the promised decrease that must be had.
const ARMIJO: f64 = 1e-4;

/// Steps shorter than this, relative to the body, are taken as they are: what is left of the law's own tolerance, times large
/// forces, hides the small decrease that they bring. So many of them may be longer than the one before.
const SHORT: f64 = 1e-5;
const MOST_LONGER: usize = 30;

/// Where the last step was so many times longer than the last one will be, the law is solved to a hundredth of this multiple of it, not to
/// what the tolerance asks.
const FAR: f64 = 30.0;
const LOOSE: f64 = 5.0;

/// Rows of curves that move by more than this part of a step at their nodes are others.
const OTHER: f64 = 0.3;

impl Descent {
    /// The step from the iterate to x⁺ in the metric; the forces of contacts become those that hold there, about so if the last step was as
    /// long as `last`.
    fn aim(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        metric: Metric,
        hessian: &mut Hessian,
        last: f64,
    ) {
        let mut d = std::mem::take(&mut self.direction);
        for (d, (g, f)) in d.iter_mut().zip(self.gradient.iter().zip(p.contact.force())) {
            *d = Row([f.0[0] - g.0[0], f.0[1] - g.0[1], f.0[2] - g.0[2], 0.0]);
        }
        apply(p, run, metric, hessian, &mut d);
        // Where the nodes would go; pinned ones stay.
        self.from.copy_from_slice(&p.x[..d.len()]);
        add(p.x, &d);
        let start = run.clock.seconds();
        let size = p.body_size.iter().copied().fold(f64::INFINITY, f64::min);
        let tolerance = run.settings.tolerance.max(LOOSE * last * size / p.contact.shortest());
        let changed = match metric {
            Metric::Hessian => match hessian.columns(p.columns) {
                Some((factor, columns)) => {
                    let (h2, exec, matrix) = (p.dt * p.dt, p.exec, &*p.matrix);
                    let mut compliance = OfHessian { columns, factor, matrix, h2, exec };
                    p.contact.solve(p.x, &mut compliance, tolerance)
                }
                None => false,
            },
            _ => solve_law(p, tolerance),
        };
        p.x[..d.len()].copy_from_slice(&self.from);
        run.global += run.clock.seconds() - start;
        if changed {
            self.next.copy_from_slice(p.contact.change());
            let mut more = std::mem::take(&mut self.next);
            apply(p, run, metric, hessian, &mut more);
            add(&mut d, &more);
            self.next = more;
        }
        self.direction = d;
    }

    /// As `descend`, with contacts.
    pub(super) fn descend_in_contact(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        hessian: &mut Hessian,
        policy: &mut dyn Policy,
    ) -> End {
        let n = p.free();
        self.prepare(n, 0);
        let start = run.clock.seconds();
        let (mut objective, mut sums) = p.gradient(&mut self.gradient);
        run.local += run.clock.seconds() - start;
        let mut done = 0;
        let mut before: Option<(Metric, f64, f64)> = None;
        let mut mixer = std::mem::take(&mut self.mixer);
        mixer.anderson.restart();
        let (mut longer, mut tight) = (0, false);
        let end = loop {
            let Choice { metric, fresh, seconds } = policy.metric(p, run, hessian, done);
            p.method = if metric == Metric::Hessian { Method::Newton } else { Method::QuasiNewton };
            let start = run.clock.seconds();
            if fresh {
                p.contact.forget_matrix();
                mixer.anderson.restart();
                done = 0;
            }
            let rest = self.at_rest(p);
            let loose = before.filter(|b| b.0 == Metric::Matrix && metric == b.0 && !tight);
            let loose = loose.map(|b| b.1).filter(|step| *step > FAR * run.settings.tolerance / CAUTION);
            self.aim(p, run, metric, hessian, loose.unwrap_or(0.0));
            p.hold(&mut self.direction);
            let step = p.relative_step(&self.direction);
            let caution = CAUTION * run.settings.weight_scale.max(1.0);
            let rate = match before {
                Some((last_metric, last, rate)) if last_metric == metric => [step / last, rate],
                _ => [1.0 - RESERVE, 0.0],
            };
            let bound = match metric {
                Metric::Hessian if !rest => {
                    run.settings.tolerance * RESERVE * (1.0 - rate[0].max(rate[1])).clamp(0.01, 1.0)
                }
                Metric::Hessian => run.settings.tolerance,
                _ => run.settings.tolerance / caution,
            };
            if rest {
                let met = bound > 0.0 && step <= bound;
                break End { status: if met { Status::Converged } else { Status::Stalled }, step };
            }
            let near = bound > 0.0 && step <= bound;
            self.next.copy_from_slice(&self.direction);
            if near && (p.is_lost(&self.direction) || self.follows(p, run, metric, hessian, bound)) {
                // The last step is taken too: with it the law holds to the last digit.
                add(p.x, &self.direction);
                p.contact.update(p.x);
                if p.contact.is_met(p.x, run.settings.tolerance) {
                    break End { status: Status::Converged, step };
                }
                (objective, sums) = p.gradient(&mut self.gradient);
                if run.used_up() {
                    break End { status: Status::IterationLimit, step };
                }
            } else {
                if run.used_up() {
                    break End { status: Status::IterationLimit, step };
                }
                longer += usize::from(step <= SHORT && before.is_some_and(|b| step > b.1));
                let trusted = step <= SHORT && longer <= MOST_LONGER;
                if before.is_some_and(|b| step > 2.0 * b.1) {
                    mixer.anderson.restart();
                }
                let mixed = metric != Metric::Hessian && mixer.next(&self.from, &self.direction);
                let way = mixed.then_some(&mixer.way[..]);
                match self.search_in_contact(p, run, (objective, sums.forbidden), trusted, way) {
                    Some(point) => (objective, sums) = point,
                    // Forces that are not quite right may promise what cannot be had.
                    None if loose.is_some() => {
                        tight = true;
                        continue;
                    }
                    None => break End { status: Status::Stalled, step },
                }
                p.contact.update(p.x);
                // What was learned about another part of a curve misleads.
                let size = p.body_size.iter().copied().fold(f64::INFINITY, f64::min);
                if p.contact.shift() > OTHER * step * size {
                    mixer.anderson.restart();
                }
            }
            before = Some((metric, step, rate[0]));
            done += 1;
            if let Some(status) = run.look(p, seconds + run.clock.seconds() - start) {
                break End { status, step };
            }
        };
        self.mixer = mixer;
        end
    }

    /// True if forces balance but for rounding, and the law holds.
    fn at_rest(&self, p: &Problem<'_>) -> bool {
        let inv = 1.0 / (p.dt * p.dt);
        let balanced = self.gradient.iter().zip(p.contact.force()).enumerate().all(|(i, (g, f))| {
            let most = p.rounding[i] + rounding(Some(f), p.mass[i] * inv, &p.x[i]);
            (0..3).map(|c| (g.0[c] - f.0[c]).powi(2)).sum::<f64>() <= most * most
        });
        balanced && p.contact.is_met(p.x, 0.0)
    }

    /// From the iterate along the accelerated way, if there is one, or along the direction, all of it or less, to where energy and the work of
    /// friction are less.
    fn search_in_contact(
        &mut self,
        p: &mut Problem<'_>,
        run: &mut Run<'_, '_>,
        (objective, forbidden): (f64, usize),
        trusted: bool,
        mixed: Option<&[Row]>,
    ) -> Option<(f64, Sums)> {
        let n = self.from.len();
        let at = p.contact.merit(p.x);
        let first = objective + at;
        add(p.x, &self.direction);
        let promised = dot(&self.gradient, &self.direction) + p.contact.merit(p.x) - at;
        let (mut length, mut mixed) = (1.0, mixed);
        for _ in 0..40 {
            let way = mixed.unwrap_or(&self.direction);
            for (x, (f, d)) in p.x.iter_mut().zip(self.from.iter().zip(way)) {
                for c in 0..3 {
                    x.0[c] = f.0[c] + length * d.0[c];
                }
            }
            let start = run.clock.seconds();
            let (objective, sums) = p.gradient(&mut self.next);
            run.local += run.clock.seconds() - start;
            if objective.is_finite() && sums.forbidden <= forbidden {
                let change = objective + p.contact.merit(p.x) - first;
                let lower = promised < 0.0 && change <= ARMIJO * length * promised;
                if lower || trusted {
                    std::mem::swap(&mut self.gradient, &mut self.next);
                    return Some((objective, sums));
                }
            }
            if mixed.take().is_none() {
                length *= 0.5;
            }
        }
        p.x[..n].copy_from_slice(&self.from);
        None
    }
}
