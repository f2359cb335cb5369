//! The scene as one list of triangles, in the renderer's coordinates.
use rayon::prelude::*;

use super::camera::View;
use super::normals::corner_normals;
use super::palette::to_linear;
use super::scene::{Colour, Drawable, Scene3, Wire};
use super::shapes::{self, Shape};
use super::sheet;
use super::vec3::{V3, along};

/// Seen from both sides.
pub(crate) const TWO_SIDED: u8 = 8;

/// Seen through.
pub(crate) const GLASS: u8 = 16;
/// With a pattern.
pub(crate) const PAINTED: u8 = 32;

/// All triangles of the scene.
#[derive(Default)]
pub(crate) struct Soup {
    pub points: Vec<V3>,
    /// Light, not sRGB; per point.
    pub colours: Vec<V3>,
    pub triangles: Vec<[u32; 3]>,
    /// Per corner of each triangle.
    pub normals: Vec<[V3; 3]>,
    /// Places in a pattern per point, where [`PAINTED`]; those of stripes have two coordinates that are the same everywhere.
    pub places: Vec<V3>,
    /// Per triangle: bit k = draw the edge opposite corner k; [`TWO_SIDED`], [`GLASS`], [`PAINTED`].
    pub flags: Vec<u8>,
}

impl Soup {
    pub fn new(scene: &Scene3, view: &View) -> Self {
        let mut soup = Self::default();
        for mesh in &scene.meshes {
            match sheet::drawn(mesh, view.unit / f64::from(view.focal)) {
                Some(drawn) => soup.add_mesh(&drawn, view),
                None => soup.add_mesh(mesh, view),
            }
        }
        // A few balls may be round, thousands must be cheap.
        let sides = if scene.balls.len() <= 64 { 24 } else { 12 };
        let sphere = shapes::sphere(sides);
        for ball in &scene.balls {
            let radius = (ball.radius / view.unit) as f32;
            if let Some(centre) = view.local(ball.centre)
                && radius > 0.0
                && radius < 1e6
            {
                let points = sphere.points.iter().map(|p| along(centre, *p, radius));
                soup.add_shape(points, &sphere, ball.colour);
            }
        }
        let sides = if scene.rods.len() <= 500 { 12 } else { 6 };
        for rod in &scene.rods {
            let radius = (rod.radius / view.unit) as f32;
            if let (Some(from), Some(to)) = (view.local(rod.from), view.local(rod.to))
                && radius > 0.0
                && radius < 1e6
                && let Some(shape) = shapes::rod(from, to, radius, sides)
            {
                soup.add_shape(shape.points.iter().copied(), &shape, rod.colour);
            }
        }
        soup
    }

    fn add_shape(&mut self, points: impl Iterator<Item = V3>, shape: &Shape, colour: [f32; 3]) {
        let base = self.points.len() as u32;
        self.points.extend(points);
        self.colours.resize(self.points.len(), to_linear(colour));
        self.triangles.extend(shape.triangles.iter().map(|t| t.map(|v| v + base)));
        self.normals.extend(shape.triangles.iter().map(|t| t.map(|v| shape.normals[v as usize])));
        self.flags.resize(self.triangles.len(), 0);
    }

    fn add_mesh(&mut self, mesh: &Drawable, view: &View) {
        let base = self.points.len() as u32;
        let local: Vec<Option<V3>> =
            mesh.positions.par_iter().with_min_len(2048).map(|p| view.local(*p)).collect();
        let drawn = |t: &[u32; 3]| t.iter().all(|&v| matches!(local.get(v as usize), Some(Some(_))));

        let mut kept = Vec::with_capacity(mesh.triangles.len());
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = *triangle;
            if a == b || b == c || c == a || !drawn(triangle) {
                continue;
            }
            kept.push(*triangle);
            let wire = match mesh.wire {
                Wire::Off => 0,
                Wire::Triangles => 7,
                Wire::Quads => edges_of_quad(triangle, mesh.triangles.get(index ^ 1)),
            };
            let flag = |on: bool, flag: u8| if on { flag } else { 0 };
            let painted = flag(mesh.pattern.is_some(), PAINTED);
            self.flags.push(wire | flag(mesh.two_sided, TWO_SIDED) | flag(mesh.glass, GLASS) | painted);
        }
        let points: Vec<V3> = local.iter().map(|p| p.unwrap_or([0.0; 3])).collect();
        self.normals.extend(corner_normals(&points, &kept, mesh.crease as f32));
        self.triangles.extend(kept.iter().map(|t| t.map(|v| v + base)));
        match &mesh.colour {
            Colour::Uniform(colour) => {
                self.colours.resize(base as usize + points.len(), to_linear(*colour));
            }
            Colour::PerVertex(colours) => {
                let grey = [0.5; 3];
                self.colours.extend((0..points.len()).map(|v| to_linear(*colours.get(v).unwrap_or(&grey))));
            }
        }
        if let Some(pattern) = &mesh.pattern {
            self.places.resize(base as usize, [0.0; 3]);
            self.places.extend((0..points.len()).map(|v| {
                let place = pattern.places.get(v).copied().unwrap_or_default();
                let kept = |k: usize| pattern.checker || k == pattern.axis;
                std::array::from_fn(|k| if kept(k) { place[k] } else { 0.5 })
            }));
        }
        self.points.extend(points);
    }

    /// Bounds of what is drawn, cut to `limit` around the target; None if nothing is there.
    pub fn bounds(&self, limit: f32) -> Option<(V3, V3)> {
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for &vertex in self.triangles.iter().flatten() {
            let point = self.points[vertex as usize];
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let low = low.map(|c| c.max(-limit));
        let high = high.map(|c| c.min(limit));
        (0..3).all(|axis| low[axis] <= high[axis]).then_some((low, high))
    }
}

/// Edges of a half of a quadrilateral without the one that it shares with the other half.
fn edges_of_quad(triangle: &[u32; 3], other: Option<&[u32; 3]>) -> u8 {
    let Some(other) = other else { return 7 };
    let lone: Vec<usize> = (0..3).filter(|&k| !other.contains(&triangle[k])).collect();
    if let [corner] = lone[..] { 7 & !(1 << corner) } else { 7 }
}
