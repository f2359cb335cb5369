//! What the names and units of columns say.

/// What a column holds, and the factor to SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Column {
    /// Length over rest length.
    Stretch,
    /// Stretch less 1, times the factor.
    Strain(f64),
    /// Nominal stress, times the factor.
    Stress(f64),
    /// Something else.
    Other,
}

/// Units of stress in Pa, as they are written in lower case.
const STRESS: [(&str, f64); 15] = [
    ("pa", 1.0),
    ("kpa", 1e3),
    ("mpa", 1e6),
    ("gpa", 1e9),
    ("n/m²", 1.0),
    ("n/m2", 1.0),
    ("n/m^2", 1.0),
    ("n/mm²", 1e6),
    ("n/mm2", 1e6),
    ("n/mm^2", 1e6),
    ("kn/m²", 1e3),
    ("kn/m2", 1e3),
    ("psi", PSI),
    ("ksi", 1e3 * PSI),
    ("bar", 1e5),
];
/// A pound-force (0.45359237 kg times 9.80665 m/s²) per square inch (0.0254 m).
const PSI: f64 = 0.453_592_37 * 9.806_65 / (0.0254 * 0.0254);
/// Units of strain.
const STRAIN: [(&str, f64); 6] =
    [("%", 0.01), ("percent", 0.01), ("mm/mm", 1.0), ("m/m", 1.0), ("in/in", 1.0), ("1", 1.0)];

/// Words that change nothing: what is nominal is what is read.
const PLAIN: [&str; 8] = ["nominal", "engineering", "eng", "eng.", "in", "/", "-", "–"];
/// Words for other measures of stress and strain.
const OTHER: [&str; 12] = [
    "true",
    "cauchy",
    "kirchhoff",
    "pk2",
    "log",
    "logarithmic",
    "hencky",
    "green",
    "lagrange",
    "almansi",
    "biot",
    "shear",
];

/// What the cells of a header say.
pub fn header(cells: &[&str]) -> Result<Vec<Column>, String> {
    let columns = cells.iter().map(|cell| column(cell)).collect::<Result<Vec<Column>, String>>()?;
    let count = |f: fn(&Column) -> bool| columns.iter().filter(|c| f(c)).count();
    let stretches = count(|c| matches!(c, Column::Stretch | Column::Strain(_)));
    let stresses = count(|c| matches!(c, Column::Stress(_)));
    if stretches != 1 || stresses != 1 {
        return Err("the header must name one column `stretch` or `strain` and one `stress`".into());
    }
    Ok(columns)
}

/// What one cell says.
fn column(cell: &str) -> Result<Column, String> {
    let shown: String = cell.chars().take(40).flat_map(char::escape_debug).collect();
    // A percent sign may stick to the name, and so may a unit behind a slash.
    let mut text = cell.to_lowercase().replace('%', " % ");
    for name in ["stress", "strain", "stretch"] {
        text = text.replace(&format!("{name}/"), &format!("{name} / "));
    }
    let words =
        || text.split([' ', '\t', '(', ')', '[', ']', '{', '}', '_', ':', ',']).filter(|w| !w.is_empty());
    let Some(name) = words().find(|w| matches!(*w, "stress" | "strain" | "stretch")) else {
        return Ok(Column::Other);
    };
    if words().any(|w| w == "rate") {
        return Ok(Column::Other);
    }
    let units: &[(&str, f64)] = match name {
        "stress" => &STRESS,
        "strain" => &STRAIN,
        _ => &STRAIN[2..],
    };
    let mut factor = 1.0;
    for word in words().filter(|w| *w != name && !PLAIN.contains(w)) {
        if OTHER.contains(&word) {
            return Err(format!(
                "`{shown}`: {word} {name} is not read; give nominal stress (force over rest area) and the stretch or engineering \
                 strain. True stress over the stretch is nominal stress, if the volume is kept"
            ));
        }
        factor = units.iter().find(|(unit, _)| *unit == word).map(|(_, f)| *f).ok_or_else(|| {
            let known = match name {
                "stress" => "Pa, kPa, MPa, GPa, N/m², N/mm², kN/m², psi, ksi, bar",
                "strain" => "%, percent, mm/mm, m/m, or none",
                _ => "none: it is length over rest length",
            };
            format!("`{shown}`: the unit `{word}` of {name} is unknown; known are {known}")
        })?;
    }
    Ok(match name {
        "stress" => Column::Stress(factor),
        "strain" => Column::Strain(factor),
        _ => Column::Stretch,
    })
}
