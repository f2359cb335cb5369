//! Mesh files: bytes in, [`RawMesh`] out, and back.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`RawMesh`], [`Format`], [`read`] |
//! | `error.rs` | [`ReadError`]: `file:line: element N: reason` |
//! | `draft.rs` | what a reader collects; the checks and repairs that all formats share |
//! | `text.rs`, `number.rs` | lines, tokens, numbers as text and as bytes |
//! | `tetgen.rs` | TetGen .node and .ele |
//! | `gmsh.rs`, `gmsh2.rs`, `gmsh4.rs` | Gmsh .msh: sections and element types; versions 2.2 and 4.1 |
//! | `medit.rs` | Medit .mesh |
//! | `vtk.rs` | legacy .vtk |
//! | `cells.rs` | VTK's cell types, for .vtk and .vtu |
//! | `vtu.rs`, `vtu_data.rs`, `xml.rs` | .vtu: its pieces, its arrays, and as much of XML as it needs |
//! | `obj.rs`, `ply.rs`, `stl.rs` | surfaces |
//! | `gltf.rs`, `gltf_data.rs` | .gltf and .glb: scene and transforms; buffers and accessors |
//! | `npy.rs` | [`read_npy`]: numbers on a grid, which are no mesh |
//! | `write.rs`, `write_surface.rs` | [`write()`]: volume formats; surface formats |
//!
//! The library opens no files: a reader takes bytes and a name for messages. A reader never reserves memory because a header
//! says so: counts are checked against the bytes that are left.
//!
//! To add a format: a file with `pub(super) fn read(bytes) -> Parsed<RawMesh>` that fills a `Draft`, a variant of [`Format`],
//! an arm in [`read`], a row in `tests/meshes/bad.rs` and a target in `fuzz/`.

#![deny(clippy::indexing_slicing)]

mod cells;
mod draft;
mod error;
mod gltf;
mod gltf_data;
mod gmsh;
mod gmsh2;
mod gmsh4;
mod medit;
mod npy;
mod number;
mod obj;
mod ply;
mod stl;
mod tetgen;
mod text;
mod vtk;
mod vtu;
mod vtu_data;
mod write;
mod write_surface;
mod xml;

pub use error::{Place, ReadError};
pub use npy::{Samples, read_npy};
pub use write::{WriteError, write};

use super::{Drawn, MeshError, MidPoints, TetMesh};

/// A named part of a mesh: a physical group of Gmsh, a reference of Medit, a region or marker of TetGen, a group of OBJ.
///
/// Tags without a name are called `region N` (tetrahedra), `surface N`, `curve N`, `point N` or `marker N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its nodes, those of its tetrahedra included, ascending.
    pub nodes: Vec<u32>,
    /// Its tetrahedra, ascending; empty for a group of faces, edges or nodes.
    pub tets: Vec<u32>,
}

/// A mesh as a file has it, checked and repaired: nodes exist and are used, tetrahedra have positive volume and differ,
/// triangles have an area.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// Positions, in the file's unit, which the library takes for m.
    pub vertices: Vec<[f64; 3]>,
    /// Corners of tetrahedra, det[b−a, c−a, d−a] > 0. Empty for a surface.
    pub tets: Vec<[u32; 4]>,
    /// Where the nodes on the edges of tetrahedra of second order are; empty for those of first order. They are not among `vertices`.
    pub mid_points: Vec<MidPoints>,
    /// Fill fraction of each tetrahedron, in (0, 1]; empty where the file says nothing of it, which means 1.
    pub fill: Vec<f64>,
    /// Corners of triangles: those that the file lists, which for a tetrahedral mesh need not be its boundary.
    pub triangles: Vec<[u32; 3]>,
    /// Named parts.
    pub groups: Vec<Group>,
    /// A surface as the file draws it, where that is more than its shape or has other vertices.
    pub drawn: Option<Drawn>,
    /// What was repaired, simplified or ignored, one sentence each.
    pub notes: Vec<String>,
}

impl RawMesh {
    /// The tetrahedra as a body's rest shape of order 1.
    pub fn to_tet_mesh(&self) -> Result<TetMesh, MeshError> {
        TetMesh::new(self.vertices.clone(), self.tets.clone())?.with_fill(self.fill.clone())
    }
    /// … of order 2: nodes on edges where the file has them, else in the middle.
    pub fn to_quadratic_mesh(&self) -> Result<TetMesh, MeshError> {
        self.to_tet_mesh()?.with_mid_points(&self.mid_points)
    }
    /// The group of this name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }
    /// The triangles that bound the mesh: the boundary of the tetrahedra, or the triangles where there are none.
    pub fn boundary(&self) -> Vec<[u32; 3]> {
        if self.tets.is_empty() { self.triangles.clone() } else { super::surface(&self.tets) }
    }
}

impl From<&TetMesh> for RawMesh {
    fn from(mesh: &TetMesh) -> RawMesh {
        let all = mesh.vertices();
        let (vertices, tets) =
            (all.iter().copied().take(mesh.corner_count()).collect(), mesh.tets().to_vec());
        let at = |v: u32| all.get(v as usize).copied().unwrap_or_default();
        let mid_points = mesh.mids().iter().map(|on| on.map(at)).collect();
        RawMesh { vertices, tets, mid_points, fill: mesh.fill().to_vec(), ..RawMesh::default() }
    }
}

/// The formats, by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// TetGen .node, which needs its .ele.
    TetgenNode,
    /// TetGen .ele, which needs its .node.
    TetgenEle,
    /// Gmsh .msh 2.2 and 4.1, text and binary.
    Gmsh,
    /// Medit .mesh, text.
    Medit,
    /// Legacy .vtk, text and binary.
    Vtk,
    /// .vtu: text, base64, raw appended, zlib.
    Vtu,
    /// Wavefront .obj.
    Obj,
    /// Stanford .ply, text and binary.
    Ply,
    /// .stl, text and binary.
    Stl,
    /// .gltf and .glb.
    Gltf,
}

/// Extensions in lower case.
const EXTENSIONS: [(&str, Format); 11] = [
    ("node", Format::TetgenNode),
    ("ele", Format::TetgenEle),
    ("msh", Format::Gmsh),
    ("mesh", Format::Medit),
    ("vtk", Format::Vtk),
    ("vtu", Format::Vtu),
    ("obj", Format::Obj),
    ("ply", Format::Ply),
    ("stl", Format::Stl),
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
];

impl Format {
    /// The format of an extension without its dot, in either case.
    pub fn from_extension(extension: &str) -> Option<Format> {
        EXTENSIONS.iter().find(|(e, _)| e.eq_ignore_ascii_case(extension)).map(|(_, format)| *format)
    }
    /// The extensions that are known.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        EXTENSIONS.iter().map(|(extension, _)| *extension)
    }
    /// Whether files of the format keep fill fractions, as cell data `fill`.
    pub fn holds_fill(self) -> bool {
        matches!(self, Format::Gmsh | Format::Vtk | Format::Vtu)
    }
    /// Whether files of the format can hold tetrahedra.
    pub fn holds_tets(self) -> bool {
        !matches!(self, Format::Obj | Format::Ply | Format::Stl | Format::Gltf)
    }
    /// The plain name of the second file that is needed beside the file `name`: the .ele of a .node, the .node of an .ele,
    /// the buffer of a .gltf. A name that leads out of the folder is refused.
    pub fn companion(self, name: &str, bytes: &[u8]) -> Result<Option<String>, ReadError> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        match self {
            Format::TetgenNode => Ok(Some(format!("{stem}.ele"))),
            Format::TetgenEle => Ok(Some(format!("{stem}.node"))),
            Format::Gltf => gltf_data::external_buffer(bytes).map_err(|fault| fault.in_file(name)),
            _ => Ok(None),
        }
    }
}

/// Reads a mesh from the bytes of a file. `name` is for messages only. `companion` is name and bytes of the second file that
/// some formats need, see [`Format::companion`].
///
/// Tolerated, each with a note: elements of lower dimension, higher-order elements (their corners are taken, and of second order [`RawMesh::mid_points`]), tetrahedra of
/// negative volume (turned), nodes that no element uses (dropped; the others move up). Everything else is an error.
pub fn read(
    format: Format,
    name: &str,
    bytes: &[u8],
    companion: Option<(&str, &[u8])>,
) -> Result<RawMesh, ReadError> {
    let result = match format {
        Format::TetgenNode => return tetgen::read((name, bytes), companion, "ele"),
        Format::TetgenEle => {
            let Some(node) = companion else {
                return tetgen::read((name, bytes), None, "node");
            };
            return tetgen::read(node, Some((name, bytes)), "ele");
        }
        Format::Gmsh => gmsh::read(bytes),
        Format::Medit => medit::read(bytes),
        Format::Vtk => vtk::read(bytes),
        Format::Vtu => vtu::read(bytes),
        Format::Obj => obj::read(bytes),
        Format::Ply => ply::read(bytes),
        Format::Stl => stl::read(bytes),
        Format::Gltf => gltf::read(bytes, companion.map(|(_, bytes)| bytes)),
    };
    result.map_err(|fault| fault.in_file(name))
}
