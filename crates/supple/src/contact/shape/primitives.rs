//! Shapes with a closed form: half-space, sphere, box, capsule, cylinder.

use crate::contact::frame;
use crate::contact::{Surface, SurfacePoint, Touched};
use crate::error::ParameterError;
use crate::math::small::{add, axpy, dot, scale, sub};

/// Largest coordinate or size that a shape may have, in m.
const LARGEST: f64 = 1e9;

fn finite(what: &'static str, values: &[f64]) -> Result<(), ParameterError> {
    match values.iter().find(|v| !(v.abs() <= LARGEST)) {
        Some(v) => Err(ParameterError::new(
            what,
            v,
            format!("its {what} must be numbers within ±{LARGEST:e} m, not {v}"),
        )),
        None => Ok(()),
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), ParameterError> {
    if value > 0.0 && value <= LARGEST {
        return Ok(());
    }
    Err(ParameterError::new(
        what,
        value,
        format!("its {what} must be positive and at most {LARGEST:e} m, not {value}"),
    ))
}

/// v/|v|, or another unit vector where v is zero.
fn unit(v: [f64; 3], otherwise: [f64; 3]) -> ([f64; 3], f64) {
    let length = dot(v, v).sqrt();
    if length > 0.0 { (scale(1.0 / length, v), length) } else { (otherwise, 0.0) }
}

/// Everything on one side of a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    point: [f64; 3],
    normal: [f64; 3],
}

impl HalfSpace {
    /// Behind the plane through `point`; `normal`, of any length, points out of it.
    pub fn new(point: [f64; 3], normal: [f64; 3]) -> Result<HalfSpace, ParameterError> {
        finite("point", &point)?;
        finite("normal", &normal)?;
        let length = dot(normal, normal).sqrt();
        if !(length > 1e-100) {
            return Err(ParameterError::new(
                "normal",
                normal,
                format!("its normal {normal:?} is not a direction"),
            ));
        }
        Ok(HalfSpace { point, normal: scale(1.0 / length, normal) })
    }
}

impl Surface for HalfSpace {
    fn centre(&self) -> [f64; 3] {
        self.point
    }
    fn kind(&self) -> &'static str {
        "half_space"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let distance = dot(self.normal, sub(p, self.point));
        SurfacePoint { distance, normal: self.normal, point: axpy(p, -distance, self.normal) }
    }
    fn is_flat(&self) -> bool {
        true
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        (Vec::new(), Vec::new())
    }
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    centre: [f64; 3],
    radius: f64,
}

impl Sphere {
    /// Centre and radius in m.
    pub fn new(centre: [f64; 3], radius: f64) -> Result<Sphere, ParameterError> {
        finite("centre", &centre)?;
        positive("radius", radius)?;
        Ok(Sphere { centre, radius })
    }
}

impl Surface for Sphere {
    fn centre(&self) -> [f64; 3] {
        self.centre
    }
    fn kind(&self) -> &'static str {
        "sphere"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        round(p, self.centre, self.radius, [0.0, 1.0, 0.0])
    }
    fn touched(&self) -> Touched {
        Touched::Segment { ends: [self.centre; 2], radius: self.radius }
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let profile: Vec<[f64; 2]> = (0..=16)
            .map(|i| {
                let (s, c) = crate::math::elementary::sin_cos(std::f64::consts::PI * f64::from(i) / 16.0);
                [-self.radius * c, self.radius * s]
            })
            .collect();
        turned(self.centre, [0.0, 1.0, 0.0], &profile)
    }
}

/// The nearest point of a ball.
fn round(p: [f64; 3], centre: [f64; 3], radius: f64, otherwise: [f64; 3]) -> SurfacePoint {
    let (normal, length) = unit(sub(p, centre), otherwise);
    SurfacePoint { distance: length - radius, normal, point: axpy(centre, radius, normal) }
}

/// A box along the axes; turn it by its motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    centre: [f64; 3],
    half: [f64; 3],
}

impl Cuboid {
    /// Centre and lengths along x, y, z in m.
    pub fn new(centre: [f64; 3], size: [f64; 3]) -> Result<Cuboid, ParameterError> {
        finite("centre", &centre)?;
        for s in size {
            positive("size", s)?;
        }
        Ok(Cuboid { centre, half: scale(0.5, size) })
    }
}

impl Surface for Cuboid {
    fn centre(&self) -> [f64; 3] {
        self.centre
    }
    fn kind(&self) -> &'static str {
        "box"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let (q, h) = (sub(p, self.centre), self.half);
        let inside: [f64; 3] = std::array::from_fn(|c| q[c].clamp(-h[c], h[c]));
        let out = sub(q, inside);
        let (normal, length) = unit(out, [0.0; 3]);
        if length > 0.0 {
            return SurfacePoint { distance: length, normal, point: add(self.centre, inside) };
        }
        // Inside: the face that is nearest.
        let mut axis = 0;
        for c in 1..3 {
            if q[c].abs() - h[c] > q[axis].abs() - h[axis] {
                axis = c;
            }
        }
        let sign = if q[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut normal = [0.0; 3];
        normal[axis] = sign;
        let mut point = q;
        point[axis] = sign * h[axis];
        SurfacePoint { distance: q[axis].abs() - h[axis], normal, point: add(self.centre, point) }
    }
    fn touched(&self) -> Touched {
        Touched::ByFaces
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let corner = |i: usize| -> [f64; 3] {
            std::array::from_fn(|c| {
                self.centre[c] + if i >> c & 1 == 1 { self.half[c] } else { -self.half[c] }
            })
        };
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }
}

/// From a to b with a length > 0.
fn segment(a: [f64; 3], b: [f64; 3], radius: f64) -> Result<(), ParameterError> {
    finite("ends", &a)?;
    finite("ends", &b)?;
    positive("radius", radius)?;
    positive("length", dot(sub(b, a), sub(b, a)).sqrt())
}

/// A cylinder with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    a: [f64; 3],
    b: [f64; 3],
    radius: f64,
}

impl Capsule {
    /// All points within `radius` of the line from `a` to `b`, in m.
    pub fn new(a: [f64; 3], b: [f64; 3], radius: f64) -> Result<Capsule, ParameterError> {
        segment(a, b, radius)?;
        Ok(Capsule { a, b, radius })
    }
}

impl Surface for Capsule {
    fn centre(&self) -> [f64; 3] {
        scale(0.5, add(self.a, self.b))
    }
    fn kind(&self) -> &'static str {
        "capsule"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let along = sub(self.b, self.a);
        let t = (dot(sub(p, self.a), along) / dot(along, along)).clamp(0.0, 1.0);
        let (axis, _) = unit(along, [0.0, 1.0, 0.0]);
        round(p, axpy(self.a, t, along), self.radius, frame(axis)[1])
    }
    fn touched(&self) -> Touched {
        Touched::Segment { ends: [self.a, self.b], radius: self.radius }
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (axis, length) = unit(sub(self.b, self.a), [0.0, 1.0, 0.0]);
        let arc = |i: i32| crate::math::elementary::sin_cos(std::f64::consts::FRAC_PI_2 * f64::from(i) / 8.0);
        let mut profile: Vec<[f64; 2]> = Vec::new();
        for i in 0..=8 {
            let (s, c) = arc(i);
            profile.push([-self.radius * c, self.radius * s]);
        }
        for i in (0..=8).rev() {
            let (s, c) = arc(i);
            profile.push([length + self.radius * c, self.radius * s]);
        }
        turned(self.a, axis, &profile)
    }
}

/// A solid cylinder with flat ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    a: [f64; 3],
    axis: [f64; 3],
    length: f64,
    radius: f64,
}

impl Cylinder {
    /// From the middle of one end to that of the other, and the radius, in m.
    pub fn new(a: [f64; 3], b: [f64; 3], radius: f64) -> Result<Cylinder, ParameterError> {
        segment(a, b, radius)?;
        let (axis, length) = unit(sub(b, a), [0.0, 1.0, 0.0]);
        Ok(Cylinder { a, axis, length, radius })
    }
}

impl Surface for Cylinder {
    fn centre(&self) -> [f64; 3] {
        axpy(self.a, 0.5 * self.length, self.axis)
    }
    fn kind(&self) -> &'static str {
        "cylinder"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let v = sub(p, self.a);
        let t = dot(v, self.axis);
        let (side, radial) = unit(axpy(v, -t, self.axis), frame(self.axis)[1]);
        let (end, end_normal) =
            if 2.0 * t < self.length { (0.0, scale(-1.0, self.axis)) } else { (self.length, self.axis) };
        let beyond = if end == 0.0 { -t } else { t - self.length };
        let (out, wide) = (beyond > 0.0, radial > self.radius);
        if out && wide {
            let edge = axpy(axpy(self.a, end, self.axis), self.radius, side);
            let (normal, distance) = unit(sub(p, edge), side);
            return SurfacePoint { distance, normal, point: edge };
        }
        if out || (!wide && beyond > radial - self.radius) {
            return SurfacePoint {
                distance: beyond,
                normal: end_normal,
                point: axpy(p, -beyond, end_normal),
            };
        }
        let distance = radial - self.radius;
        let point = axpy(axpy(self.a, t, self.axis), self.radius, side);
        SurfacePoint { distance, normal: side, point }
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (l, r) = (self.length, self.radius);
        turned(self.a, self.axis, &[[0.0, 0.0], [0.0, r], [l, r], [l, 0.0]])
    }
}

/// A profile of (along, radius) turned about an axis, from its lower to its upper end.
fn turned(origin: [f64; 3], axis: [f64; 3], profile: &[[f64; 2]]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    const AROUND: u32 = 32;
    let [_, u, v] = frame(axis);
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for [along, radius] in profile {
        for k in 0..AROUND {
            let (s, c) =
                crate::math::elementary::sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(AROUND));
            points.push(axpy(axpy(axpy(origin, *along, axis), radius * c, u), radius * s, v));
        }
    }
    for ring in 0..profile.len() as u32 - 1 {
        for k in 0..AROUND {
            let (a, b) = (ring * AROUND + k, ring * AROUND + (k + 1) % AROUND);
            let (c, d) = (a + AROUND, b + AROUND);
            triangles.push([a, b, d]);
            triangles.push([a, d, c]);
        }
    }
    (points, triangles)
}
