//! .gltf and .glb: the triangles of a scene, each node's transform applied, equal corners made one.

use super::RawMesh;
use super::draft::Draft;
use super::error::{Fault, Parsed, printable};
use super::gltf_data::{Gltf, Node, Primitive};
use super::number::Number;
use super::stl::Weld;
use crate::math::small::{cross, dot};
use crate::mesh::drawn::{Labels, NONE};

/// An affine map: rows of a 3×4 matrix.
type Affine = [[f64; 4]; 3];
const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
/// Vertices and indices that instances may add beyond the size of the file.
const MOST_INSTANCED: usize = 4_000_000;

fn apply(map: &Affine, p: [f64; 3]) -> [f64; 3] {
    map.map(|[a, b, c, d]| a * p[0] + b * p[1] + c * p[2] + d)
}

/// a after b.
fn compose(a: &Affine, b: &Affine) -> Affine {
    let [x, y, z] = b;
    a.map(|[p, q, r, shift]| {
        let mut row = *x;
        for (out, ((x, y), z)) in row.iter_mut().zip(x.iter().zip(y).zip(z)) {
            *out = p * x + q * y + r * z;
        }
        row[3] += shift;
        row
    })
}

fn mirrors(m: &Affine) -> bool {
    let [a, b, c] = m.map(|[x, y, z, _]| [x, y, z]);
    dot(a, cross(b, c)) < 0.0
}

fn local(node: &Node) -> Affine {
    if let Some(m) = &node.matrix {
        // By columns in the file.
        let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _] = *m;
        return [[a, d, g, x], [b, e, h, y], [c, f, i, z]];
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let s = node.scale.unwrap_or([1.0; 3]);
    let [tx, ty, tz] = node.translation.unwrap_or([0.0; 3]);
    let [u, v, w] = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    [(u, tx), (v, ty), (w, tz)].map(|(r, t)| [r[0] * s[0], r[1] * s[1], r[2] * s[2], t])
}

/// What the triangles of a primitive look like.
struct Paint {
    /// Its first vertex among all that are drawn.
    first: u32,
    /// Its first texture coordinates and normals, if it has them.
    uvs: Option<u32>,
    normals: Option<u32>,
    material: u32,
    group: u32,
}

/// Rows of finite numbers.
fn rows<const N: usize>(file: &Gltf, accessor: usize, what: &str) -> Parsed<Vec<[f64; N]>> {
    let (_, numbers) = file.rows(accessor, N, what)?;
    let flat: Vec<f64> = numbers.map(|n| if n.real().is_finite() { n.real() } else { 0.0 }).collect();
    Ok(flat.chunks_exact(N).map(|row| std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0))).collect())
}

/// A normal under a map: by its cofactors, of the length that it had; as it is where nothing turns or scales.
fn turned(map: &Affine, n: [f64; 3]) -> [f64; 3] {
    let m = map.map(|[a, b, c, _]| [a, b, c]);
    if m == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        return n;
    }
    let [a, b, c] = m;
    let sign = if mirrors(map) { -1.0 } else { 1.0 };
    let moved = [cross(b, c), cross(c, a), cross(a, b)].map(|row| sign * dot(row, n));
    let (before, after) = (dot(n, n).sqrt(), dot(moved, moved).sqrt());
    if after > 0.0 && after.is_finite() { moved.map(|c| c * (before / after)) } else { n }
}

struct Reader<'a> {
    file: Gltf<'a>,
    draft: Draft,
    weld: Weld,
    corners: usize,
    elements: u64,
    budget: usize,
}

pub(super) fn read(bytes: &[u8], companion: Option<&[u8]>) -> Parsed<RawMesh> {
    let file = Gltf::new(bytes, companion)?;
    for extension in &file.json.extensions_required {
        let harmless = ["KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_"];
        if !harmless.iter().any(|prefix| extension.starts_with(prefix)) {
            let name = super::error::printable(extension, 60);
            return Err(file.fault(format!("the file needs the extension {name}, which cannot be read")));
        }
    }
    let size = bytes.len() + companion.map_or(0, <[u8]>::len);
    let mut reader = Reader {
        budget: size.saturating_add(MOST_INSTANCED),
        draft: Draft::of_loose_triangles(),
        weld: Weld::default(),
        corners: 0,
        elements: 0,
        file,
    };
    let end = reader.file.place;
    reader.scene()?;
    let merged = reader.corners - reader.draft.vertices.len();
    if merged > 0 {
        reader.draft.note(format!("{merged} vertices at the place of another were made one with it"));
    }
    reader.draft.finish(end)
}

impl Reader<'_> {
    fn scene(&mut self) -> Parsed<()> {
        let json = &self.file.json;
        if json.scenes.is_empty() {
            for mesh in 0..json.meshes.len() {
                self.mesh(mesh, &IDENTITY)?;
            }
            return Ok(());
        }
        let scene = json.scene.unwrap_or(0);
        let Some(scene) = json.scenes.get(scene) else {
            return Err(self.file.fault(format!("scene {scene} does not exist")));
        };
        let mut visited = vec![false; json.nodes.len()];
        let mut skins = 0;
        let mut meshes = Vec::new();
        let mut open: Vec<(usize, Affine)> = scene.nodes.iter().rev().map(|&node| (node, IDENTITY)).collect();
        while let Some((index, parent)) = open.pop() {
            let (Some(node), Some(visited)) = (json.nodes.get(index), visited.get_mut(index)) else {
                return Err(self.file.fault(format!("scene node {index} does not exist")));
            };
            if std::mem::replace(visited, true) {
                return Err(self.file.fault(format!("scene node {index} has two parents or is its own")));
            }
            let map = compose(&parent, &local(node));
            skins += u32::from(node.skin.is_some());
            meshes.extend(node.mesh.map(|mesh| (mesh, map)));
            open.extend(node.children.iter().rev().map(|&child| (child, map)));
        }
        if skins > 0 {
            self.draft.note(format!("{skins} skins were ignored: meshes are read as they are bound"));
        }
        meshes.iter().try_for_each(|(mesh, map)| self.mesh(*mesh, map))
    }

    fn mesh(&mut self, index: usize, map: &Affine) -> Parsed<()> {
        let Some(mesh) = self.file.json.meshes.get(index) else {
            return Err(self.file.fault(format!("mesh {index} does not exist")));
        };
        let group = mesh.name.as_ref().filter(|name| !name.is_empty()).map(|name| name.as_bytes().to_vec());
        let group = group.and_then(|name| self.draft.named_group(&name));
        for i in 0..mesh.primitives.len() {
            self.primitive(index, i, map, group).map_err(|fault| Fault {
                reason: format!("mesh {index}, primitive {i}: {}", fault.reason),
                ..fault
            })?;
        }
        Ok(())
    }

    fn primitive(&mut self, mesh: usize, index: usize, map: &Affine, group: Option<usize>) -> Parsed<()> {
        let primitive = self.file.json.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(index));
        let Some(Primitive { attributes, indices, mode, material }) = primitive else { return Ok(()) };
        let (normal, uv, indices, material) = (attributes.normal, attributes.uv, *indices, *material);
        let mode = mode.unwrap_or(4);
        if mode < 4 {
            self.draft.count("primitive of points or lines was ignored");
            return Ok(());
        }
        let Some(position) = attributes.position else {
            return Err(self.file.fault("it has no positions"));
        };
        let (count, numbers) = self.file.rows(position, 3, "positions")?;
        let spent = |budget: usize, count: usize, file: &Gltf| {
            let reason = "the instances of meshes are far more than the file's size";
            budget.checked_sub(count).ok_or_else(|| file.fault(reason))
        };
        self.budget = spent(self.budget, count, &self.file)?;
        let mut vertices = Vec::with_capacity(count);
        let first = self.draft.drawn.vertices.len() as u32;
        let (mut p, mut have) = ([0.0; 3], 0);
        for number in numbers {
            if let Some(c) = p.get_mut(have) {
                *c = number.real();
            }
            have += 1;
            if have == 3 {
                have = 0;
                let moved = apply(map, p);
                let vertex = self.weld.vertex(&mut self.draft, moved, self.file.place, vertices.len() as u64);
                self.draft.drawn.vertices.push(moved);
                vertices.push(
                    vertex.map_err(|fault| {
                        Fault { item: None, ..fault }.about("node", vertices.len() as u64)
                    })?,
                );
            }
        }
        self.corners += vertices.len();
        self.draft.drawn.nodes.extend_from_slice(&vertices);
        let paint = self.paint(mesh, normal, uv, material, (first, vertices.len()), map);
        let numbers: Vec<u32> = match indices {
            None => (0..vertices.len() as u32).collect(),
            Some(accessor) => {
                let (count, numbers) = self.file.rows(accessor, 1, "indices")?;
                self.budget = spent(self.budget, count, &self.file)?;
                let vertex = |number: Number| {
                    let value = number.whole().unwrap_or(-1);
                    let vertex = u32::try_from(value).ok().filter(|&i| (i as usize) < vertices.len());
                    vertex.ok_or_else(|| {
                        let reason = format!("vertex {value} does not exist (there are {})", vertices.len());
                        self.file.fault(reason)
                    })
                };
                numbers.map(vertex).collect::<Parsed<_>>()?
            }
        };
        self.triangles(mode, &numbers, mirrors(map), &vertices, &paint)?;
        let corners: Vec<u32> = numbers.iter().filter_map(|&i| vertices.get(i as usize).copied()).collect();
        self.draft.add_nodes(group, &corners);
        // Parts of a mesh are groups too.
        if let Some(mesh) = self.file.json.meshes.get(mesh).filter(|m| m.primitives.len() > 1) {
            let name = format!("{}.{index}", mesh.name.as_deref().unwrap_or("mesh"));
            let part = self.draft.named_group(name.as_bytes());
            self.draft.add_nodes(part, &corners);
        }
        Ok(())
    }

    /// Texture coordinates, normals and the material of a primitive whose vertices are drawn from `first` on.
    fn paint(
        &mut self,
        mesh: usize,
        normal: Option<usize>,
        uv: Option<usize>,
        material: Option<usize>,
        (first, count): (u32, usize),
        map: &Affine,
    ) -> Paint {
        let mut ignored = 0;
        let attributes = &mut self.draft.drawn.attributes;
        attributes.v_down = true;
        let mut offset = |at: usize, found: usize| {
            if found == count {
                Some(at as u32)
            } else {
                ignored += 1;
                None
            }
        };
        let uvs = uv.and_then(|accessor| {
            let rows = rows::<2>(&self.file, accessor, "texture coordinates").unwrap_or_default();
            let at = offset(attributes.uvs.values.len(), rows.len())?;
            attributes.uvs.values.extend(rows);
            Some(at)
        });
        let normals = normal.and_then(|accessor| {
            let rows = rows::<3>(&self.file, accessor, "normals").unwrap_or_default();
            let at = offset(attributes.normals.values.len(), rows.len())?;
            attributes.normals.values.extend(rows.iter().map(|&n| turned(map, n)));
            Some(at)
        });
        let label = |names: &mut Labels, name: Option<&String>| {
            name.filter(|n| !n.is_empty()).map_or(NONE, |n| names.number(&printable(n, 200)))
        };
        let json = &self.file.json;
        let material = material.and_then(|m| json.materials.get(m)).and_then(|m| m.name.as_ref());
        let material = label(&mut attributes.materials, material);
        let group = label(&mut attributes.groups, json.meshes.get(mesh).and_then(|m| m.name.as_ref()));
        if ignored > 0 {
            self.draft.count("list of texture coordinates or normals that cannot be read was ignored");
        }
        Paint { first, uvs, normals, material, group }
    }

    /// Triangles by the vertices of a primitive; `nodes` are those of the vertices.
    fn triangles(
        &mut self,
        mode: u32,
        corners: &[u32],
        mirrored: bool,
        nodes: &[u32],
        paint: &Paint,
    ) -> Parsed<()> {
        let mut add = |[a, b, c]: [u32; 3]| {
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            let number = self.elements;
            self.elements += 1;
            let drawn = &mut self.draft.drawn;
            let (at, attributes) = (drawn.triangles.len(), &mut drawn.attributes);
            attributes.uvs.push(at, paint.uvs.map_or([NONE; 3], |first| triangle.map(|v| first + v)));
            attributes.normals.push(at, paint.normals.map_or([NONE; 3], |first| triangle.map(|v| first + v)));
            attributes.materials.push(at, paint.material);
            attributes.groups.push(at, paint.group);
            drawn.triangles.push(triangle.map(|v| paint.first + v));
            let triangle = triangle.map(|v| nodes.get(v as usize).copied().unwrap_or(NONE));
            self.draft.polygon(&triangle, self.file.place, number)
        };
        match mode {
            4 => {
                if !corners.len().is_multiple_of(3) {
                    let count = corners.len();
                    return Err(self
                        .file
                        .fault(format!("{count} corners are not a whole number of triangles")));
                }
                corners
                    .chunks_exact(3)
                    .try_for_each(|t| if let &[a, b, c] = t { add([a, b, c]) } else { Ok(()) })
            }
            5 => corners.windows(3).enumerate().try_for_each(|(i, t)| match *t {
                [a, b, c] if i % 2 == 0 => add([a, b, c]),
                [a, b, c] => add([b, a, c]),
                _ => Ok(()),
            }),
            6 => match corners.split_first() {
                Some((&first, rest)) => rest
                    .windows(2)
                    .try_for_each(|pair| if let &[b, c] = pair { add([first, b, c]) } else { Ok(()) }),
                None => Ok(()),
            },
            _ => Err(self.file.fault(format!("the mode {mode} does not exist"))),
        }
    }
}
