//! The rotation R of a 3×3 matrix F that maximises tr(RᵀF), without a decomposition.
//!
//! The maximum s = σ1 + σ2 + σ3 (signed) is the largest root of s⁴ − 2ns² − 8Ds + n² − 4c, with n = |F|²,
//! c = |cof F|², D = det F, and R's unit quaternion is the eigenvector to s of Davenport's 4×4 matrix K:
//! any column of adj(K − sI). Where σ2 + σ3 nearly vanishes the root is nearly double, and the
//! decomposition takes over.

use super::real::{Mask, Real};
use super::small::{Mat3, cofactor, det, lane, mul, norm2, scale, set_lane, transpose};
use super::svd::svd;

/// The rotation of F, the sum of its signed singular values, and a lower bound of σ2 + σ3.
pub struct Polar<R> {
    /// The rotation R = U Vᵀ of the signed decomposition.
    pub r: Mat3<R>,
    /// tr(RᵀF) = σ1 + σ2 + σ3.
    pub sum: R,
    /// A lower bound of σ2 + σ3 ≥ 0.
    pub gap: R,
}

/// The polar rotation of F; for lanes with a repeated root any of the maximisers.
#[inline(always)]
pub fn polar<R: Real>(f: &Mat3<R>) -> Polar<R> {
    let (l, two) = (R::one(), R::splat(2.0));
    let size = norm2(f).sqrt();
    let safe = size.max(R::splat(1e-140));
    let inv = l / safe;
    let a = [scale(inv, f[0]), scale(inv, f[1]), scale(inv, f[2])];
    // Now n = 1 (or less for a vanishing matrix, which goes to the decomposition below).
    let c4 = R::splat(4.0) * norm2(&cofactor(&a));
    let d = det(&a);
    let (d2, d8) = (two * d, R::splat(8.0) * d);
    let constant = l - c4;

    let mut s = R::splat(1.732_050_807_568_877_2);
    let mut step = R::zero();
    for _ in 0..8 {
        let q = s * s;
        let p = q * (q - two) - d8 * s + constant;
        let slope = R::splat(4.0) * (s * (q - l) - d2);
        step = p / slope.max(R::splat(1e-30));
        s -= step;
    }
    // 2(σ1+σ2)(σ1+σ3)(σ2+σ3), and from it a bound of σ2+σ3 by the arithmetic mean of the other factors.
    let product = s * (s * s - l) - d2;
    let mean = s + l;
    let gap = two * product / (mean * mean);

    // adj(K − sI) by 2×2 minors; K is symmetric, so is its adjugate.
    let tr = a[0][0] + a[1][1] + a[2][2];
    let t = tr + s;
    let (k01, k02, k03) = (a[1][2] - a[2][1], a[2][0] - a[0][2], a[0][1] - a[1][0]);
    let k00 = tr - s;
    let (k11, k22, k33) = (two * a[0][0] - t, two * a[1][1] - t, two * a[2][2] - t);
    let (k12, k13, k23) = (a[0][1] + a[1][0], a[0][2] + a[2][0], a[1][2] + a[2][1]);
    // aij: rows 2, 3 and columns i, j; bij: rows 0, 1 and columns i, j.
    let a23 = k22 * k33 - k23 * k23;
    let a13 = k12 * k33 - k13 * k23;
    let a12 = k12 * k23 - k13 * k22;
    let a03 = k02 * k33 - k03 * k23;
    let a02 = k02 * k23 - k03 * k22;
    let a01 = k02 * k13 - k03 * k12;
    let b01 = k00 * k11 - k01 * k01;
    let b02 = k00 * k12 - k02 * k01;
    let b03 = k00 * k13 - k03 * k01;
    let b12 = k01 * k12 - k02 * k11;
    let b13 = k01 * k13 - k03 * k11;
    let c00 = k11 * a23 - k12 * a13 + k13 * a12;
    let c01 = k02 * a13 - k01 * a23 - k03 * a12;
    let c02 = k01 * a13 - k11 * a03 + k13 * a01;
    let c03 = k11 * a02 - k01 * a12 - k12 * a01;
    let c11 = k00 * a23 - k02 * a03 + k03 * a02;
    let c12 = k01 * a03 - k00 * a13 - k03 * a01;
    let c13 = k00 * a12 - k01 * a02 + k02 * a01;
    let c22 = k03 * b13 - k13 * b03 + k33 * b01;
    let c23 = k13 * b02 - k03 * b12 - k23 * b01;
    let c33 = k02 * b12 - k12 * b02 + k22 * b01;

    // The column with the largest diagonal entry (all have the same sign).
    let (mut w, mut x, mut y, mut z, mut best) = (c00, c01, c02, c03, c00.abs());
    let better = best.lt(c11.abs());
    (w, x) = (R::select(better, c01, w), R::select(better, c11, x));
    (y, z) = (R::select(better, c12, y), R::select(better, c13, z));
    best = best.max(c11.abs());
    let better = best.lt(c22.abs());
    (w, x) = (R::select(better, c02, w), R::select(better, c12, x));
    (y, z) = (R::select(better, c22, y), R::select(better, c23, z));
    best = best.max(c22.abs());
    let better = best.lt(c33.abs());
    (w, x) = (R::select(better, c03, w), R::select(better, c13, x));
    (y, z) = (R::select(better, c23, y), R::select(better, c33, z));

    // Rotation of the quaternion (w, x, y, z), divided by its square norm.
    let nq = w * w + x * x + y * y + z * z;
    let i2 = two / nq.max(R::splat(1e-280));
    let (wx, wy, wz) = (i2 * w * x, i2 * w * y, i2 * w * z);
    let (xx, xy, xz) = (i2 * x * x, i2 * x * y, i2 * x * z);
    let (yy, yz, zz) = (i2 * y * y, i2 * y * z, i2 * z * z);
    let mut r =
        [[l - yy - zz, xy + wz, xz - wy], [xy - wz, l - xx - zz, yz + wx], [xz + wy, yz - wx, l - xx - yy]];
    let mut sum = s * size;
    let mut gap = gap * size;

    let good = product.gt(R::splat(2e-2)) & step.abs().lt(R::splat(1e-8)) & size.gt(R::splat(1e-130));
    if (!good).any() {
        for i in 0..R::LANES {
            if !good.lane(i) {
                let d = by_decomposition(&lane(f, i));
                set_lane(&mut r, i, &d.r);
                sum = sum.with_lane(i, d.sum);
                gap = gap.with_lane(i, d.gap);
            }
        }
    }
    Polar { r, sum, gap }
}

/// One matrix with a root that is nearly double.
#[inline(never)]
fn by_decomposition(f: &Mat3<f64>) -> Polar<f64> {
    let d = svd(f);
    Polar { r: mul(&d.u, &transpose(&d.v)), sum: d.s[0] + d.s[1] + d.s[2], gap: d.s[1] + d.s[2] }
}
