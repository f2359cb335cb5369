//! Vectors of three numbers, in the precision of the renderer.
//!
//! The renderer works in single precision on coordinates relative to the camera's target and divided by its
//! distance, so that everything in view is of order one whatever the units of the scene.

/// A vector, a point or a linear colour.
pub(crate) type V3 = [f32; 3];

#[inline]
pub(crate) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(crate) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn scale(a: V3, s: f32) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// a + s·b
#[inline]
pub(crate) fn along(a: V3, b: V3, s: f32) -> V3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// Component-wise product, as of light and surface colour.
#[inline]
pub(crate) fn times(a: V3, b: V3) -> V3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

#[inline]
pub(crate) fn dot(a: V3, b: V3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Unit vector along `a`, or zero where `a` has no direction.
#[inline]
pub(crate) fn unit(a: V3) -> V3 {
    let length = dot(a, a).sqrt();
    if length > 1e-30 && length.is_finite() { scale(a, 1.0 / length) } else { [0.0; 3] }
}

/// (1 − t)·a + t·b
#[inline]
pub(crate) fn mix(a: V3, b: V3, t: f32) -> V3 {
    along(scale(a, 1.0 - t), b, t)
}

/// 0 below `low`, 1 above `high`, smooth between.
#[inline]
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Two unit vectors that complete the unit vector `axis` to a right-handed frame `(u, v, axis)`.
pub(crate) fn frame(axis: V3) -> (V3, V3) {
    let helper = if axis[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
    let u = unit(cross(helper, axis));
    (u, cross(axis, u))
}
