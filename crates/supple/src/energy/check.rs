//! Checkers for materials: derivatives, symmetry, rest state, small strain and the proximal operator.
//!
//! Each returns what is wrong, if anything, as a sentence. [`solid`] runs them all: it is the one line that tests a
//! material, ours or yours.

use super::{Domain, Element, Lame, Potential, Solid, Stretch, stretch};
use crate::math::small::{Mat3, compose, identity, minus, mul, norm2};

/// What a material does wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CheckFailed(pub String);

/// A source of repeatable pseudo-random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Evenly distributed in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Evenly distributed in [a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }
    /// A rotation matrix.
    pub fn rotation(&mut self) -> Mat3<f64> {
        let mut q = [0.0; 4];
        let mut n = 0.0;
        while n < 0.01 {
            for a in &mut q {
                *a = self.between(-1.0, 1.0);
            }
            n = q.iter().map(|a| a * a).sum::<f64>();
        }
        let [w, x, y, z] = q.map(|a| a / n.sqrt());
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }
}

/// All checks of a solid material with the small-strain constants that it should have.
pub fn solid<M: Solid>(m: &M, params: &[f64], lame: Lame) -> Result<(), CheckFailed> {
    derivatives(m, params)?;
    symmetry(m, params)?;
    small_strain(m, params, lame)?;
    degenerate(m, params)?;
    prox(m, params)
}

/// Stretches to try: at rest, stretched, squeezed, repeated; inverted where the energy allows it.
fn samples<M: Solid>(count: usize) -> Vec<Mat3<f64>> {
    let mut random = Random(1);
    let mut all = vec![identity()];
    for i in 0..count {
        let mut s = [random.between(0.4, 2.0), random.between(0.4, 2.0), random.between(0.4, 2.0)];
        match i % 4 {
            1 => s[1] = s[0],
            2 => s = [s[0]; 3],
            3 if M::DOMAIN != Domain::Barrier => s[2] *= -0.5,
            _ => {}
        }
        all.push(compose(&random.rotation(), s, &random.rotation()));
    }
    all
}

/// P against differences of Ψ (2e-8), ∂P/∂F against differences of P (2e-7), both relative.
pub fn derivatives<M: Solid>(m: &M, params: &[f64]) -> Result<(), CheckFailed> {
    let p = Stretch(m.clone());
    let e = Element::new(1.0, params);
    let stiffness = stretch::hessian(m, &e, &identity())[0][0].abs();
    for f in samples::<M>(24) {
        let stress = p.stress(&e, &f);
        let hessian = stretch::hessian(m, &e, &f);
        let size = norm2(&stress).sqrt().max(stiffness);
        for c in 0..3 {
            for r in 0..3 {
                // Fourth-order central differences.
                let shifted = |h: f64| {
                    let mut g = f;
                    g[c][r] += h;
                    g
                };
                let h = 2e-3;
                let energy = |h: f64| p.energy(&e, &shifted(h));
                let fine = |h: f64| {
                    (8.0 * (energy(h) - energy(-h)) - (energy(2.0 * h) - energy(-2.0 * h))) / (12.0 * h)
                };
                // Richardson: errors of h⁴ cancel.
                let d = (16.0 * fine(h / 2.0) - fine(h)) / 15.0;
                if !((d - stress[c][r]).abs() <= 2e-8 * size) {
                    return Err(CheckFailed(format!(
                        "P[{r}][{c}] is {} but Ψ's difference is {d} at F = {f:?}",
                        stress[c][r]
                    )));
                }
                let curvature = hessian.iter().flatten().fold(stiffness, |a, b| a.max(b.abs()));
                for (col, row) in (0..9).map(|q| (q / 3, q % 3)) {
                    let at = |h: f64| p.stress(&e, &shifted(h))[col][row];
                    let coarse =
                        |h: f64| (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                    let d = (16.0 * coarse(h / 2.0) - coarse(h)) / 15.0;
                    let there = hessian[3 * col + row][3 * c + r];
                    if !((d - there).abs() <= 2e-7 * curvature) {
                        return Err(CheckFailed(format!(
                            "∂P/∂F is {there} but P's difference is {d} at F = {f:?}"
                        )));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Objectivity and isotropy to 1e-12; Ψ(I) = 0 and P(I) = 0.
pub fn symmetry<M: Solid>(m: &M, params: &[f64]) -> Result<(), CheckFailed> {
    let p = Stretch(m.clone());
    let e = Element::new(1.0, params);
    let stiffness = stretch::hessian(m, &e, &identity())[0][0].abs();
    let mut random = Random(2);
    for f in samples::<M>(24) {
        let (q, w) = (random.rotation(), random.rotation());
        let size = p.energy(&e, &f).abs().max(stiffness);
        for turned in [mul(&q, &f), mul(&f, &w)] {
            let d = p.energy(&e, &turned) - p.energy(&e, &f);
            if !(d.abs() <= 1e-12 * size) {
                return Err(CheckFailed(format!("energy changes by {d} under a rotation at F = {f:?}")));
            }
        }
        let d = minus(&p.stress(&e, &mul(&q, &f)), &mul(&q, &p.stress(&e, &f)));
        let size = norm2(&p.stress(&e, &f)).sqrt().max(stiffness);
        if !(norm2(&d).sqrt() <= 1e-12 * size) {
            return Err(CheckFailed(format!("stress does not turn with the body at F = {f:?}")));
        }
        // Through the stretches and directly: the same.
        let (energy, stress) = stretch::energy_and_stress(m, &e, &f);
        let d = p.energy(&e, &f) - energy;
        let c = minus(&p.stress(&e, &f), &stress);
        if !(d.abs() <= 1e-12 * size && norm2(&c).sqrt() <= 1e-12 * size) {
            return Err(CheckFailed(format!(
                "the direct formulas and those of the stretches differ at F = {f:?}"
            )));
        }
    }
    let rest = p.energy(&e, &identity()).abs().max(norm2(&p.stress(&e, &identity())).sqrt());
    if rest <= 1e-12 * stiffness {
        Ok(())
    } else {
        Err(CheckFailed(format!("energy or stress at rest is {rest}")))
    }
}

/// The second derivative at rest is that of small-strain elasticity, to 1e-9.
pub fn small_strain<M: Solid>(m: &M, params: &[f64], lame: Lame) -> Result<(), CheckFailed> {
    let h = stretch::hessian(m, &Element::new(1.0, params), &identity());
    for a in 0..9 {
        for b in 0..9 {
            let (i, j, k, l) = (a % 3, a / 3, b % 3, b / 3);
            let delta = |x: usize, y: usize| if x == y { 1.0 } else { 0.0 };
            let expected = lame.lambda * delta(i, j) * delta(k, l)
                + lame.mu * (delta(i, k) * delta(j, l) + delta(i, l) * delta(j, k));
            if !((h[a][b] - expected).abs() <= 1e-9 * (lame.mu + lame.lambda.abs())) {
                return Err(CheckFailed(format!(
                    "at rest ∂P{i}{j}/∂F{k}{l} is {} instead of {expected}",
                    h[a][b]
                )));
            }
        }
    }
    Ok(())
}

/// Finite answers at F = 0, at flat and at nearly flat elements.
pub fn degenerate<M: Solid>(m: &M, params: &[f64]) -> Result<(), CheckFailed> {
    let p = Stretch(m.clone());
    for s in [
        [0.0; 3],
        [1.0, 1.0, 0.0],
        [1.0, 1.0, 1e-12],
        [1.0, 1e-9, 1e-9],
        [1.0, 1.0, -1e-12],
        [2.0, 1.0, -1.0],
    ] {
        let f = compose(&identity(), s, &identity());
        let e = Element::new(lame_scale(m, params), params);
        let stress = p.stress(&e, &f);
        let mut warm = p.cold(&e);
        let z = p.prox(&e, &f, &mut warm);
        if !norm2(&stress).is_finite() || !norm2(&z).is_finite() || p.energy(&e, &f).is_nan() {
            let told = format!("not a number or infinite at stretches {s:?}: P = {stress:?}, prox = {z:?}");
            return Err(CheckFailed(told));
        }
    }
    Ok(())
}

fn lame_scale<M: Solid>(m: &M, params: &[f64]) -> f64 {
    stretch::hessian(m, &Element::new(1.0, params), &identity())[0][0].abs()
}

/// The proximal operator: projected gradient at most 1e-8·max(1, k), and no point near by, nor any of many others, lower.
pub fn prox<M: Solid>(m: &M, params: &[f64]) -> Result<(), CheckFailed> {
    let mut random = Random(3);
    let stiff = lame_scale(m, params);
    for round in 0..300 {
        let k = stiff * crate::math::elementary::pow(10.0, random.between(-1.5, 1.5));
        let e = Element::new(k, params);
        let mut s = match round % 5 {
            0 => [random.between(0.5, 1.5), random.between(0.5, 1.5), random.between(0.5, 1.5)],
            1 => [random.between(0.0, 5.0), random.between(0.0, 5.0), random.between(0.0, 5.0)],
            2 => [random.between(0.2, 2.0), random.between(0.2, 2.0), random.between(-2.0, 0.0)],
            3 => [random.between(0.5, 2.0), 1e-9, random.between(-1e-9, 1e-9)],
            _ => [random.between(0.5, 5.0); 3],
        };
        s.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        let flip = if s[0] * s[1] * s[2] < 0.0 { -1.0 } else { 1.0 };
        let s = [s[0].abs(), s[1].abs(), flip * s[2].abs()];
        let mut warm = m.cold(&e);
        let z = m.prox(&e, &s, &mut warm);
        let objective = |z: &[f64; 3]| {
            let d = [z[0] - s[0], z[1] - s[1], z[2] - s[2]];
            let v = m.density(&e, z) + 0.5 * k * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if v.is_nan() { f64::INFINITY } else { v }
        };
        let here = objective(&z);
        let tell = |what: &str| Err(CheckFailed(format!("prox of {s:?} with k = {k} is {z:?}: {what}")));
        let floor = M::DOMAIN != Domain::Signed;
        if !here.is_finite() || (floor && z.iter().any(|a| *a < 0.0)) {
            return tell("outside of the domain");
        }
        // On the kink σ2 + σ3 = 0 of a corotated energy the gradient has no meaning; objectives are compared below.
        if z[1] + z[2] > 1e-9 {
            let g = m.gradient(&e, &z);
            for a in 0..3 {
                let d = g[a] + k * (z[a] - s[a]);
                let d = if floor && z[a] <= 1e-12 { d.min(0.0) } else { d };
                if !(d.abs() <= 1e-8 * k.max(1.0)) {
                    return tell(&format!("gradient {d} along stretch {a}"));
                }
            }
        }
        let tolerance = 1e-9 * (k + stiff);
        for _ in 0..200 {
            let spread = crate::math::elementary::pow(10.0, random.between(-4.0, 0.5));
            let mut other = z;
            for a in &mut other {
                *a += spread * random.between(-1.0, 1.0);
                if floor {
                    *a = a.max(0.0);
                }
            }
            // Signed stretches are ordered: other triples stand for the same matrices with other rotations.
            if !floor && !(other[0] >= other[1] && other[1] >= other[2].abs()) {
                continue;
            }
            if M::DOMAIN == Domain::Barrier && other.iter().any(|a| *a <= 0.0) {
                continue;
            }
            if objective(&other) < here - tolerance {
                return tell(&format!("{other:?} is lower: {} < {here}", objective(&other)));
            }
        }
    }
    Ok(())
}
