//! Newton's method where bodies may touch each other: elastic energy, repulsion and friction in one matrix, factored in each iteration.
//!
//! ```text
//! x = x_n; κ from H(x_n)
//! repeat: near pairs at x; g = ∇E − contact − friction; K = H (projected) + contact + friction
//!         p = −K⁻¹g with the pairs that push at its end (`aim.rs`), pins and obstacles to their targets; cut p before anything meets; search on E + Σψ + Σφ
//!         p short and nothing cut: is the friction list right? converged; else renew it
//! ```
//! Every iterate is free of intersections (`contact/potential/`).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the iteration: matrix, search, friction lists, when it ends |
//! | `aim.rs` | the way p of an iteration |

mod aim;

use super::{Outcome, Problem, Run, Status, admm};
use crate::contact::{Barrier, Foresight, Obstacle};
use crate::global::Coupled;
use crate::math::nodes::Row;
use crate::math::small::{add, scale};
use crate::settings::Method;

/// The share of a way that passes for all of it.
const NEWTON: f64 = 0.9;

/// Part of the promised decrease that must be had.
const ARMIJO: f64 = 1e-4;

/// Most halvings of a way.
const TRIES: usize = 14;

/// Most friction lists in a step, and how short the way must be, in tolerances, before there is another.
const MOST_LISTS: usize = 20;
const NEARLY: f64 = 3.0;

/// Where curvature along a way is less than that of the matrix, the next way is longer, by this factor more each time, up to so many times.
const GROW: f64 = 2.0;
const FLAT: f64 = 0.2;
const MOST_STRETCH: f64 = 16.0;

/// The force that is left on a body as a whole is so many times smaller than it may be for others: sliding is a small difference of large forces.
const FINER: f64 = 10.0;

/// Iterations after which a node that slides on a curve and goes to and fro around a corner stays where it is.
const TURNS: usize = 15;

/// Memory of this method.
#[derive(Debug, Default)]
pub struct Newton {
    matrix: Coupled,
    pairs: Vec<(u32, u32)>,
    gradient: Vec<Row>,
    direction: Vec<Row>,
    /// See `aim.rs`: springs, right-hand sides, K_B p of the way so far and of the next, and ways of all nodes, those of obstacles too.
    foresight: Foresight,
    rhs: Vec<Row>,
    bent: [Vec<Row>; 2],
    ways: Vec<Row>,
    way: Vec<Row>,
    from: Vec<Row>,
    /// ⅓ tr H_ii of free nodes at rest in N/m, and the time step that it is of.
    diagonal: Vec<f64>,
    diagonal_of: f64,
}

impl Newton {
    /// Hessians factored so far.
    pub fn count(&self) -> u64 {
        self.matrix.count()
    }
}

/// Minimises (5) with contact, from where the step begins.
pub fn minimise(p: &mut Problem<'_>, run: &mut Run<'_, '_>, memory: &mut Newton) -> Outcome {
    let mut b = std::mem::take(&mut p.contact.barrier);
    let obstacles = p.contact.obstacles().to_vec();
    let nodes = p.x.len();
    p.x.copy_from_slice(&b.y[..nodes]);
    p.method = Method::Newton;
    p.find_rounding();
    let outcome = match recover(p, run, memory, &mut b, &obstacles) {
        Some(outcome) => outcome,
        None => {
            let (status, step) = iterate(p, run, memory, &mut b, &obstacles);
            p.contact.take_forces(&b);
            run.end(p, Method::Newton, status, step)
        }
    };
    p.contact.barrier = b;
    outcome
}

/// Where an element is out of its energy's domain Newton's method cannot begin: ADMM leads out of that, and bodies go as far on that way as
/// nothing meets. `None` once all energies are finite; else the step ends there.
fn recover(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    m: &mut Newton,
    b: &mut Barrier,
    obstacles: &[Obstacle],
) -> Option<Outcome> {
    if p.terms.energy(p.x, p.exec).infinite == 0 {
        return None;
    }
    m.from.clear();
    m.from.extend_from_slice(&b.y);
    for i in p.free()..p.x.len() {
        p.x[i] = p.x_tilde[i];
    }
    let ended = admm::minimise(p, run, admm::Until::Sound);
    m.way.clear();
    m.way.extend(
        p.x.iter()
            .zip(&m.from)
            .map(|(to, from)| Row([to.0[0] - from.0[0], to.0[1] - from.0[1], to.0[2] - from.0[2], 0.0])),
    );
    b.limit(obstacles, &m.way);
    b.go(&m.from, 1.0);
    b.find(obstacles);
    b.advance();
    p.x.copy_from_slice(&b.y[..p.x.len()]);
    p.method = Method::Newton;
    if ended.is_none() && p.terms.energy(p.x, p.exec).infinite == 0 {
        return None;
    }
    p.contact.take_forces(b);
    let status = ended
        .map_or(Status::Stalled, |o| if o.status == Status::Converged { Status::Stalled } else { o.status });
    Some(run.end(p, Method::Admm, status, f64::INFINITY))
}

fn iterate(
    p: &mut Problem<'_>,
    run: &mut Run<'_, '_>,
    m: &mut Newton,
    b: &mut Barrier,
    obstacles: &[Obstacle],
) -> (Status, f64) {
    let (n, inv) = (p.free(), 1.0 / (p.dt * p.dt));
    for rows in [&mut m.gradient, &mut m.direction] {
        rows.resize(n, Row::default());
    }
    m.way.resize(p.x.len(), Row::default());
    // κ follows the stiffness of the nodes at rest: the same in every step, so that contact neither adds nor takes energy.
    if m.diagonal_of != p.dt {
        m.diagonal_of = p.dt;
        m.diagonal.clear();
        m.diagonal.extend(p.mass[..n].iter().map(|m| m * inv));
        let diagonal = &mut m.diagonal;
        p.terms.curvature(b.rest(), p.exec, &mut |i, j, k| {
            if i == j && (i as usize) < n {
                diagonal[i as usize] += (k[0][0] + k[1][1] + k[2][2]) / 3.0;
            }
        });
    }
    b.set_stiffness(obstacles, m.diagonal.iter().copied());
    let tolerance = run.settings.tolerance;
    let size = p.body_size.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut lists, mut last, mut stretch) = (1, f64::INFINITY, 1.0f64);
    let mut here = evaluate(p, m, b);
    loop {
        let start = run.clock.seconds();
        // Where pins still have to go.
        let mut moving = false;
        for i in n..p.x.len() {
            for c in 0..3 {
                m.way[i].0[c] = p.x_tilde[i].0[c] - p.x[i].0[c];
                moving |= m.way[i].0[c] != 0.0;
            }
        }
        moving |= b.moves_on();
        let share = aim::aim(p, m, b, obstacles, moving);
        let middle = run.clock.seconds();
        run.global += middle - start;
        let Some(share) = share else { return (Status::Stalled, f64::INFINITY) };
        // A way that ends early, at a spring, says nothing of how far the minimum is.
        let newton = share >= NEWTON;
        let step = p.relative_step(&m.direction);
        let against = p.step_against_motion(&m.direction);
        // Where curvature was found to be less than that of the matrix, ways are longer; what is prescribed goes where it has to.
        let longer = if moving { 1.0 } else { stretch };
        for (w, d) in m.way.iter_mut().zip(&m.direction) {
            w.0 = d.0.map(|v| longer * v);
        }
        let cut = b.limit(obstacles, &m.way);
        if b.woken {
            // What counts from now on is not in the energy yet.
            b.find(obstacles);
            here = evaluate(p, m, b);
            if let Some(status) = run.look(p, run.clock.seconds() - start) {
                return (status, step);
            }
            if run.used_up() {
                return (Status::IterationLimit, step);
            }
            continue;
        }
        // Along the way, as far as energy falls. What is prescribed does work that is no business of the search.
        let slope = b.slope(&m.gradient);
        let noise = 1e-11 * here.energy.abs() + p.energy_rounding();
        m.from.clear();
        m.from.extend_from_slice(&b.y);
        let (mut length, mut found) = (1.0, None);
        for _ in 0..TRIES {
            b.go(&m.from, length);
            b.find(obstacles);
            p.x.copy_from_slice(&b.y[..p.x.len()]);
            let trial = p.terms.energy(p.x, p.exec);
            let energy =
                if trial.infinite > 0 { f64::INFINITY } else { p.inertia(p.x) + trial.energy + b.energy() };
            let lower = energy - here.energy <= (ARMIJO * length * slope).min(0.0) + noise;
            if energy.is_finite() && (trial.forbidden <= here.forbidden || moving) && (lower || moving) {
                found = Some(length);
                break;
            }
            length *= 0.5;
        }
        if found.is_none() {
            b.go(&m.from, 0.0);
            b.find(obstacles);
            p.x.copy_from_slice(&b.y[..p.x.len()]);
        } else {
            b.advance();
        }
        let before = here.energy;
        here = evaluate(p, m, b);
        run.local += run.clock.seconds() - middle;
        // r = pᵀHp/pᵀKp along the way, by what was gained: the best length is 1/r.
        let promised = -slope / longer;
        stretch = if found == Some(1.0) && cut == 0 && !moving && promised > 1e3 * noise {
            let r = 2.0 * (here.energy - before + longer * promised) / (longer * longer * promised);
            if r < FLAT { (1.0 / r.max(1e-9)).clamp(1.0, (GROW * longer).min(MOST_STRETCH)) } else { 1.0 }
        } else {
            1.0
        };
        // Of a way that is much shorter than the tolerance any part will do.
        let enough = found == Some(1.0) || (found.is_some() && step <= 0.1 * tolerance);
        let whole = enough && newton && cut == 0 && !b.moves_on();
        let pinned = (n..p.x.len()).all(|i| (0..3).all(|c| p.x[i].0[c] == p.x_tilde[i].0[c]));
        // What is left after this way, if ways go on to shrink as they do.
        let rate = (step / last).clamp(0.0, 0.95);
        let left = step * (rate / (1.0 - rate)).clamp(0.3, 1.0);
        last = step;
        // Links: rows of curves follow their nodes, multipliers learn.
        let mut off = 0.0f64;
        for h in &mut b.held {
            let shift = p.contact.turn_links(h, p.x, run.iterations > TURNS);
            let gap = if found == Some(1.0) { h.learn(p.x) } else { f64::INFINITY };
            off = off.max((gap + shift) / p.contact.shortest());
        }
        // Nothing can be gained any more that rounding of the energy does not hide.
        let exhausted = newton && cut == 0 && !moving && -slope <= 10.0 * noise;
        let near = left <= tolerance
            && against * (left / step.max(1e-300)) <= tolerance
            && (exhausted || unbalanced(p, m, b, None) <= tolerance);
        let slip = b.friction_residual();
        let listed = slip <= tolerance * size
            && (step > NEARLY * tolerance || unbalanced(p, m, b, Some(&b.list_error())) <= tolerance);
        let right = listed && off <= tolerance.max(1e-10);
        let stop = run.look(p, run.clock.seconds() - start);
        if (whole || exhausted) && pinned && tolerance > 0.0 && near && (right || lists >= MOST_LISTS) {
            let sound = right && !b.has_passed(p.body_size);
            return (if sound { Status::Converged } else { Status::Stalled }, step);
        }
        let settled =
            step <= NEARLY * tolerance && (exhausted || unbalanced(p, m, b, None) <= NEARLY * tolerance);
        let renew = settled && !listed && lists < MOST_LISTS;
        if found.is_none() && !renew {
            return (Status::Stalled, step);
        }
        if let Some(status) = stop {
            return (status, step);
        }
        if run.used_up() {
            return (Status::IterationLimit, step);
        }
        if renew {
            b.renew();
            here = evaluate(p, m, b);
            lists += 1;
            last = f64::INFINITY;
        }
    }
}

/// What is minimised at the iterate.
struct Here {
    /// In J.
    energy: f64,
    /// Elements outside of their domain.
    forbidden: usize,
}

/// Energy and gradient of all that is minimised, at the iterate.
fn evaluate(p: &mut Problem<'_>, m: &mut Newton, b: &Barrier) -> Here {
    let (objective, sums) = p.gradient(&mut m.gradient);
    m.direction.iter_mut().for_each(|r| *r = Row::default());
    b.add_forces(&mut m.direction);
    for (g, f) in m.gradient.iter_mut().zip(&m.direction) {
        for c in 0..3 {
            g.0[c] -= f.0[c];
        }
        g.0[3] = 0.0;
    }
    p.hold(&mut m.gradient);
    Here { energy: objective + b.energy(), forbidden: sums.forbidden }
}

/// How far the force that is left on a body as a whole, or other `forces` in N, would move it in this step, as the step itself is measured
/// ([`Problem::relative_step`], [`Problem::step_against_motion`]). Contacts are stiff: a short way may leave a large force, of which friction is made.
fn unbalanced(p: &mut Problem<'_>, m: &mut Newton, b: &Barrier, forces: Option<&[[f64; 3]]>) -> f64 {
    let mut sums: Vec<([f64; 3], f64)> = Vec::new();
    for ((g, mass), &body) in m.gradient.iter().zip(p.mass).zip(b.bodies()) {
        if sums.len() <= body as usize {
            sums.resize(body as usize + 1, ([0.0; 3], 0.0));
        }
        let s = &mut sums[body as usize];
        *s = (add(s.0, g.xyz()), s.1 + mass);
    }
    if let Some(forces) = forces {
        sums.iter_mut().zip(forces).for_each(|(s, f)| s.0 = *f);
    }
    let dt2 = p.dt * p.dt;
    for (row, &body) in m.direction.iter_mut().zip(b.bodies()) {
        let (force, mass) = sums[body as usize];
        *row = Row::new(scale(FINER * dt2 / mass, force));
    }
    p.relative_step(&m.direction).max(p.step_against_motion(&m.direction))
}
