//! The numbers that kernels are written in: one source for a plain `f64` and for lanes of them.
//!
//! A kernel is a function generic over [`Real`]. Run on `f64` it is the reference; run on the lane types of
//! [`super::lane`] it handles several elements side by side. All operations below are exact IEEE operations
//! (no fused multiply-add but in [`Real::madd`]), so that every instance gives the same bits.
//!
//! Every function that takes or returns lane values must be `#[inline(always)]`, and closures over lane
//! values are not allowed in kernels: otherwise the SIMD instructions are called instead of inlined.

use super::nodes::Row;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// Elements per storage block: arrays of numbers are stored in blocks of this many elements.
pub const BLOCK: usize = 8;

/// One number of each of [`BLOCK`] elements, side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Block(pub [f64; BLOCK]);

/// The outcome of a comparison, one truth value per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// How many truth values side by side.
    const LANES: usize;
    /// True if any lane is true.
    fn any(self) -> bool;
    /// The truth value of one lane.
    fn lane(self, i: usize) -> bool;
}

/// A number, or several numbers side by side (lanes).
pub trait Real:
    Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// How many numbers side by side; a divisor of [`BLOCK`].
    const LANES: usize;
    /// The type of comparisons.
    type Mask: Mask;
    /// Half as many lanes, where they stand in two registers: for loops that need many numbers at a time, which would not all be in registers.
    type Half: Real;

    /// The same number in every lane.
    fn splat(a: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The larger of two numbers: `if self > o { self } else { o }`.
    fn max(self, o: Self) -> Self;
    /// The smaller of two numbers: `if self < o { self } else { o }`.
    fn min(self, o: Self) -> Self;
    /// `self * a + b`, in one rounding where the machine has the instruction, in two elsewhere.
    /// Only for places where bits need not agree between machines.
    fn madd(self, a: Self, b: Self) -> Self;
    /// `self < o`.
    fn lt(self, o: Self) -> Self::Mask;
    /// `self ≤ o`.
    fn le(self, o: Self) -> Self::Mask;
    /// `if mask { a } else { b }`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// The numbers of lanes `lane..lane + LANES` of a block.
    fn load(block: &Block, lane: usize) -> Self;
    /// Writes the lanes into `lane..lane + LANES` of a block.
    fn store(self, block: &mut Block, lane: usize);
    /// As [`Real::load`], of numbers kept in single precision.
    fn load_short(block: &[f32; BLOCK], lane: usize) -> Self;
    /// As [`Real::store`], rounded to single precision.
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize);
    /// x, y, z of the rows `ids[lane..lane + LANES]`.
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [Self; 3];
    /// Writes x, y, z of lane `l` into row `first + (lane + l) * stride`; the fourth number becomes zero.
    fn scatter(v: [Self; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize);
    /// Adds the four numbers of lane `l` to row `ids[lane + l]`, lane after lane. For lanes that repeat a row, all add.
    fn scatter_add(v: [Self; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize);
    /// The number in one lane.
    fn lane(self, i: usize) -> f64;
    /// The same with one lane replaced.
    fn with_lane(self, i: usize, a: f64) -> Self;
    /// For positive normal numbers: (m, e) with self = m·2^e and ½√2 ≤ m < √2.
    fn split(self) -> (Self, Self);
    /// 2^self for whole numbers between −1022 and 1023.
    fn power_of_two(self) -> Self;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
    /// One in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(1.0)
    }
    /// `self > o`.
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        o.lt(self)
    }
    /// `self ≥ o`.
    #[inline(always)]
    fn ge(self, o: Self) -> Self::Mask {
        o.le(self)
    }
    /// True in lanes that are neither infinite nor NaN.
    #[inline(always)]
    fn finite(self) -> Self::Mask {
        self.abs().le(Self::splat(f64::MAX))
    }
    /// Natural logarithm of positive numbers, good to 1 ulp; numbers below 2⁻¹⁰²² count as 2⁻¹⁰²².
    ///
    /// ln(m·2^e) = e ln 2 + 2 atanh(s), s = (m−1)/(m+1), |s| ≤ 0.172; the odd series of atanh up to s²¹.
    #[inline(always)]
    fn ln(self) -> Self {
        let (m, e) = self.max(Self::splat(f64::MIN_POSITIVE)).split();
        let f = m - Self::one();
        let s = f / (m + Self::one());
        let q = s * s;
        // 2/(2i+1), highest first.
        let mut p = Self::splat(2.0 / 21.0);
        p = p * q + Self::splat(2.0 / 19.0);
        p = p * q + Self::splat(2.0 / 17.0);
        p = p * q + Self::splat(2.0 / 15.0);
        p = p * q + Self::splat(2.0 / 13.0);
        p = p * q + Self::splat(2.0 / 11.0);
        p = p * q + Self::splat(2.0 / 9.0);
        p = p * q + Self::splat(2.0 / 7.0);
        p = p * q + Self::splat(2.0 / 5.0);
        p = p * q + Self::splat(2.0 / 3.0);
        // ln m = 2s + s·q·p = f − s·(f − q·p): the second form keeps the leading term exact.
        let ln_m = f - s * (f - q * p);
        // ln 2 in two parts: the first has trailing zeros, so that e times it is exact.
        e * Self::splat(LN2_HIGH) + (e * Self::splat(LN2_LOW) + ln_m)
    }
    /// e^self, good to 2 ulp; exponents are taken to lie between −708 and 709.
    ///
    /// e^x = 2^n e^r with n the whole number nearest to x/ln 2, |r| ≤ ½ ln 2; the series of e^r up to r¹³.
    #[inline(always)]
    fn exp(self) -> Self {
        let x = self.max(Self::splat(-708.0)).min(Self::splat(709.0));
        // Adding and subtracting 1.5·2⁵² rounds to a whole number.
        let shift = Self::splat(6_755_399_441_055_744.0);
        let n = (x * Self::splat(core::f64::consts::LOG2_E) + shift) - shift;
        let r = (x - n * Self::splat(LN2_HIGH)) - n * Self::splat(LN2_LOW);
        let mut p = Self::splat(INVERSE_FACTORIAL[0]);
        for c in &INVERSE_FACTORIAL[1..] {
            p = p * r + Self::splat(*c);
        }
        // 1 + (r + r²p): the leading terms last, so that their rounding is all there is.
        (Self::one() + (r + r * r * p)) * n.power_of_two()
    }
}

/// ln 2 in two parts.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/13!, 1/12!, …, 1/2!.
const INVERSE_FACTORIAL: [f64; 12] = {
    let mut table = [0.0; 12];
    let (mut i, mut f) = (2, 1.0);
    while i <= 13 {
        f *= i as f64;
        table[13 - i] = 1.0 / f;
        i += 1;
    }
    table
};

impl Mask for bool {
    const LANES: usize = 1;
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn lane(self, _: usize) -> bool {
        self
    }
}

/// Splits a positive normal number into mantissa in [½√2, √2) and exponent.
#[inline(always)]
pub(super) fn split_f64(a: f64) -> (f64, f64) {
    let bits = a.to_bits();
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    let e = (bits >> 52) as i64 as f64 - 1023.0;
    if m < core::f64::consts::SQRT_2 { (m, e) } else { (m * 0.5, e + 1.0) }
}

/// 2^n for a whole number n between −1022 and 1023.
#[inline(always)]
pub(super) fn power_of_two_f64(n: f64) -> f64 {
    f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

impl Real for f64 {
    const LANES: usize = 1;
    type Mask = bool;
    type Half = f64;
    #[inline(always)]
    fn splat(a: f64) -> f64 {
        a
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn max(self, o: f64) -> f64 {
        if self > o { self } else { o }
    }
    #[inline(always)]
    fn min(self, o: f64) -> f64 {
        if self < o { self } else { o }
    }
    #[inline(always)]
    fn madd(self, a: f64, b: f64) -> f64 {
        self * a + b
    }
    #[inline(always)]
    fn lt(self, o: f64) -> bool {
        self < o
    }
    #[inline(always)]
    fn le(self, o: f64) -> bool {
        self <= o
    }
    #[inline(always)]
    fn select(mask: bool, a: f64, b: f64) -> f64 {
        if mask { a } else { b }
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> f64 {
        block.0[lane]
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        block.0[lane] = self;
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> f64 {
        block[lane] as f64
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        block[lane] = self as f32;
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [f64; 3] {
        let r = &rows[ids[lane] as usize].0;
        [r[0], r[1], r[2]]
    }
    #[inline(always)]
    fn scatter(v: [f64; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        rows[first + lane * stride] = Row([v[0], v[1], v[2], 0.0]);
    }
    #[inline(always)]
    fn scatter_add(v: [f64; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        let r = &mut rows[ids[lane] as usize].0;
        for c in 0..4 {
            r[c] += v[c];
        }
    }
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn with_lane(self, _: usize, a: f64) -> f64 {
        a
    }
    #[inline(always)]
    fn split(self) -> (f64, f64) {
        split_f64(self)
    }
    #[inline(always)]
    fn power_of_two(self) -> f64 {
        power_of_two_f64(self)
    }
}
