//! Broken .vtk, .vtu, .obj, .ply, .stl and glTF files.

use super::bad::{refused, soon};
use super::binary::{ply, stl};
use super::load;

const VTK: &str = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n\
    0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

#[test]
fn vtk() {
    load("t.vtk", VTK).unwrap();
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(VTK.contains(from), "{from}");
        refused(soon(|| load("t.vtk", VTK.replace(from, to))), start, reason);
    };
    bad("POINTS 4", "POINTS 5", "t.vtk:10: node 4: ", "is not a number");
    bad("POINTS 4", "POINTS 3", "t.vtk:9: ", "not a keyword");
    for count in ["4000000000", "18446744073709551615", "-1"] {
        bad("POINTS 4", &format!("POINTS {count}"), "t.vtk:5: ", count);
        bad("CELLS 1 5", &format!("CELLS {count} 5"), "t.vtk:10: ", count);
        bad("CELLS 1 5", &format!("CELLS 1 {count}"), "t.vtk:10: ", count);
        bad("CELL_TYPES 1", &format!("CELL_TYPES {count}"), "t.vtk:12: ", count);
        bad("4 0 1 2 3", &format!("{count} 0 1 2 3"), "t.vtk:11: element 0: ", count);
        bad("4 0 1 2 3", &format!("4 0 1 2 {count}"), "t.vtk:11: element 0: ", "does not exist");
    }
    bad(
        "4 0 1 2 3",
        "4 0 1 2 4",
        "t.vtk:11: element 0: ",
        "node 4 does not exist (nodes are numbered from 0 to 3)",
    );
    bad("4 0 1 2 3", "3 0 1 2 3", "t.vtk:10: ", "left over");
    bad("4 0 1 2 3", "4 0 1 1 3", "t.vtk:11: element 0: ", "appears twice");
    bad("CELLS 1 5", "CELLS 1 6", "t.vtk:10: ", "left over");
    bad("CELLS 1 5", "CELLS 2 5", "t.vtk:11: element 0: ", "where 3 are left");
    bad("CELL_TYPES 1\n10", "CELL_TYPES 1\n12", "t.vtk:11: element 0: ", "not a tetrahedron");
    bad("CELL_TYPES 1\n10", "CELL_TYPES 1\n5", "t.vtk:11: element 0: ", "cannot have 4 nodes");
    bad("CELL_TYPES 1\n10", "CELL_TYPES 1\n200", "t.vtk:11: element 0: ", "not known");
    bad("CELL_TYPES 1\n10\n", "", "t.vtk:12: ", "CELL_TYPES");
    bad("0 1 0\n", "0 nan 0\n", "t.vtk:8: node 2: ", "not finite");
    bad("0 0 1\n", "1 1 0\n", "t.vtk:11: element 0: ", "has no volume");
    bad("ASCII", "EBCDIC", "t.vtk:3: ", "ASCII or BINARY");
    bad("double", "quaternion", "t.vtk:5: ", "is not a number type");
    bad("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "t.vtk:4: ", "only UNSTRUCTURED_GRID");
    bad("# vtk", "// vtk", "t.vtk:1: ", "DataFile");
    bad("title", &"x".repeat(2_000_000), "t.vtk:2: ", "too long");
    bad("ASCII", "BINARY", "t.vtk: byte ", "");
    bad(
        "CELLS 1 5\n",
        "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n9 ",
        "t.vtk:14: ",
        "not a keyword",
    );
    bad(
        "CELLS 1 5\n4 ",
        "CELLS 2 4\nOFFSETS vtktypeint64\n0 9\nCONNECTIVITY vtktypeint64\n",
        "t.vtk:12: element 1: ",
        "offset",
    );
    bad(
        "CELLS 1 5\n",
        "FIELD f 1\nx 4000000000 4000000000 double\nCELLS 1 5\n",
        "t.vtk:11: ",
        "are announced, but only",
    );
    bad("POINTS 4", "POINTS\0 4", "t.vtk:5: ", "NUL");
    refused(load("t.vtk", ""), "t.vtk:1: ", "empty");
}

fn vtu(points: &str, cells: &str, connectivity: &str, types: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>\n\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n</DataArray>\n\
         </Points>\n<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\">\n{connectivity}\n</DataArray>\n\
         <DataArray type=\"Int64\" Name=\"offsets\">4</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\">{types}</DataArray>\n\
         </Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"
    )
}

#[test]
fn vtu_files() {
    let good = vtu("4", "1", "0 1 2 3", "10");
    load("t.vtu", &good).unwrap();
    let bad = |text: String, start: &str, reason: &str| refused(soon(|| load("t.vtu", text)), start, reason);
    for count in ["5", "3", "4000000000", "18446744073709551615", "-1"] {
        bad(vtu(count, "1", "0 1 2 3", "10"), "t.vtu:6: ", &format!("{count} points are announced"));
        bad(vtu("4", count, "0 1 2 3", "10"), "t.vtu:4: ", &format!("{count} cells are announced"));
    }
    bad(vtu("four", "1", "0 1 2 3", "10"), "t.vtu:4: ", "is not a whole number");
    for node in ["4", "-1", "9223372036854775807"] {
        bad(
            vtu("4", "1", &format!("0 1 2 {node}"), "10"),
            "t.vtu:14: element 0: ",
            &format!("node {node} does not"),
        );
    }
    bad(vtu("4", "1", "0 1 2 18446744073709551616", "10"), "t.vtu:14: ", "not an index");
    bad(vtu("4", "1", "0 1 2 x", "10"), "t.vtu:15: ", "is not a whole number");
    bad(vtu("4", "1", "0 1 2", "10"), "t.vtu:14: element 0: ", "does not fit");
    bad(vtu("4", "1", "0 1 2 3 3", "10"), "t.vtu:14: ", "offsets end at 4");
    bad(vtu("4", "1", "0 1 2 3", "12"), "t.vtu:14: element 0: ", "not a tetrahedron");
    bad(good.replace("0 1 0\n", "0 nan 0\n"), "t.vtu:9: ", "not finite");
    bad(good.replace("1 0 0\n", "1e308 0 0\n"), "t.vtu:6: node 1: ", "too large");
    bad(good.replace("UnstructuredGrid\" b", "PolyData\" b"), "t.vtu:2: ", "PolyData");
    bad(good.replace("byte_order=", "compressor=\"vtkLZ4DataCompressor\" byte_order="), "t.vtu:2: ", "LZ4");
    bad(good.replace("byte_order=\"Little", "byte_order=\"Middle"), "t.vtu:2: ", "Middle");
    bad(good.replace("</Points>", "</Pints>"), "t.vtu:12: ", "out of order");
    bad(good.replace("</VTKFile>", ""), "t.vtu:", "ends inside");
    bad(good.replace("Name=\"types\"", "Name=\"kinds\""), "t.vtu:4: ", "no types");
    bad(good.replace("format=\"ascii\"", "format=\"binary\""), "t.vtu:6: ", "far more");
    bad(good.replace("format=\"ascii\">", "format=\"binary\">*"), "t.vtu:6: ", "base64");
    bad(good.replace("format=\"ascii\"", "format=\"appended\" offset=\"0\""), "t.vtu:6: ", "no AppendedData");
    bad(good.replace("format=\"ascii\"", "format=\"ascii"), "t.vtu:6: ", "no value in quotes");
    bad(format!("<!DOCTYPE x [<!ENTITY a \"b\">]>{good}"), "t.vtu:1: ", "document types");
    let deep = "<a>".repeat(1_000_000);
    bad(good.replace("<Points>", &deep), "t.vtu:5: ", "nested deeper");
    let pairs = (0..200).map(|i| format!(" a{i}=\"\"")).collect::<String>();
    bad(good.replace("<Points>", &format!("<Points{pairs}>")), "t.vtu:5: ", "too many attributes");
    // An array that announces far more than there is, raw and base64.
    for size in [100_u32, 4_000_000_000] {
        let mut bytes = good.replace("format=\"ascii\"", "format=\"appended\" offset=\"0\"").into_bytes();
        let end = bytes.windows(10).position(|w| w == b"</VTKFile>").unwrap();
        bytes.truncate(end);
        bytes.extend(b"<AppendedData encoding=\"raw\">_");
        bytes.extend(size.to_le_bytes());
        bytes.extend(b"0123456789</AppendedData></VTKFile>");
        refused(
            soon(|| load("t.vtu", bytes)),
            "t.vtu:6: ",
            if size == 100 { "100 bytes" } else { "far more" },
        );
    }
    refused(load("t.vtu", ""), "t.vtu:1: ", "empty");
    refused(load("t.vtu", [0xff, 0xfe, b'<', 0]), "t.vtu:1: ", "UTF-16");
}

#[test]
fn obj() {
    let bad = |text: &str, start: &str, reason: &str| {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{text}\n");
        refused(soon(|| load("t.obj", text)), start, reason);
    };
    bad("f 0 1 2", "t.obj:4: element 1: ", "counts from 1");
    bad("f 1 2 4", "t.obj:4: element 1: ", "vertex 4 does not exist".trim_start_matches("vertex "));
    bad("f -4 1 2", "t.obj:4: element 1: ", "before the first of 3");
    bad("f 1 2 18446744073709551616", "t.obj:4: element 1: ", "does not exist");
    bad("f 1 2 -170141183460469231731687303715884105728", "t.obj:4: element 1: ", "before the first");
    bad("f 1 2 2", "t.obj:", "no triangles");
    bad("f 1 2 3 -3", "t.obj:", "no triangles");
    bad("f 1 2", "t.obj:4: element 1: ", "at least three corners, not 2");
    bad("f", "t.obj:4: element 1: ", "without corners");
    bad("f 1 2 a", "t.obj:4: element 1: ", "is not a whole number");
    bad("f 1 2 /3", "t.obj:4: element 1: ", "is not a whole number");
    bad("v 0 2 0\nf 1 3 4", "t.obj:", "none has an area");
    bad("v 0 0", "t.obj:4: node 4: ", "the line ends");
    bad("v 0 0 inf", "t.obj:4: node 4: ", "not finite");
    bad("v 0 0 1e308", "t.obj:4: node 4: ", "too large");
    bad("v 0 0 zero", "t.obj:4: node 4: ", "is not a number");
    bad("vertex 1 2 3", "t.obj:4: ", "not a keyword");
    bad("f 1 2 3\0", "t.obj:4: ", "NUL");
    bad("# only points", "t.obj:", "no triangles");
    bad(&format!("f {}", "9".repeat(2_000_000)), "t.obj:4: element 1: ", "is not a whole number");
    bad(&format!("f {}", "1 2 3 ".repeat(400_000)), "t.obj:", "no triangles");
    bad(
        &format!("f 1 \\{}", "\n\\".repeat(1_000_000)),
        "t.obj:4: element 1: ",
        "at least three corners, not 1",
    );
    refused(load("t.obj", ""), "t.obj:1: ", "empty");
    refused(load("t.obj", [0xff, 0xfe, b'v', 0]), "t.obj:1: ", "UTF-16");
}

#[test]
fn ply_files() {
    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    load("t.ply", PLY).unwrap();
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(PLY.contains(from), "{from}");
        refused(soon(|| load("t.ply", PLY.replace(from, to))), start, reason);
    };
    for count in ["4000000000", "18446744073709551615", "-1"] {
        bad("vertex 3", &format!("vertex {count}"), "t.ply:3: ", count);
        bad("face 1", &format!("face {count}"), "t.ply:7: ", count);
        bad("3 0 1 2", &format!("{count} 0 1 2"), "t.ply:13: element 0: ", count);
        bad("3 0 1 2", &format!("3 0 1 {count}"), "t.ply:13: element 0: ", "does not exist");
        bad("element face", &format!("element nothing {count}\nelement face"), "t.ply:7: ", count);
    }
    bad("vertex 3", "vertex 2", "t.ply:12: element 0: ", "corners");
    bad("vertex 3", "vertex 4", "t.ply:", "the file ends");
    bad("face 1", "face 2", "t.ply:14: element 1: ", "the file ends");
    bad("face 1", "face 0", "t.ply:13: ", "after the last row");
    bad("3 0 1 2", "3 0 1 1", "t.ply:", "none has an area");
    bad("3 0 1 2", "2 0 1", "t.ply:13: element 0: ", "at least three corners, not 2");
    bad("3 0 1 2", "3 0 1 1.5", "t.ply:13: element 0: ", "is not a whole number");
    bad("0 1 0", "0 nan 0", "t.ply:12: node 2: ", "not finite");
    bad("0 1 0", "2 0 0", "t.ply:", "none has an area");
    bad("property float z\n", "", "t.ply:3: ", "no property z");
    bad("property float z", "property float x", "t.ply:3: ", "x only once");
    bad("property float z", "property list float int z", "t.ply:6: ", "whole number");
    bad("property float z", "property real z", "t.ply:6: ", "is not a property type");
    bad("list uchar int vertex_indices", "list uchar int corners", "t.ply:7: ", "no property vertex_indices");
    bad("element vertex 3\n", "", "t.ply:3: ", "before the first element");
    bad("ascii", "binary_middle_endian", "t.ply:2: ", "not known");
    bad("format ascii 1.0\n", "", "t.ply:", "no format");
    bad("end_header\n", "", "t.ply:9: ", "does not belong");
    bad("ply\n", "plyx\n", "t.ply:1: ", "should be");
    let many = "property float a\n".repeat(100_000);
    bad("property float z\n", &format!("property float z\n{many}"), "t.ply:", "too many properties");
    let bytes = ply(false);
    let text = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    };
    for count in ["4000000000", "18446744073709551615", "5"] {
        refused(soon(|| load("t.ply", text("vertex 4", &format!("vertex {count}")))), "t.ply:", "");
        refused(soon(|| load("t.ply", text("face 1", &format!("face {count}")))), "t.ply:", "");
    }
    refused(load("t.ply", ""), "t.ply:1: ", "empty");
}

#[test]
fn stl_files() {
    const STL: &str = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
        endsolid x\n";
    load("t.stl", STL).unwrap();
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(STL.contains(from), "{from}");
        refused(soon(|| load("t.stl", STL.replace(from, to))), start, reason);
    };
    bad("vertex 1 0 0", "vertex 1 0", "t.stl:6: element 0: ", "is not a number");
    bad("vertex 1 0 0", "vertex 1 nan 0", "t.stl:5: element 0: ", "not finite");
    bad("vertex 1 0 0", "vertex 1 1e308 0", "t.stl:5: element 0: ", "too large");
    bad("vertex 1 0 0\n", "", "t.stl:6: element 0: ", "stands where vertex");
    bad("endloop", "vertex 1 1 1\nendloop", "t.stl:7: element 0: ", "stands where endloop");
    bad("endsolid x\n", "", "t.stl:9: ", "endsolid");
    bad("facet", "face", "t.stl:2: ", "facet or endsolid");
    bad("vertex 1 0 0", "vertex 0 0 0", "t.stl:", "");
    bad("solid x\nfacet", "solid x\n\0facet", "t.stl: byte ", "");
    let good = stl();
    for count in [0_u32, 3, 4_000_000_000, u32::MAX] {
        let mut bytes = good.clone();
        bytes[80..84].copy_from_slice(&count.to_le_bytes());
        bytes[..5].copy_from_slice(b"\0\0\0\0\0");
        refused(
            soon(|| load("t.stl", bytes)),
            "t.stl: byte 80: ",
            if count == 0 { "no triangles" } else { "announced" },
        );
    }
    let mut bytes = good.clone();
    bytes[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(load("t.stl", bytes), "t.stl: byte 84: element 0: ", "not finite");
    refused(load("t.stl", ""), "t.stl: byte 0: ", "empty");
    refused(load("t.stl", "hello"), "t.stl: byte 0: ", "neither");
    refused(load("t.stl", [0xff, 0xfe, b's', 0]), "t.stl:1: ", "UTF-16");
}

#[test]
fn gltf() {
    let json = |accessor: &str, rest: &str| {
        // Three corners of a triangle in base64.
        let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
        format!(
            "{{\n\"buffers\":[{{\"byteLength\":36,\"uri\":\"data:;base64,{data}\"}}],\n\
             \"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\n\"accessors\":[{{{accessor}}}],\n\
             \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}{rest}}}]}}]\n}}"
        )
    };
    let accessor = "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"";
    let good = json(accessor, "");
    assert_eq!(load("t.gltf", &good).unwrap().triangles, [[0, 1, 2]]);
    let bad = |text: String, reason: &str| refused(soon(|| load("t.gltf", text)), "t.gltf:", reason);
    for count in ["4", "4000000000", "18446744073709551615"] {
        bad(json(&accessor.replace(":3,", &format!(":{count},")), ""), &format!("{count} rows"));
    }
    bad(json(&accessor.replace(":3,", ":-1,"), ""), "invalid value");
    bad(json(&accessor.replace(":3,", ":2,"), ""), "not a whole number of triangles");
    bad(json(&accessor.replace("VEC3", "VEC4"), ""), "cannot be read");
    bad(json(&accessor.replace("5126", "5130"), ""), "cannot be read");
    bad(json(&format!("{accessor},\"sparse\":{{}}"), ""), "sparse");
    bad(json(&accessor.replace("View\":0", "View\":9"), ""), "no buffer view");
    bad(json(&format!("{accessor},\"byteOffset\":18446744073709551615"), ""), "out of its buffer");
    bad(json(accessor, ",\"indices\":7"), "does not exist");
    bad(json(accessor, ",\"mode\":9"), "mode 9");
    bad(good.replace(":36,", ":99,"), "99 bytes are announced");
    bad(good.replace("base64,A", "base64,*"), "damaged");
    bad(good.replace("data:;base64,", "https://host/"), "not in the file");
    bad(good.replace("POSITION", "NORMAL"), "no positions");
    bad(
        good.replace(
            "{\n\"buffers\"",
            "{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"buffers\"",
        ),
        "draco",
    );
    let scene = |nodes: &str| {
        good.replace(
            "{\n\"buffers\"",
            &format!("{{\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":{nodes},\"buffers\""),
        )
    };
    load("t.gltf", scene("[{\"mesh\":0}]")).unwrap();
    bad(scene("[{\"mesh\":0,\"children\":[0]}]"), "two parents");
    bad(scene("[{\"mesh\":3}]"), "mesh 3 does not exist");
    bad(scene("[{\"children\":[5]}]"), "node 5 does not exist");
    bad(scene("[{\"mesh\":0,\"scale\":[1e300,1e300,1e300]}]"), "too large");
    bad(scene("[{\"mesh\":0,\"matrix\":[1,2]}]"), "");
    bad(scene("[{\"mesh\":0,\"scale\":[0,0,0]}]"), "no triangles".trim_start_matches("no triangles"));
    bad("[".repeat(1_000_000), "");
    bad("{\"asset\":".repeat(1_000_000), "");
    bad(format!("{{\"extras\":{}", "[".repeat(1_000_000)), "");
    bad("not json".into(), "");
    refused(load("t.gltf", ""), "t.gltf:1: ", "empty");
    let glb = |version: u32, length: u32, chunk: u32| {
        let head = [u32::from_le_bytes(*b"glTF"), version, length, chunk, u32::from_le_bytes(*b"JSON")];
        head.iter().flat_map(|w| w.to_le_bytes()).chain(*b"{}  ").collect::<Vec<u8>>()
    };
    for (bytes, place, reason) in [
        (glb(1, 24, 4), 4, "version 1"),
        (glb(2, 25, 4), 8, "25 bytes"),
        (glb(2, 24, u32::MAX), 12, "leads out"),
        (glb(2, 24, 4), 20, "no triangles"),
        (glb(2, 24, 0), 20, ""),
        (b"glTF".to_vec(), 4, "ends inside"),
    ] {
        refused(load("t.glb", bytes), &format!("t.glb: byte {place}: "), reason);
    }
}
