//! Dissipation as energy terms whose numbers are taken at the start of each step (Gast et al. 2015; section 5 of the paper).
//!
//! A force −C v⁺ with C of the last state and v⁺ = (x⁺ − x_n)/Δt is minus the gradient of (x⁺ − x_n)ᵀC(x⁺ − x_n)/(2Δt): implicit
//! in the velocity, so that no wind and no damping is too strong for a time step.

use super::{Curvature, Domain, Element, Potential};
use crate::math::real::Real;
use crate::math::small::{Local, Mat3, cofactor, dot, lane, mul, norm2, scale, sub, transpose};
use crate::math::svd::svd;

/// Drag of a node: Ψ = ½(z − x_n)ᵀ(C/Δt)(z − x_n). Numbers: C (xx, yy, zz, xy, xz, yz) in kg/s, x_n, 1/Δt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drag;

/// C/Δt by columns.
#[inline(always)]
fn matrix<R: Real>(e: &Element<R>) -> Mat3<R> {
    let mut c = [R::zero(); 6];
    for i in 0..6 {
        c[i] = e.param[9] * e.param[i];
    }
    [[c[0], c[3], c[4]], [c[3], c[1], c[5]], [c[4], c[5], c[2]]]
}

#[inline(always)]
fn offset<R: Real>(e: &Element<R>, z: &Local<R, 1>) -> [R; 3] {
    sub(z[0], [e.param[6], e.param[7], e.param[8]])
}

impl Potential<1> for Drag {
    const PARAMS: usize = 10;
    const BESIDE: bool = true;
    const LAGGED: bool = true;
    fn name(&self) -> &'static str {
        "drag"
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    fn minds_inversion(&self) -> bool {
        false
    }
    /// A quadratic: projective dynamics takes it with z = Dx − ∇U/w².
    fn projective(&self) -> bool {
        true
    }
    #[inline(always)]
    fn lag<R: Real>(&self, e: &mut Element<R>, z: &Local<R, 1>, rate: R) {
        (e.param[6], e.param[7], e.param[8], e.param[9]) = (z[0][0], z[0][1], z[0][2], rate);
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, z: &Local<R, 1>) -> (R, Local<R, 1>) {
        let (m, d) = (matrix(e), offset(e, z));
        let force = [dot(m[0], d), dot(m[1], d), dot(m[2], d)];
        (R::splat(0.5) * dot(d, force), [force])
    }
    /// z − x_n = (C/Δt + k)⁻¹ k(y − x_n), by cofactors.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Local<R, 1>, _warm: &mut R) -> Local<R, 1> {
        let mut m = matrix(e);
        for i in 0..3 {
            m[i][i] += e.k;
        }
        let c = cofactor(&m);
        let d = scale(e.k / dot(m[0], c[0]), offset(e, y));
        // The cofactor matrix of a symmetric matrix is symmetric.
        [[dot(c[0], d) + e.param[6], dot(c[1], d) + e.param[7], dot(c[2], d) + e.param[8]]]
    }
    /// Bounded by the trace.
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, _z: &Local<R, 1>) -> Curvature<R, 1> {
        Curvature::uniform(e.param[9] * (e.param[0] + e.param[1] + e.param[2]))
    }
}

/// Strain-rate damping of a solid: Ψ = (β/Δt)(μ‖ε‖² + λ/2 tr²ε) with the change of Green's strain ε = sym(F_nᵀ(F − F_n)) in the step,
/// to first order: a rotation is none. Numbers: βμ, βλ, then F_n = U diag(σ) Vᵀ as two quaternions and σ, 1/Δt.
///
/// With Y = Uᵀ(F − F_n)V the strain is sym(diag(σ)Y): Y's diagonal is one problem, each pair Y_ij, Y_ji another.
#[derive(Clone, Copy, Debug, Default)]
pub struct StrainRate;

/// The rotation of the unit quaternion (w, x, y, z), by columns.
#[inline(always)]
fn rotation<R: Real>(q: &[R]) -> Mat3<R> {
    let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
    let (l, two) = (R::one(), R::splat(2.0));
    [
        [l - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)],
        [two * (x * y - w * z), l - two * (x * x + z * z), two * (y * z + w * x)],
        [two * (x * z + w * y), two * (y * z - w * x), l - two * (x * x + y * y)],
    ]
}

/// U, σ, V of F_n, and μ, λ over the time step.
struct Frame<R> {
    u: Mat3<R>,
    s: [R; 3],
    v: Mat3<R>,
    mu: R,
    lambda: R,
}

impl<R: Real> Frame<R> {
    #[inline(always)]
    fn new(e: &Element<R>) -> Frame<R> {
        let p = &e.param;
        let (u, v) = (rotation(&p[2..6]), rotation(&p[6..10]));
        Frame { u, s: [p[10], p[11], p[12]], v, mu: p[13] * p[0], lambda: p[13] * p[1] }
    }
    /// Uᵀ(F − F_n)V.
    #[inline(always)]
    fn enter(&self, f: &Mat3<R>) -> Mat3<R> {
        let mut y = mul(&mul(&transpose(&self.u), f), &self.v);
        for i in 0..3 {
            y[i][i] -= self.s[i];
        }
        y
    }
    /// U Y Vᵀ.
    #[inline(always)]
    fn leave(&self, y: &Mat3<R>) -> Mat3<R> {
        mul(&mul(&self.u, y), &transpose(&self.v))
    }
}

impl Potential<3> for StrainRate {
    const PARAMS: usize = 14;
    const BESIDE: bool = true;
    const LAGGED: bool = true;
    fn name(&self) -> &'static str {
        "damping"
    }
    fn domain(&self) -> Domain {
        Domain::Signed
    }
    fn minds_inversion(&self) -> bool {
        false
    }
    fn projective(&self) -> bool {
        true
    }
    #[inline(always)]
    fn lag<R: Real>(&self, e: &mut Element<R>, f: &Mat3<R>, rate: R) {
        let d = svd(f);
        for i in 0..R::LANES {
            let (u, v) = (quaternion(&lane(&d.u, i)), quaternion(&lane(&d.v, i)));
            for c in 0..4 {
                e.param[2 + c] = e.param[2 + c].with_lane(i, u[c]);
                e.param[6 + c] = e.param[6 + c].with_lane(i, v[c]);
            }
        }
        for i in 0..3 {
            e.param[10 + i] = d.s[i];
        }
        e.param[13] = rate;
    }
    #[inline(always)]
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        let frame = Frame::new(e);
        let (y, s) = (frame.enter(f), &frame.s);
        let half = R::splat(0.5);
        // y[j][i] is row i of column j; ε_ij = ½(σ_i Y_ij + σ_j Y_ji).
        let mut strain = y;
        for j in 0..3 {
            for i in 0..3 {
                strain[j][i] = half * (s[i] * y[j][i] + s[j] * y[i][j]);
            }
        }
        let tr = strain[0][0] + strain[1][1] + strain[2][2];
        let energy = frame.mu * norm2(&strain) + half * frame.lambda * tr * tr;
        let two_mu = frame.mu + frame.mu;
        let mut p = strain;
        for j in 0..3 {
            for i in 0..3 {
                p[j][i] = two_mu * s[i] * strain[j][i];
            }
            p[j][j] += frame.lambda * tr * s[j];
        }
        (energy, frame.leave(&p))
    }
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, y: &Mat3<R>, _warm: &mut R) -> Mat3<R> {
        let frame = Frame::new(e);
        let (mut z, s, k) = (frame.enter(y), frame.s, e.k);
        // Pairs: κ = μ(σ_i² + σ_j²) along (σ_i, σ_j), nothing across.
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let along = s[i] * z[j][i] + s[j] * z[i][j];
            let share = frame.mu * along / (k + frame.mu * (s[i] * s[i] + s[j] * s[j]));
            z[j][i] -= share * s[i];
            z[i][j] -= share * s[j];
        }
        // The diagonal: (2μσ² + k)Y + λσ(σ·Y) = kỸ, by Sherman and Morrison.
        let two_mu = frame.mu + frame.mu;
        let mut d = s;
        for i in 0..3 {
            d[i] = R::one() / (two_mu * s[i] * s[i] + k);
        }
        let top = k * (s[0] * z[0][0] * d[0] + s[1] * z[1][1] * d[1] + s[2] * z[2][2] * d[2]);
        let sum = s[0] * s[0] * d[0] + s[1] * s[1] * d[1] + s[2] * s[2] * d[2];
        let t = frame.lambda * top / (R::one() + frame.lambda * sum);
        for i in 0..3 {
            z[i][i] = (k * z[i][i] - s[i] * t) * d[i] + s[i];
        }
        frame.leave(&z)
    }
    /// That of the pairs without what mixes their two modes.
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, _f: &Mat3<R>) -> Curvature<R, 3> {
        let frame = Frame::new(e);
        let (s, half) = (&frame.s, R::splat(0.5));
        let mut c = Curvature::uniform(R::zero());
        (c.u, c.v) = (frame.u, frame.v);
        for (q, (i, j)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let (plus, minus) = (s[i] + s[j], s[i] - s[j]);
            c.sum[q] = half * frame.mu * plus * plus;
            c.difference[q] = half * frame.mu * minus * minus;
        }
        for i in 0..3 {
            for j in 0..3 {
                c.stretch[i][j] = frame.lambda * s[i] * s[j];
            }
            c.stretch[i][i] += (frame.mu + frame.mu) * s[i] * s[i];
        }
        c
    }
}

/// The unit quaternion of a rotation, its largest entry positive (Shepperd 1978).
#[inline(never)]
fn quaternion(r: &Mat3<f64>) -> [f64; 4] {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares =
        [trace, 2.0 * r[0][0] - trace, 2.0 * r[1][1] - trace, 2.0 * r[2][2] - trace].map(|s| 1.0 + s);
    let mut most = 0;
    for i in 1..4 {
        if squares[i] > squares[most] {
            most = i;
        }
    }
    // Products 4 q_i q_j off the diagonal; r[j][i] is row i of column j.
    let (wx, wy, wz) = (r[1][2] - r[2][1], r[2][0] - r[0][2], r[0][1] - r[1][0]);
    let (xy, xz, yz) = (r[1][0] + r[0][1], r[2][0] + r[0][2], r[2][1] + r[1][2]);
    let q = match most {
        0 => [squares[0], wx, wy, wz],
        1 => [wx, squares[1], xy, xz],
        2 => [wy, xy, squares[2], yz],
        _ => [wz, xz, yz, squares[3]],
    };
    let n = q.iter().map(|a| a * a).sum::<f64>().sqrt();
    if n > 0.0 && n.is_finite() { q.map(|a| a / n) } else { [1.0, 0.0, 0.0, 0.0] }
}
