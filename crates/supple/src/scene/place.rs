//! Shapes, transforms, selections and start states of a scene file, as nodes and elements.

use super::estimate::Estimate;
use super::file::{
    Axis, AxisName, Body, Order, Region, Rotation, Scale, Select, Shape, SkinChoice, StartState,
};
use super::parse::SceneError;
use super::skin::{self, Cover, Skin};
use crate::energy::check::Random;
use crate::math::small::{add, axpy, cross, dot, norm2, scale, sub};
use crate::mesh::fill::FillSettings;
use crate::mesh::io::Samples;
use crate::mesh::shapes;
use crate::mesh::{Contour, Drawn, Embedding, Limbs, MeshError, MidPoints, TetMesh, TriMesh};

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

fn finite(key: impl Fn() -> String, values: &[f64]) -> Result<(), SceneError> {
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

fn checked(rotation: &Rotation, key: &str) -> Result<([f64; 3], f64), SceneError> {
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

/// A shape before it is placed.
#[derive(Default)]
struct Shaped {
    vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    mid_points: Vec<MidPoints>,
    fill: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    groups: Vec<(String, Vec<u32>)>,
    drawn: Option<Drawn>,
    /// The surface of an implicit shape, finer than its tetrahedra.
    contour: Option<Contour>,
}

fn make(shape: &Shape, springs: bool, skin: bool) -> Result<Shaped, String> {
    let solid = |m: Result<TetMesh, crate::mesh::MeshError>| {
        let m = m.map_err(|e| e.to_string())?;
        let (vertices, tets) = (m.vertices().to_vec(), m.tets().to_vec());
        Ok::<Shaped, String>(Shaped { vertices, tets, fill: m.fill().to_vec(), ..Shaped::default() })
    };
    let net = |(vertices, edges): shapes::Net| Ok(Shaped { vertices, edges, ..Shaped::default() });
    match shape {
        Shape::Box { size, cells, split: s } => solid(shapes::box_mesh(*size, *cells, (*s).into())),
        Shape::Beam { length, width, cells, split: s } => {
            let ratio = length / width * *cells as f64;
            if !(ratio.is_finite() && ratio < 1e6) {
                return Err("the length and width of a beam must be positive, and not too far apart".into());
            }
            let along = (ratio.round() as usize).max(1);
            solid(shapes::box_mesh([*length, *width, *width], [along, *cells, *cells], (*s).into()))
        }
        Shape::Sphere { radius, cells } => solid(shapes::ball(*radius, *cells)),
        Shape::Cylinder { radius, length, cells, along } => {
            solid(shapes::cylinder(*radius, *length, *cells, *along))
        }
        Shape::Capsule { radius, length, cells, along } => {
            solid(shapes::capsule(*radius, *length, *cells, *along))
        }
        Shape::Torus { radius, tube, cells, around } => solid(shapes::torus(*radius, *tube, *cells, *around)),
        Shape::Limbs { limbs, blend, tets } => {
            let figure = Limbs::new(limbs.clone(), *blend).map_err(|e| e.to_string())?;
            let (mesh, report) = figure.fill(&FillSettings::tets(*tets)).map_err(|e| e.to_string())?;
            // Twice as fine as the body.
            let contour = match skin {
                true => Some(figure.surface(0.5 * report.size).map_err(|e| e.to_string())?),
                false => None,
            };
            Ok(Shaped { contour, ..solid(Ok(mesh))? })
        }
        Shape::Cloth { size, cells } if !springs => {
            let m = super::sheet::grid(*size, *cells)?;
            let (vertices, triangles) = (m.vertices().to_vec(), m.triangles().to_vec());
            Ok(Shaped { vertices, triangles, ..Shaped::default() })
        }
        Shape::Cloth { size, cells } => net(shapes::net(*size, *cells).map_err(|e| e.to_string())?),
        Shape::Rope { length, segments, knot } => {
            let make = if *knot { shapes::knot } else { shapes::rope };
            net(make(*length, *segments).map_err(|e| e.to_string())?)
        }
    }
}

/// The nodes of a body that a selection means: of one that looks at the skin, those that carry what it selects.
pub(super) fn chosen(s: &Select, key: &str, body: &Placed) -> Result<Vec<u32>, SceneError> {
    if !s.skin {
        return select(s, key, &body.vertices, &body.groups);
    }
    let Some(skin) = &body.skin else {
        return Err(SceneError::at(
            format!("{key}.skin"),
            "is for bodies with a skin; give the body `skin = true`",
        ));
    };
    Ok(skin::carriers(&select(s, key, &skin.vertices, &body.skin_groups)?, &skin.embedding))
}

/// The points that a selection means.
pub(super) fn select(
    s: &Select,
    key: &str,
    points: &[[f64; 3]],
    groups: &[(String, Vec<u32>)],
) -> Result<Vec<u32>, SceneError> {
    let given = [
        s.ids.is_some(),
        s.in_box.is_some(),
        s.sphere.is_some(),
        s.plane.is_some(),
        s.group.is_some(),
        s.all,
    ];
    if given.iter().filter(|g| **g).count() != 1 {
        return Err(SceneError::at(key, "give one of ids, box, sphere, plane, group or all"));
    }
    let inside = |test: &dyn Fn(&[f64; 3]) -> bool| -> Vec<u32> {
        (0..).zip(points).filter(|(_, p)| test(p)).map(|(i, _)| i).collect()
    };
    let found = if let Some(ids) = &s.ids {
        if let Some(i) = ids.iter().find(|i| **i as usize >= points.len()) {
            let message = format!("{i} does not exist: there are {}, numbered from 0", points.len());
            return Err(SceneError::at(format!("{key}.ids"), message));
        }
        let mut ids = ids.clone();
        ids.sort_unstable();
        ids.dedup();
        ids
    } else if let Some(b) = &s.in_box {
        finite(|| format!("{key}.box"), &[b.min, b.max].concat())?;
        inside(&|p| p.iter().zip(b.min.iter().zip(&b.max)).all(|(p, (low, high))| low <= p && p <= high))
    } else if let Some(q) = &s.sphere {
        finite(|| format!("{key}.sphere"), &[&q.centre[..], &[q.radius]].concat())?;
        inside(&|p| norm2(&[sub(*p, q.centre)]) <= q.radius * q.radius)
    } else if let Some(q) = &s.plane {
        finite(|| format!("{key}.plane"), &[q.point, q.normal].concat())?;
        inside(&|p| dot(sub(*p, q.point), q.normal) >= 0.0)
    } else if let Some(name) = &s.group {
        let Some((_, ids)) = groups.iter().find(|(n, _)| n == name) else {
            let names: Vec<&str> = groups.iter().map(|(n, _)| n.as_str()).collect();
            let message = if names.is_empty() {
                format!("there is no group `{name}`: the mesh has none")
            } else {
                format!("there is no group `{name}`; the mesh has {}", names.join(", "))
            };
            let mut e = SceneError::at(format!("{key}.group"), message);
            e.hint = super::parse::nearest(name, names).map(|n| format!("did you mean `{n}`?"));
            return Err(e);
        };
        ids.clone()
    } else {
        (0..points.len() as u32).collect()
    };
    if found.is_empty() {
        return Err(SceneError::at(key, "selects nothing"));
    }
    Ok(found)
}

/// For each element the region that its centre lies in, later regions first.
pub(super) fn regions(
    mesh: &TetMesh,
    regions: &[Region],
    key: &str,
) -> Result<Vec<Option<usize>>, SceneError> {
    let mut of = vec![None; mesh.tets().len()];
    if regions.is_empty() {
        return Ok(of);
    }
    let corners = |t: &[u32; 4]| t.map(|v| mesh.vertices().get(v as usize).copied().unwrap_or([f64::NAN; 3]));
    let centres: Vec<[f64; 3]> = mesh.tets().iter().map(|t| centre(&corners(t))).collect();
    for (i, r) in regions.iter().enumerate() {
        if r.select.skin {
            let message = "has no meaning here: regions are of elements, not of the skin";
            return Err(SceneError::at(format!("{key}.region[{i}].select.skin"), message));
        }
        for e in select(&r.select, &format!("{key}.region[{i}].select"), &centres, &[])? {
            of.get_mut(e as usize).into_iter().for_each(|of| *of = Some(i));
        }
    }
    Ok(of)
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

/// Positions and velocities.
pub(super) type Motion = (Vec<[f64; 3]>, Vec<[f64; 3]>);

/// Positions and velocities at the start.
pub(super) fn start(s: &StartState, key: &str, rest: &[[f64; 3]]) -> Result<Motion, SceneError> {
    let mut x = rest.to_vec();
    let [low, high] = corners(rest);
    let middle = scale(0.5, add(low, high));
    if let Some(f) = s.stretch {
        finite(|| format!("{key}.stretch"), &f)?;
        for p in &mut x {
            *p = add(middle, times(f, sub(*p, middle)));
        }
    }
    if let Some(r) = &s.twist {
        let (axis, angle) = checked(r, &format!("{key}.twist"))?;
        let along = |p: &[f64; 3]| dot(*p, axis);
        let (first, last) =
            x.iter().map(along).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
        for p in &mut x {
            let share = if last > first { (along(p) - first) / (last - first) } else { 0.0 };
            *p = add(middle, turn(sub(*p, middle), axis, angle * share));
        }
    }
    if let Some(point) = s.collapse {
        finite(|| format!("{key}.collapse"), &point)?;
        x.fill(point);
    }
    if let Some(r) = s.randomise {
        let mut random = Random(r.seed);
        for p in &mut x {
            *p = [(low[0], high[0]), (low[1], high[1]), (low[2], high[2])].map(|(a, b)| random.between(a, b));
        }
    }
    let velocity = s.velocity.unwrap_or_default();
    let spin = s.spin.unwrap_or_default();
    finite(|| format!("{key}.velocity"), &velocity)?;
    finite(|| format!("{key}.spin"), &spin)?;
    let about = centre(&x);
    let v = x.iter().map(|p| add(velocity, cross(spin, sub(*p, about)))).collect();
    Ok((x, v))
}

/// Coordinate by coordinate.
fn times([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a * x, b * y, c * z]
}
