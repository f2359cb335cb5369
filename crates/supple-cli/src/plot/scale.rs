//! From values to places along an axis, and where its ticks are.
use super::{Axis, Kind};

/// An axis with its range and the pixels that it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

/// A mark on an axis; those without a label are small.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Where, in pixels.
    pub at: f64,
    /// What is written there.
    pub label: Option<String>,
}

impl Scale {
    /// The axis fitted to values, from pixel `from` to pixel `to`.
    pub fn fit(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let usable = |v: f64| v.is_finite() && (axis.kind == Kind::Linear || v > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| usable(*v)) {
            (low, high) = (low.min(v), high.max(v));
        }
        if let Some([l, h]) = axis.range.filter(|r| usable(r[0]) && usable(r[1]) && r[0] < r[1]) {
            (low, high) = (l, h);
        } else if low > high {
            (low, high) = if axis.kind == Kind::Log { (0.1, 1.0) } else { (0.0, 1.0) };
        } else {
            (low, high) = rounded(axis.kind, low, high);
        }
        Scale { kind: axis.kind, low, high, from, to }
    }

    /// The pixel of a value, on the border if it lies outside; none for what has no place on the axis.
    pub fn at(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.kind == Kind::Log && value <= 0.0) {
            return None;
        }
        let v = value.clamp(self.low, self.high);
        let share = match self.kind {
            Kind::Linear => (v - self.low) / (self.high - self.low),
            // Differences of logarithms: quotients overflow where numbers are extreme.
            Kind::Log => (v.log10() - self.low.log10()) / (self.high.log10() - self.low.log10()),
        };
        Some(self.from + share * (self.to - self.from))
    }

    /// Its ticks, from low to high.
    pub fn ticks(&self) -> Vec<Tick> {
        match self.kind {
            Kind::Linear => self.linear_ticks(),
            Kind::Log => self.log_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let step = round_step((self.high - self.low) / 6.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step * (1.0 + 1e-12)).floor() as i64;
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        (first..=last.min(first + 50))
            .filter_map(|i| {
                let v = i as f64 * step;
                Some(Tick { at: self.at(v)?, label: Some(format!("{v:.digits$}")) })
            })
            .collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
        // At most nine labels.
        let every = ((last - first) / 9 + 1).max(1);
        let plain = first >= -3 && last <= 5;
        let within = |v: f64| v >= self.low * (1.0 - 1e-9) && v <= self.high * (1.0 + 1e-9);
        let mut ticks = Vec::new();
        for power in first - 1..=last {
            let decade = 10f64.powi(power);
            for digit in 1..10 {
                let v = f64::from(digit) * decade;
                if !within(v) || (digit > 1 && last - first > 6) {
                    continue;
                }
                let label = match digit {
                    1 if (last - power) % every == 0 => Some(power_label(power, plain)),
                    2 | 5 if last - first < 2 && plain => Some(plain_label(v)),
                    _ => None,
                };
                ticks.extend(self.at(v).map(|at| Tick { at, label }));
            }
        }
        ticks
    }
}

/// A range that ends at round numbers: steps on a linear axis, 1, 2 or 5 times a power of ten on a logarithmic one.
fn rounded(kind: Kind, low: f64, high: f64) -> (f64, f64) {
    match kind {
        Kind::Linear => {
            let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
            let step = round_step((high - low) / 6.0);
            // A range that nearly starts at zero starts there.
            let start = if low >= 0.0 && low < 0.2 * high { 0.0 } else { (low / step).floor() * step };
            (start, ((high / step) * (1.0 - 1e-12)).ceil() * step)
        }
        Kind::Log => {
            let (low, high) = (low.max(1e-300), high.max(1e-300));
            let (mut a, mut b) = (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().floor()));
            a *= [5.0, 2.0].into_iter().find(|f| a * f <= low).unwrap_or(1.0);
            b *= [1.0, 2.0, 5.0].into_iter().find(|f| b * f >= high * (1.0 - 1e-12)).unwrap_or(10.0);
            if a < b { (a, b) } else { (a / 2.0, b * 2.0) }
        }
    }
}

/// 1, 2 or 5 times a power of ten, at least as large.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.max(1e-300).log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

fn power_label(power: i32, plain: bool) -> String {
    match (plain, power) {
        (_, 0) => "1".into(),
        (true, p) => plain_label(10f64.powi(p)),
        (false, p) => format!("10{}", superscript(p)),
    }
}

fn plain_label(v: f64) -> String {
    // Enough digits for the ticks, which are 1, 2 or 5 times a power of ten.
    let digits = (-v.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{v:.digits$}")
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(s: &Scale) -> Vec<String> {
        s.ticks().into_iter().filter_map(|t| t.label).collect()
    }

    #[test]
    fn a_logarithmic_axis_is_marked_at_powers_of_ten() {
        let s = Scale::fit(&Axis::log("e").between(1e-12, 1.0), [].into_iter(), 0.0, 120.0);
        assert_eq!(labels(&s), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]);
        for (value, at) in [(1e-12, 0.0), (1e-6, 60.0), (1.0, 120.0)] {
            assert!((s.at(value).unwrap_or(f64::NAN) - at).abs() < 1e-9);
        }
        assert_eq!(s.at(0.0), None);
        assert_eq!(s.at(f64::NAN), None);
        assert_eq!(s.at(1e9), Some(120.0), "outside is on the border");
    }

    #[test]
    fn few_decades_get_labels_between_and_plain_numbers() {
        let s = Scale::fit(&Axis::log("ms"), [0.9, 31.0].into_iter(), 0.0, 100.0);
        assert_eq!(labels(&s), ["0.5", "1", "2", "5", "10", "20", "50"]);
    }

    #[test]
    fn linear_axes_start_at_zero_where_they_nearly_do() {
        let s = Scale::fit(&Axis::linear("n"), [1.0, 47.0].into_iter(), 0.0, 50.0);
        assert_eq!(labels(&s), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(s.at(0.0), Some(0.0));
    }

    #[test]
    fn strange_values_make_an_axis_all_the_same() {
        for values in
            [vec![], vec![f64::NAN], vec![5.0], vec![0.0, 0.0], vec![-1.0, 1e300], vec![1e-300, 1e300]]
        {
            for axis in [Axis::linear("a"), Axis::log("a"), Axis::log("a").between(2.0, 1.0)] {
                let s = Scale::fit(&axis, values.iter().copied(), 0.0, 100.0);
                let ticks = s.ticks();
                assert!(
                    ticks.len() < 3000 && ticks.iter().all(|t| (-0.01..=100.01).contains(&t.at)),
                    "{ticks:?}"
                );
            }
        }
    }
}
