//! Signed singular value decomposition of 3×3 matrices, in lanes.
//!
//! F = U diag(σ) Vᵀ with det U = det V = +1 and σ1 ≥ σ2 ≥ |σ3|: the convention for inverted elements of
//! Irving et al. 2004, which the paper uses (section 4.2). The columns of U and V are orthonormal to
//! rounding for every input, the zero matrix included.
//!
//! Jacobi rotations on FᵀF give V to half of the digits; one more sweep on the columns of F·V, with dot
//! products taken fresh, gives the rest.

use super::real::Real;
use super::small::{Mat3, Vec3, axpy, cross, dot, identity, scale, select3};

/// U, σ, V of F = U diag(σ) Vᵀ.
pub struct Svd<R> {
    /// Left singular vectors, by columns; a rotation.
    pub u: Mat3<R>,
    /// Signed singular values, σ1 ≥ σ2 ≥ |σ3|.
    pub s: Vec3<R>,
    /// Right singular vectors, by columns; a rotation.
    pub v: Mat3<R>,
}

/// Cosine and sine and tangent of the Jacobi rotation that clears `a_pq`.
#[inline(always)]
pub(super) fn rotation<R: Real>(app: R, aqq: R, apq: R) -> (R, R, R) {
    let d = aqq - app;
    let b = apq + apq;
    let h = (d * d + b * b).sqrt();
    let t = b / (d.abs() + h + R::splat(1e-300));
    let t = R::select(d.lt(R::zero()), -t, t);
    let c = R::one() / (R::one() + t * t).sqrt();
    (c, t * c, t)
}

/// Columns p and q of `m` turned by (c, s).
#[inline(always)]
fn turn<R: Real>(m: &mut Mat3<R>, p: usize, q: usize, c: R, s: R) {
    let (a, b) = (m[p], m[q]);
    for i in 0..3 {
        m[p][i] = c * a[i] - s * b[i];
        m[q][i] = s * a[i] + c * b[i];
    }
}

/// Exchanges columns p and q where `mask` says so, turning one round so that the determinant stays.
#[inline(always)]
fn exchange<R: Real>(m: &mut Mat3<R>, p: usize, q: usize, mask: R::Mask) {
    let (a, b) = (m[p], m[q]);
    m[p] = select3::<R>(mask, b, a);
    m[q] = select3::<R>(mask, scale(-R::one(), a), b);
}

/// Some unit vector perpendicular to the unit vector `a`.
#[inline(always)]
pub(super) fn perpendicular<R: Real>(a: Vec3<R>) -> Vec3<R> {
    // Cross product with the axis along which `a` is short.
    let (o, l) = (R::zero(), R::one());
    let flat = a[0].abs().lt(R::splat(0.6));
    let w = cross(a, select3::<R>(flat, [l, o, o], [o, l, o]));
    scale(l / dot(w, w).sqrt(), w)
}

/// The signed singular value decomposition. Finite input gives finite, orthonormal output.
#[inline(always)]
pub fn svd<R: Real>(f: &Mat3<R>) -> Svd<R> {
    // Scale to entries of size 1, so that squares neither overflow nor vanish.
    let mut m = R::splat(1e-290);
    for j in 0..3 {
        for i in 0..3 {
            m = m.max(f[j][i].abs());
        }
    }
    let inv = R::one() / m;
    let mut b = [scale(inv, f[0]), scale(inv, f[1]), scale(inv, f[2])];
    let mut v = identity::<R>();

    // Three cyclic sweeps on a = FᵀF.
    let (mut a00, mut a11, mut a22) = (dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2]));
    let (mut a01, mut a02, mut a12) = (dot(b[0], b[1]), dot(b[0], b[2]), dot(b[1], b[2]));
    for _ in 0..3 {
        let (c, s, t) = rotation(a00, a11, a01);
        a00 -= t * a01;
        a11 += t * a01;
        a01 = R::zero();
        (a02, a12) = (c * a02 - s * a12, s * a02 + c * a12);
        turn(&mut v, 0, 1, c, s);

        let (c, s, t) = rotation(a00, a22, a02);
        a00 -= t * a02;
        a22 += t * a02;
        a02 = R::zero();
        (a01, a12) = (c * a01 - s * a12, s * a01 + c * a12);
        turn(&mut v, 0, 2, c, s);

        let (c, s, t) = rotation(a11, a22, a12);
        a11 -= t * a12;
        a22 += t * a12;
        a12 = R::zero();
        (a01, a02) = (c * a01 - s * a02, s * a01 + c * a02);
        turn(&mut v, 1, 2, c, s);
    }

    // One sweep on the columns themselves: FᵀF alone loses 1e-8 of small singular values.
    b = super::small::mul(&b, &v);
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let (c, s, _) = rotation(dot(b[p], b[p]), dot(b[q], b[q]), dot(b[p], b[q]));
        turn(&mut b, p, q, c, s);
        turn(&mut v, p, q, c, s);
    }

    // Longest column first.
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let swap = dot(b[p], b[p]).lt(dot(b[q], b[q]));
        exchange(&mut b, p, q, swap);
        exchange(&mut v, p, q, swap);
    }

    // Left vectors by Gram–Schmidt, twice; any perpendicular where the column vanishes.
    let tiny = R::splat(1e-150);
    let (o, l) = (R::zero(), R::one());
    let n0 = dot(b[0], b[0]).sqrt();
    let u0 = select3::<R>(n0.gt(tiny), scale(l / n0.max(tiny), b[0]), [l, o, o]);
    let w = axpy(b[1], -dot(u0, b[1]), u0);
    let n1 = dot(w, w).sqrt();
    let u1 = select3::<R>(n1.gt(tiny), scale(l / n1.max(tiny), w), perpendicular(u0));
    let u1 = axpy(u1, -dot(u0, u1), u0);
    let n1 = dot(u1, u1).sqrt();
    // What is left after the first projection may be rounding noise along u0.
    let u1 = select3::<R>(n1.gt(R::splat(0.5)), scale(l / n1.max(tiny), u1), perpendicular(u0));
    let u2 = cross(u0, u1);
    let s = [dot(u0, b[0]) * m, dot(u1, b[1]) * m, dot(u2, b[2]) * m];
    Svd { u: [u0, u1, u2], s, v }
}
