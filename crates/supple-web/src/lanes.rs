//! Every operation of lanes against plain numbers, as bits. The library's own test of this (tests/lanes.rs) cannot run in a browser.
use supple::math::lane::{Kernel, dispatch};
use supple::math::nodes::Row;
use supple::math::real::{BLOCK, Block, Mask, Real};

struct Operations {
    a: Block,
    b: Block,
}

impl Kernel for Operations {
    type Out = Vec<u64>;
    #[inline(always)]
    fn run<R: Real>(self) -> Vec<u64> {
        let mut out = vec![Block::default(); 23];
        let rows: Vec<Row> = (0..BLOCK).map(|i| Row([self.a.0[i], self.b.0[i], i as f64, 7.0])).collect();
        let ids = [3, 1, 4, 1, 5, 0, 2, 6];
        let (mut scattered, mut added) = (vec![Row::default(); 3 * BLOCK], rows.clone());
        let (mut lanes, mut sound) = (Vec::new(), true);
        for lane in (0..BLOCK).step_by(R::LANES) {
            let (a, b) = (R::load(&self.a, lane), R::load(&self.b, lane));
            let g = R::gather(&rows, &ids, lane);
            let (m, e) = a.abs().max(R::splat(f64::MIN_POSITIVE)).min(R::splat(f64::MAX)).split();
            let (mut plus, mut less) = (a, a);
            plus += b;
            less -= b;
            let all = [
                a + b,
                a - b,
                a * b,
                a / b,
                -a,
                a.abs().sqrt(),
                a.abs(),
                a.max(b),
                a.min(b),
                a.madd(b, a),
                R::select(a.lt(b), a, b),
                R::select(a.le(b) & !(a.gt(b)) | a.ge(b), b, a),
                R::select(a.finite(), a, b),
                a.abs().ln(),
                a.min(R::splat(100.0)).exp(),
                m,
                e,
                e.power_of_two(),
                g[0],
                g[1],
                g[2],
                plus,
                less,
            ];
            for (value, block) in all.iter().zip(&mut out) {
                value.store(block, lane);
            }
            // Whether any lane is true depends on how many there are.
            let mut any = false;
            for i in 0..R::LANES {
                lanes.push(a.lane(i));
                lanes.push(f64::from(u8::from(a.lt(b).lane(i))));
                any |= a.lt(b).lane(i);
            }
            sound &= any == a.lt(b).any() && a.with_lane(R::LANES - 1, 5.0).lane(R::LANES - 1) == 5.0;
            R::scatter(g, &mut scattered, 1, 2, lane);
            R::scatter_add([a, b, a, b], &mut added, &ids, lane);
        }
        lanes.push(f64::from(u8::from(!sound)));
        let blocks = out.iter().flat_map(|b| b.0);
        let rows = scattered.iter().chain(&added).flat_map(|r| r.0);
        // A NaN has no sign and no content that counts.
        let bits = |v: f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
        blocks.chain(rows).chain(lanes).map(bits).collect()
    }
}

/// How many numbers come out with other bits on the lanes of this machine than one by one, of some tens of thousands.
pub fn differ() -> usize {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-310,
        core::f64::consts::SQRT_2,
        core::f64::consts::FRAC_1_SQRT_2,
        709.0,
    ];
    // Numbers of all sizes by a linear congruence.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (mantissa, exponent) = (1.0 + (state >> 12) as f64 * 2f64.powi(-52), (state >> 5) as i32 % 40);
        if state >> 63 == 1 { -mantissa * 2f64.powi(exponent) } else { mantissa * 2f64.powi(exponent) }
    };
    let mut wrong = 0;
    for round in 0..64 {
        let mut block = |shift: usize| {
            Block(std::array::from_fn(
                |i| if round < 16 { special[(round + i * shift) % 16] } else { next() },
            ))
        };
        let (a, b) = (block(1), block(3));
        let [here, plain] = [dispatch(Operations { a, b }), Operations { a, b }.run::<f64>()];
        wrong += here.iter().zip(&plain).filter(|(x, y)| x != y).count() + here.len().abs_diff(plain.len());
    }
    wrong
}

#[cfg(test)]
mod tests {
    #[test]
    fn lanes_are_plain_numbers_side_by_side() {
        // Natively but for fused multiply-add.
        supple::math::lane::one_by_one();
        assert_eq!(super::differ(), 0);
    }
}
