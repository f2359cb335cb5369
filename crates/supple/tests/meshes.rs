//! Mesh files: what other programs write is read, what is written is read back, what is broken is refused with its place.
//!
//! | file | tests |
//! |---|---|
//! | `meshes/fixtures.rs` | small files of Gmsh, VTK, meshio and trimesh in `meshes/fixtures/`: a box 1 × ½ × ¼ m |
//! | `meshes/round_trip.rs` | every writer and its reader |
//! | `meshes/tolerant.rs` | what is repaired, with a note |
//! | `meshes/binary.rs` | binary files made here byte by byte from the formats' descriptions, both byte orders |
//! | `meshes/bad.rs`, `meshes/bad_surfaces.rs` | the table of broken files: an error that names file and place, soon |
//! | `meshes/mutations.rs` | thousands of mutations of each fixture, and the corpus of `fuzz/`: no panic |
//! | `meshes/shapes.rs` | qualities of known shapes |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "meshes/bad.rs"]
mod bad;
#[path = "meshes/bad_surfaces.rs"]
mod bad_surfaces;
#[path = "meshes/binary.rs"]
mod binary;
#[path = "meshes/fixtures.rs"]
mod fixtures;
#[path = "meshes/mutations.rs"]
mod mutations;
#[path = "meshes/round_trip.rs"]
mod round_trip;
#[path = "meshes/shapes.rs"]
mod shapes;
#[path = "meshes/tolerant.rs"]
mod tolerant;

use supple::mesh::io::{Format, RawMesh, ReadError, read};

/// The format of a file name.
fn format(name: &str) -> Format {
    Format::from_extension(name.rsplit_once('.').unwrap().1).unwrap_or_else(|| panic!("{name}"))
}

/// Reads a file that needs no second one.
fn load(name: &str, bytes: impl AsRef<[u8]>) -> Result<RawMesh, ReadError> {
    read(format(name), name, bytes.as_ref(), None)
}

/// Reads TetGen's two files.
fn tetgen(node: impl AsRef<[u8]>, ele: impl AsRef<[u8]>) -> Result<RawMesh, ReadError> {
    read(Format::TetgenNode, "t.node", node.as_ref(), Some(("t.ele", ele.as_ref())))
}

/// Corners of a tetrahedron of volume 1/6, as .obj, TetGen and Medit write them.
const TET_NODES: &str = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const TET_ELE: &str = "1 4 0\n1 1 2 3 4\n";
