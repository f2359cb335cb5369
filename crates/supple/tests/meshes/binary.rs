//! Binary files made here from the formats' descriptions, in both byte orders.

use super::load;

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Bytes in the making.
pub struct Bytes {
    pub out: Vec<u8>,
    big: bool,
}

impl Bytes {
    pub fn new(big: bool) -> Bytes {
        Bytes { out: Vec::new(), big }
    }
    pub fn text(mut self, text: &str) -> Bytes {
        self.out.extend(text.as_bytes());
        self
    }
    fn raw(mut self, little: &[u8]) -> Bytes {
        if self.big {
            self.out.extend(little.iter().rev())
        } else {
            self.out.extend(little)
        }
        self
    }
    pub fn ints(self, values: &[i32]) -> Bytes {
        values.iter().fold(self, |b, v| b.raw(&v.to_le_bytes()))
    }
    pub fn sizes(self, values: &[u64]) -> Bytes {
        values.iter().fold(self, |b, v| b.raw(&v.to_le_bytes()))
    }
    pub fn reals(self, values: &[f64]) -> Bytes {
        values.iter().fold(self, |b, v| b.raw(&v.to_le_bytes()))
    }
    pub fn floats(self, values: &[f32]) -> Bytes {
        values.iter().fold(self, |b, v| b.raw(&v.to_le_bytes()))
    }
    pub fn bytes(mut self, values: &[u8]) -> Bytes {
        self.out.extend(values);
        self
    }
}

/// Version 2.2: a tetrahedron in the physical group 7 and a triangle in 9.
pub fn msh22(big: bool) -> Vec<u8> {
    let mut b = Bytes::new(big).text("$MeshFormat\n2.2 1 8\n").ints(&[1]).text("\n$EndMeshFormat\n");
    b = b.text("$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Nodes\n4\n");
    for (i, p) in CORNERS.iter().enumerate() {
        b = b.ints(&[i as i32 + 1]).reals(p);
    }
    b = b.text("\n$EndNodes\n$Elements\n2\n");
    b = b.ints(&[2, 1, 2, 1, 9, 1, 1, 3, 2]).ints(&[4, 1, 2, 2, 7, 1, 1, 2, 3, 4]);
    b.text("\n$EndElements\n").out
}

/// Version 4.1 with entities, node numbers with a gap, and the two blocks of nodes that a curve and a volume have.
pub fn msh41(big: bool) -> Vec<u8> {
    let mut b = Bytes::new(big).text("$MeshFormat\n4.1 1 8\n").ints(&[1]).text("\n$EndMeshFormat\n");
    b = b.text("$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Entities\n");
    b = b.sizes(&[1, 1, 0, 1]);
    b = b.ints(&[1]).reals(&[0.0; 3]).sizes(&[0]);
    b = b.ints(&[1]).reals(&[0.0; 6]).sizes(&[1]).ints(&[4]).sizes(&[2]).ints(&[1, -1]);
    b = b.ints(&[3]).reals(&[0.0; 6]).sizes(&[1]).ints(&[7]).sizes(&[0]);
    b = b.text("\n$EndEntities\n$Nodes\n").sizes(&[2, 4, 1, 90]);
    b = b.ints(&[1, 1, 1]).sizes(&[2, 1, 2]);
    b = b.reals(&CORNERS[0]).reals(&[0.0]).reals(&CORNERS[1]).reals(&[1.0]);
    b = b.ints(&[3, 3, 0]).sizes(&[2, 90, 30]).reals(&CORNERS[2]).reals(&CORNERS[3]);
    b = b.text("\n$EndNodes\n$Elements\n").sizes(&[2, 2, 1, 2]);
    b = b.ints(&[1, 1, 1]).sizes(&[1, 1, 1, 2]).ints(&[3, 3, 4]).sizes(&[1, 2, 1, 2, 90, 30]);
    b.text("\n$EndElements\n").out
}

/// The same as text.
pub const MSH41: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n\
    $Entities\n1 1 0 1\n1 0 0 0 0\n1 0 0 0 0 0 0 1 4 2 1 -1\n3 0 0 0 0 0 0 1 7 0\n$EndEntities\n\
    $Nodes\n2 4 1 90\n1 1 1 2\n1\n2\n0 0 0 0\n1 0 0 1\n3 3 0 2\n90\n30\n0 1 0\n0 0 1\n$EndNodes\n\
    $Elements\n2 2 1 2\n1 1 1 1\n1 1 2\n3 3 4 1\n2 1 2 90 30\n$EndElements\n";

pub fn vtk() -> Vec<u8> {
    let mut b = Bytes::new(true).text("# vtk DataFile Version 2.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
    b = b.text("FIELD FieldData 1\nTIME 1 1 double\n").reals(&[0.5]).text("\nPOINTS 4 float\n");
    b = b.floats(&CORNERS.as_flattened().iter().map(|c| *c as f32).collect::<Vec<_>>());
    b = b.text("\nCELLS 2 7\n").ints(&[4, 0, 1, 2, 3, 1, 0]).text("\nCELL_TYPES 2\n").ints(&[10, 1]);
    b.text("\nCELL_DATA 2\nSCALARS x float 1\nLOOKUP_TABLE default\n").floats(&[1.0, 2.0]).out
}

/// A square of two triangles; faces before vertices are as good.
pub fn ply(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut b = Bytes::new(big).text(&format!("ply\r\nformat binary_{order}_endian 1.0\r\ncomment x\r\n"));
    b = b.text(
        "element vertex 4\nproperty double x\nproperty uchar red\nproperty double z\nproperty double y\n",
    );
    b = b.text("element extra 1\nproperty list uchar float things\nproperty int tag\n");
    b = b.text("element face 1\nproperty uchar quality\nproperty list int uint vertex_index\nend_header\n");
    for [x, y, z] in [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]] {
        b = b.reals(&[x]).bytes(&[200]).reals(&[z, y]);
    }
    b.bytes(&[2]).floats(&[1.0, 2.0]).ints(&[-5]).bytes(&[9]).ints(&[4, 0, 1, 2, 3]).out
}

pub fn stl() -> Vec<u8> {
    let mut b = Bytes::new(false).text(&format!("{:<80}", "solid though binary")).ints(&[2]);
    b = b.floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).bytes(&[0, 0]);
    b.floats(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]).bytes(&[7, 0]).out
}

#[test]
fn gmsh_in_both_byte_orders() {
    for big in [false, true] {
        let mesh = load("t.msh", msh22(big)).unwrap();
        assert_eq!((&mesh.vertices[..], &mesh.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
        assert_eq!(mesh.triangles, [[0, 2, 1]]);
        assert_eq!(mesh.group("body").unwrap().tets, [0]);
        assert_eq!(mesh.group("surface 9").unwrap().nodes, [0, 1, 2]);
    }
    for bytes in [msh41(false), msh41(true), MSH41.into()] {
        let mesh = load("t.msh", bytes).unwrap();
        assert_eq!((&mesh.vertices[..], &mesh.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
        assert_eq!(mesh.group("body").unwrap().tets, [0]);
        assert_eq!(mesh.group("curve 4").unwrap().nodes, [0, 1]);
    }
}

#[test]
fn vtk_ply_and_stl() {
    let mesh = load("t.vtk", vtk()).unwrap();
    assert_eq!((&mesh.vertices[..], &mesh.tets[..]), (&CORNERS[..], &[[0, 1, 2, 3]][..]));
    for big in [false, true] {
        let mesh = load("t.ply", ply(big)).unwrap();
        assert_eq!(mesh.vertices[2], [1.0, 1.0, 0.0]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }
    let mesh = load("t.stl", stl()).unwrap();
    assert_eq!((mesh.vertices.len(), &mesh.triangles[..]), (4, &[[0, 1, 2], [1, 3, 2]][..]));
}

#[test]
fn every_beginning_of_a_binary_file_is_refused() {
    let vtu = std::fs::read(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes/fixtures/vtk_appended.vtu"),
    );
    for (name, bytes, keep) in [
        // The last line's end may be missing.
        ("t.msh", msh22(false), 1),
        ("t.msh", msh41(true), 1),
        // Data on cells are not read.
        ("t.vtk", vtk(), 90),
        ("t.ply", ply(true), 0),
        ("t.stl", stl(), 0),
        ("t.vtu", vtu.unwrap(), 300),
    ] {
        for length in 0..bytes.len() - keep {
            let error = match load(name, &bytes[..length]) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{name}: {length} of {} bytes were read", bytes.len()),
            };
            assert!(error.starts_with(name), "{error}");
        }
    }
}
