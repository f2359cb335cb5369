//! The two stretches of a 3×2 matrix, and the matrix with others in their place, without singular vectors.
//!
//! FᵀF = mI + dN with N = v1 v1ᵀ − v2 v2ᵀ, so σ1² = m + d, and σ1σ2 is the area |f1 × f2|. With other stretches s the matrix
//! Σ s_a u_a v_aᵀ is F(pI + qN), p ± q = s_a/σ_a: a third of the work of `svd2.rs`. Dividing by σ2 costs as many digits as σ1/σ2 has, so flat
//! matrices, and those whose squares overflow or vanish, take the decomposition, one by one.

use super::real::{Mask, Real};
use super::small::{Local, axpy, cross, dot, lane, scale, set_lane};
use super::svd2::{compose2, svd2};

/// σ2/σ1 below which a matrix is decomposed: what is above loses three digits at most.
const FLAT: f64 = 1e-3;

/// The m that are trusted.
const LEAST: f64 = 1e-100;
const MOST: f64 = 1e100;

/// A difference d below this is none beside m; its square has not vanished above it.
const NONE: f64 = 1e-140;

/// The stretches of a matrix.
pub struct Stretches<R: Real> {
    /// σ1 ≥ σ2 ≥ 0.
    pub s: [R; 2],
    /// N11 = −N22 and N12: the cosine and the sine of twice the angle of v1.
    n: [R; 2],
    /// Where the decomposition is needed.
    flat: R::Mask,
}

/// The stretches of F.
#[inline(always)]
pub fn stretches<R: Real>(f: &Local<R, 2>) -> Stretches<R> {
    let half = R::splat(0.5);
    let (a, b, c) = (dot(f[0], f[0]), dot(f[1], f[1]), dot(f[0], f[1]));
    let normal = cross(f[0], f[1]);
    let (m, h) = (half * (a + b), half * (a - b));
    let d = (h * h + c * c).sqrt();
    let (square, area) = (m + d, dot(normal, normal).sqrt());
    let flat = !(area.gt(R::splat(FLAT) * square) & m.gt(R::splat(LEAST)) & m.lt(R::splat(MOST)));
    let first = square.sqrt();
    let inv = R::one() / d.max(R::splat(NONE));
    let mut s = [first, (area / first).min(first)];
    if flat.any() {
        for i in 0..R::LANES {
            if flat.lane(i) {
                let found = decomposed(&lane(f, i));
                s = [s[0].with_lane(i, found[0]), s[1].with_lane(i, found[1])];
            }
        }
    }
    Stretches { s, n: [h * inv, c * inv], flat }
}

impl<R: Real> Stretches<R> {
    /// Σ s_a u_a v_aᵀ of the same F.
    #[inline(always)]
    pub fn compose(&self, f: &Local<R, 2>, s: [R; 2]) -> Local<R, 2> {
        let half = R::splat(0.5);
        let (first, second) = (half * (s[0] / self.s[0]), half * (s[1] / self.s[1]));
        let (p, q) = (first + second, first - second);
        let (cos, sin) = (q * self.n[0], q * self.n[1]);
        let mut z = [axpy(scale(p + cos, f[0]), sin, f[1]), axpy(scale(p - cos, f[1]), sin, f[0])];
        if self.flat.any() {
            for i in 0..R::LANES {
                if self.flat.lane(i) {
                    set_lane(&mut z, i, &recomposed(&lane(f, i), [s[0].lane(i), s[1].lane(i)]));
                }
            }
        }
        z
    }
}

#[inline(never)]
fn decomposed(f: &Local<f64, 2>) -> [f64; 2] {
    svd2(f).s
}

#[inline(never)]
fn recomposed(f: &Local<f64, 2>, s: [f64; 2]) -> Local<f64, 2> {
    let d = svd2(f);
    compose2(&d.u, s, &d.v)
}
