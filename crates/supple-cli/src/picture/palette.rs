//! Colours: of bodies, of scalar fields, and between sRGB and light.
use std::sync::LazyLock;

use super::vec3::V3;

/// Colours of bodies, distinct also for colour-blind eyes: neighbours differ in lightness as well as in hue.
const BODIES: [[f32; 3]; 8] = [
    [0.90, 0.38, 0.15], // vermilion
    [0.12, 0.45, 0.72], // blue
    [0.96, 0.70, 0.16], // amber
    [0.06, 0.60, 0.50], // green
    [0.78, 0.47, 0.66], // mauve
    [0.40, 0.71, 0.90], // sky
    [0.48, 0.30, 0.20], // umber
    [0.66, 0.68, 0.72], // silver
];

/// Colour of the `index`-th body (sRGB); they repeat after eight.
pub fn body(index: usize) -> [f32; 3] {
    BODIES[index % BODIES.len()]
}

/// Colours of a scalar field from violet over green to yellow, ever lighter: `t` from 0 to 1, clamped; NaN is grey.
///
/// Degree-5 polynomials fitted by least squares to nine chosen colours (residual below 0.01).
pub fn scalar(t: f64) -> [f32; 3] {
    if t.is_nan() {
        return [0.5; 3];
    }
    const RED: [f32; 6] = [0.2702, 0.2718, -1.2476, -4.5971, 13.3192, -7.0367];
    const GREEN: [f32; 6] = [0.0492, 1.2564, -1.0441, 2.24, -2.3273, 0.7352];
    const BLUE: [f32; 6] = [0.3587, 1.5328, -5.457, 12.5016, -15.909, 7.1417];
    let t = t.clamp(0.0, 1.0) as f32;
    [RED, GREEN, BLUE].map(|k| k.iter().rev().fold(0.0, |sum, c| sum * t + c).clamp(0.0, 1.0))
}

/// Colours of values between `low` and `high`, one per value.
pub fn scalars(values: &[f64], low: f64, high: f64) -> Vec<[f32; 3]> {
    let span = if high > low { high - low } else { 1.0 };
    values.iter().map(|value| scalar((value - low) / span)).collect()
}

/// sRGB (0 to 1) to light.
pub(crate) fn to_linear(srgb: [f32; 3]) -> V3 {
    srgb.map(|c| {
        let c = if c.is_nan() { 0.5 } else { c.clamp(0.0, 1.0) };
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

const STEPS: usize = 8192;

static ENCODED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    (0..=STEPS)
        .map(|k| {
            let x = k as f64 / STEPS as f64;
            let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
            (y * 255.0 + 0.5) as u8
        })
        .collect()
});

/// Light to sRGB bytes.
#[inline]
pub(crate) fn encode(linear: V3) -> [u8; 3] {
    let table = &*ENCODED;
    let byte = |x: f32| table[(x.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as i32 as usize];
    [byte(linear[0]), byte(linear[1]), byte(linear[2])]
}
