//! The loops over packets, written once for every element, potential and kind of lanes.

use super::Sums;
use super::batch::Chunk;
use super::mix::Onward;
use crate::energy::{Domain, Element, MAX_PARAMS, Potential};
use crate::math::lane::Kernel;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Mask, Real};
use crate::math::small::{
    Local, Vec3, add, axpy, combine, compose, cross, dot, lane as lane_of, minus, norm2, plus, scale,
    set_lane, sub, zeros,
};
use crate::math::svd::svd;

/// What a kernel works on: a chunk and its potential.
pub(super) struct View<'a, const V: usize, P> {
    pub potential: &'a P,
    pub chunk: &'a mut Chunk<V>,
}

impl<const V: usize> Chunk<V> {
    /// Stored rows of G per element.
    const ROWS: usize = if V > 1 { V - 1 } else { 1 };

    /// Dx of packet p: Σ (x_v − x_0) g_vᵀ.
    #[inline(always)]
    pub fn local<R: Real, const D: usize>(&self, p: usize, lane: usize, x: &[Row]) -> Local<R, D> {
        let nodes = &self.nodes[p];
        let g = &self.g[p * Self::ROWS * D..(p + 1) * Self::ROWS * D];
        let mut f = zeros::<R, D>();
        let x0 = R::gather(x, &nodes[0], lane);
        if V == 1 {
            for d in 0..D {
                f[d] = scale(R::load(&g[d], lane), x0);
            }
            return f;
        }
        for v in 1..V {
            let e = sub(R::gather(x, &nodes[v], lane), x0);
            for d in 0..D {
                let gvd = R::load(&g[(v - 1) * D + d], lane);
                f[d] = if v == 1 { scale(gvd, e) } else { axpy(f[d], gvd, e) };
            }
        }
        f
    }

    /// Adds q·g_v for each corner v of packet p to the row of its node; with `LENGTHS` also |q·g_v| as the fourth number.
    #[inline(always)]
    fn loads<R: Real, const D: usize, const LENGTHS: bool>(
        &self,
        p: usize,
        lane: usize,
        q: &Local<R, D>,
        loads: &mut [Row],
    ) {
        let (g, rows) = (&self.g[p * Self::ROWS * D..(p + 1) * Self::ROWS * D], &self.rows[p]);
        let mut sum: Vec3<R> = [R::zero(); 3];
        for v in (V > 1) as usize..V {
            let r = if V > 1 { v - 1 } else { 0 };
            let mut f = scale(R::load(&g[r * D], lane), q[0]);
            for d in 1..D {
                f = axpy(f, R::load(&g[r * D + d], lane), q[d]);
            }
            sum = if v <= 1 { f } else { add(sum, f) };
            R::scatter_add(with_length::<R, LENGTHS>(f), loads, &rows[v], lane);
        }
        if V > 1 {
            R::scatter_add(with_length::<R, LENGTHS>(scale(-R::one(), sum)), loads, &rows[0], lane);
        }
    }

    #[inline(always)]
    pub fn element<R: Real>(&self, p: usize, lane: usize, params: usize) -> Element<R> {
        let mut e = Element { k: R::load(&self.scale[4 * p + 2], lane), param: [R::zero(); MAX_PARAMS] };
        let stored = &self.param[p * params..(p + 1) * params];
        for q in 0..params {
            e.param[q] = R::load(&stored[q], lane);
        }
        e
    }
    #[inline(always)]
    pub fn weight<R: Real>(&self, p: usize, lane: usize) -> R {
        R::load(&self.scale[4 * p], lane)
    }
    #[inline(always)]
    pub fn volume<R: Real>(&self, p: usize, lane: usize) -> R {
        R::load(&self.scale[4 * p + 1], lane)
    }
    /// Live lanes of packet p from `lane` on.
    #[inline(always)]
    pub fn live_lanes(&self, p: usize, lane: usize, lanes: usize) -> usize {
        (self.live - p * BLOCK).saturating_sub(lane).min(lanes)
    }
}

/// A force, and its length if asked.
#[inline(always)]
fn with_length<R: Real, const LENGTHS: bool>(f: Vec3<R>) -> [R; 4] {
    [f[0], f[1], f[2], if LENGTHS { dot(f, f).sqrt() } else { R::zero() }]
}

#[inline(always)]
pub(super) fn load_local<R: Real, const D: usize>(blocks: &[Block], p: usize, lane: usize) -> Local<R, D> {
    let b = &blocks[p * 3 * D..(p + 1) * 3 * D];
    let mut a = zeros::<R, D>();
    for d in 0..D {
        for i in 0..3 {
            a[d][i] = R::load(&b[3 * d + i], lane);
        }
    }
    a
}
#[inline(always)]
pub(super) fn store_local<R: Real, const D: usize>(
    a: &Local<R, D>,
    blocks: &mut [Block],
    p: usize,
    lane: usize,
) {
    let b = &mut blocks[p * 3 * D..(p + 1) * 3 * D];
    for d in 0..D {
        for i in 0..3 {
            a[d][i].store(&mut b[3 * d + i], lane);
        }
    }
}

/// Eqs. (24), (25), and the loads w²(z − u − Dx)·g of the increment form of (15). With `project`, (27) and (28) instead:
/// z = the projection of Dx, which is the proximal operator without its quadratic, and the loads w²(z − Dx)·g.
pub(super) struct LocalStep<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub x: &'a [Row],
    pub keep: bool,
    pub project: bool,
    pub loads: &'a mut [Row],
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for LocalStep<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let (chunk, x) = (self.view.chunk, self.x);
        if self.keep {
            core::mem::swap(&mut chunk.z, &mut chunk.z_before);
        }
        self.loads.fill(Row::default());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut e = chunk.element::<R>(p, lane, P::PARAMS);
                let dx = chunk.local::<R, D>(p, lane, x);
                if self.project {
                    e.k = R::zero();
                }
                let y = plus(&dx, &load_local(&chunk.u, p, lane));
                let mut warm = R::load(&chunk.warm[p], lane);
                let z = if P::LAGGED && self.project {
                    // A quadratic that is not a distance: the step of its gradient.
                    let (stress, k) =
                        (self.view.potential.stress(&e, &dx), R::load(&chunk.scale[4 * p + 2], lane));
                    combine(R::one(), &dx, -R::one() / k, &stress)
                } else {
                    self.view.potential.prox(&e, &y, &mut warm)
                };
                warm.store(&mut chunk.warm[p], lane);
                let mut u = minus(&y, &z);
                if self.project {
                    u = zeros();
                }
                store_local(&u, &mut chunk.u, p, lane);
                if self.keep {
                    store_local(&z, &mut chunk.z, p, lane);
                }
                let w = chunk.weight::<R>(p, lane);
                let mut q = minus(&minus(&z, &u), &dx);
                for d in 0..D {
                    q[d] = scale(w, q[d]);
                }
                chunk.loads::<R, D, false>(p, lane, &q, self.loads);
            }
        }
    }
}

/// [`LocalStep`] from what [`super::mix::Look`] kept: Dx and s are not taken anew. z is kept.
pub(super) struct NextStep<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub onward: Onward<'a>,
    pub loads: &'a mut [Row],
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for NextStep<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.view.chunk;
        core::mem::swap(&mut chunk.z, &mut chunk.z_before);
        self.loads.fill(Row::default());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let e = chunk.element::<R>(p, lane, P::PARAMS);
                let (s, dx) = chunk.past.onward::<R, D>(p, lane, self.onward);
                let mut warm = R::load(&chunk.warm[p], lane);
                let z = self.view.potential.prox(&e, &s, &mut warm);
                warm.store(&mut chunk.warm[p], lane);
                let u = minus(&s, &z);
                store_local(&u, &mut chunk.u, p, lane);
                store_local(&z, &mut chunk.z, p, lane);
                let w = chunk.weight::<R>(p, lane);
                let mut q = minus(&minus(&z, &u), &dx);
                for d in 0..D {
                    q[d] = scale(w, q[d]);
                }
                chunk.loads::<R, D, false>(p, lane, &q, self.loads);
            }
        }
    }
}

/// Loads DᵀW²(Dx − P(Dx)), and their work: the certificate of constraints that cannot hold.
pub(super) struct Off<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub x: &'a [Row],
    pub loads: &'a mut [Row],
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for Off<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.view.chunk;
        let mut sums = Sums::default();
        self.loads.fill(Row::default());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let e = chunk.element::<R>(p, lane, P::PARAMS);
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let mut n = minus(&dx, &self.view.potential.nearest(&e, &dx));
                let (w, off, size) = (chunk.weight::<R>(p, lane), norm2(&n), norm2(&dx));
                for i in 0..chunk.live_lanes(p, lane, R::LANES) {
                    sums.primal += w.lane(i) * off.lane(i);
                    let share = off.lane(i) / size.lane(i).max(f64::MIN_POSITIVE);
                    sums.violated = if w.lane(i) > 0.0 { sums.violated.max(share) } else { sums.violated };
                }
                for d in 0..D {
                    n[d] = scale(w, n[d]);
                }
                chunk.loads::<R, D, false>(p, lane, &n, self.loads);
            }
        }
        sums.violated = sums.violated.sqrt();
        chunk.sums = sums;
    }
}

/// Numbers of lagged terms, at the last state.
pub(super) struct Lag<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub x: &'a [Row],
    pub rate: f64,
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for Lag<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.view.chunk;
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut e = chunk.element::<R>(p, lane, P::PARAMS);
                let dx = chunk.local::<R, D>(p, lane, self.x);
                self.view.potential.lag(&mut e, &dx, R::splat(self.rate));
                for q in 0..P::PARAMS {
                    e.param[q].store(&mut chunk.param[p * P::PARAMS + q], lane);
                }
            }
        }
    }
}

/// u = 0, z = Dx.
pub(super) struct Reset<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
}

impl<const V: usize, const D: usize> Kernel for Reset<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let dx = chunk.local::<R, D>(p, lane, self.x);
                store_local(&dx, &mut chunk.z, p, lane);
                store_local(&zeros::<R, D>(), &mut chunk.u, p, lane);
            }
        }
    }
}

/// det F for tetrahedra, the ratio of areas for triangles, which is never negative; 1 for other elements.
#[inline(always)]
fn determinant<R: Real, const D: usize>(f: &Local<R, D>) -> R {
    match D {
        3 => dot(f[0], cross(f[1 % D], f[2 % D])),
        2 => {
            let n = cross(f[0], f[1 % D]);
            dot(n, n).sqrt()
        }
        _ => R::one(),
    }
}

/// ‖W(Dx − z)‖² and ‖W Dx‖².
pub(super) struct Primal<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
}

impl<const V: usize, const D: usize> Kernel for Primal<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        let mut sums = Sums::default();
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let r = minus(&dx, &load_local(&chunk.z, p, lane));
                let w = chunk.weight::<R>(p, lane);
                let (primal, size) = (w * norm2(&r), w * norm2(&dx));
                for i in 0..chunk.live_lanes(p, lane, R::LANES) {
                    sums.primal += primal.lane(i);
                    sums.size += size.lane(i);
                }
            }
        }
        chunk.sums = sums;
    }
}

/// What [`Transpose`] multiplies by DᵀW².
#[derive(Clone, Copy, PartialEq)]
pub(super) enum What {
    /// z − z_before: the dual residual (23).
    Step,
    /// u.
    Force,
}

/// Loads of DᵀW² times something kept.
pub(super) struct Transpose<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub what: What,
    pub loads: &'a mut [Row],
}

impl<const V: usize, const D: usize> Kernel for Transpose<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        self.loads.fill(Row::default());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut q: Local<R, D> = match self.what {
                    What::Step => {
                        minus(&load_local(&chunk.z, p, lane), &load_local(&chunk.z_before, p, lane))
                    }
                    What::Force => load_local(&chunk.u, p, lane),
                };
                let w = chunk.weight::<R>(p, lane);
                for d in 0..D {
                    q[d] = scale(w, q[d]);
                }
                chunk.loads::<R, D, false>(p, lane, &q, self.loads);
            }
        }
    }
}

/// Loads DᵀKDx with the material's stiffness K and their lengths: the size of the numbers whose difference the forces are.
pub(super) struct Size<'a, const V: usize, const D: usize> {
    pub chunk: &'a mut Chunk<V>,
    pub x: &'a [Row],
    pub loads: &'a mut [Row],
}

impl<const V: usize, const D: usize> Kernel for Size<'_, V, D> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let chunk = self.chunk;
        self.loads.fill(Row::default());
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut q = chunk.local::<R, D>(p, lane, self.x);
                let k = R::load(&chunk.scale[4 * p + 3], lane);
                for d in 0..D {
                    q[d] = scale(k, q[d]);
                }
                chunk.loads::<R, D, true>(p, lane, &q, self.loads);
            }
        }
    }
}

/// Elements squeezed to less than this part of their volume count as degenerate.
const FLAT: f64 = 1e-3;

/// Energy, stress, inverted and infinite elements; with them the loads Dᵀ∇U(Dx), or the dual start, or nothing.
pub(super) struct Gradient<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub x: &'a [Row],
    pub then: Then<'a>,
}

/// What to do with the stress.
pub(super) enum Then<'a> {
    /// Nothing: the energy is enough.
    Nothing,
    /// Loads Dᵀ∇U(Dx), with their lengths if that is asked for.
    Loads(&'a mut [Row], bool),
    /// u = V P/w² = P/k; where the element is inverted or flat, what is missing to a sound shape. Not for constraints.
    DualStart,
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for Gradient<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(mut self) {
        let (potential, chunk) = (self.view.potential, self.view.chunk);
        let barrier = potential.domain() == Domain::Barrier;
        let reflected = potential.domain() == Domain::NonNegative;
        let convex = potential.convex();
        let (mut sums, mut energies) = (Sums::default(), Block::default());
        if let Then::Loads(loads, _) = &mut self.then {
            loads.fill(Row::default());
        }
        for p in 0..chunk.nodes.len() {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let e = chunk.element::<R>(p, lane, P::PARAMS);
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let (energy, stress) = if P::HARD {
                    // The force of a constraint is its multiplier, w²u = V·ku; how far it is from holding is told apart.
                    let u = load_local(&chunk.u, p, lane);
                    let off = potential.off(&e, &dx);
                    let (size, weight) = (norm2(&dx), chunk.weight::<R>(p, lane));
                    for i in 0..chunk.live_lanes(p, lane, R::LANES) {
                        let (off, size) = (off.lane(i), size.lane(i));
                        sums.violation = if off.is_nan() { f64::INFINITY } else { sums.violation.max(off) };
                        // Constraints without a free node are listed separately and have no weight.
                        let share = off / size.max(f64::MIN_POSITIVE);
                        sums.violated =
                            if weight.lane(i) > 0.0 { sums.violated.max(share) } else { sums.violated };
                    }
                    (potential.energy(&e, &dx), combine(e.k, &u, R::zero(), &u))
                } else {
                    potential.energy_and_stress(&e, &dx)
                };
                let volume = chunk.volume::<R>(p, lane);
                let j = if P::BESIDE { R::one() } else { determinant(&dx) };
                match &mut self.then {
                    Then::Nothing => {}
                    Then::Loads(loads, lengths) => {
                        let mut q = stress;
                        for d in 0..D {
                            q[d] = scale(volume, q[d]);
                        }
                        if *lengths {
                            chunk.loads::<R, D, true>(p, lane, &q, loads);
                        } else {
                            chunk.loads::<R, D, false>(p, lane, &q, loads);
                        }
                    }
                    Then::DualStart => {
                        let usable = j.gt(R::splat(FLAT));
                        let mut u = stress;
                        for d in 0..D {
                            for i in 0..3 {
                                u[d][i] = R::select(usable, u[d][i] / e.k, R::zero());
                            }
                        }
                        let bad = !usable;
                        if D == 3 && !convex && bad.any() {
                            for i in 0..R::LANES {
                                if bad.lane(i) {
                                    set_lane(&mut u, i, &towards_sound(&lane_of(&dx, i)));
                                }
                            }
                        }
                        store_local(&u, &mut chunk.u, p, lane);
                    }
                }
                let mut energy = energy * volume;
                let live = chunk.live_lanes(p, lane, R::LANES);
                // Lanes that repeat an element count for nothing.
                for i in live..R::LANES {
                    energy = energy.with_lane(i, 0.0);
                }
                (R::load(&energies, lane) + energy).store(&mut energies, lane);
                // Most elements are neither flat nor inverted.
                let flat = !j.gt(R::splat(FLAT));
                if !flat.any() {
                    continue;
                }
                let inverted = j.lt(R::zero());
                // Where a barrier energy is infinite its gradient means nothing; below this it overflows.
                let outside = !j.gt(R::splat(1e-290));
                for i in 0..live {
                    sums.inverted += usize::from(inverted.lane(i));
                    sums.infinite += usize::from(barrier && outside.lane(i));
                    let forbidden = (barrier && outside.lane(i)) || (reflected && inverted.lane(i));
                    sums.forbidden += usize::from(forbidden);
                    sums.degenerate += usize::from(!convex && flat.lane(i));
                }
            }
        }
        sums.energy = energies.0.iter().fold(0.0, |a, b| a + b);
        sums.dissipation = if P::LAGGED { sums.energy } else { 0.0 };
        (sums.violation, sums.violated) = (sums.violation.sqrt(), sums.violated.sqrt());
        chunk.sums = sums;
    }
}

/// U max(σ, ½) Vᵀ − F: a flat element is a stationary point of energies that do not see a reflection, and their proximal
/// operators then return it as it is; from a sound shape they lead on.
#[inline(never)]
fn towards_sound<const D: usize>(f: &Local<f64, D>) -> Local<f64, D> {
    let d = svd(&[f[0], f[1 % D], f[2 % D]]);
    let s = [d.s[0].max(0.5), d.s[1].max(0.5), d.s[2].max(0.5)];
    let sound = compose(&d.u, s, &d.v);
    let mut u = *f;
    for j in 0..D {
        u[j] = sub(sound[j % 3], f[j]);
    }
    u
}
