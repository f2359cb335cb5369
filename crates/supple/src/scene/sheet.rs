//! Sheets in scene files.

use super::cloth::{Bending, Cloth, Limit};
use super::file::Body;
use super::material_table::material;
use super::parse::SceneError;
use crate::mesh::TriMesh;
use serde::{Deserialize, Serialize};

/// What makes a sheet, besides its material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ClothTable {
    /// Thickness in m, > 0. Default 0.001.
    pub thickness: f64,
    /// Mass per volume in kg/m³ of a sheet without a material. Default 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Direction of the warp in the placed rest shape, not across the sheet if there are threads or limits along them. Default
    /// [1, 0, 0].
    pub warp: [f64; 3],
    /// More stiffness in Pa along warp and along weft. Default [0, 0].
    pub threads: [f64; 2],
    /// Strain limit; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Resistance to bending. Default: as a plate of the material; none without a material.
    pub bending: BendingTable,
}

impl Default for ClothTable {
    fn default() -> Self {
        ClothTable {
            thickness: 0.001,
            density: None,
            warp: [1.0, 0.0, 0.0],
            threads: [0.0; 2],
            limit: None,
            bending: BendingTable::default(),
        }
    }
}

/// How a sheet resists bending.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BendingTable {
    /// `plate`, `none`, `flat`, `angle` or `either_side`. Default: `plate` with a material, `none` without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<BendingKind>,
    /// Stiffness in N·m of `flat`, `angle` and `either_side`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

/// A way to resist bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BendingKind {
    /// As a plate of the material and thickness.
    Plate,
    /// Not at all.
    None,
    /// Towards being flat.
    Flat,
    /// Towards the angles of the rest shape.
    Angle,
    /// … folded to either side: a crease that is pushed through stays there.
    EitherSide,
}

/// What a body of a scene file says about a sheet.
pub(super) fn cloth(body: &Body, mesh: &TriMesh, key: &str) -> Result<Cloth, SceneError> {
    let at = |what: &str, message: String| SceneError::at(format!("{key}.{what}"), message);
    if body.springs.is_some() {
        return Err(at(
            "springs",
            "make a net of it: leave out `material` and `cloth`, or the springs".into(),
        ));
    }
    if !body.region.is_empty() {
        return Err(at("region", "is for solids".into()));
    }
    let table = body.cloth.clone().unwrap_or_default();
    if table.density.is_some() && body.material.is_some() {
        return Err(at("cloth.density", "is that of the material: give it there".into()));
    }
    let stiffness = |kind: &str| {
        table
            .bending
            .stiffness
            .ok_or_else(|| at("cloth.bending", format!("`{kind}` needs a `stiffness` in N·m")))
    };
    let bending = match table.bending.kind {
        Some(BendingKind::Plate) if body.material.is_none() => {
            return Err(at(
                "cloth.bending.kind",
                "`plate` takes its stiffness from the `material`, and there is none: say `flat` or `angle` with a `stiffness`, or `none`"
                    .into(),
            ));
        }
        // Without a material a plate has no stiffness.
        Some(BendingKind::Plate) | None => Bending::Plate,
        Some(BendingKind::None) => Bending::None,
        Some(BendingKind::Flat) => Bending::Flat(stiffness("flat")?),
        Some(BendingKind::Angle) => Bending::Angle(stiffness("angle")?),
        Some(BendingKind::EitherSide) => Bending::EitherSide(stiffness("either_side")?),
    };
    if matches!(bending, Bending::Plate | Bending::None) && table.bending.stiffness.is_some() {
        return Err(at("cloth.bending.stiffness", "is for `flat`, `angle` and `either_side`".into()));
    }
    let made = body.material.as_ref().map(|m| material(m, &format!("{key}.material"))).transpose()?;
    let density = made.as_ref().map_or(table.density.unwrap_or(500.0), |(_, density)| *density);
    let cloth = Cloth {
        material: made.map(|(material, _)| material),
        thickness: table.thickness,
        density,
        warp: table.warp,
        threads: table.threads,
        limit: table.limit,
        bending,
    };
    cloth.check(mesh).map_err(|(what, message)| at(&what, message))?;
    Ok(cloth)
}

/// A sheet in the x–z plane from the origin, cells cut along one diagonal: with alternating ones sheets bend too easily.
pub(super) fn grid(size: [f64; 2], cells: [usize; 2]) -> Result<TriMesh, String> {
    let (vertices, _) = crate::mesh::shapes::net(size, cells).map_err(|e| e.to_string())?;
    let at = |i: usize, k: usize| (i + (cells[0] + 1) * k) as u32;
    let mut triangles = Vec::with_capacity(2 * cells[0] * cells[1]);
    for k in 0..cells[1] {
        for i in 0..cells[0] {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    TriMesh::new(vertices, triangles).map_err(|e| e.to_string())
}
