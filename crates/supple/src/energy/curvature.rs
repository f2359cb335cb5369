//! Second derivatives for Newton's method: ∂²Ψ/∂z² with its negative part removed, in the frame where it falls apart.
//!
//! With z = U diag(σ) Vᵀ, U 3×3 and V D×D, the Hessian of an isotropic energy is (Teran et al. 2005, Smith et
//! al. 2019) ∂²Ψ/∂σ² on the modes u_i v_iᵀ; for each pair i < j < D a number on (u_i v_jᵀ + u_j v_iᵀ)/√2 and one on
//! (u_i v_jᵀ − u_j v_iᵀ)/√2; and for the directions u_i beyond D (of membranes and springs) Ψ_j/σ_j on u_i v_jᵀ.

use super::{Element, Isotropic};
use crate::math::real::{Mask, Real};
use crate::math::small::{Mat3, identity, mul, transpose};

/// Pairs i < j of up to three stretches.
pub const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// ∂²Ψ/∂z² of a 3×D matrix; positive semi-definite in Newton's method.
#[derive(Clone, Copy, Debug)]
pub struct Curvature<R, const D: usize> {
    /// U: directions in space, by columns.
    pub u: Mat3<R>,
    /// V: directions of the rest shape, by columns.
    pub v: [[R; D]; D],
    /// On u_i v_iᵀ.
    pub stretch: [[R; D]; D],
    /// On (u_i v_jᵀ + u_j v_iᵀ)/√2, by [`PAIRS`].
    pub sum: [R; 3],
    /// On (u_i v_jᵀ − u_j v_iᵀ)/√2, by [`PAIRS`].
    pub difference: [R; 3],
    /// On u_i v_jᵀ for i ≥ D, by j; of matrices with more than three columns, for all i, and nothing else counts.
    pub normal: [R; D],
}

impl<R: Real, const D: usize> Curvature<R, D> {
    /// k times the identity.
    #[inline(always)]
    pub fn uniform(k: R) -> Curvature<R, D> {
        let mut c = Curvature {
            u: identity(),
            v: [[R::zero(); D]; D],
            stretch: [[R::zero(); D]; D],
            sum: [k; 3],
            difference: [k; 3],
            normal: [k; D],
        };
        for i in 0..D {
            c.v[i][i] = R::one();
            c.stretch[i][i] = k;
        }
        c
    }

    /// Vᵀg.
    #[inline(always)]
    pub fn along(&self, g: &[R; D]) -> [R; D] {
        let mut p = [R::zero(); D];
        for j in 0..D {
            for d in 0..D {
                p[j] += self.v[j][d] * g[d];
            }
        }
        p
    }

    /// The 3×3 block ∂²Ψ/∂x_a∂x_b of two corners, given Vᵀg of each, by columns.
    #[inline(always)]
    pub fn block(&self, a: &[R; D], b: &[R; D]) -> Mat3<R> {
        let half = R::splat(0.5);
        // In the frame of U, by columns: k[column][row].
        let mut k = [[R::zero(); 3]; 3];
        if D > 3 {
            for i in 0..3 {
                for j in 0..D {
                    k[i][i] += self.normal[j] * a[j] * b[j];
                }
            }
            return k;
        }
        for i in 0..D {
            for j in 0..D {
                k[j][i] = self.stretch[j][i] * a[i] * b[j];
            }
        }
        for (q, &(i, j)) in PAIRS.iter().enumerate() {
            if j < D {
                let same = half * (self.sum[q] + self.difference[q]);
                let cross = half * (self.sum[q] - self.difference[q]);
                k[i][i] += same * a[j] * b[j];
                k[j][j] += same * a[i] * b[i];
                k[j][i] += cross * a[j] * b[i];
                k[i][j] += cross * a[i] * b[j];
            }
        }
        for i in D..3 {
            for j in 0..D {
                k[i][i] += self.normal[j] * a[j] * b[j];
            }
        }
        mul(&mul(&self.u, &k), &transpose(&self.u))
    }
}

/// The curvature of an isotropic energy, given U, V and stretches in its domain.
#[inline(always)]
pub fn isotropic<M: Isotropic<D>, R: Real, const D: usize>(
    m: &M,
    e: &Element<R>,
    u: &Mat3<R>,
    s: &[R; D],
    v: &[[R; D]; D],
) -> Curvature<R, D> {
    let mut c = whole(m, e, u, s, v);
    let o = R::zero();
    for q in 0..3 {
        (c.sum[q], c.difference[q]) = (c.sum[q].max(o), c.difference[q].max(o));
    }
    for j in 0..D {
        c.normal[j] = c.normal[j].max(o);
    }
    clamp(&mut c.stretch);
    c
}

/// The same with its negative part.
#[inline(always)]
pub fn whole<M: Isotropic<D>, R: Real, const D: usize>(
    m: &M,
    e: &Element<R>,
    u: &Mat3<R>,
    s: &[R; D],
    v: &[[R; D]; D],
) -> Curvature<R, D> {
    let (g, h) = (m.gradient(e, s), m.hessian(e, s));
    let (o, half) = (R::zero(), R::splat(0.5));
    let mut c = Curvature { u: *u, v: *v, stretch: h, sum: [o; 3], difference: [o; 3], normal: [o; D] };
    for (q, &(i, j)) in PAIRS.iter().enumerate() {
        if j < D {
            // (Ψ_i ∓ Ψ_j)/(σ_i ∓ σ_j), and the limits where the denominator vanishes.
            let scale = s[i].abs().max(s[j].abs()).max(R::splat(1e-12));
            let mean = half * (h[i][i] + h[j][j]);
            let (less, more) = (s[i] - s[j], s[i] + s[j]);
            let apart = less.abs().gt(R::splat(1e-5) * scale);
            let sum = R::select(apart, (g[i] - g[j]) / R::select(apart, less, scale), mean - h[i][j]);
            let apart = more.abs().gt(R::splat(1e-12) * scale);
            let difference = R::select(apart, (g[i] + g[j]) / R::select(apart, more, scale), mean + h[i][j]);
            c.sum[q] = sum;
            c.difference[q] = difference;
        }
    }
    for j in 0..D {
        if D < 3 {
            let some = s[j].gt(R::splat(1e-12));
            c.normal[j] = R::select(some, g[j] / R::select(some, s[j], R::one()), o);
        }
    }
    c
}

/// Removes the negative part of symmetric matrices, lane by lane where there is one.
#[inline(always)]
fn clamp<R: Real, const D: usize>(h: &mut [[R; D]; D]) {
    // Pivots of the elimination: all positive, and there is no negative part.
    let mut a = *h;
    let mut good = a[0][0].gt(R::zero());
    for q in 0..D {
        let pivot = R::select(a[q][q].gt(R::zero()), a[q][q], R::one());
        good = good & a[q][q].gt(R::splat(1e-12) * h[q][q].abs());
        for i in q + 1..D {
            let f = a[i][q] / pivot;
            for j in q + 1..D {
                a[i][j] -= f * a[q][j];
            }
        }
    }
    let bad = !good;
    if bad.any() {
        for l in 0..R::LANES {
            if bad.lane(l) {
                let mut one = [[0.0; D]; D];
                for i in 0..D {
                    for j in 0..D {
                        one[i][j] = h[i][j].lane(l);
                    }
                }
                let one = non_negative(one);
                for i in 0..D {
                    for j in 0..D {
                        h[i][j] = h[i][j].with_lane(l, one[i][j]);
                    }
                }
            }
        }
    }
}

/// The symmetric matrix nearest to `a` without negative eigenvalues, by Jacobi's rotations.
#[inline(never)]
pub fn non_negative<const D: usize>(mut a: [[f64; D]; D]) -> [[f64; D]; D] {
    let mut v = [[0.0; D]; D];
    for i in 0..D {
        v[i][i] = 1.0;
    }
    for _ in 0..16 {
        for p in 0..D {
            for q in p + 1..D {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..D {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                    (v[k][p], v[k][q]) = (c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]);
                }
                for k in 0..D {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
            }
        }
    }
    let mut out = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..D {
            for k in 0..D {
                out[i][j] += v[i][k] * a[k][k].max(0.0) * v[j][k];
            }
        }
    }
    out
}
