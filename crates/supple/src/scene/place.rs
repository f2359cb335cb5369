//! Where a body's rest shape is: shape or mesh, transform, filling, skin.

use super::estimate::Estimate;
use super::file::{Axis, AxisName, Body, Order, Rotation, Scale, SkinChoice};
use super::parse::SceneError;
use super::shape::{Shaped, make};
use super::skin::{self, Cover, Skin};
use crate::math::small::{add, axpy, cross, dot, scale};
use crate::mesh::io::Samples;
use crate::mesh::{Drawn, Embedding, MeshError, MidPoints, TetMesh, TriMesh};

/// A mesh or a grid that a scene names, as the caller read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asset {
    /// Positions in m.
    pub vertices: Vec<[f64; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Where the nodes on their edges are, of a file of second order.
    pub mid_points: Vec<MidPoints>,
    /// Their fill fractions, in (0, 1]; empty where all are full.
    pub fill: Vec<f64>,
    /// Triangles, of a surface without tetrahedra.
    pub triangles: Vec<[u32; 3]>,
    /// Named groups of nodes, ascending.
    pub groups: Vec<(String, Vec<u32>)>,
    /// The surface as its file draws it, if that is known: skins then have its vertices and what is on them.
    pub drawn: Option<Drawn>,
    /// Numbers on a grid, of a .npy file: then there is no mesh.
    pub samples: Option<Samples>,
}

/// A body's rest shape, placed.
pub(super) struct Placed {
    pub vertices: Vec<[f64; 3]>,
    /// The solid, if it is one.
    pub mesh: Option<TetMesh>,
    /// The sheet, if it is one.
    pub sheet: Option<TriMesh>,
    /// Edges of a net.
    pub edges: Vec<[u32; 2]>,
    pub groups: Vec<(String, Vec<u32>)>,
    /// The detailed surface that it carries.
    pub skin: Option<Skin>,
    /// Named groups of the skin's vertices.
    pub skin_groups: Vec<(String, Vec<u32>)>,
    /// What filling did, in words.
    pub notes: Vec<String>,
}

pub(super) fn finite(key: impl Fn() -> String, values: &[f64]) -> Result<(), SceneError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(SceneError::at(key(), format!("must be finite, not {v}"))),
        None => Ok(()),
    }
}

/// The unit vector of an axis.
pub(super) fn direction(axis: Axis, key: &str) -> Result<[f64; 3], SceneError> {
    let d = match axis {
        Axis::Named(AxisName::X) => [1.0, 0.0, 0.0],
        Axis::Named(AxisName::Y) => [0.0, 1.0, 0.0],
        Axis::Named(AxisName::Z) => [0.0, 0.0, 1.0],
        Axis::Direction(d) => d,
    };
    let n = d.iter().map(|a| a * a).sum::<f64>().sqrt();
    if !(n.is_finite() && n > 1e-100) {
        return Err(SceneError::at(key, format!("{d:?} is no direction")));
    }
    Ok(d.map(|a| a / n))
}

/// Turns p about the unit axis through the origin by an angle in radians (Rodrigues).
pub(super) fn turn(p: [f64; 3], axis: [f64; 3], angle: f64) -> [f64; 3] {
    let (s, c) = crate::math::elementary::sin_cos(angle);
    let along = dot(axis, p) * (1.0 - c);
    axpy(axpy(scale(c, p), s, cross(axis, p)), along, axis)
}

pub(super) fn checked(rotation: &Rotation, key: &str) -> Result<([f64; 3], f64), SceneError> {
    finite(|| format!("{key}.angle"), &[rotation.angle])?;
    Ok((direction(rotation.axis, &format!("{key}.axis"))?, rotation.angle.to_radians()))
}

/// The rest shape of a body where the scene puts it.
pub(super) fn place(
    body: &Body,
    key: &str,
    assets: &mut dyn FnMut(&str) -> Result<Asset, String>,
) -> Result<Placed, SceneError> {
    let asset = match (&body.shape, &body.mesh) {
        (Some(_), Some(_)) => {
            return Err(SceneError::at(key, "has both `shape` and `mesh`: give one of them"));
        }
        (None, None) => return Err(SceneError::at(key, "needs a `shape` or a `mesh`")),
        (None, Some(path)) => {
            let asset = assets(path).map_err(|e| SceneError::at(format!("{key}.mesh"), e))?;
            let Asset { vertices, tets, mid_points, fill, triangles, groups, drawn, samples } = asset;
            if samples.is_some() {
                let message = format!("`{path}` is an array of numbers, not a mesh");
                return Err(SceneError::at(format!("{key}.mesh"), message));
            }
            Shaped { vertices, tets, mid_points, fill, triangles, groups, drawn, ..Shaped::default() }
        }
        (Some(shape), None) => {
            if let Some(reason) = Estimate::of_body(body).and_then(|e| e.refusal()) {
                return Err(SceneError::at(format!("{key}.shape"), reason));
            }
            make(shape, body.springs.is_some(), body.skin == Some(SkinChoice::Own(true)))
                .map_err(|e| SceneError::at(format!("{key}.shape"), e))?
        }
    };
    let factors = match body.scale {
        None => [1.0; 3],
        Some(Scale::Uniform(s)) => [s; 3],
        Some(Scale::PerAxis(s)) => s,
    };
    if factors.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(SceneError::at(format!("{key}.scale"), "factors must be positive and finite"));
    }
    finite(|| format!("{key}.translate"), &body.translate)?;
    let rotation = body.rotate.as_ref().map(|r| checked(r, &format!("{key}.rotate"))).transpose()?;
    let put = |p: &[f64; 3]| -> [f64; 3] {
        let p = times(*p, factors);
        add(rotation.map_or(p, |(axis, angle)| turn(p, axis, angle)), body.translate)
    };
    let mut vertices: Vec<[f64; 3]> = asset.vertices.iter().map(put).collect();
    let wrong = |e: MeshError| SceneError::at(key, e.to_string());
    let (mut mesh, mut sheet) = (None, None);
    let (mut groups, mut notes) = (asset.groups, Vec::new());
    // Normals turn with the cofactors of the placement and keep their length; nothing touches them where it neither turns nor scales.
    let turns = rotation.is_some() || factors != [1.0; 3];
    let turn_normal = turns.then_some(|n: &[f64; 3]| -> [f64; 3] {
        let ([x, y, z], [a, b, c]) = (*n, factors);
        let m = [x / a, y / b, z / c];
        let m = rotation.map_or(m, |(axis, angle)| turn(m, axis, angle));
        let length = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let (before, after) = (length(n), length(&m));
        if after > 0.0 && after.is_finite() { m.map(|c| c * (before / after)) } else { *n }
    });
    let mut own = asset.contour.map(|(points, triangles)| Cover::new(None, points, triangles, &[]));
    if let Some(table) = &body.fill {
        if !asset.tets.is_empty() || !asset.edges.is_empty() || asset.triangles.is_empty() {
            let message = "fills surfaces: it needs a `mesh` of triangles without tetrahedra";
            return Err(SceneError::at(format!("{key}.fill"), message));
        }
        let (filled, report) = skin::fill_surface(table, &vertices, &asset.triangles, key)?;
        notes.extend(report.notes());
        let carried = Embedding::new(&filled, &vertices).map_err(wrong)?;
        own = Some(Cover::new(asset.drawn, asset.vertices, asset.triangles, &groups));
        groups = skin::carried(&groups, &carried);
        vertices = filled.vertices().to_vec();
        mesh = Some(filled);
    } else if !asset.tets.is_empty() {
        let filled = TetMesh::new(vertices.clone(), asset.tets).and_then(|m| m.with_fill(asset.fill));
        mesh = Some(filled.map_err(wrong)?);
    } else if asset.edges.is_empty() {
        let hint = |e: MeshError| match body.cloth {
            Some(_) => wrong(e),
            None => SceneError::at(key, format!("{e}; if it is meant to be a solid, give it `fill = {{}}`")),
        };
        sheet = Some(TriMesh::new(vertices.clone(), asset.triangles).map_err(hint)?);
    }
    if body.order == Some(Order::Two) {
        let Some(solid) = &mesh else {
            return Err(SceneError::at(format!("{key}.order"), "is for solids"));
        };
        let points: Vec<MidPoints> = asset.mid_points.iter().map(|six| six.map(|p| put(&p))).collect();
        let of_two = solid.with_mid_points(&points).map_err(wrong)?;
        vertices = of_two.vertices().to_vec();
        mesh = Some(of_two);
    }
    let skin_key = format!("{key}.skin");
    let surface = match &body.skin {
        None | Some(SkinChoice::Own(false)) => None,
        Some(SkinChoice::Own(true)) => {
            let message = "`true` is for a surface that is filled and for `limbs`; name a mesh file instead";
            Some(own.ok_or_else(|| SceneError::at(&skin_key, message))?)
        }
        Some(SkinChoice::File(path)) => {
            let file = assets(path).map_err(|e| SceneError::at(&skin_key, e))?;
            if file.triangles.is_empty() {
                return Err(SceneError::at(&skin_key, format!("`{path}` has no triangles")));
            }
            Some(Cover::new(file.drawn, file.vertices, file.triangles, &file.groups))
        }
    };
    let mut skin_groups = Vec::new();
    let skin = match (surface.map(|cover| cover.placed(put, turn_normal)), &mesh) {
        (None, _) => None,
        (Some(cover), Some(mesh)) => {
            skin_groups = cover.groups;
            let skin = Skin::new(mesh, cover.vertices, cover.triangles);
            let skin = skin.map_err(|e| SceneError::at(&skin_key, e.to_string()))?;
            Some(skin.with_attributes(cover.attributes))
        }
        (Some(_), None) => return Err(SceneError::at(skin_key, "is for solids")),
    };
    Ok(Placed { vertices, mesh, sheet, edges: asset.edges, groups, skin, skin_groups, notes })
}

/// Lowest and highest corner of the box around points.
pub(super) fn corners(points: &[[f64; 3]]) -> [[f64; 3]; 2] {
    let both = |f: fn(f64, f64) -> f64| {
        move |[a, b, c]: [f64; 3], [x, y, z]: &[f64; 3]| [f(a, *x), f(b, *y), f(c, *z)]
    };
    [
        points.iter().fold([f64::INFINITY; 3], both(f64::min)),
        points.iter().fold([f64::NEG_INFINITY; 3], both(f64::max)),
    ]
}

/// Mean of points.
pub(super) fn centre(points: &[[f64; 3]]) -> [f64; 3] {
    points.iter().fold([0.0; 3], |sum, p| add(sum, *p)).map(|sum| sum / points.len().max(1) as f64)
}

/// Coordinate by coordinate.
pub(super) fn times([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a * x, b * y, c * z]
}
