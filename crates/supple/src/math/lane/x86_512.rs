//! Eight lanes in one AVX-512 register: with `x86.rs` the only file that names an intrinsic.
//!
//! Visible to `lane.rs` alone, which makes values of this type only behind its check for avx512f and avx512dq. That
//! is the SAFETY of every block below: the instructions exist on the CPU that runs them, and every memory
//! access goes through a reference or a slice whose bounds were checked.
#![allow(unsafe_code)]

use super::super::nodes::Row;
use super::super::real::{BLOCK, Block, Mask, Real};
use core::arch::x86_64::*;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct F64x8(__m512d);

/// Eight truth values, a bit each.
#[derive(Clone, Copy)]
pub struct M64x8(__mmask8);

/// Wraps one intrinsic call.
macro_rules! simd {
    ($e:expr) => {
        // SAFETY: avx512f and avx512dq were detected before a value of these types could exist (see the file's head).
        unsafe { $e }
    };
}
macro_rules! op {
    ($trait:ident, $f:ident, $intrinsic:ident) => {
        impl $trait for F64x8 {
            type Output = F64x8;
            #[inline(always)]
            fn $f(self, o: F64x8) -> F64x8 {
                F64x8(simd!($intrinsic(self.0, o.0)))
            }
        }
    };
}
op!(Add, add, _mm512_add_pd);
op!(Sub, sub, _mm512_sub_pd);
op!(Mul, mul, _mm512_mul_pd);
op!(Div, div, _mm512_div_pd);

impl Neg for F64x8 {
    type Output = F64x8;
    #[inline(always)]
    fn neg(self) -> F64x8 {
        F64x8(simd!(_mm512_xor_pd(self.0, _mm512_set1_pd(-0.0))))
    }
}
impl AddAssign for F64x8 {
    #[inline(always)]
    fn add_assign(&mut self, o: F64x8) {
        *self = *self + o;
    }
}
impl SubAssign for F64x8 {
    #[inline(always)]
    fn sub_assign(&mut self, o: F64x8) {
        *self = *self - o;
    }
}
impl BitAnd for M64x8 {
    type Output = M64x8;
    #[inline(always)]
    fn bitand(self, o: M64x8) -> M64x8 {
        M64x8(self.0 & o.0)
    }
}
impl BitOr for M64x8 {
    type Output = M64x8;
    #[inline(always)]
    fn bitor(self, o: M64x8) -> M64x8 {
        M64x8(self.0 | o.0)
    }
}
impl Not for M64x8 {
    type Output = M64x8;
    #[inline(always)]
    fn not(self) -> M64x8 {
        M64x8(!self.0)
    }
}
impl Mask for M64x8 {
    const LANES: usize = 8;
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0 >> i & 1 != 0
    }
}

impl F64x8 {
    #[inline(always)]
    fn to_array(self) -> [f64; 8] {
        let mut a = [0.0; 8];
        simd!(_mm512_storeu_pd(a.as_mut_ptr(), self.0));
        a
    }
    #[inline(always)]
    fn from_array(a: [f64; 8]) -> F64x8 {
        F64x8(simd!(_mm512_loadu_pd(a.as_ptr())))
    }
    /// Two rows, one behind the other.
    #[inline(always)]
    fn rows(a: &Row, b: &Row) -> F64x8 {
        simd!({
            let (a, b) = (_mm256_load_pd(a.0.as_ptr()), _mm256_load_pd(b.0.as_ptr()));
            F64x8(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(a), b))
        })
    }
    /// The first four numbers of a and b in turns of two, then the same of their last four; or the other two of each four.
    #[inline(always)]
    fn pairs(a: F64x8, b: F64x8, high: bool) -> F64x8 {
        simd!({
            let at = match high {
                false => _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                true => _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15),
            };
            F64x8(_mm512_permutex2var_pd(a.0, at, b.0))
        })
    }
    /// Columns become rows 0 and 4, 1 and 5, 2 and 6, 3 and 7, one behind the other.
    #[inline(always)]
    fn transpose(x: F64x8, y: F64x8, z: F64x8, w: F64x8) -> [F64x8; 4] {
        let (xy0, xy1) = simd!((_mm512_unpacklo_pd(x.0, y.0), _mm512_unpackhi_pd(x.0, y.0)));
        let (zw0, zw1) = simd!((_mm512_unpacklo_pd(z.0, w.0), _mm512_unpackhi_pd(z.0, w.0)));
        let (xy0, xy1, zw0, zw1) = (F64x8(xy0), F64x8(xy1), F64x8(zw0), F64x8(zw1));
        [
            F64x8::pairs(xy0, zw0, false),
            F64x8::pairs(xy1, zw1, false),
            F64x8::pairs(xy0, zw0, true),
            F64x8::pairs(xy1, zw1, true),
        ]
    }
    #[inline(always)]
    fn low(self) -> __m256d {
        simd!(_mm512_castpd512_pd256(self.0))
    }
    #[inline(always)]
    fn high(self) -> __m256d {
        simd!(_mm512_extractf64x4_pd::<1>(self.0))
    }
}

#[inline(always)]
fn store_row(v: __m256d, r: &mut Row) {
    simd!(_mm256_store_pd(r.0.as_mut_ptr(), v));
}

#[inline(always)]
fn add_to_row(v: __m256d, r: &mut Row) {
    simd!(_mm256_store_pd(r.0.as_mut_ptr(), _mm256_add_pd(_mm256_load_pd(r.0.as_ptr()), v)));
}

impl Real for F64x8 {
    const LANES: usize = 8;
    type Mask = M64x8;
    type Half = F64x8;
    #[inline(always)]
    fn splat(a: f64) -> F64x8 {
        F64x8(simd!(_mm512_set1_pd(a)))
    }
    #[inline(always)]
    fn sqrt(self) -> F64x8 {
        F64x8(simd!(_mm512_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn abs(self) -> F64x8 {
        F64x8(simd!(_mm512_abs_pd(self.0)))
    }
    #[inline(always)]
    fn max(self, o: F64x8) -> F64x8 {
        F64x8(simd!(_mm512_max_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn min(self, o: F64x8) -> F64x8 {
        F64x8(simd!(_mm512_min_pd(self.0, o.0)))
    }
    #[inline(always)]
    fn madd(self, a: F64x8, b: F64x8) -> F64x8 {
        F64x8(simd!(_mm512_fmadd_pd(self.0, a.0, b.0)))
    }
    #[inline(always)]
    fn lt(self, o: F64x8) -> M64x8 {
        M64x8(simd!(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0)))
    }
    #[inline(always)]
    fn le(self, o: F64x8) -> M64x8 {
        M64x8(simd!(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, o.0)))
    }
    #[inline(always)]
    fn select(m: M64x8, a: F64x8, b: F64x8) -> F64x8 {
        F64x8(simd!(_mm512_mask_blend_pd(m.0, b.0, a.0)))
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> F64x8 {
        let part: &[f64] = &block.0[lane..lane + 8];
        F64x8(simd!(_mm512_loadu_pd(part.as_ptr())))
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        let part: &mut [f64] = &mut block.0[lane..lane + 8];
        simd!(_mm512_storeu_pd(part.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> F64x8 {
        let part: &[f32] = &block[lane..lane + 8];
        F64x8(simd!(_mm512_cvtps_pd(_mm256_loadu_ps(part.as_ptr()))))
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        let part: &mut [f32] = &mut block[lane..lane + 8];
        simd!(_mm256_storeu_ps(part.as_mut_ptr(), _mm512_cvtpd_ps(self.0)));
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [F64x8; 3] {
        let row = |i: usize| &rows[ids[lane + i] as usize];
        let (a, b) = (F64x8::rows(row(0), row(4)), F64x8::rows(row(1), row(5)));
        let (c, d) = (F64x8::rows(row(2), row(6)), F64x8::rows(row(3), row(7)));
        let (ab0, ab1) = simd!((_mm512_unpacklo_pd(a.0, b.0), _mm512_unpackhi_pd(a.0, b.0)));
        let (cd0, cd1) = simd!((_mm512_unpacklo_pd(c.0, d.0), _mm512_unpackhi_pd(c.0, d.0)));
        [
            F64x8::pairs(F64x8(ab0), F64x8(cd0), false),
            F64x8::pairs(F64x8(ab1), F64x8(cd1), false),
            F64x8::pairs(F64x8(ab0), F64x8(cd0), true),
        ]
    }
    #[inline(always)]
    fn scatter(v: [F64x8; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        let t = F64x8::transpose(v[0], v[1], v[2], F64x8::splat(0.0));
        let at = first + lane * stride;
        for i in 0..4 {
            store_row(t[i].low(), &mut rows[at + i * stride]);
            store_row(t[i].high(), &mut rows[at + (i + 4) * stride]);
        }
    }
    #[inline(always)]
    fn scatter_add(v: [F64x8; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        let t = F64x8::transpose(v[0], v[1], v[2], v[3]);
        for i in 0..4 {
            add_to_row(t[i].low(), &mut rows[ids[lane + i] as usize]);
        }
        for i in 0..4 {
            add_to_row(t[i].high(), &mut rows[ids[lane + 4 + i] as usize]);
        }
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.to_array()[i]
    }
    #[inline(always)]
    fn with_lane(self, i: usize, a: f64) -> F64x8 {
        let mut r = self.to_array();
        r[i] = a;
        F64x8::from_array(r)
    }
    #[inline(always)]
    fn split(self) -> (F64x8, F64x8) {
        simd!({
            let bits = _mm512_castpd_si512(self.0);
            let m = _mm512_or_si512(
                _mm512_and_si512(bits, _mm512_set1_epi64(0x000f_ffff_ffff_ffff)),
                _mm512_set1_epi64(0x3ff0_0000_0000_0000),
            );
            let e = _mm512_cvtepi64_pd(_mm512_srli_epi64::<52>(bits));
            let e = F64x8(_mm512_sub_pd(e, _mm512_set1_pd(1023.0)));
            let m = F64x8(_mm512_castsi512_pd(m));
            let small = m.lt(F64x8::splat(core::f64::consts::SQRT_2));
            (F64x8::select(small, m, m * F64x8::splat(0.5)), F64x8::select(small, e, e + F64x8::splat(1.0)))
        })
    }
    #[inline(always)]
    fn power_of_two(self) -> F64x8 {
        simd!({
            let n = _mm512_cvtpd_epi64(self.0);
            let bits = _mm512_slli_epi64::<52>(_mm512_add_epi64(n, _mm512_set1_epi64(1023)));
            F64x8(_mm512_castsi512_pd(bits))
        })
    }
}
