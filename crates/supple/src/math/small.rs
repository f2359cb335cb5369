//! 3-vectors and 3×D matrices, as plain arrays of [`Real`].
//!
//! A matrix is an array of columns: `a[j]` is column j, `a[j][i]` the entry in row i.

use super::real::Real;

/// A 3-vector.
pub type Vec3<R> = [R; 3];
/// A 3×D matrix by columns: the local coordinates of an element.
pub type Local<R, const D: usize> = [Vec3<R>; D];
/// A 3×3 matrix by columns.
pub type Mat3<R> = [Vec3<R>; 3];

/// a·b.
#[inline(always)]
pub fn dot<R: Real>(a: Vec3<R>, b: Vec3<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// a × b.
#[inline(always)]
pub fn cross<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// a + b.
#[inline(always)]
pub fn add<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
/// a − b.
#[inline(always)]
pub fn sub<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
/// s·a.
#[inline(always)]
pub fn scale<R: Real>(s: R, a: Vec3<R>) -> Vec3<R> {
    [s * a[0], s * a[1], s * a[2]]
}
/// a + s·b.
#[inline(always)]
pub fn axpy<R: Real>(a: Vec3<R>, s: R, b: Vec3<R>) -> Vec3<R> {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
/// Lane by lane, `if mask { a } else { b }`.
#[inline(always)]
pub fn select3<R: Real>(mask: R::Mask, a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [R::select(mask, a[0], b[0]), R::select(mask, a[1], b[1]), R::select(mask, a[2], b[2])]
}
/// The zero matrix.
#[inline(always)]
pub fn zeros<R: Real, const D: usize>() -> Local<R, D> {
    [[R::zero(); 3]; D]
}
/// The 3×3 identity.
#[inline(always)]
pub fn identity<R: Real>() -> Mat3<R> {
    let (o, l) = (R::zero(), R::one());
    [[l, o, o], [o, l, o], [o, o, l]]
}
/// Σ a_ij².
#[inline(always)]
pub fn norm2<R: Real, const D: usize>(a: &Local<R, D>) -> R {
    let mut s = dot(a[0], a[0]);
    for j in 1..D {
        s += dot(a[j], a[j]);
    }
    s
}
/// Σ a_ij b_ij.
#[inline(always)]
pub fn inner<R: Real, const D: usize>(a: &Local<R, D>, b: &Local<R, D>) -> R {
    let mut s = dot(a[0], b[0]);
    for j in 1..D {
        s += dot(a[j], b[j]);
    }
    s
}
/// s·a + t·b.
#[inline(always)]
pub fn combine<R: Real, const D: usize>(s: R, a: &Local<R, D>, t: R, b: &Local<R, D>) -> Local<R, D> {
    let mut r = zeros();
    for j in 0..D {
        r[j] = add(scale(s, a[j]), scale(t, b[j]));
    }
    r
}
/// a − b.
#[inline(always)]
pub fn minus<R: Real, const D: usize>(a: &Local<R, D>, b: &Local<R, D>) -> Local<R, D> {
    let mut r = zeros();
    for j in 0..D {
        r[j] = sub(a[j], b[j]);
    }
    r
}
/// a + b.
#[inline(always)]
pub fn plus<R: Real, const D: usize>(a: &Local<R, D>, b: &Local<R, D>) -> Local<R, D> {
    let mut r = zeros();
    for j in 0..D {
        r[j] = add(a[j], b[j]);
    }
    r
}
/// The matrix in one lane.
#[inline(always)]
pub fn lane<R: Real, const D: usize>(a: &Local<R, D>, i: usize) -> Local<f64, D> {
    let mut r = [[0.0; 3]; D];
    for j in 0..D {
        for c in 0..3 {
            r[j][c] = a[j][c].lane(i);
        }
    }
    r
}
/// The same matrices with that of one lane replaced.
#[inline(always)]
pub fn set_lane<R: Real, const D: usize>(a: &mut Local<R, D>, i: usize, value: &Local<f64, D>) {
    for j in 0..D {
        for c in 0..3 {
            a[j][c] = a[j][c].with_lane(i, value[j][c]);
        }
    }
}
/// The determinant.
#[inline(always)]
pub fn det<R: Real>(a: &Mat3<R>) -> R {
    dot(a[0], cross(a[1], a[2]))
}
/// The cofactor matrix: det(a)·a⁻ᵀ.
#[inline(always)]
pub fn cofactor<R: Real>(a: &Mat3<R>) -> Mat3<R> {
    [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
}
/// a·v.
#[inline(always)]
pub fn mul_vec<R: Real>(a: &Mat3<R>, v: Vec3<R>) -> Vec3<R> {
    axpy(axpy(scale(v[0], a[0]), v[1], a[1]), v[2], a[2])
}
/// a·b.
#[inline(always)]
pub fn mul<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    [mul_vec(a, b[0]), mul_vec(a, b[1]), mul_vec(a, b[2])]
}
/// The transpose.
#[inline(always)]
pub fn transpose<R: Real>(a: &Mat3<R>) -> Mat3<R> {
    [[a[0][0], a[1][0], a[2][0]], [a[0][1], a[1][1], a[2][1]], [a[0][2], a[1][2], a[2][2]]]
}
/// U·diag(s)·Vᵀ.
#[inline(always)]
pub fn compose<R: Real>(u: &Mat3<R>, s: Vec3<R>, v: &Mat3<R>) -> Mat3<R> {
    mul(&[scale(s[0], u[0]), scale(s[1], u[1]), scale(s[2], u[2])], &transpose(v))
}
