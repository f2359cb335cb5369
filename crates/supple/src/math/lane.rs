//! Lanes: several numbers side by side, and the one place that chooses between them at run time.
//!
//! [`dispatch`] runs a [`Kernel`] on the widest lanes that this CPU has: on x86-64 an AVX-512 register (`x86_512::F64x8`) or a pair of AVX2
//! registers ([`Pair`] of `x86::F64x4`), 8 lanes each, else plain numbers; in the browser SIMD128 (`wasm::F64x2`) if it was compiled in; on other
//! machines portable arrays ([`Arr`], 4 lanes) that the compiler vectorises as it can. All give the same bits. `docs/decisions/0002-lanes.md` has the reasons.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_512;

use super::nodes::Row;
use super::real::{BLOCK, Block, Mask, Real, power_of_two_f64, split_f64};
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};
#[cfg(target_arch = "x86_64")]
use core::sync::atomic::{AtomicU8, Ordering};

/// A computation written once for every kind of lanes.
pub trait Kernel {
    /// What it returns.
    type Out;
    /// The computation. Must be `#[inline(always)]`.
    fn run<R: Real>(self) -> Self::Out;
}

/// Runs a kernel on the widest lanes of this CPU. Not inlined: loops that run alone and those over threads would each have a copy of every
/// kernel, a sixth of all code.
#[inline(never)]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Out {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: `has_avx512` has just found avx512f, avx512dq, avx2 and fma on this CPU, all that `run_avx512` asks for.
        #[allow(unsafe_code)]
        return unsafe { run_avx512(kernel) };
    } else if has_avx2() {
        // SAFETY: `has_avx2` has just found avx2 and fma on this CPU, all that `run_avx2` asks for.
        #[allow(unsafe_code)]
        return unsafe { run_avx2(kernel) };
    }
    kernel.run::<Portable>()
}

/// What runs where there is nothing better. An x86-64 CPU without AVX2 is rare enough for plain numbers: arrays take
/// the compiler many times as long there.
#[cfg(target_arch = "x86_64")]
type Portable = f64;
/// What runs in the browser.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Portable = Pair<wasm::F64x2>;
/// What runs where there is nothing better.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
type Portable = Arr<4>;

/// The name of the lanes that [`dispatch`] chooses on this machine.
pub fn backend() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        return "avx512, f64x8";
    } else if has_avx2() {
        return "avx2+fma, 2 × f64x4";
    }
    if cfg!(target_feature = "simd128") {
        return "simd128, 2 × f64x2";
    }
    if <Portable as Real>::LANES == 1 { "one by one" } else { "portable, f64x4" }
}

/// The widest lanes that a process may take; see [`limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Widest {
    /// Whatever the CPU has.
    Any = 0,
    /// Not AVX-512.
    Avx2 = 1,
    /// Plain numbers, several times slower. Everything of the library's own then multiplies and adds in two roundings, as it does on machines
    /// without fused multiply-add and in the browser; what is left to differ is how faer factors matrices there.
    OneByOne = 2,
}

/// Set by [`limit`].
#[cfg(target_arch = "x86_64")]
static LIMIT: AtomicU8 = AtomicU8::new(Widest::Any as u8);

/// From now on this process takes no wider lanes than these, to compare results and speeds.
pub fn limit(widest: Widest) {
    #[cfg(target_arch = "x86_64")]
    LIMIT.store(widest as u8, Ordering::Relaxed);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = widest;
}

/// [`limit`] to [`Widest::OneByOne`].
pub fn one_by_one() {
    limit(Widest::OneByOne);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && LIMIT.load(Ordering::Relaxed) <= Widest::Avx2 as u8
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && LIMIT.load(Ordering::Relaxed) == Widest::Any as u8
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<x86_512::F64x8>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<Pair<x86::F64x4>>()
}

/// Two lane values side by side: independent instruction chains hide each other's latency.
#[derive(Clone, Copy)]
pub struct Pair<L>(L, L);

/// Lanes as a plain array.
#[derive(Clone, Copy)]
pub struct Arr<const N: usize>([f64; N]);

/// Truth values of an [`Arr`].
#[derive(Clone, Copy)]
pub struct ArrMask<const N: usize>([bool; N]);

macro_rules! pair_op {
    ($trait:ident, $f:ident) => {
        impl<L: $trait<Output = L>> $trait for Pair<L> {
            type Output = Pair<L>;
            #[inline(always)]
            fn $f(self, o: Pair<L>) -> Pair<L> {
                Pair(self.0.$f(o.0), self.1.$f(o.1))
            }
        }
    };
}
pair_op!(Add, add);
pair_op!(Sub, sub);
pair_op!(Mul, mul);
pair_op!(Div, div);
pair_op!(BitAnd, bitand);
pair_op!(BitOr, bitor);

impl<L: Neg<Output = L>> Neg for Pair<L> {
    type Output = Pair<L>;
    #[inline(always)]
    fn neg(self) -> Pair<L> {
        Pair(-self.0, -self.1)
    }
}
impl<L: Not<Output = L>> Not for Pair<L> {
    type Output = Pair<L>;
    #[inline(always)]
    fn not(self) -> Pair<L> {
        Pair(!self.0, !self.1)
    }
}
impl<L: AddAssign> AddAssign for Pair<L> {
    #[inline(always)]
    fn add_assign(&mut self, o: Pair<L>) {
        self.0 += o.0;
        self.1 += o.1;
    }
}
impl<L: SubAssign> SubAssign for Pair<L> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Pair<L>) {
        self.0 -= o.0;
        self.1 -= o.1;
    }
}
impl<M: Mask> Mask for Pair<M> {
    const LANES: usize = 2 * M::LANES;
    #[inline(always)]
    fn any(self) -> bool {
        self.0.any() | self.1.any()
    }
    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        if i < M::LANES { self.0.lane(i) } else { self.1.lane(i - M::LANES) }
    }
}

impl<L: Real> Real for Pair<L> {
    const LANES: usize = 2 * L::LANES;
    type Mask = Pair<L::Mask>;
    type Half = L;
    #[inline(always)]
    fn splat(a: f64) -> Self {
        Pair(L::splat(a), L::splat(a))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Pair(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Pair(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Pair(self.0.max(o.0), self.1.max(o.1))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Pair(self.0.min(o.0), self.1.min(o.1))
    }
    #[inline(always)]
    fn madd(self, a: Self, b: Self) -> Self {
        Pair(self.0.madd(a.0, b.0), self.1.madd(a.1, b.1))
    }
    #[inline(always)]
    fn lt(self, o: Self) -> Self::Mask {
        Pair(self.0.lt(o.0), self.1.lt(o.1))
    }
    #[inline(always)]
    fn le(self, o: Self) -> Self::Mask {
        Pair(self.0.le(o.0), self.1.le(o.1))
    }
    #[inline(always)]
    fn select(m: Self::Mask, a: Self, b: Self) -> Self {
        Pair(L::select(m.0, a.0, b.0), L::select(m.1, a.1, b.1))
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> Self {
        Pair(L::load(block, lane), L::load(block, lane + L::LANES))
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        self.0.store(block, lane);
        self.1.store(block, lane + L::LANES);
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> Self {
        Pair(L::load_short(block, lane), L::load_short(block, lane + L::LANES))
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        self.0.store_short(block, lane);
        self.1.store_short(block, lane + L::LANES);
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [Self; 3] {
        let a = L::gather(rows, ids, lane);
        let b = L::gather(rows, ids, lane + L::LANES);
        [Pair(a[0], b[0]), Pair(a[1], b[1]), Pair(a[2], b[2])]
    }
    #[inline(always)]
    fn scatter(v: [Self; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        L::scatter([v[0].0, v[1].0, v[2].0], rows, first, stride, lane);
        L::scatter([v[0].1, v[1].1, v[2].1], rows, first, stride, lane + L::LANES);
    }
    #[inline(always)]
    fn scatter_add(v: [Self; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        L::scatter_add([v[0].0, v[1].0, v[2].0, v[3].0], rows, ids, lane);
        L::scatter_add([v[0].1, v[1].1, v[2].1, v[3].1], rows, ids, lane + L::LANES);
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        if i < L::LANES { self.0.lane(i) } else { self.1.lane(i - L::LANES) }
    }
    #[inline(always)]
    fn with_lane(self, i: usize, a: f64) -> Self {
        if i < L::LANES {
            Pair(self.0.with_lane(i, a), self.1)
        } else {
            Pair(self.0, self.1.with_lane(i - L::LANES, a))
        }
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let (a, ea) = self.0.split();
        let (b, eb) = self.1.split();
        (Pair(a, b), Pair(ea, eb))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        Pair(self.0.power_of_two(), self.1.power_of_two())
    }
}

macro_rules! arr_op {
    ($trait:ident, $f:ident) => {
        impl<const N: usize> $trait for Arr<N> {
            type Output = Arr<N>;
            #[inline(always)]
            fn $f(self, o: Arr<N>) -> Arr<N> {
                let mut r = self.0;
                for i in 0..N {
                    r[i] = r[i].$f(o.0[i]);
                }
                Arr(r)
            }
        }
    };
}
arr_op!(Add, add);
arr_op!(Sub, sub);
arr_op!(Mul, mul);
arr_op!(Div, div);

impl<const N: usize> Neg for Arr<N> {
    type Output = Arr<N>;
    #[inline(always)]
    fn neg(self) -> Arr<N> {
        let mut r = self.0;
        for i in 0..N {
            r[i] = -r[i];
        }
        Arr(r)
    }
}
impl<const N: usize> AddAssign for Arr<N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Arr<N>) {
        *self = *self + o;
    }
}
impl<const N: usize> SubAssign for Arr<N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Arr<N>) {
        *self = *self - o;
    }
}
impl<const N: usize> BitAnd for ArrMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        let mut r = self.0;
        for i in 0..N {
            r[i] &= o.0[i];
        }
        ArrMask(r)
    }
}
impl<const N: usize> BitOr for ArrMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        let mut r = self.0;
        for i in 0..N {
            r[i] |= o.0[i];
        }
        ArrMask(r)
    }
}
impl<const N: usize> Not for ArrMask<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        let mut r = self.0;
        for i in 0..N {
            r[i] = !r[i];
        }
        ArrMask(r)
    }
}
impl<const N: usize> Mask for ArrMask<N> {
    const LANES: usize = N;
    #[inline(always)]
    fn any(self) -> bool {
        let mut any = false;
        for i in 0..N {
            any |= self.0[i];
        }
        any
    }
    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0[i]
    }
}

/// Applies a scalar function of [`Real`] for `f64` to each lane.
macro_rules! each {
    ($n:ident, $i:ident, $e:expr) => {{
        let mut r = [0.0; $n];
        for $i in 0..$n {
            r[$i] = $e;
        }
        Arr(r)
    }};
}

impl<const N: usize> Real for Arr<N> {
    const LANES: usize = N;
    type Mask = ArrMask<N>;
    type Half = Arr<N>;
    #[inline(always)]
    fn splat(a: f64) -> Self {
        Arr([a; N])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(N, i, f64::sqrt(self.0[i]))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(N, i, f64::abs(self.0[i]))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        each!(N, i, Real::max(self.0[i], o.0[i]))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        each!(N, i, Real::min(self.0[i], o.0[i]))
    }
    #[inline(always)]
    fn madd(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    #[inline(always)]
    fn lt(self, o: Self) -> ArrMask<N> {
        let mut r = [false; N];
        for i in 0..N {
            r[i] = self.0[i] < o.0[i];
        }
        ArrMask(r)
    }
    #[inline(always)]
    fn le(self, o: Self) -> ArrMask<N> {
        let mut r = [false; N];
        for i in 0..N {
            r[i] = self.0[i] <= o.0[i];
        }
        ArrMask(r)
    }
    #[inline(always)]
    fn select(m: ArrMask<N>, a: Self, b: Self) -> Self {
        each!(N, i, if m.0[i] { a.0[i] } else { b.0[i] })
    }
    #[inline(always)]
    fn load(block: &Block, lane: usize) -> Self {
        each!(N, i, block.0[lane + i])
    }
    #[inline(always)]
    fn store(self, block: &mut Block, lane: usize) {
        block.0[lane..lane + N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn load_short(block: &[f32; BLOCK], lane: usize) -> Self {
        each!(N, i, block[lane + i] as f64)
    }
    #[inline(always)]
    fn store_short(self, block: &mut [f32; BLOCK], lane: usize) {
        for i in 0..N {
            block[lane + i] = self.0[i] as f32;
        }
    }
    #[inline(always)]
    fn gather(rows: &[Row], ids: &[u32; BLOCK], lane: usize) -> [Self; 3] {
        let mut v = [[0.0; N]; 3];
        for i in 0..N {
            let r = &rows[ids[lane + i] as usize].0;
            for c in 0..3 {
                v[c][i] = r[c];
            }
        }
        [Arr(v[0]), Arr(v[1]), Arr(v[2])]
    }
    #[inline(always)]
    fn scatter(v: [Self; 3], rows: &mut [Row], first: usize, stride: usize, lane: usize) {
        for i in 0..N {
            rows[first + (lane + i) * stride] = Row([v[0].0[i], v[1].0[i], v[2].0[i], 0.0]);
        }
    }
    #[inline(always)]
    fn scatter_add(v: [Self; 4], rows: &mut [Row], ids: &[u32; BLOCK], lane: usize) {
        for i in 0..N {
            let r = &mut rows[ids[lane + i] as usize].0;
            for c in 0..4 {
                r[c] += v[c].0[i];
            }
        }
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0[i]
    }
    #[inline(always)]
    fn with_lane(self, i: usize, a: f64) -> Self {
        let mut r = self.0;
        r[i] = a;
        Arr(r)
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let (mut m, mut e) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            (m[i], e[i]) = split_f64(self.0[i]);
        }
        (Arr(m), Arr(e))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        each!(N, i, power_of_two_f64(self.0[i]))
    }
}
