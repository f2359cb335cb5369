//! How a specimen is pulled, and what a material does when it is.

use supple::Material;

/// How the specimen was pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Test {
    /// Along one axis, free sides
    Uniaxial,
    /// Alike along two axes
    Biaxial,
    /// Pure shear: along one axis, a wide strip whose width is held
    Shear,
}

impl Test {
    /// The three stretches, for that of the test and that of the free sides.
    fn stretches(self, stretch: f64, side: f64) -> [f64; 3] {
        match self {
            Test::Uniaxial => [stretch, side, side],
            Test::Biaxial => [stretch, stretch, side],
            Test::Shear => [stretch, 1.0, side],
        }
    }
    /// Volume over rest volume.
    pub fn volume(self, stretch: f64, side: f64) -> f64 {
        self.stretches(stretch, side).iter().product()
    }
    /// The stretch of the free sides of a body that keeps its volume.
    pub fn kept(self, stretch: f64) -> f64 {
        stretch.powf(match self {
            Test::Uniaxial => -0.5,
            Test::Biaxial => -2.0,
            Test::Shear => -1.0,
        })
    }

    /// The nominal stress in Pa of a material at a stretch, and the stretch of its free sides, on which there is no stress; none if
    /// there are no such sides.
    pub fn pull(self, material: &Material, stretch: f64) -> Option<[f64; 2]> {
        let stress = |side: f64| {
            let [a, b, c] = self.stretches(stretch, side);
            let p = material.stress(&[[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]);
            [p[0][0], p[2][2]]
        };
        let across = |log: f64| stress(log.exp())[1];
        // The stress across rises with the side: go where it vanishes, in steps that grow.
        let start = self.kept(stretch).ln();
        let (mut low, mut high) = ((start, across(start)), (start, across(start)));
        let mut step = 1e-3;
        while low.1 > 0.0 {
            high = low;
            low.0 -= step;
            low.1 = across(low.0);
            step *= 2.0;
            if !(step < 10.0) {
                return None;
            }
        }
        while high.1 < 0.0 {
            low = high;
            high.0 += step;
            high.1 = across(high.0);
            step *= 2.0;
            if !(step < 10.0) {
                return None;
            }
        }
        // The secant; an end that stays twice counts half (Illinois).
        let (mut next, mut before) = (start, 0.0f64);
        for _ in 0..200 {
            if high.0 - low.0 <= 1e-14 || high.1 == low.1 {
                break;
            }
            next = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let value = across(next);
            if !value.is_finite() {
                return None;
            }
            if value == 0.0 {
                break;
            } else if value < 0.0 {
                high.1 *= if before < 0.0 { 0.5 } else { 1.0 };
                low = (next, value);
            } else {
                low.1 *= if before > 0.0 { 0.5 } else { 1.0 };
                high = (next, value);
            }
            before = value;
        }
        let side = next.exp();
        let along = stress(side)[0];
        along.is_finite().then_some([along, side])
    }
}
