//! Two lanes in one SIMD128 register of WebAssembly, which has no check at run time: a module that names these instructions runs where they
//! are, and nowhere else. So all of them are safe to call.

use super::super::nodes::Row;
use super::super::real::{BLOCK, Block, Mask, Real};
use core::arch::wasm32::*;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// Two numbers.
#[derive(Clone, Copy)]
pub struct F64x2(v128);

/// Two truth values: all bits of a lane set, or none.
#[derive(Clone, Copy)]
pub struct M64x2(v128);

macro_rules! op {
    ($trait:ident, $f:ident, $intrinsic:ident) => {
        impl $trait for F64x2 {
            type Output = F64x2;
            #[inline(always)]
            fn $f(self, o: F64x2) -> F64x2 {
                F64x2($intrinsic(self.0, o.0))
            }
        }
    };
}
op!(Add, add, f64x2_add);
op!(Sub, sub, f64x2_sub);
op!(Mul, mul, f64x2_mul);
op!(Div, div, f64x2_div);

impl Neg for F64x2 {
    type Output = F64x2;
    #[inline(always)]
    fn neg(self) -> F64x2 {
        F64x2(f64x2_neg(self.0))
    }
}
impl AddAssign for F64x2 {
    #[inline(always)]
    fn add_assign(&mut self, o: F64x2) {
        *self = *self + o;
    }
}
impl SubAssign for F64x2 {
    #[inline(always)]
    fn sub_assign(&mut self, o: F64x2) {
        *self = *self - o;
    }
}
impl BitAnd for M64x2 {
    type Output = M64x2;
    #[inline(always)]
    fn bitand(self, o: M64x2) -> M64x2 {
        M64x2(v128_and(self.0, o.0))
    }
}
impl BitOr for M64x2 {
    type Output = M64x2;
    #[inline(always)]
    fn bitor(self, o: M64x2) -> M64x2 {
        M64x2(v128_or(self.0, o.0))
    }
}
impl Not for M64x2 {
    type Output = M64x2;
    #[inline(always)]
    fn not(self) -> M64x2 {
        M64x2(v128_not(self.0))
    }
}
impl Mask for M64x2 {
    const LANES: usize = 2;
    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }
    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        i64x2_bitmask(self.0) >> i & 1 != 0
    }
}

impl F64x2 {
    #[inline(always)]
    fn new(a: f64, b: f64) -> F64x2 {
        F64x2(f64x2(a, b))
    }
    #[inline(always)]
    fn low(self) -> f64 {
        f64x2_extract_lane::<0>(self.0)
    }
    #[inline(always)]
    fn high(self) -> f64 {
        f64x2_extract_lane::<1>(self.0)
    }
}

impl Real for F64x2 {
    const LANES: usize = 2;
    type Mask = M64x2;
    type Half = F64x2;
    #[inline(always)]
    fn splat(a: f64) -> F64x2 {
        F64x2(f64x2_splat(a))
    }
    #[inline(always)]
    fn sqrt(self) -> F64x2 {
        F64x2(f64x2_sqrt(self.0))
    }
    #[inline(always)]
    fn abs(self) -> F64x2 {
        F64x2(f64x2_abs(self.0))
    }
    // `pmax(a, b)` is `if a < b { b } else { a }`, `pmin(a, b)` is `if b < a { b } else { a }`.
    #[inline(always)]
    fn max(self, o: F64x2) -> F64x2 {
        F64x2(f64x2_pmax(o.0, self.0))
    }
    #[inline(always)]
    fn min(self, o: F64x2) -> F64x2 {
        F64x2(f64x2_pmin(o.0, self.0))
    }
    #[inline(always)]
    fn madd(self, a: F64x2, b: F64x2) -> F64x2 {
        self * a + b
    }
    #[inline(always)]
    fn lt(self, o: F64x2) -> M64x2 {
        M64x2(f64x2_lt(self.0, o.0))
    }
    #[inline(always)]
    fn le(self, o: F64x2) -> M64x2 {
        M64x2(f64x2_le(self.0, o.0))
    }
    #[inline(always)]
    fn select(m: M64x2, a: F64x2, b: F64x2) -> F64x2 {
        F64x2(v128_bitselect(a.0, b.0, m.0))
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> F64x2 {
        F64x2::new(block.0[lane], block.0[lane + 1])
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        block.0[lane] = self.low();
        block.0[lane + 1] = self.high();
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> F64x2 {
        F64x2::new(block[lane] as f64, block[lane + 1] as f64)
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        block[lane] = self.low() as f32;
        block[lane + 1] = self.high() as f32;
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [F64x2; 3] {
        let (a, b) = (&rows[ids[lane] as usize].0, &rows[ids[lane + 1] as usize].0);
        [F64x2::new(a[0], b[0]), F64x2::new(a[1], b[1]), F64x2::new(a[2], b[2])]
    }
    #[inline(always)]
    fn scatter(v: [F64x2; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        let at = first + lane * stride;
        rows[at] = Row([v[0].low(), v[1].low(), v[2].low(), 0.0]);
        rows[at + stride] = Row([v[0].high(), v[1].high(), v[2].high(), 0.0]);
    }
    #[inline(always)]
    fn scatter_add(v: [F64x2; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        let r = &mut rows[ids[lane] as usize].0;
        for c in 0..4 {
            r[c] += v[c].low();
        }
        let r = &mut rows[ids[lane + 1] as usize].0;
        for c in 0..4 {
            r[c] += v[c].high();
        }
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        if i == 0 { self.low() } else { self.high() }
    }
    #[inline(always)]
    fn with_lane(self, i: usize, a: f64) -> F64x2 {
        if i == 0 { F64x2::new(a, self.high()) } else { F64x2::new(self.low(), a) }
    }
    #[inline(always)]
    fn split(self) -> (F64x2, F64x2) {
        let m =
            v128_or(v128_and(self.0, u64x2_splat(0x000f_ffff_ffff_ffff)), u64x2_splat(0x3ff0_0000_0000_0000));
        // The exponent as a double: put it into the low bits of 2^52 and subtract 2^52 again.
        let e = v128_or(u64x2_shr(self.0, 52), u64x2_splat(0x4330_0000_0000_0000));
        let (m, e) = (F64x2(m), F64x2(e) - F64x2::splat(4_503_599_627_370_496.0 + 1023.0));
        let small = m.lt(F64x2::splat(core::f64::consts::SQRT_2));
        (F64x2::select(small, m, m * F64x2::splat(0.5)), F64x2::select(small, e, e + F64x2::splat(1.0)))
    }
    #[inline(always)]
    fn power_of_two(self) -> F64x2 {
        // n + 1023 in the low bits of 2^52.
        let biased = self + F64x2::splat(4_503_599_627_370_496.0 + 1023.0);
        F64x2(u64x2_shl(biased.0, 52))
    }
}
