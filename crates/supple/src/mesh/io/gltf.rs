//! .gltf and .glb: the triangles of a scene, each node's transform applied, equal corners made one.

use super::RawMesh;
use super::draft::Draft;
use super::error::{Fault, Parsed};
use super::gltf_data::{Gltf, Node, Primitive};
use super::number::Number;
use super::stl::Weld;

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
    let mut out = [[0.0; 4]; 3];
    for (i, row) in out.iter_mut().enumerate() {
        for (j, value) in row.iter_mut().enumerate() {
            *value = (0..3).map(|k| a[i][k] * b[k][j]).sum::<f64>() + if j == 3 { a[i][3] } else { 0.0 };
        }
    }
    out
}

fn mirrors(m: &Affine) -> bool {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1) < 0.0
}

fn local(node: &Node) -> Affine {
    if let Some(m) = &node.matrix {
        // By columns in the file.
        return [0, 1, 2].map(|row| [m[row], m[4 + row], m[8 + row], m[12 + row]]);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let s = node.scale.unwrap_or([1.0; 3]);
    let t = node.translation.unwrap_or([0.0; 3]);
    let r = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    [0, 1, 2].map(|i| [r[i][0] * s[0], r[i][1] * s[1], r[i][2] * s[2], t[i]])
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
        let Some(Primitive { attributes, indices, mode }) = primitive else { return Ok(()) };
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
                vertices.push(
                    vertex.map_err(|fault| {
                        Fault { item: None, ..fault }.about("node", vertices.len() as u64)
                    })?,
                );
            }
        }
        self.corners += vertices.len();
        let corners: Vec<u32> = match *indices {
            None => vertices,
            Some(accessor) => {
                let (count, numbers) = self.file.rows(accessor, 1, "indices")?;
                self.budget = spent(self.budget, count, &self.file)?;
                let vertex = |number: Number| {
                    let value = number.whole().unwrap_or(-1);
                    let vertex = usize::try_from(value).ok().and_then(|i| vertices.get(i)).copied();
                    vertex.ok_or_else(|| {
                        let reason = format!("vertex {value} does not exist (there are {})", vertices.len());
                        self.file.fault(reason)
                    })
                };
                numbers.map(vertex).collect::<Parsed<_>>()?
            }
        };
        self.triangles(mode, &corners, mirrors(map))?;
        self.draft.add_nodes(group, &corners);
        Ok(())
    }

    fn triangles(&mut self, mode: u32, corners: &[u32], mirrored: bool) -> Parsed<()> {
        let mut add = |[a, b, c]: [u32; 3]| {
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            let number = self.elements;
            self.elements += 1;
            self.draft.polygon(&triangle, self.file.place, number)
        };
        match mode {
            4 => {
                if !corners.len().is_multiple_of(3) {
                    let count = corners.len();
                    return Err(self.file.fault(format!("{count} corners are no whole number of triangles")));
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
