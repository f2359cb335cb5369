//! Singular value decomposition of 3×2 matrices, in lanes.
//!
//! F = σ1 u1 v1ᵀ + σ2 u2 v2ᵀ with σ1 ≥ σ2 ≥ 0: a membrane has no inside out, so nothing is signed. u1, u2, u3 are orthonormal
//! to rounding for every input, the zero matrix included, and so are v1, v2.
//!
//! One Jacobi rotation makes the columns of F perpendicular; a second one, with dot products taken fresh, mends what rounding
//! left of it where one of them is short.

use super::real::Real;
use super::small::{Local, Mat3, axpy, cross, dot, scale, select3};
use super::svd::{perpendicular, rotation};

/// U, σ, V of a 3×2 matrix.
pub struct Svd2<R> {
    /// Left singular vectors, and the normal, by columns; a rotation.
    pub u: Mat3<R>,
    /// Singular values, σ1 ≥ σ2 ≥ 0.
    pub s: [R; 2],
    /// Right singular vectors by columns.
    pub v: [[R; 2]; 2],
}

/// The decomposition. Finite input gives finite, orthonormal output.
#[inline(always)]
pub fn svd2<R: Real>(f: &Local<R, 2>) -> Svd2<R> {
    let (o, l) = (R::zero(), R::one());
    // Scale to entries of size 1, so that squares neither overflow nor vanish.
    let mut m = R::splat(1e-290);
    for j in 0..2 {
        for i in 0..3 {
            m = m.max(f[j][i].abs());
        }
    }
    let inv = l / m;
    let mut b = [scale(inv, f[0]), scale(inv, f[1])];
    let mut v = [[l, o], [o, l]];
    for _ in 0..2 {
        let (c, s, _) = rotation(dot(b[0], b[0]), dot(b[1], b[1]), dot(b[0], b[1]));
        for i in 0..3 {
            (b[0][i], b[1][i]) = (c * b[0][i] - s * b[1][i], s * b[0][i] + c * b[1][i]);
        }
        for i in 0..2 {
            (v[0][i], v[1][i]) = (c * v[0][i] - s * v[1][i], s * v[0][i] + c * v[1][i]);
        }
    }
    let swap = dot(b[0], b[0]).lt(dot(b[1], b[1]));
    let (b0, b1) = (select3::<R>(swap, b[1], b[0]), select3::<R>(swap, b[0], b[1]));
    for i in 0..2 {
        (v[0][i], v[1][i]) = (R::select(swap, v[1][i], v[0][i]), R::select(swap, v[0][i], v[1][i]));
    }
    // Left vectors by Gram–Schmidt, twice; any perpendicular where the column vanishes.
    let tiny = R::splat(1e-150);
    let n0 = dot(b0, b0).sqrt();
    let u0 = select3::<R>(n0.gt(tiny), scale(l / n0.max(tiny), b0), [l, o, o]);
    let w = axpy(b1, -dot(u0, b1), u0);
    let n1 = dot(w, w).sqrt();
    let u1 = select3::<R>(n1.gt(tiny), scale(l / n1.max(tiny), w), perpendicular(u0));
    let u1 = axpy(u1, -dot(u0, u1), u0);
    let n1 = dot(u1, u1).sqrt();
    // What is left after the first projection may be rounding noise along u0.
    let u1 = select3::<R>(n1.gt(R::splat(0.5)), scale(l / n1.max(tiny), u1), perpendicular(u0));
    let first = dot(u0, b0) * m;
    let s = [first, (dot(u1, b1) * m).max(o).min(first)];
    Svd2 { u: [u0, u1, cross(u0, u1)], s, v }
}

/// σ1 u1 v1ᵀ + σ2 u2 v2ᵀ.
#[inline(always)]
pub fn compose2<R: Real>(u: &Mat3<R>, s: [R; 2], v: &[[R; 2]; 2]) -> Local<R, 2> {
    let (a, b) = (scale(s[0], u[0]), scale(s[1], u[1]));
    [axpy(scale(v[0][0], a), v[1][0], b), axpy(scale(v[0][1], a), v[1][1], b)]
}
