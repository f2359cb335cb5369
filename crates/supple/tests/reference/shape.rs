//! Small meshes, random numbers with a seed, deformations, and how far a shape is from another.

use super::svd::rotation_of;
use super::{M3, V3};

/// Rest positions (m) and tetrahedra of positive volume.
#[derive(Clone, Debug)]
pub struct RefMesh {
    pub rest: Vec<V3>,
    pub tets: Vec<[usize; 4]>,
}

/// The tetrahedron of the origin and the three unit vectors.
pub fn single_tet() -> RefMesh {
    RefMesh { rest: vec![V3::zeros(), V3::x(), V3::y(), V3::z()], tets: vec![[0, 1, 2, 3]] }
}

/// Two tetrahedra glued at a face, neither regular.
pub fn two_tets() -> RefMesh {
    RefMesh {
        rest: vec![V3::zeros(), V3::x(), V3::y(), V3::z(), V3::new(0.9, 0.8, 1.1)],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
    }
}

/// A box of nx × ny × nz cells of edges `cell`, one corner at the origin. Each cell is cut into six
/// tetrahedra around its diagonal from (0,0,0) to (1,1,1), so that neighbours match. Nodes run fastest along
/// x, then y, then z.
pub fn box_mesh(cells: [usize; 3], cell: V3) -> RefMesh {
    let [nx, ny, nz] = cells;
    let node = |i: usize, j: usize, k: usize| i + (nx + 1) * (j + (ny + 1) * k);
    let mut rest = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                rest.push(V3::new(i as f64, j as f64, k as f64).component_mul(&cell));
            }
        }
    }
    // A path along three axes, in each of the six orders, from the first corner to the opposite one.
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let mut tets = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for (which, order) in orders.iter().enumerate() {
                    let mut corner = [i, j, k];
                    let mut path = [node(i, j, k); 4];
                    for (step, &axis) in order.iter().enumerate() {
                        corner[axis] += 1;
                        path[step + 1] = node(corner[0], corner[1], corner[2]);
                    }
                    if which >= 3 {
                        path.swap(2, 3); // odd orders are mirrored
                    }
                    tets.push(path);
                }
            }
        }
    }
    RefMesh { rest, tets }
}

/// A box of 1 × 1 × 2 unit cells: 12 nodes, 12 tetrahedra.
pub fn unit_box_1_1_2() -> RefMesh {
    box_mesh([1, 1, 2], V3::new(1.0, 1.0, 1.0))
}

/// A bar along x: `cells` cubes of edge `edge` in a row.
pub fn bar(cells: usize, edge: f64) -> RefMesh {
    box_mesh([cells, 1, 1], V3::new(edge, edge, edge))
}

/// Volume of a tetrahedron, signed.
pub fn tet_volume(x: &[V3], tet: &[usize; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| x[i]);
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

/// Masses, kg: each tetrahedron gives a quarter of volume · density to each of its corners.
pub fn lumped_masses(rest: &[V3], tets: &[[usize; 4]], density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; rest.len()];
    for tet in tets {
        for &i in tet {
            masses[i] += 0.25 * density * tet_volume(rest, tet);
        }
    }
    masses
}

/// The diagonal of the bounding box, m.
pub fn extent(x: &[V3]) -> f64 {
    let mut low = x[0];
    let mut high = x[0];
    for p in x {
        low = low.inf(p);
        high = high.sup(p);
    }
    (high - low).norm()
}

/// Each point turned about the axis through `centre` along z, by `rate` (rad/m) times its height above
/// `centre`.
pub fn twist_about_z(x: &[V3], centre: &V3, rate: f64) -> Vec<V3> {
    x.iter()
        .map(|p| {
            let d = p - centre;
            centre + rotation(&V3::z(), rate * d.z) * d
        })
        .collect()
}

/// The rotation by `angle` about `axis` (not zero).
pub fn rotation(axis: &V3, angle: f64) -> M3 {
    let n = axis.normalize();
    let cross = n.cross_matrix();
    M3::identity() + cross * angle.sin() + cross * cross * (1.0 - angle.cos())
}

/// The rigid motion (R, t) that brings R rest + t nearest to x, in the sense of least squares (Kabsch).
pub fn rigid_fit(x: &[V3], rest: &[V3]) -> (M3, V3) {
    let n = x.len() as f64;
    let cx = x.iter().sum::<V3>() / n;
    let cr = rest.iter().sum::<V3>() / n;
    let covariance: M3 = x.iter().zip(rest).map(|(p, r)| (p - cx) * (r - cr).transpose()).sum();
    let r = rotation_of(&covariance);
    (r, cx - r * cr)
}

/// The largest distance of a node from the best rigid fit of the rest shape, over the extent of the rest
/// shape.
pub fn shape_error(x: &[V3], rest: &[V3]) -> f64 {
    let (r, t) = rigid_fit(x, rest);
    let far = x.iter().zip(rest).map(|(p, q)| (p - (r * q + t)).norm()).fold(0.0, f64::max);
    far / extent(rest)
}

/// The largest distance between nodes of the same number.
pub fn max_distance(x: &[V3], y: &[V3]) -> f64 {
    x.iter().zip(y).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
}

/// Random numbers with a seed (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Components uniform in [−size, size).
    pub fn vector(&mut self, size: f64) -> V3 {
        V3::from_fn(|_, _| self.uniform(-size, size))
    }

    /// Entries uniform in [−size, size).
    pub fn matrix(&mut self, size: f64) -> M3 {
        M3::from_fn(|_, _| self.uniform(-size, size))
    }

    /// A rotation, uniform over all rotations: a random point of the unit ball of quaternions, normalised.
    pub fn rotation(&mut self) -> M3 {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.uniform(-1.0, 1.0));
            let n2: f64 = q.iter().map(|c| c * c).sum();
            if !(0.01..=1.0).contains(&n2) {
                continue;
            }
            let axis = V3::new(q[1], q[2], q[3]);
            return rotation(&axis, 2.0 * axis.norm().atan2(q[0]));
        }
    }

    /// R₁ diag(s) R₂ with stretches uniform in [low, high): an F with det F > 0 for low > 0.
    pub fn stretched(&mut self, low: f64, high: f64) -> M3 {
        let s = V3::from_fn(|_, _| self.uniform(low, high));
        self.rotation() * M3::from_diagonal(&s) * self.rotation()
    }
}
