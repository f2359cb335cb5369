//! Where bodies are: the nearest triangle of a surface, and the tetrahedron around a point.

use crate::contact::detect::bvh::{Bounds, Tree, around};
use crate::contact::detect::nearest_points::triangle_nearest;
use crate::math::small::{cross, dot, sub};

/// Distances that differ by no more than this share are the same.
const SAME: f64 = 1e-9;

/// Triangles of a surface, to be asked for the nearest one.
#[derive(Debug, Default)]
pub struct Skin {
    triangles: Vec<[u32; 3]>,
    boxes: Vec<Bounds>,
    tree: Tree,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnSkin {
    /// Number of the triangle.
    pub triangle: usize,
    /// Weights of its corners; they sum to one.
    pub weights: [f64; 3],
    /// Normal of the triangle.
    pub normal: [f64; 3],
    /// Distance in m, ≥ 0.
    pub distance: f64,
}

impl Skin {
    /// Of these triangles, whose nodes are where `at` says.
    pub fn new(triangles: Vec<[u32; 3]>, at: impl Fn(u32) -> [f64; 3]) -> Skin {
        let boxes: Vec<Bounds> = triangles.iter().map(|t| around(t.map(&at), 0.0)).collect();
        let tree = Tree::new(&boxes);
        Skin { triangles, boxes, tree }
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The nodes have moved.
    pub fn refit(&mut self, at: impl Fn(u32) -> [f64; 3]) {
        for (b, t) in self.boxes.iter_mut().zip(&self.triangles) {
            *b = around(t.map(&at), 0.0);
        }
        self.tree.refit(&self.boxes);
    }

    /// The point that is nearest to p. Beyond an edge or corner several triangles have it: then it is the one that p is highest
    /// above, and the lowest number among these. `None` if there is none, or if p is NaN.
    pub fn nearest(&self, p: [f64; 3], at: impl Fn(u32) -> [f64; 3]) -> Option<OnSkin> {
        let mut best: Option<(OnSkin, f64)> = None;
        self.tree.nearest(&self.boxes, p, &mut |i, most| {
            let corners = self.triangles[i as usize].map(&at);
            let near = triangle_nearest(p, corners);
            let n = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
            let length = dot(n, n).sqrt();
            if !(length > 0.0 && near.distance.is_finite()) {
                return most;
            }
            let normal = n.map(|c| c / length);
            let height = dot(normal, sub(p, near.point)).abs();
            let better = best.is_none_or(|(b, above)| {
                let same = (near.distance - b.distance).abs() <= SAME * b.distance;
                let earlier = height == above && (i as usize) < b.triangle;
                if same { height > above || earlier } else { near.distance < b.distance }
            });
            if better {
                let on =
                    OnSkin { triangle: i as usize, weights: near.weights, normal, distance: near.distance };
                best = Some((on, height));
            }
            best.map_or(most, |(b, _)| (1.0 + SAME) * b.distance)
        });
        best.map(|b| b.0)
    }
}

/// Tetrahedra, to be asked for the one around a point.
#[derive(Debug)]
pub struct Tets<'a> {
    vertices: &'a [[f64; 3]],
    tets: &'a [[u32; 4]],
    boxes: Vec<Bounds>,
    tree: Tree,
}

impl<'a> Tets<'a> {
    /// Of these vertices and tetrahedra, with indices that were checked.
    pub fn new(vertices: &'a [[f64; 3]], tets: &'a [[u32; 4]]) -> Tets<'a> {
        let at = |i: u32| vertices[i as usize];
        let boxes: Vec<Bounds> = tets.iter().map(|t| around(t.map(at), 0.0)).collect();
        let tree = Tree::new(&boxes);
        Tets { vertices, tets, boxes, tree }
    }

    /// The tetrahedron around p, and the weights of its corners; on a border the one with the lowest number.
    pub fn around(&self, p: [f64; 3]) -> Option<(usize, [f64; 4])> {
        let mut found: Option<(usize, [f64; 4])> = None;
        self.tree.visit(&self.boxes, &[p, p], &mut |i| {
            let w = self.weights(i as usize, p);
            if w.iter().all(|w| *w >= -1e-9) && found.is_none_or(|(k, _)| (i as usize) < k) {
                found = Some((i as usize, w));
            }
        });
        found
    }

    /// Weights of the corners of a tetrahedron with which their mean is p; some are negative outside of it.
    pub fn weights(&self, tet: usize, p: [f64; 3]) -> [f64; 4] {
        let [a, b, c, d] = self.tets[tet].map(|i| self.vertices[i as usize]);
        let six =
            |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| dot(cross(sub(b, a), sub(c, a)), sub(d, a));
        let whole = six(a, b, c, d);
        let [wb, wc, wd] = [six(a, p, c, d) / whole, six(a, b, p, d) / whole, six(a, b, c, p) / whole];
        [1.0 - wb - wc - wd, wb, wc, wd]
    }
}
