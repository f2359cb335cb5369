//! Pairs of stretch and nominal stress from a CSV file.

use super::header::{Column, header};

/// Most pairs; fits do not improve with more.
const MOST: usize = 100_000;

/// (stretch, nominal stress in Pa) of each line; an error starts with `name:line:`.
///
/// Numbers are separated by commas, semicolons, tabs or spaces, and may stand in quotes. Without a header the first column is the
/// stretch and the second the stress in Pa. A header names columns `stretch` or `strain` and `stress`, in any order, with their units;
/// see `header.rs`. Lines that start with # are skipped.
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
            return Err(wrong("is not a line of numbers".into()));
        }
        let parts = split(line);
        let is_header = first && parts.iter().any(|p| p.parse::<f64>().is_err());
        first = false;
        if is_header {
            if parts.iter().any(|p| decimal_comma(p)) {
                return Err(wrong(COMMA.into()));
            }
            columns = header(&parts).map_err(wrong)?;
            continue;
        }
        if parts.len() != columns.len() {
            let hint = if parts.len() > columns.len() { ": a header names more columns" } else { "" };
            return Err(wrong(format!("{} numbers instead of {}{hint}", parts.len(), columns.len())));
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
                .ok_or_else(|| wrong(format!("`{shown}` is not a number{}", hint(part))))?;
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

/// What is said of decimal commas.
const COMMA: &str = "decimals are written with a point, not with a comma";

fn hint(part: &str) -> String {
    if decimal_comma(part) { format!(": {COMMA}") } else { String::new() }
}

/// True for a number with a decimal comma, or for what is left of two of them that a space separates.
fn decimal_comma(part: &str) -> bool {
    let mut numbers = part.split([',', ' ', '\t']).filter(|p| !p.is_empty());
    part.contains([',', ' ', '\t'])
        && part.contains(|c: char| c.is_ascii_digit())
        && numbers.all(|p| p.parse::<f64>().is_ok())
}

/// The cells of a line, without quotes. A separator within quotes does not separate, and the last cell may be empty.
fn split(line: &str) -> Vec<&str> {
    let mut cells: Vec<&str> = Vec::new();
    let outside = |separator: char| {
        let mut quote = None;
        line.char_indices().filter(move |(_, c)| {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(*c),
                (Some(q), c) if q == *c => quote = None,
                _ => {}
            }
            quote.is_none() && *c == separator
        })
    };
    let separator = [';', '\t', ','].into_iter().find(|s| outside(*s).next().is_some());
    if let Some(separator) = separator {
        let mut from = 0;
        for (at, c) in outside(separator) {
            cells.push(&line[from..at]);
            from = at + c.len_utf8();
        }
        if !line[from..].trim().is_empty() {
            cells.push(&line[from..]);
        }
    } else {
        cells = line.split_whitespace().collect();
    }
    cells.iter().map(|c| c.trim().trim_matches(['"', '\'']).trim()).collect()
}
