//! Elementary functions of single numbers, the same bits on every machine: those of the system differ in their last bit from one system to
//! another, and from those in the browser. Everywhere else in the library they are taken from here (tests/architecture.rs looks).
//!
//! Built from additions, products, divisions and roots, which round alike everywhere; good to a few units in the last place (but for [`pow`]).

use super::real::Real;
use std::f64::consts::{FRAC_PI_2, LN_2, LN_10, PI, TAU};

/// Natural logarithm; −∞ of 0, not a number of what is less.
pub fn ln(x: f64) -> f64 {
    if (f64::MIN_POSITIVE..f64::INFINITY).contains(&x) {
        Real::ln(x)
    } else if x > 0.0 && x < 1.0 {
        // Below the normal numbers.
        Real::ln(x * f64::from(1 << 30) * f64::from(1 << 30)) - 60.0 * LN_2
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        // ∞ or none.
        if x > 0.0 { x } else { f64::NAN }
    }
}

/// Logarithm to the base 2; see [`ln`].
pub fn log2(x: f64) -> f64 {
    ln(x) / LN_2
}

/// Logarithm to the base 10; see [`ln`].
pub fn log10(x: f64) -> f64 {
    ln(x) / LN_10
}

/// e^x.
pub fn exp(x: f64) -> f64 {
    if x.abs() <= 708.0 {
        Real::exp(x)
    } else if x.is_nan() {
        x
    } else {
        // Where the series ends: as a square, which overflows and underflows where it should.
        let half = Real::exp(0.5 * x.clamp(-1400.0, 1400.0));
        half * half
    }
}

/// x^y of an x that is not negative, with a relative error of some |y ln x| units in the last place.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 { 1.0 } else { exp(y * ln(x)) }
}

/// The third root of a number that is not negative; of others it is not a number.
pub fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !(x > 0.0 && x.is_finite()) {
        return if x < 0.0 { f64::NAN } else { x };
    }
    let r = pow(x, 1.0 / 3.0);
    // One step of Newton's method.
    r - (r - x / (r * r)) / 3.0
}

/// √(x² + y²), where the squares are numbers.
pub fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// π/2 in three parts; the first two have trailing zeros, so that small multiples of them are exact.
const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Sine and cosine of an angle in radians.
pub fn sin_cos(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // So far only that multiples of π/2 are whole numbers without error: the rest is as good as the angle.
    let x = if x.abs() > 1e5 { x % TAU } else { x };
    let n = (x / FRAC_PI_2).round();
    let r = ((x - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2];
    let q = r * r;
    // Σ (−1)ᵏ r²ᵏ⁺¹/(2k+1)! and Σ (−1)ᵏ r²ᵏ/(2k)! on |r| ≤ π/4, highest first.
    let (mut s, mut c) = (0.0, 0.0);
    for k in (1..10).rev() {
        let k = f64::from(k);
        s = -q / ((2.0 * k) * (2.0 * k + 1.0)) * (1.0 + s);
        c = -q / ((2.0 * k - 1.0) * (2.0 * k)) * (1.0 + c);
    }
    let (s, c) = (r + r * s, 1.0 + c);
    match (n % 4.0) as i32 {
        0 => (s, c),
        1 | -3 => (c, -s),
        2 | -2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// The angle of (x, y) from the x axis, from −π to π; 0 of (0, 0).
pub fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let (least, most) = if a < b { (a, b) } else { (b, a) };
    if most == 0.0 {
        return 0.0;
    }
    // atan t = 2 atan(t/(1 + √(1 + t²))), twice: t ≤ tan(π/16) then.
    let mut t = least / most;
    for _ in 0..2 {
        t /= 1.0 + (1.0 + t * t).sqrt();
    }
    let q = t * t;
    let mut sum = 0.0;
    for k in (1..13).rev() {
        sum = q * (1.0 / f64::from(2 * k + 1) * if k % 2 == 0 { 1.0 } else { -1.0 } + sum);
    }
    let small = 4.0 * (t + t * sum);
    let first = if a < b { small } else { FRAC_PI_2 - small };
    let above = if x < 0.0 { PI - first } else { first };
    if y < 0.0 { -above } else { above }
}

/// The angle between 0 and π whose cosine is x, from −1 to 1.
pub fn acos(x: f64) -> f64 {
    atan2(((1.0 - x) * (1.0 + x)).sqrt(), x)
}
