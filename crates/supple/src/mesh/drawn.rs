//! A surface as its file draws it: all vertices in their order, with texture coordinates, normals and the names of materials and groups.
//!
//! A mesh that is simulated welds vertices and leaves out what has no area. What is drawn keeps them: a texture has seams, an artist's normals have
//! creases, and other programs know vertices by their number.

/// In place of a number: there is none.
pub const NONE: u32 = u32::MAX;

/// Values at the corners of triangles: a list as the file has it, and for each triangle the numbers of its corners' values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corners<const N: usize> {
    /// The values.
    pub values: Vec<[f64; N]>,
    /// Three for each triangle, [`NONE`] where a corner has none. Empty if no corner has one.
    pub of: Vec<[u32; 3]>,
}

/// A name for each triangle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The names, each once.
    pub names: Vec<String>,
    /// One for each triangle, [`NONE`] where it has no name. Empty if none has one.
    pub of: Vec<u32>,
}

/// What is on a surface besides its shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Texture coordinates u and v.
    pub uvs: Corners<2>,
    /// Whether v grows downwards, as in glTF, rather than upwards, as in OBJ, PLY and USD.
    pub v_down: bool,
    /// Normals, of about unit length.
    pub normals: Corners<3>,
    /// Materials.
    pub materials: Labels,
    /// Groups or objects.
    pub groups: Labels,
    /// Files with the materials, of an OBJ file.
    pub libraries: Vec<String>,
}

/// A surface as its file draws it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Positions, all that the file has, in its order.
    pub vertices: Vec<[f64; 3]>,
    /// Corners of triangles, polygons split into fans.
    pub triangles: Vec<[u32; 3]>,
    /// The vertex of the mesh that is simulated for each vertex, [`NONE`] for one without a triangle.
    pub nodes: Vec<u32>,
    /// What is on it.
    pub attributes: Attributes,
}

impl<const N: usize> Corners<N> {
    /// Takes the corners of one more triangle, the `triangle`-th.
    pub(super) fn push(&mut self, triangle: usize, corners: [u32; 3]) {
        if self.of.is_empty() && corners == [NONE; 3] {
            return;
        }
        self.of.resize(triangle, [NONE; 3]);
        self.of.push(corners);
    }
    /// Whether no triangle has a value.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
    /// The number of each vertex's value, if every corner has one and all corners at a vertex have the same; [`NONE`] for vertices without a
    /// triangle.
    pub fn by_vertex(&self, triangles: &[[u32; 3]], vertices: usize) -> Option<Vec<u32>> {
        let mut found = vec![NONE; vertices];
        if self.of.len() != triangles.len() {
            return None;
        }
        for (&vertex, &value) in triangles.iter().flatten().zip(self.of.iter().flatten()) {
            let at = found.get_mut(vertex as usize)?;
            let value_of = |i: u32| self.values.get(i as usize);
            if value == NONE || *at != NONE && value_of(*at) != value_of(value) {
                return None;
            }
            *at = value;
        }
        Some(found)
    }
    fn finish(&mut self, triangles: usize) {
        if self.of.iter().flatten().all(|&i| i == NONE) {
            self.of.clear();
            return;
        }
        self.of.resize(triangles, [NONE; 3]);
    }
}

impl Corners<3> {
    /// Gives each vertex normals of its own, as what moves turns them apart: a normal that corners of several vertices share stays with the first and is
    /// repeated at the end of the list for the others. Returns the vertex of each, [`NONE`] for one that is not used.
    pub fn split(&mut self, triangles: &[[u32; 3]]) -> Vec<u32> {
        let mut at = vec![NONE; self.values.len()];
        let mut copies = std::collections::HashMap::new();
        for (&vertex, value) in triangles.iter().flatten().zip(self.of.iter_mut().flatten()) {
            match at.get(*value as usize).copied() {
                None => *value = NONE,
                Some(NONE) => at[*value as usize] = vertex,
                Some(owner) if owner == vertex => {}
                Some(_) => {
                    let shared = *value;
                    *value = *copies.entry((vertex, shared)).or_insert_with(|| {
                        let normal = self.values[shared as usize];
                        self.values.push(normal);
                        at.push(vertex);
                        at.len() as u32 - 1
                    });
                }
            }
        }
        at
    }
}

impl Labels {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|n| n == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u32
    }
    /// Takes the name of one more triangle, the `triangle`-th.
    pub(super) fn push(&mut self, triangle: usize, name: u32) {
        if self.of.is_empty() && name == NONE {
            return;
        }
        self.of.resize(triangle, NONE);
        self.of.push(name);
    }
    /// The name of a triangle.
    pub fn of(&self, triangle: usize) -> Option<&str> {
        let name = *self.of.get(triangle)?;
        self.names.get(name as usize).map(String::as_str)
    }
    fn finish(&mut self, triangles: usize) {
        if self.of.iter().all(|&n| n == NONE) {
            *self = Labels::default();
            return;
        }
        self.of.resize(triangles, NONE);
    }
}

impl Attributes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.uvs.is_empty()
            && self.normals.is_empty()
            && self.materials.of.is_empty()
            && self.groups.of.is_empty()
    }
    /// Texture coordinates with v upwards, or downwards.
    pub fn uv(&self, number: u32, down: bool) -> [f64; 2] {
        let [u, v] = self.uvs.values.get(number as usize).copied().unwrap_or_default();
        if down == self.v_down { [u, v] } else { [u, 1.0 - v] }
    }
    /// Fills the lists up to all triangles; lists that say nothing become empty.
    pub(super) fn finish(&mut self, triangles: usize) {
        self.uvs.finish(triangles);
        self.normals.finish(triangles);
        self.materials.finish(triangles);
        self.groups.finish(triangles);
    }
}
