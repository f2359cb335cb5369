//! Where something rigid is, from where some of its points are.

type P = [f64; 3];

fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: P) -> P {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|c| c / length) } else { a }
}

/// A turn as a quaternion (x, y, z, w), and a shift after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub turn: [f64; 4],
    pub shift: P,
}

impl Place {
    /// Where it was at first.
    pub const FIRST: Place = Place { turn: [0.0, 0.0, 0.0, 1.0], shift: [0.0; 3] };
}

/// Three points that are far from a line, and where they were at first.
pub(super) struct Rigid {
    at: [usize; 3],
    first: [P; 3],
}

impl Rigid {
    /// Of points that do not all lie on a line; None if they do.
    pub fn new(points: &[P]) -> Option<Rigid> {
        let a = *points.first()?;
        let far = |of: &dyn Fn(P) -> f64| {
            let all = points.iter().map(|p| of(*p)).enumerate();
            all.max_by(|x, y| x.1.total_cmp(&y.1)).map(|(i, _)| i)
        };
        let j = far(&|p| dot(sub(p, a), sub(p, a)))?;
        let along = unit(sub(points[j], a));
        let area = |p: P| {
            let c = cross(along, sub(p, a));
            dot(c, c)
        };
        let k = far(&area)?;
        let first = [a, points[j], points[k]];
        let size = dot(sub(first[1], a), sub(first[1], a));
        (area(first[2]) > 1e-18 * size && size > 0.0).then_some(Rigid { at: [0, j, k], first })
    }

    /// Axes at right angles that go with three points.
    fn axes([a, b, c]: [P; 3]) -> [P; 3] {
        let x = unit(sub(b, a));
        let z = unit(cross(x, sub(c, a)));
        [x, cross(z, x), z]
    }

    /// Where it is when its points are here; the quaternion nearer to `last` of the two.
    pub fn place(&self, points: &[P], last: &Place) -> Place {
        let now = self.at.map(|i| points[i]);
        if now == self.first {
            return Place { turn: near([0.0, 0.0, 0.0, 1.0], last.turn), shift: [0.0; 3] };
        }
        let (from, to) = (Self::axes(self.first), Self::axes(now));
        // R = Σ to_k from_kᵀ.
        let r: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| to[k][i] * from[k][j]).sum()));
        let turned: P = std::array::from_fn(|i| dot(r[i], self.first[0]));
        Place { turn: near(quaternion(r), last.turn), shift: sub(now[0], turned) }
    }
}

fn near(q: [f64; 4], last: [f64; 4]) -> [f64; 4] {
    let same = q.iter().zip(&last).map(|(a, b)| a * b).sum::<f64>() >= 0.0;
    if same { q } else { q.map(|c| -c) }
}

/// Of a rotation, by rows: by the largest of its four parts.
fn quaternion(r: [[f64; 3]; 3]) -> [f64; 4] {
    let [[a, b, c], [d, e, f], [g, h, i]] = r;
    let squares = [1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i];
    let most = (0..4).max_by(|&k, &l| squares[k].total_cmp(&squares[l])).unwrap_or(3);
    let s = 2.0 * squares[most].max(0.0).sqrt();
    match most {
        0 => [0.25 * s, (b + d) / s, (c + g) / s, (h - f) / s],
        1 => [(b + d) / s, 0.25 * s, (f + h) / s, (c - g) / s],
        2 => [(c + g) / s, (f + h) / s, 0.25 * s, (d - b) / s],
        _ => [(h - f) / s, (c - g) / s, (d - b) / s, 0.25 * s],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn apply(p: &Place, v: P) -> P {
        let [x, y, z, w] = p.turn;
        let u = [x, y, z];
        let t = cross(u, v).map(|c| 2.0 * c);
        let s = cross(u, t);
        std::array::from_fn(|k| v[k] + w * t[k] + s[k] + p.shift[k])
    }

    #[test]
    fn a_turn_and_a_shift_are_found() {
        let points: Vec<P> =
            vec![[0.1, 0.2, 0.3], [1.0, 0.0, 0.5], [0.0, 2.0, -0.5], [0.3, 0.3, 1.0], [0.2, 0.4, 0.6]];
        let rigid = Rigid::new(&points).unwrap();
        assert_eq!(rigid.place(&points, &Place::FIRST), Place::FIRST);
        let mut last = Place::FIRST;
        // All the way round about several axes, past where each part of the quaternion is the largest.
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, -0.48, 0.64]] {
            for k in 0..24 {
                let half = 0.5 * f64::from(k) * std::f64::consts::TAU / 24.0;
                let u = axis.map(|c: f64| c * half.sin());
                let known =
                    Place { turn: [u[0], u[1], u[2], half.cos()], shift: [0.3 * f64::from(k), -1.0, 2.0] };
                let there: Vec<P> = points.iter().map(|p| apply(&known, *p)).collect();
                let found = rigid.place(&there, &last);
                for (p, t) in points.iter().zip(&there) {
                    let q = apply(&found, *p);
                    assert!((0..3).all(|c| (q[c] - t[c]).abs() < 1e-12), "{axis:?} {k}");
                }
                let same: f64 = found.turn.iter().zip(&last.turn).map(|(a, b)| a * b).sum();
                assert!(same >= -1e-12);
                last = found;
            }
        }
        assert!(Rigid::new(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]).is_none());
        assert!(Rigid::new(&[[1.0; 3]; 4]).is_none() && Rigid::new(&[]).is_none());
    }
}
