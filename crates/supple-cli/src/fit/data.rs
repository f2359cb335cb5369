//! Pairs of stretch and nominal stress from a CSV file.

/// Most pairs; a fit to more is none the better.
const MOST: usize = 100_000;

/// What a column holds, and the factor to SI.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    Stretch,
    /// Stretch less 1, times the factor.
    Strain(f64),
    Stress(f64),
    Other,
}

/// (stretch, nominal stress in Pa) of each line; an error starts with `name:line:`.
///
/// Numbers are separated by commas, semicolons, tabs or spaces. Without a header the first column is the stretch and the
/// second the stress in Pa. A header names columns `stretch` or `strain` and `stress`, in any order, with a unit of the stress
/// behind the name if it is not Pa: `stress (MPa)`, `stress_kpa`; `strain (%)` is read too. Lines that start with # are skipped.
pub fn read(name: &str, text: &str) -> Result<Vec<[f64; 2]>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut columns = vec![Column::Stretch, Column::Stress(1.0)];
    let mut pairs: Vec<[f64; 2]> = Vec::new();
    let mut first = true;
    for (number, line) in text.lines().enumerate() {
        let wrong = |reason: String| format!("{name}:{}: {reason}", number + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.len() > 10_000 || line.contains('\0') {
            return Err(wrong("is no line of numbers".into()));
        }
        let parts = split(line);
        let is_header = first && parts.iter().any(|p| p.parse::<f64>().is_err());
        first = false;
        if is_header {
            columns = header(line).map_err(wrong)?;
            continue;
        }
        if parts.len() < columns.len() {
            return Err(wrong(format!("{} numbers instead of {}", parts.len(), columns.len())));
        }
        let (mut stretch, mut stress) = (f64::NAN, f64::NAN);
        for (part, column) in parts.iter().zip(&columns) {
            if *column == Column::Other {
                continue;
            }
            let shown: String = part.chars().take(40).flat_map(char::escape_debug).collect();
            let value: f64 = part
                .parse()
                .ok()
                .filter(|v: &f64| v.is_finite())
                .ok_or_else(|| wrong(format!("`{shown}` is no number")))?;
            match column {
                Column::Stretch => stretch = value,
                Column::Strain(unit) => stretch = 1.0 + value * unit,
                Column::Stress(unit) => stress = value * unit,
                Column::Other => {}
            }
        }
        if !(stretch > 0.01 && stretch < 100.0) {
            return Err(wrong(format!("the stretch must lie between 0.01 and 100, not {stretch}")));
        }
        if !(stress.abs() < 1e15) {
            return Err(wrong(format!("the stress {stress} Pa is too large")));
        }
        pairs.push([stretch, stress]);
        if pairs.len() > MOST {
            return Err(wrong(format!("more than {MOST} pairs")));
        }
    }
    // At rest there is nothing to learn.
    let mut apart: Vec<f64> = pairs.iter().map(|p| p[0]).filter(|s| (s - 1.0).abs() > 1e-6).collect();
    apart.sort_by(f64::total_cmp);
    apart.dedup();
    if apart.len() < 3 {
        return Err(format!(
            "{name}: needs at least three pairs with different stretches, has {}",
            apart.len()
        ));
    }
    Ok(pairs)
}

fn split(line: &str) -> Vec<&str> {
    for separator in [';', ',', '\t'] {
        if line.contains(separator) {
            return line.split(separator).map(str::trim).collect();
        }
    }
    line.split_whitespace().collect()
}

/// What the names of a header say.
fn header(line: &str) -> Result<Vec<Column>, String> {
    let columns: Vec<Column> = split(line)
        .iter()
        .map(|cell| {
            let word = cell.trim_matches(['"', '\'']).to_lowercase();
            let stress = [("gpa", 1e9), ("mpa", 1e6), ("kpa", 1e3)];
            match word.as_str() {
                w if w.starts_with("stretch") => Column::Stretch,
                w if w.starts_with("strain") => Column::Strain(if w.contains('%') { 0.01 } else { 1.0 }),
                w if w.starts_with("stress") => {
                    Column::Stress(stress.iter().find(|(u, _)| w.contains(u)).map_or(1.0, |(_, f)| *f))
                }
                _ => Column::Other,
            }
        })
        .collect();
    let count = |f: fn(&Column) -> bool| columns.iter().filter(|c| f(c)).count();
    let stretches = count(|c| matches!(c, Column::Stretch | Column::Strain(_)));
    let stresses = count(|c| matches!(c, Column::Stress(_)));
    if stretches != 1 || stresses != 1 {
        return Err("the header must name one column `stretch` or `strain` and one `stress`".into());
    }
    Ok(columns)
}
