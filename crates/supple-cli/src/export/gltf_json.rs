//! The text part of a glTF file: what lies where in the binary part, see [`super::glb`].
use serde_json::{Map, Value, json};

use crate::picture::palette::to_linear;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// The parts of the binary.
pub(super) struct Layout {
    /// Frames, at least one.
    pub frames: u64,
    /// Bytes per frame.
    pub record: u64,
    /// Indices of all meshes.
    pub indices: u64,
    /// Texture coordinates of all meshes.
    pub uvs: u64,
    /// Whether all weights are there, or only those that are not zero.
    pub dense: bool,
    /// Bytes of the vertices and normals of obstacles, and of where they are.
    pub still: u64,
    pub places: u64,
    /// Time of the last frame since the first, s.
    pub last_time: f32,
    /// One per body.
    pub meshes: Vec<MeshLayout>,
}

/// An obstacle.
#[derive(Clone, Copy)]
pub(super) struct Still {
    /// Bytes from the first vertex of all obstacles to its own; its normals follow them.
    pub at: u64,
    /// If it moves: bytes from the start of all places to its shifts; its turns follow them.
    pub places: Option<u64>,
}

/// The parts of a body.
pub(super) struct MeshLayout {
    pub name: String,
    /// sRGB.
    pub colour: [f32; 3],
    /// One sees through it.
    pub glass: bool,
    pub two_sided: bool,
    /// If it is an obstacle.
    pub still: Option<Still>,
    /// Bytes from the start of a frame to its vertices; its normals follow them.
    pub offset: u64,
    pub vertices: u64,
    /// Place of its first index; those of lines follow those of triangles.
    pub first_index: u64,
    /// Name and triangles of each material.
    pub materials: Vec<(Option<String>, u64)>,
    pub lines: u64,
    /// The place of its first texture coordinates, if it has any.
    pub uvs: Option<u64>,
    /// Least and greatest of the vertices in each frame.
    pub ranges: Vec<[[f32; 3]; 2]>,
}

impl Layout {
    /// True if there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.record == 0
    }

    fn animated(&self) -> bool {
        self.frames > 1 && !self.is_empty()
    }

    /// Number of the buffer view of the obstacles' vertices; that of their places is the next.
    fn still_view(&self) -> usize {
        let weights = if self.dense { 2 } else { 3 };
        2 + usize::from(self.uvs > 0) + if self.animated() { weights } else { 0 }
    }
}

/// Buffer views in order of their place.
const VERTICES: usize = 0;
const INDICES: usize = 1;
/// Texture coordinates, if there are any; the numbers of what follows are then one higher.
const UVS: usize = 2;
const TIMES: usize = 2;
const WEIGHTS: usize = 3;
const SPARSE_VALUES: usize = 4;

/// The whole document.
pub(super) fn document(layout: &Layout) -> Value {
    let mut accessors = Vec::new();
    let (mut meshes, mut nodes, mut materials, mut animated) = (vec![], vec![], vec![], vec![]);
    for mesh in &layout.meshes {
        let mut node = json!({ "name": mesh.name });
        if mesh.vertices > 0 {
            if layout.animated() {
                let place = mesh.still.map_or(Some(None), |still| still.places.map(Some));
                animated.extend(place.map(|place| (nodes.len(), place)));
            }
            node["mesh"] = json!(meshes.len());
            let primitives = primitives(mesh, layout, materials.len(), &mut accessors);
            meshes.push(json!({ "name": mesh.name, "primitives": primitives }));
            // Lines, and triangles without a material, have that of the body.
            let names = mesh.materials.iter().map(|(name, _)| name.as_deref());
            let lines = (mesh.lines > 0).then_some(None);
            materials.extend(names.chain(lines).map(|name| material(mesh, name)));
        }
        nodes.push(node);
    }

    let mut document = Map::new();
    document.insert("asset".into(), json!({ "version": "2.0", "generator": "supple" }));
    document.insert("scene".into(), json!(0));
    let all: Vec<usize> = (0..nodes.len()).collect();
    document.insert("scenes".into(), if all.is_empty() { json!([{}]) } else { json!([{ "nodes": all }]) });
    if layout.animated() {
        document.insert("animations".into(), animation(&animated, layout, &mut accessors));
    }
    let mut insert = |name: &str, list: Vec<Value>| {
        // The format has no empty lists.
        if !list.is_empty() {
            document.insert(name.into(), Value::Array(list));
        }
    };
    insert("nodes", nodes);
    insert("meshes", meshes);
    insert("materials", materials);
    insert("accessors", accessors);
    if !layout.is_empty() {
        let (views, length) = views(layout);
        insert("bufferViews", views);
        insert("buffers", vec![json!({ "byteLength": length })]);
    }
    Value::Object(document)
}

/// Triangles and lines share vertices and targets.
fn primitives(mesh: &MeshLayout, layout: &Layout, material: usize, accessors: &mut Vec<Value>) -> Vec<Value> {
    let mut attributes = Vec::new();
    for (frame, [low, high]) in (0_u64..).zip(&mesh.ranges) {
        let (view, offset) = match mesh.still {
            Some(still) => (layout.still_view(), still.at),
            None => (VERTICES, frame * layout.record + mesh.offset),
        };
        let at = accessors.len();
        accessors.push(json!({
            "bufferView": view, "byteOffset": offset, "componentType": FLOAT, "type": "VEC3",
            "count": mesh.vertices, "min": low, "max": high,
        }));
        accessors.push(json!({
            "bufferView": view, "byteOffset": offset + mesh.vertices * 12, "componentType": FLOAT,
            "type": "VEC3", "count": mesh.vertices,
        }));
        attributes.push(json!({ "POSITION": at, "NORMAL": at + 1 }));
    }
    if let (Some(uvs), Some(first)) = (mesh.uvs, attributes.first_mut()) {
        first["TEXCOORD_0"] = json!(accessors.len());
        accessors.push(json!({
            "bufferView": UVS, "byteOffset": uvs * 8, "componentType": FLOAT, "type": "VEC2", "count": mesh.vertices,
        }));
    }
    let (first, targets) = match attributes.split_first() {
        Some((first, targets)) => (first.clone(), targets.to_vec()),
        None => return Vec::new(),
    };
    let mut primitives = Vec::new();
    let parts = mesh.materials.iter().map(|(_, triangles)| (4, triangles * 3)).chain([(1, mesh.lines * 2)]);
    let mut start = mesh.first_index;
    for (material, (mode, count)) in (material..).zip(parts).filter(|(_, (_, count))| *count > 0) {
        let indices = accessors.len();
        accessors.push(json!({
            "bufferView": INDICES, "byteOffset": start * 4, "componentType": UNSIGNED, "type": "SCALAR",
            "count": count,
        }));
        start += count;
        let mut primitive =
            json!({ "attributes": first, "indices": indices, "material": material, "mode": mode });
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        primitives.push(primitive);
    }
    primitives
}

fn material(mesh: &MeshLayout, name: Option<&str>) -> Value {
    let [r, g, b] = to_linear(mesh.colour);
    let mut material = json!({
        "name": name.unwrap_or(&mesh.name),
        "pbrMetallicRoughness":
            { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 },
        "doubleSided": mesh.two_sided,
    });
    if mesh.glass {
        material["alphaMode"] = json!("BLEND");
        material["pbrMetallicRoughness"]["baseColorFactor"][3] = json!(0.3);
    }
    material
}

/// All bodies follow the same weights; obstacles that move have shifts and turns, at bytes among those of all.
fn animation(nodes: &[(usize, Option<u64>)], layout: &Layout, accessors: &mut Vec<Value>) -> Value {
    let (input, output) = (accessors.len(), accessors.len() + 1);
    let more = usize::from(layout.uvs > 0);
    accessors.push(json!({
        "bufferView": TIMES + more, "componentType": FLOAT, "type": "SCALAR", "count": layout.frames,
        "min": [0.0], "max": [layout.last_time],
    }));
    let targets = layout.frames - 1;
    let mut weights = json!({ "componentType": FLOAT, "type": "SCALAR", "count": layout.frames * targets });
    if layout.dense {
        weights["bufferView"] = json!(WEIGHTS + more);
    } else {
        weights["sparse"] = json!({
            "count": targets,
            "indices": { "bufferView": WEIGHTS + more, "componentType": UNSIGNED },
            "values": { "bufferView": SPARSE_VALUES + more },
        });
    }
    accessors.push(weights);
    let mut samplers = vec![json!({ "input": input, "output": output, "interpolation": "LINEAR" })];
    let mut channels = Vec::new();
    for &(node, places) in nodes {
        let mut channel = |sampler: usize, path: &str| {
            channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
        };
        let Some(at) = places else {
            channel(0, "weights");
            continue;
        };
        for (path, kind, offset) in
            [("translation", "VEC3", at), ("rotation", "VEC4", at + 12 * layout.frames)]
        {
            channel(samplers.len(), path);
            samplers.push(json!({ "input": input, "output": accessors.len(), "interpolation": "LINEAR" }));
            accessors.push(json!({
                "bufferView": layout.still_view() + 1, "byteOffset": offset, "componentType": FLOAT, "type": kind,
                "count": layout.frames,
            }));
        }
    }
    json!([{ "name": "simulation", "channels": channels, "samplers": samplers }])
}

/// The buffer views and the length of the buffer.
fn views(layout: &Layout) -> (Vec<Value>, u64) {
    let mut views = Vec::new();
    let mut end = 0;
    let mut view = |length: u64, more: Value| {
        let mut view = json!({ "buffer": 0, "byteOffset": end, "byteLength": length });
        if let (Value::Object(view), Value::Object(more)) = (&mut view, more) {
            view.extend(more);
        }
        views.push(view);
        end += length;
    };
    let (frames, targets) = (layout.frames, layout.frames.saturating_sub(1));
    view(layout.record * frames, json!({ "byteStride": 12, "target": 34962 }));
    view(layout.indices * 4, json!({ "target": 34963 }));
    if layout.uvs > 0 {
        view(layout.uvs * 8, json!({ "byteStride": 8, "target": 34962 }));
    }
    if layout.animated() {
        view(frames * 4, json!({}));
        if layout.dense {
            view(frames * targets * 4, json!({}));
        } else {
            view(targets * 4, json!({}));
            view(targets * 4, json!({}));
        }
    }
    if layout.still > 0 {
        view(layout.still, json!({ "byteStride": 12, "target": 34962 }));
    }
    if layout.places > 0 {
        view(layout.places, json!({}));
    }
    (views, end)
}
