//! Accelerations of ADMM on s = Dx + u. Expected: the same formulas with explicit vectors around the oracle's iteration.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::admm_dense::{DenseSolver, Iterate};
use super::reference::body::RefBody;
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{extent, max_distance, twist_about_z, unit_box_1_1_2};
use super::setup::{ADMM, GRAVITY, disturbed, furnished, heavy, minimum_near, settings, simulation, still};
use nalgebra::{DMatrix, DVector};
use supple::{Acceleration, Control, DualStart, Method, SolveSettings, Start, Status, WeightRule};

const H: f64 = 0.02;

/// From x̃ and u = 0, with the bulk modulus for weights.
fn plain(s: &mut SolveSettings) {
    s.method = Method::Admm;
    (s.start, s.dual_start, s.weight_rule) = (Start::Inertia, DualStart::Zero, WeightRule::Bulk);
    (s.iterations, s.tolerance) = (25, 0.0);
}

/// The library's iterates of one step.
fn found(body: &RefBody, x: &[V3], v: &[V3], change: impl Fn(&mut SolveSettings)) -> Vec<Iterate> {
    let s = heavy(H, |s| {
        plain(s);
        change(s);
    });
    let mut sim = simulation(body, s, x, v);
    let mut out = Vec::new();
    sim.step_with(&mut |it| {
        out.push(bridge::iterate(it));
        Control::Continue
    })
    .unwrap();
    out
}

/// The oracle's iterates, the next s chosen by `next(k, s, G)`, k from 1.
fn wanted(
    solver: &DenseSolver<'_>,
    xtilde: &[V3],
    count: usize,
    mut next: impl FnMut(usize, &DVector<f64>, &DVector<f64>) -> DVector<f64>,
) -> Vec<Iterate> {
    let mut last = solver.start(xtilde);
    let mut out = Vec::new();
    for k in 1..=count {
        let it = solver.iterate(&last, xtilde);
        let dx = solver.local_coordinates(&it.x);
        let s = next(k, &(&it.z + &it.u), &(&dx + &it.u));
        last = Iterate { u: s - dx, ..it.clone() };
        out.push(it);
    }
    out
}

fn check(what: &str, found: &[Iterate], wanted: &[Iterate], size: f64, bound: impl Fn(usize) -> f64) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let mut worst = 0.0_f64;
    for (n, (f, w)) in found.iter().zip(wanted).enumerate() {
        let error = (max_distance(&f.x, &w.x) / size).max((&f.z - &w.z).amax()).max((&f.u - &w.u).amax());
        assert!(error <= bound(n), "{what}, iteration {}: {error:e}", n + 1);
        worst = worst.max(error);
    }
    assert!(max_distance(&found[0].x, &found[found.len() - 1].x) > 1e-4 * size, "{what}: nothing happened");
    worst
}

/// s ← s + α(G − s) for α = 1.5, 0.7 and 1.9, 25 iterations: x, z and u to 1e-12 (1e-11 for α = 1.9, where errors
/// grow).
#[test]
fn over_relaxation_is_the_formula() {
    let mut lines = Vec::new();
    for material in [RefMaterial::arap(lame()), RefMaterial::Corotated(lame())] {
        let body = furnished(material);
        let (x, v) = disturbed(&body, 701);
        let xtilde = body.predicted(&x, &v, H, &GRAVITY);
        let solver = DenseSolver::new(&body, H, bridge::weights(&body, lame(), 1.0));
        for alpha in [0.7, 1.5, 1.9] {
            let f = found(&body, &x, &v, |s| {
                (s.acceleration, s.relaxation) = (Acceleration::OverRelaxation, alpha);
            });
            let w = wanted(&solver, &xtilde, 25, |_, s, g| s + (g - s) * alpha);
            let name = format!("{} α {alpha}", material.name());
            let e = check(&name, &f, &w, extent(&body.rest), |_| if alpha > 1.8 { 1e-11 } else { 1e-12 });
            lines.push(format!("{name}: {e:.1e}"));
        }
    }
    super::setup::show(&lines);
}

/// Chebyshev: ω₁ = 1, ω₂ = 2/(2 − ρ²), ω = 4/(4 − ρ²ω), s⁺ = ω(G − s₋) + s₋; 25 iterations: x, z and u to 1e-12.
#[test]
fn chebyshev_is_the_formula() {
    let mut lines = Vec::new();
    for material in [RefMaterial::arap(lame()), RefMaterial::Corotated(lame())] {
        let body = furnished(material);
        let (x, v) = disturbed(&body, 702);
        let xtilde = body.predicted(&x, &v, H, &GRAVITY);
        let solver = DenseSolver::new(&body, H, bridge::weights(&body, lame(), 1.0));
        for rho in [0.0, 0.5, 0.8] {
            let f = found(&body, &x, &v, |s| {
                (s.acceleration, s.spectral_radius) = (Acceleration::Chebyshev, rho);
            });
            let (mut before, mut omega): (Option<DVector<f64>>, f64) = (None, 1.0);
            let w = wanted(&solver, &xtilde, 25, |k, s, g| {
                omega = match k {
                    1 => 1.0,
                    2 => 2.0 / (2.0 - rho * rho),
                    _ => 4.0 / (4.0 - rho * rho * omega),
                };
                let next = before.as_ref().map_or(g.clone(), |b| (g - b) * omega + b);
                before = Some(s.clone());
                next
            });
            let name = format!("{} ρ {rho}", material.name());
            let e = check(&name, &f, &w, extent(&body.rest), |_| 1e-12);
            lines.push(format!("{name}: {e:.1e}"));
        }
    }
    super::setup::show(&lines);
}

/// Anderson acceleration written out: differences in columns, θ from the normal equations scaled to a unit diagonal
/// with 1e-10 on it, and the safeguard.
struct Anderson<'a> {
    solver: &'a DenseSolver<'a>,
    memory: usize,
    last: Option<(DVector<f64>, DVector<f64>)>,
    deltas: Vec<(DVector<f64>, DVector<f64>)>,
    mixed: bool,
    residual: f64,
    retreats: usize,
}

impl<'a> Anderson<'a> {
    fn new(solver: &'a DenseSolver<'a>, memory: usize) -> Self {
        let residual = f64::INFINITY;
        Anderson { solver, memory, last: None, deltas: Vec::new(), mixed: false, residual, retreats: 0 }
    }

    fn next(&mut self, s: &DVector<f64>, g: &DVector<f64>) -> DVector<f64> {
        let r = g - s;
        let size = self.solver.weighted_norm(&r);
        if self.mixed && size > self.residual {
            let back = self.last.take().map_or(g.clone(), |(_, g)| g);
            self.deltas.clear();
            (self.mixed, self.residual) = (false, f64::INFINITY);
            self.retreats += 1;
            return back;
        }
        (self.residual, self.mixed) = (size, false);
        if let Some((r0, g0)) = self.last.replace((r.clone(), g.clone())) {
            self.deltas.push((&r - r0, g - g0));
            if self.deltas.len() > self.memory {
                self.deltas.remove(0);
            }
        }
        let n = self.deltas.len();
        if n == 0 {
            return g.clone();
        }
        let dot = |a: &DVector<f64>, b: &DVector<f64>| self.solver.weighted_dot(a, b);
        let scale: Vec<f64> = self.deltas.iter().map(|d| 1.0 / dot(&d.0, &d.0).sqrt()).collect();
        let gram = DMatrix::from_fn(n, n, |i, j| {
            let damping = if i == j { 1e-10 } else { 0.0 };
            dot(&self.deltas[i].0, &self.deltas[j].0) * scale[i] * scale[j] + damping
        });
        let rhs = DVector::from_fn(n, |i, _| dot(&self.deltas[i].0, &r) * scale[i]);
        let theta = gram.cholesky().unwrap().solve(&rhs);
        self.mixed = true;
        (0..n).fold(g.clone(), |s, i| s - &self.deltas[i].1 * (theta[i] * scale[i]))
    }
}

/// Anderson with memories of 1, 2, 6 and 10, 15 iterations: x, z and u to 1e-8, the first five to 1e-11; from a state
/// far from rest too, where the safeguard acts.
#[test]
fn anderson_is_the_formula() {
    let mut lines = Vec::new();
    let mut retreats = 0;
    for material in
        [RefMaterial::arap(lame()), RefMaterial::Corotated(lame()), RefMaterial::NeoHookean(lame())]
    {
        let body = furnished(material);
        for seed in [703, 704] {
            let (mut x, v) = disturbed(&body, seed);
            if seed == 704 {
                let (s, c) = 2.0_f64.sin_cos();
                for p in x.iter_mut().filter(|p| p.x > 0.6) {
                    *p = V3::new(p.x, c * p.y - s * p.z, s * p.y + c * p.z);
                }
            }
            let xtilde = body.predicted(&x, &v, H, &GRAVITY);
            let solver = DenseSolver::new(&body, H, bridge::weights(&body, lame(), 1.0));
            for memory in [1, 2, 6, 10] {
                let f = found(&body, &x, &v, |s| {
                    (s.acceleration, s.memory, s.iterations) = (Acceleration::Anderson, memory, 15);
                });
                let mut anderson = Anderson::new(&solver, memory);
                let w = wanted(&solver, &xtilde, 15, |_, s, g| anderson.next(s, g));
                retreats += anderson.retreats;
                let name = format!("{} memory {memory} seed {seed}", material.name());
                let e = check(&name, &f, &w, extent(&body.rest), |n| if n < 5 { 1e-11 } else { 1e-8 });
                lines.push(format!("{name}: {e:.1e}, retreats {}", anderson.retreats));
            }
        }
    }
    assert!(retreats > 0, "the safeguard was never tested");
    super::setup::show(&lines);
}

/// Twisted neo-Hookean bars, tolerance 1e-8: Anderson needs at most 60 % of the iterations, and ends at the same minimum
/// (1e-7 of the extent).
#[test]
fn anderson_is_faster() {
    let mut lines = Vec::new();
    for poisson in [0.3, 0.45] {
        let l = Lame::from_young(1e5, poisson);
        let (body, x) = super::setup::twisted(RefMaterial::NeoHookean(l), 5, 1.5, true);
        let v = still(&body);
        let mut count = Vec::new();
        for (name, method) in [ADMM[0], ADMM[1]] {
            let s = settings(H, |s| {
                method(s);
                (s.weight_rule, s.iterations, s.tolerance) = (WeightRule::Bulk, 5000, 1e-8);
            });
            let mut sim = simulation(&body, s, &x, &v);
            let report = sim.step().unwrap();
            assert_eq!(report.status, Status::Converged, "{name}");
            let end = bridge::points(&sim.positions());
            let exact = minimum_near(&body, &x, &x, &v, H, &V3::zeros());
            let error = max_distance(&end, &exact) / extent(&body.rest);
            assert!(error <= 1e-7, "{name} ν {poisson}: {error:e}");
            count.push(report.iterations);
        }
        lines.push(format!("ν {poisson}: {} and {} iterations", count[0], count[1]));
        assert!(count[1] * 10 <= count[0] * 6, "{count:?}");
    }
    super::setup::show(&lines);
}

/// The box of trap 3: arap, twisted, w² = ¼kV, where plain ADMM cycles. Whatever the acceleration, a step that says
/// converged is one: the force residual recomputed outside is at most the tolerance; and plain ADMM does not say it.
#[test]
fn too_small_weights_are_told() {
    let mut lines = Vec::new();
    let body = RefBody::new(&unit_box_1_1_2(), RefMaterial::arap(lame()), 1000.0);
    let x = twist_about_z(&body.rest, &V3::new(0.5, 0.5, 0.0), 0.8);
    let v = still(&body);
    for (name, method) in ADMM {
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let s = settings(H, |s| {
                method(s);
                (s.start, s.dual_start) = (Start::Inertia, DualStart::Zero);
                (s.weight_rule, s.weight_scale) = (WeightRule::Shear, 0.25);
                (s.iterations, s.tolerance) = (1000, tolerance);
            });
            let mut sim = simulation(&body, s, &x, &v);
            let report = sim.step().unwrap();
            let end = bridge::points(&sim.positions());
            let force = body.force_residual(&end, &body.predicted(&x, &v, H, &V3::zeros()), &x, &v, H);
            lines.push(format!("{name} {tolerance:e}: {} {force:.1e} {}", report.status, report.iterations));
            if report.status == Status::Converged {
                assert!(force <= tolerance * 1.001, "{name} {tolerance:e}: {force:e}");
            }
            assert!(name != "admm" || report.status != Status::Converged, "plain ADMM cycles here");
        }
    }
    super::setup::show(&lines);
}
