//! Contact and friction in Newton-like methods.
//!
//! As in the global step of `admm` (`admm/contact.rs`) forces of contacts are found in the metric at hand, which gives a step to x⁺. Then
//! these methods search between x and x⁺: with the normal forces found, x⁺ minimises a model of E plus the work of friction, so that
//! sum falls along the way.

use super::Descent;
use super::convergence::{End, Steps};
use super::metric::{CAUTION, Choice, Metric, Policy, apply};
use super::newton::Hessian;
use crate::contact::{Anderson, Columns};
use crate::exec::Exec;
use crate::global::BlockFactor;
use crate::math::nodes::{Row, dot};
use crate::settings::Method;
use crate::solve::admm::contact::{InMetric, InverseMetric, add, rounding, solve_law};
use crate::solve::{Problem, Run, Status};
use crate::term::Sums;

/// H⁻¹.
struct OfHessian<'a> {
    factor: &'a mut BlockFactor,
    exec: &'a Exec,
}

impl InverseMetric for OfHessian<'_> {
    fn width(&self) -> usize {
        9
    }
    fn size(&self) -> usize {
        self.factor.nodes()
    }
    fn apply(&mut self, rows: &mut [Row]) {
        self.factor.solve(rows, self.exec);
    }
    fn make(&mut self, columns: &mut Columns, missing: &[u32]) {
        for &i in missing {
            let column = self.factor.columns(i, columns.reach(i), self.exec);
            columns.keep(i, column.into_boxed_slice());
        }
    }
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
        apply(p, run, metric, hessian, &mut d, None);
        // Where the nodes would go; pinned ones stay.
        self.from.copy_from_slice(&p.x[..d.len()]);
        add(p.x, &d);
        let start = run.clock.seconds();
        let size = p.body_size.iter().copied().fold(f64::INFINITY, f64::min);
        let tolerance = run.settings.tolerance.max(LOOSE * last * size / p.contact.shortest());
        let changed = match metric {
            Metric::Hessian => match hessian.columns(p.columns) {
                Some((factor, columns)) => {
                    let (inverse, matrix) = (OfHessian { factor, exec: p.exec }, &*p.matrix);
                    let mut compliance = InMetric { columns, inverse, matrix, h2: p.dt * p.dt };
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
            apply(p, run, metric, hessian, &mut more, None);
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
        let mut steps = Steps::default();
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
            let loose = steps.last_in(Metric::Matrix).filter(|_| metric == Metric::Matrix && !tight);
            let loose = loose.filter(|step| *step > FAR * run.settings.tolerance / CAUTION);
            self.aim(p, run, metric, hessian, loose.unwrap_or(0.0));
            p.hold(&mut self.direction);
            let step = p.relative_step(&self.direction);
            let bound = steps.bound(metric, step, rest, run.settings);
            if rest {
                break End::at_rest(step, &bound);
            }
            let near = bound.holds(step);
            self.next.copy_from_slice(&self.direction);
            if near
                && (p.is_lost(&self.direction)
                    || self.is_small_against_motion(p, run, metric, hessian, &bound))
            {
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
                longer += usize::from(step <= SHORT && steps.last().is_some_and(|last| step > last));
                let trusted = step <= SHORT && longer <= MOST_LONGER;
                if steps.last().is_some_and(|last| step > 2.0 * last) {
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
            steps.take(metric, step, &bound);
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
