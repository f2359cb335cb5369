//! A saved simulation: the settings as text, then the library's checkpoint.
//!
//! Layout, little-endian: `SUPPLEPY`, version u32, length of the settings u64, the settings (TOML, UTF-8), a checksum u64
//! (FNV-1a) of all before it, the checkpoint, which has a checksum of its own.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use supple::Settings;

const MAGIC: &[u8; 8] = b"SUPPLEPY";
const VERSION: u32 = 1;
const HEADER: usize = 20;

fn checksum(bytes: &[u8]) -> u64 {
    let step = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A file's bytes.
pub fn pack(settings: &Settings, checkpoint: &[u8]) -> Result<Vec<u8>, String> {
    let text = toml::to_string(settings).map_err(|e| format!("cannot write the settings: {e}"))?;
    let mut out = Vec::with_capacity(HEADER + text.len() + 8 + checkpoint.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    let sum = checksum(&out);
    out.extend_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(checkpoint);
    Ok(out)
}

/// Settings and checkpoint; no settings if the bytes are a plain checkpoint.
pub fn unpack(bytes: &[u8]) -> Result<(Option<Settings>, &[u8]), String> {
    if bytes.get(..8) != Some(MAGIC) {
        // The library says what is wrong with it.
        return Ok((None, bytes));
    }
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let version = bytes.get(8..12).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    if version.is_some_and(|v| v != VERSION) {
        return Err(format!("version {version:?} of a saved simulation is not supported"));
    }
    let end = || HEADER.checked_add(usize::try_from(number(12)?).ok()?);
    let (Some(end), Some(sum)) = (end(), end().and_then(number)) else {
        return Err("the saved simulation is cut short or damaged".into());
    };
    // Both ends lie within the bytes: the checksum behind the settings is there.
    let (covered, checkpoint) = (&bytes[..end], &bytes[end + 8..]);
    if checksum(covered) != sum {
        return Err("the saved simulation is damaged: its checksum does not match".into());
    }
    let text = &covered[HEADER..];
    let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
    let mut table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_string())?;
    // Version 0.1 wrote the budget in seconds.
    let solve = table.get_mut("solve").and_then(toml::Value::as_table_mut);
    if let Some(solve) = solve
        && let Some(toml::Value::Float(seconds)) = solve.remove("time_budget")
    {
        solve.insert("time_budget_ms".into(), toml::Value::Float(1e3 * seconds));
    }
    let settings: Settings = table.try_into().map_err(|e: toml::de::Error| e.message().to_string())?;
    Ok((Some(settings), checkpoint))
}

/// Settings as a flat dict.
pub fn settings<'py>(py: Python<'py>, s: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("dt", s.time.dt)?;
    d.set_item("integrator", s.time.integrator.as_str())?;
    d.set_item("gravity", s.world.gravity.to_vec())?;
    d.set_item("time_budget", s.solve.time_budget)?;
    let table = toml::Table::try_from(&s.solve).map_err(|e| crate::error::bad(e.to_string()))?;
    for (name, value) in table {
        if name == "time_budget_ms" {
            continue;
        }
        match value {
            toml::Value::String(v) if name == "acceleration" && v == "none" => d.set_item(name, py.None())?,
            toml::Value::String(v) => d.set_item(name, v)?,
            toml::Value::Integer(v) => d.set_item(name, v)?,
            toml::Value::Float(v) => d.set_item(name, v)?,
            other => d.set_item(name, other.to_string())?,
        }
    }
    Ok(d)
}
