//! Four lanes in one AVX register: intrinsics are named here, in `x86_512.rs` and in `wasm.rs` alone.
//!
//! Visible to `lane.rs` alone, which makes values of this type only behind its check for avx2 and fma. That
//! is the SAFETY of every block below: the instructions exist on the CPU that runs them, and every memory
//! access goes through a reference or a slice whose bounds were checked.
#![allow(unsafe_code)]

use super::super::nodes::Row;
use super::super::real::{BLOCK, Block, Mask, Real};
use core::arch::x86_64::*;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// Four numbers.
#[derive(Clone, Copy)]
pub struct F64x4(__m256d);

/// Four truth values: all bits of a lane set, or none.
#[derive(Clone, Copy)]
pub struct M64x4(__m256d);

/// Wraps one intrinsic call.
macro_rules! simd {
    ($e:expr) => {
        // SAFETY: avx2 and fma were detected before a value of these types could exist (see the file's head).
        unsafe { $e }
    };
}
macro_rules! op {
    ($trait:ident, $f:ident, $intrinsic:ident) => {
        impl $trait for F64x4 {
            type Output = F64x4;
            #[inline(always)]
            fn $f(self, o: F64x4) -> F64x4 {
                F64x4(simd!($intrinsic(self.0, o.0)))
            }
        }
    };
}
op!(Add, add, _mm256_add_pd);
op!(Sub, sub, _mm256_sub_pd);
op!(Mul, mul, _mm256_mul_pd);
op!(Div, div, _mm256_div_pd);

impl Neg for F64x4 {
    type Output = F64x4;
    #[inline(always)]
    fn neg(self) -> F64x4 {
        F64x4(simd!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}
impl AddAssign for F64x4 {
    #[inline(always)]
    fn add_assign(&mut self, o: F64x4) {
        *self = *self + o;
    }
}
impl SubAssign for F64x4 {
    #[inline(always)]
    fn sub_assign(&mut self, o: F64x4) {
        *self = *self - o;
    }
}
impl BitAnd for M64x4 {
    type Output = M64x4;
    #[inline(always)]
    fn bitand(self, o: M64x4) -> M64x4 {
        M64x4(simd!(_mm256_and_pd(self.0, o.0)))
    }
}
impl BitOr for M64x4 {
    type Output = M64x4;
    #[inline(always)]
    fn bitor(self, o: M64x4) -> M64x4 {
        M64x4(simd!(_mm256_or_pd(self.0, o.0)))
    }
}
impl Not for M64x4 {
    type Output = M64x4;
    #[inline(always)]
    fn not(self) -> M64x4 {
        M64x4(simd!(_mm256_xor_pd(self.0, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))))
    }
}
impl Mask for M64x4 {
    const LANES: usize = 4;
    #[inline(always)]
    fn any(self) -> bool {
        simd!(_mm256_movemask_pd(self.0)) != 0
    }
    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        simd!(_mm256_movemask_pd(self.0)) >> i & 1 != 0
    }
}

impl F64x4 {
    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        let mut a = [0.0; 4];
        simd!(_mm256_storeu_pd(a.as_mut_ptr(), self.0));
        a
    }
    #[inline(always)]
    fn from_array(a: [f64; 4]) -> F64x4 {
        F64x4(simd!(_mm256_loadu_pd(a.as_ptr())))
    }
    #[inline(always)]
    fn row(r: &Row) -> F64x4 {
        F64x4(simd!(_mm256_load_pd(r.0.as_ptr())))
    }
    #[inline(always)]
    fn to_row(self, r: &mut Row) {
        simd!(_mm256_store_pd(r.0.as_mut_ptr(), self.0));
    }
    /// Rows become columns.
    #[inline(always)]
    fn transpose(a: F64x4, b: F64x4, c: F64x4, d: F64x4) -> [F64x4; 4] {
        let (ab0, ab1) = simd!((_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0)));
        let (cd0, cd1) = simd!((_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0)));
        simd!([
            F64x4(_mm256_permute2f128_pd::<0x20>(ab0, cd0)),
            F64x4(_mm256_permute2f128_pd::<0x20>(ab1, cd1)),
            F64x4(_mm256_permute2f128_pd::<0x31>(ab0, cd0)),
            F64x4(_mm256_permute2f128_pd::<0x31>(ab1, cd1)),
        ])
    }
}

impl Real for F64x4 {
    const LANES: usize = 4;
    type Mask = M64x4;
    type Half = F64x4;
    #[inline(always)]
    fn splat(a: f64) -> F64x4 {
        F64x4(simd!(_mm256_set1_pd(a)))
    }
    #[inline(always)]
    fn sqrt(self) -> F64x4 {
        F64x4(simd!(_mm256_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn abs(self) -> F64x4 {
        F64x4(simd!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }
    #[inline(always)]
    fn max(self, o: F64x4) -> F64x4 {
        F64x4(simd!(_mm256_max_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn min(self, o: F64x4) -> F64x4 {
        F64x4(simd!(_mm256_min_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn madd(self, a: F64x4, b: F64x4) -> F64x4 {
        F64x4(simd!(_mm256_fmadd_pd(self.0, a.0, b.0)))
    }
    #[inline(always)]
    fn lt(self, o: F64x4) -> M64x4 {
        M64x4(simd!(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0)))
    }
    #[inline(always)]
    fn le(self, o: F64x4) -> M64x4 {
        M64x4(simd!(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, o.0)))
    }
    #[inline(always)]
    fn select(m: M64x4, a: F64x4, b: F64x4) -> F64x4 {
        F64x4(simd!(_mm256_blendv_pd(b.0, a.0, m.0)))
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> F64x4 {
        let part: &[f64] = &block.0[lane..lane + 4];
        F64x4(simd!(_mm256_loadu_pd(part.as_ptr())))
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        let part: &mut [f64] = &mut block.0[lane..lane + 4];
        simd!(_mm256_storeu_pd(part.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> F64x4 {
        let part: &[f32] = &block[lane..lane + 4];
        F64x4(simd!(_mm256_cvtps_pd(_mm_loadu_ps(part.as_ptr()))))
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        let part: &mut [f32] = &mut block[lane..lane + 4];
        simd!(_mm_storeu_ps(part.as_mut_ptr(), _mm256_cvtpd_ps(self.0)));
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [F64x4; 3] {
        let a = F64x4::row(&rows[ids[lane] as usize]);
        let b = F64x4::row(&rows[ids[lane + 1] as usize]);
        let c = F64x4::row(&rows[ids[lane + 2] as usize]);
        let d = F64x4::row(&rows[ids[lane + 3] as usize]);
        let [x, y, z, _] = F64x4::transpose(a, b, c, d);
        [x, y, z]
    }
    #[inline(always)]
    fn scatter(v: [F64x4; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        let [a, b, c, d] = F64x4::transpose(v[0], v[1], v[2], F64x4::splat(0.0));
        let at = first + lane * stride;
        a.to_row(&mut rows[at]);
        b.to_row(&mut rows[at + stride]);
        c.to_row(&mut rows[at + 2 * stride]);
        d.to_row(&mut rows[at + 3 * stride]);
    }
    #[inline(always)]
    fn scatter_add(v: [F64x4; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        let t = F64x4::transpose(v[0], v[1], v[2], v[3]);
        for i in 0..4 {
            let r = &mut rows[ids[lane + i] as usize];
            (F64x4::row(r) + t[i]).to_row(r);
        }
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.to_array()[i]
    }
    #[inline(always)]
    fn with_lane(self, i: usize, a: f64) -> F64x4 {
        let mut r = self.to_array();
        r[i] = a;
        F64x4::from_array(r)
    }
    #[inline(always)]
    fn split(self) -> (F64x4, F64x4) {
        simd!({
            let bits = _mm256_castpd_si256(self.0);
            let m = _mm256_or_si256(
                _mm256_and_si256(bits, _mm256_set1_epi64x(0x000f_ffff_ffff_ffff)),
                _mm256_set1_epi64x(0x3ff0_0000_0000_0000),
            );
            // The exponent as a double: put it into the low bits of 2^52 and subtract 2^52 again.
            let e = _mm256_or_si256(_mm256_srli_epi64::<52>(bits), _mm256_set1_epi64x(0x4330_0000_0000_0000));
            let e = _mm256_sub_pd(_mm256_castsi256_pd(e), _mm256_set1_pd(4_503_599_627_370_496.0 + 1023.0));
            let (m, e) = (F64x4(_mm256_castsi256_pd(m)), F64x4(e));
            let small = m.lt(F64x4::splat(core::f64::consts::SQRT_2));
            (F64x4::select(small, m, m * F64x4::splat(0.5)), F64x4::select(small, e, e + F64x4::splat(1.0)))
        })
    }
    #[inline(always)]
    fn power_of_two(self) -> F64x4 {
        simd!({
            let n = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(self.0));
            let bits = _mm256_slli_epi64::<52>(_mm256_add_epi64(n, _mm256_set1_epi64x(1023)));
            F64x4(_mm256_castsi256_pd(bits))
        })
    }
}
