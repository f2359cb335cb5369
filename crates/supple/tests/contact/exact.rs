//! On which side of a triangle a point is, exactly: in floating point where its error is known to be too small to matter, else by sums
//! of numbers that do not overlap (Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates").

pub type V = [f64; 3];

/// The sum, and what rounding has taken from it.
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let s = a + b;
    let c = s - a;
    [s, (a - (s - c)) + (b - c)]
}

fn two_product(a: f64, b: f64) -> [f64; 2] {
    let p = a * b;
    [p, a.mul_add(b, -p)]
}

/// A number as the exact sum of others, each smaller than the last bit of the next.
#[derive(Default)]
struct Sum(Vec<f64>);

impl Sum {
    fn add(&mut self, b: f64) {
        let mut rest = b;
        for part in &mut self.0 {
            [rest, *part] = two_sum(rest, *part);
        }
        self.0.push(rest);
        self.0.retain(|p| *p != 0.0);
    }
    /// −1, 0 or 1: that of the largest part.
    fn sign(&self) -> i8 {
        self.0.last().map_or(0, |p| if *p > 0.0 { 1 } else { -1 })
    }
}

/// Sign of det[b − a, c − a, d − a]: 1 if d is on the side from which a, b, c are counter-clockwise.
/// Exact unless products of three coordinates underflow or overflow.
pub fn side(a: V, b: V, c: V, d: V) -> i8 {
    let [u, v, w] = [b, c, d].map(|p| -> V { std::array::from_fn(|k| p[k] - a[k]) });
    let (mut det, mut size) = (0.0, 0.0);
    for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let (p, q) = (v[j] * w[k], v[k] * w[j]);
        det += u[i] * (p - q);
        size += u[i].abs() * (p.abs() + q.abs());
    }
    // Shewchuk's bound is (7 + 56u)u with u half of this ε.
    if det.abs() > 8.0 * f64::EPSILON * size {
        return if det > 0.0 { 1 } else { -1 };
    }
    exact(a, b, c, d)
}

fn exact(a: V, b: V, c: V, d: V) -> i8 {
    let [u, v, w] = [b, c, d].map(|p| -> [[f64; 2]; 3] { std::array::from_fn(|k| two_sum(p[k], -a[k])) });
    let mut sum = Sum::default();
    for ([i, j, k], sign) in [
        ([0, 1, 2], 1.0),
        ([1, 2, 0], 1.0),
        ([2, 0, 1], 1.0),
        ([0, 2, 1], -1.0),
        ([2, 1, 0], -1.0),
        ([1, 0, 2], -1.0),
    ] {
        for x in u[i] {
            for y in v[j] {
                for z in w[k] {
                    for p in two_product(x, y) {
                        two_product(p, sign * z).iter().for_each(|q| sum.add(*q));
                    }
                }
            }
        }
    }
    sum.sign()
}

/// True if the edge p, q passes through the triangle a, b, c: p and q lie on different sides of it, and its line goes around all corners
/// the same way. What only touches does not pass: an end in the plane, or a line through the border.
pub fn passes(p: V, q: V, [a, b, c]: [V; 3]) -> bool {
    if side(a, b, c, p) * side(a, b, c, q) != -1 {
        return false;
    }
    let turn = side(p, q, a, b);
    turn != 0 && turn == side(p, q, b, c) && turn == side(p, q, c, a)
}

/// The same on a grid of whole numbers, by integers: the determinant of differences below 2⁴¹ fits into 126 bits.
#[cfg(test)]
fn side_of_integers(p: [[i64; 3]; 4]) -> i8 {
    let [u, v, w] =
        [1, 2, 3].map(|n| -> [i128; 3] { std::array::from_fn(|k| i128::from(p[n][k] - p[0][k])) });
    let det: i128 =
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]].iter().map(|&[i, j, k]| u[i] * (v[j] * w[k] - v[k] * w[j])).sum();
    det.signum() as i8
}

/// Random points on a grid, most of them nearly in a plane: the sign is that of the integers, on grids of 1, 1e-12 and 1e-15 m.
#[test]
fn sides_are_those_of_integers() {
    let mut random = super::random::Random(7);
    let (mut zero, mut close) = (0, 0);
    for round in 0..200_000 {
        let bits = [3, 12, 30, 40][round % 4];
        let mut whole = |bits: u32| random.below(1 << bits) as i64 - (1 << (bits - 1));
        let mut p: [[i64; 3]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| whole(bits)));
        if round % 3 > 0 {
            // In the plane but for a unit or two: a + (b − a)s + (c − a)t, rounded.
            let [s, t] = [whole(10), whole(10)].map(|n| n as f64 / 1024.0);
            p[3] = std::array::from_fn(|k| {
                let along = |n: usize| (p[n][k] - p[0][k]) as f64;
                p[0][k] + (s * along(1) + t * along(2)) as i64 + whole(2)
            });
        }
        let want = side_of_integers(p);
        for unit in [1.0, 2.0_f64.powi(-40), 2.0_f64.powi(-50)] {
            let [a, b, c, d] = p.map(|q| q.map(|n| n as f64 * unit));
            assert_eq!(side(a, b, c, d), want, "{p:?}");
            assert_eq!(exact(a, b, c, d), want, "{p:?}");
        }
        zero += usize::from(want == 0);
        close += usize::from(round % 3 > 0 && want != 0);
    }
    assert!(zero > 1000 && close > 100_000, "{zero}, {close}");
}

/// Points whose differences round: det[b − a, c − a, d − a] with a far away. Shifts by powers of two that keep all bits do not change
/// the sign.
#[test]
fn sides_do_not_round() {
    let mut random = super::random::Random(11);
    for _ in 0..20_000 {
        let mut unit = || random.below(1 << 20) as f64 * 2.0_f64.powi(-52);
        let [a, b, c, d]: [V; 4] = std::array::from_fn(|_| std::array::from_fn(|_| unit()));
        let far = |p: V| p.map(|x| x + 1.0);
        assert_eq!(side(a, b, c, d), side(far(a), far(b), far(c), far(d)));
        // The differences of these need more than 53 bits.
        let mixed = side(far(a), b, c, d);
        assert_eq!(mixed, -side(far(a), c, b, d));
        assert_eq!(mixed, -side(b, far(a), c, d));
        assert_eq!(mixed, side(d, c, b, far(a)));
    }
}

#[test]
fn crossings_and_near_misses() {
    let t: [V; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let through = |x: f64, y: f64, low: f64, high: f64| passes([x, y, low], [x, y, high], t);
    assert!(through(0.3, 0.3, -1.0, 1.0) && passes([0.3, 0.3, 1.0], [0.2, 0.1, -1.0], t));
    for near in [1e-3, 1e-9, 1e-15, 1e-30] {
        // Beyond a side, short of the plane; and the same a little further.
        assert!(!through(-near, 0.3, -1.0, 1.0) && through(near, 0.3, -1.0, 1.0), "{near}");
        assert!(!through(0.3, 0.3, near, 1.0) && through(0.3, 0.3, -near, 1.0), "{near}");
    }
    let ulp = f64::EPSILON;
    assert!(!through(0.5, 0.5 + ulp, -1.0, 1.0) && through(0.5, 0.5 - ulp, -1.0, 1.0));
    // What touches: an end in the plane, a line through a side, a line in the plane.
    assert!(!through(0.3, 0.3, 0.0, 1.0) && !through(0.0, 0.3, -1.0, 1.0));
    assert!(!passes([-1.0, 0.3, 0.0], [1.0, 0.3, 0.0], t));
}
