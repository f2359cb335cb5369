//! Broken files: each must be an error that names the file, the place and the reason, at once and without much memory.

use std::time::{Duration, Instant};

use supple::mesh::io::{Format, ReadError, read};

use super::binary::{MSH41, msh22, msh41};
use super::{TET_ELE, TET_NODES, load, tetgen};

/// Checks an error: `start` is how it begins, file and place, and `reason` what it contains.
#[track_caller]
pub fn refused<T>(outcome: Result<T, ReadError>, start: &str, reason: &str) {
    let error = match outcome {
        Ok(_) => panic!("{start}: was read, but should be refused for: {reason}"),
        Err(error) => error.to_string(),
    };
    assert!(error.starts_with(start), "should start with `{start}`: {error}");
    assert!(error.contains(reason), "should contain `{reason}`: {error}");
    assert!(error.len() < 600 && !error.contains(char::is_control), "{error:?}");
}

/// Reads, and fails the test if that takes a second.
#[track_caller]
pub fn soon<T>(action: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let outcome = action();
    assert!(start.elapsed() < Duration::from_secs(1), "took {:?}", start.elapsed());
    outcome
}

/// Whole numbers that are no node of a mesh of four.
const NO_NODES: [&str; 8] = [
    "5",
    "-1",
    "0",
    "4294967296",
    "4294967297",
    "18446744073709551616",
    "-9223372036854775808",
    "99999999999999999999999999",
];
/// Words that are no coordinate.
const NO_NUMBERS: [(&str, &str); 8] = [
    ("nan", "not finite"),
    ("inf", "not finite"),
    ("-Infinity", "not finite"),
    ("1e999", "not finite"),
    ("1e308", "too large"),
    ("zero", "is not a number"),
    ("0x10", "is not a number"),
    ("1.0.0", "is not a number"),
];

#[test]
fn tetgen_nodes() {
    let bad = |node: &str, start: &str, reason: &str| refused(soon(|| tetgen(node, TET_ELE)), start, reason);
    for (word, reason) in NO_NUMBERS {
        bad(&TET_NODES.replace("3 0 1 0", &format!("3 0 {word} 0")), "t.node:4: node 3: ", reason);
    }
    bad("", "t.node:1: ", "empty");
    bad(" \n\t\n# nothing\n", "t.node:1: ", "empty");
    bad(&TET_NODES.replace("4 3", "5 3"), "t.node:6: ", "ends after 4 of 5 nodes");
    bad(&TET_NODES.replace("4 3", "3 3"), "t.node:5: ", "announces 3 nodes, but more follow");
    for count in ["4000000000", "18446744073709551615", "170141183460469231731687303715884105727"] {
        bad(&TET_NODES.replace("4 3", &format!("{count} 3")), "t.node:1: ", "are announced, but only");
    }
    bad(&TET_NODES.replace("4 3", "-4 3"), "t.node:1: ", "negative");
    bad(&TET_NODES.replace("4 3", "0 3"), "t.node:1: ", "no nodes");
    bad(&TET_NODES.replace("4 3", "four 3"), "t.node:1: ", "is not a whole number");
    bad(&TET_NODES.replace("4 3", "4 2"), "t.node:1: ", "dimension 2");
    bad(&TET_NODES.replace("3 0 0\n", "3 4000000000 0\n"), "t.node:1: ", "not possible");
    bad(&TET_NODES.replace("3 0 0\n", "3 2 0\n"), "t.node:2: node 1: ", "an attribute should be");
    bad(&TET_NODES.replace("3 0 1 0", "3 0 1"), "t.node:4: node 3: ", "the line ends where a coordinate");
    bad(&TET_NODES.replace("3 0 1 0", "7 0 1 0"), "t.node:4: ", "node 7 stands where node 3");
    bad(&TET_NODES.replace("1 0 0 0", "5 0 0 0"), "t.node:2: ", "not 0 or 1");
    bad(&TET_NODES.replace("3 0 1 0", "3 0 \0 0"), "t.node:4: ", "NUL");
    bad(
        &TET_NODES.replace("3 0 1 0", &format!("3 0 {} 0", "9".repeat(2_000_000))),
        "t.node:4: ",
        "2000000 bytes",
    );
    bad(&"x".repeat(2_000_000), "t.node:1: ", "is not a whole number");
    bad("\u{1b}[31mred\n", "t.node:1: ", "\\u{1b}");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(TET_NODES.bytes().flat_map(|b| [b, 0])).collect();
    refused(tetgen(&utf16, TET_ELE), "t.node:1: ", "UTF-16");
    refused(tetgen(&utf16[2..], TET_ELE), "t.node:1: ", "NUL");
}

#[test]
fn tetgen_tetrahedra() {
    let bad = |ele: &str, start: &str, reason: &str| refused(soon(|| tetgen(TET_NODES, ele)), start, reason);
    for node in NO_NODES {
        let reason = format!("node {node} does not exist (nodes are numbered from 1 to 4)");
        bad(&format!("1 4 0\n1 1 2 3 {node}\n"), "t.ele:2: element 1: ", &reason);
    }
    bad("1 4 0\n7 1 2 2 4\n", "t.ele:2: element 7: ", "node 2 appears twice");
    bad("2 4 0\n1 1 2 3 4\n2 4 3 2 1\n", "t.ele:3: element 2: ", "has the same nodes as element 1");
    bad("1 4 0\n1 1 2 3\n", "t.ele:2: element 1: ", "the line ends where a node");
    bad("1 4 0\n1 1 2 three 4\n", "t.ele:2: element 1: ", "is not a whole number");
    bad("1 4 0\n1 1 2 3.5 4\n", "t.ele:2: element 1: ", "is not a whole number");
    bad("2 4 0\n1 1 2 3 4\n", "t.ele:", "ends after 1 of 2 tetrahedra");
    bad("0 4 0\n1 1 2 3 4\n", "t.ele:1: ", "no tetrahedra");
    bad("18446744073709551615 4 0\n1 1 2 3 4\n", "t.ele:1: ", "are announced");
    bad("1 5 0\n1 1 2 3 4\n", "t.ele:1: ", "tetrahedra of 5 nodes");
    bad("", "t.ele:1: ", "empty");
    let flat = TET_NODES.replace("4 0 0 1", "4 1 1 0");
    refused(tetgen(&flat, TET_ELE), "t.ele:2: element 1: ", "has no volume");
    let sliver = TET_NODES.replace("4 0 0 1", "4 0.3 0.3 1e-13");
    refused(tetgen(&sliver, TET_ELE), "t.ele:2: element 1: ", "has no volume");
    let tiny = "4 3 0 0\n1 0 0 0\n2 1e-300 0 0\n3 0 1e-300 0\n4 0 0 1e-300\n";
    refused(tetgen(tiny, TET_ELE), "t.ele:2: element 1: ", "has no volume");
    let lonely = read(Format::TetgenNode, "t.node", TET_NODES.as_bytes(), None);
    refused(lonely, "t.node:1: ", "the .ele file");
    let lonely = read(Format::TetgenEle, "t.ele", TET_ELE.as_bytes(), None);
    refused(lonely, "t.ele:1: ", "the .node file");
}

const MSH22: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
    $Elements\n1\n5 4 2 0 0 1 2 3 4\n$EndElements\n";

#[test]
fn gmsh_2() {
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(MSH22.contains(from), "{from}");
        refused(soon(|| load("t.msh", MSH22.replace(from, to))), start, reason);
    };
    load("t.msh", MSH22).unwrap();
    for node in NO_NODES.iter().filter(|n| n.len() < 12) {
        bad(
            "1 2 3 4\n$",
            &format!("1 2 3 {node}\n$"),
            "t.msh:13: element 5: ",
            &format!("node {node} does not exist"),
        );
    }
    bad("1 2 3 4\n$", "1 2 3 18446744073709551616\n$", "t.msh:13: element 5: ", "too large");
    for (word, reason) in NO_NUMBERS {
        bad("3 0 1 0", &format!("3 0 {word} 0"), "t.msh:8: node 3: ", reason);
    }
    for count in ["4000000000", "18446744073709551615"] {
        bad("$Nodes\n4\n", &format!("$Nodes\n{count}\n"), "t.msh:5: ", "are announced, but only");
        bad("$Elements\n1\n", &format!("$Elements\n{count}\n"), "t.msh:12: ", "are announced, but only");
    }
    bad("$Nodes\n4\n", "$Nodes\n3\n", "t.msh:9: ", "stands where $EndNodes should be");
    bad("$Nodes\n4\n", "$Nodes\n5\n", "t.msh:10: ", "is not a whole number");
    bad("$Elements\n1\n", "$Elements\n0\n", "t.msh:13: ", "stands where $EndElements should be");
    bad("$Elements\n1\n", "$Elements\n2\n", "t.msh:14: ", "is not a whole number");
    bad("5 4 2 0 0 1 2 3 4", "5 5 2 0 0 1 2 3 4 1 2 3 4", "t.msh:13: element 5: ", "hexahedron");
    bad("5 4 2 0 0 1 2 3 4", "5 99 2 0 0 1 2 3 4", "t.msh:13: element 5: ", "type 99 is not known");
    bad("5 4 2 0 0 1 2 3 4", "5 4 2000000000 0 0 1 2 3 4", "t.msh:13: element 5: ", "tags are not possible");
    bad("5 4 2 0 0 1 2 3 4", "5 4 2 0 0 1 2 3 3", "t.msh:13: element 5: ", "appears twice");
    bad("3 0 1 0", "2 0 1 0", "t.msh:5: node 2: ", "two nodes");
    bad("2.2 0 8", "1.0 0 8", "t.msh:2: ", "version 1");
    bad("2.2 0 8", "4.0 0 8", "t.msh:2: ", "version 4");
    bad("2.2 0 8", "2.2 7 8", "t.msh:2: ", "file type 7");
    bad("2.2 0 8", "2.2 0 3", "t.msh:2: ", "3 bytes");
    bad("2.2 0 8", "2.2 1 8", "t.msh: byte ", "not 1");
    bad("$MeshFormat", "MeshFormat", "t.msh:1: ", "should be");
    bad("$Nodes", "$Knots", "t.msh:4: ", "does not end");
    bad("$EndElements", "", "t.msh:", "the file ends");
    bad("$Nodes", "\0$Nodes", "t.msh:4: ", "NUL");
    bad(&MSH22[MSH22.find("$Nodes").unwrap()..], "", "t.msh:", "no tetrahedra and no triangles");
    let both: Vec<u8> = [0xfe, 0xff].into_iter().chain(MSH22.bytes().flat_map(|b| [0, b])).collect();
    refused(load("t.msh", both), "t.msh:1: ", "UTF-16");
}

#[test]
fn gmsh_binary_and_4() {
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(MSH41.contains(from), "{from}");
        refused(soon(|| load("t.msh", MSH41.replace(from, to))), start, reason);
    };
    bad("2 1 2 90 30", "2 1 2 90 31", "t.msh:32: element 2: ", "node 31 does not exist");
    bad("2 1 2 90 30", "2 1 2 90 18446744073709551616", "t.msh:32: element 2: ", "does not exist");
    bad("2 4 1 90\n", "2 5 1 90\n", "t.msh:", "5 nodes are announced, but the blocks hold 4");
    bad("2 4 1 90\n", "2 3 1 90\n", "t.msh:", "more than the 3 nodes");
    bad("2 4 1 90\n", "2 18446744073709551615 1 90\n", "t.msh:", "are announced, but only");
    bad("$Nodes\n2 4", "$Nodes\n4000000000 4", "t.msh:", "are announced, but only");
    bad("3 3 0 2\n", "3 3 0 4000000000\n", "t.msh:", "are announced, but only");
    bad("3 3 0 2\n", "9 3 0 2\n", "t.msh:", "dimension 9");
    bad("2 2 1 2\n", "2 3 1 2\n", "t.msh:", "3 elements are announced, but the blocks hold 2");
    bad("$Entities\n1 1", "$Entities\n18446744073709551615 1", "t.msh:", "are announced, but only");
    bad("\"body\"", "body", "t.msh:6: ", "in quotes");
    bad("3 7 \"body\"", "8 7 \"body\"", "t.msh:6: ", "dimension 8");
    // Counts in binary files.
    for (bytes, section) in [(msh22(false), "$Nodes\n4\n"), (msh22(true), "$Elements\n2\n")] {
        let at = bytes.windows(section.len()).position(|w| w == section.as_bytes()).unwrap();
        let (head, tail) = (&bytes[..at], &bytes[at + section.len()..]);
        let name = section.split('\n').next().unwrap();
        for count in ["4000000000", "18446744073709551615", "-1"] {
            let bytes = [head, format!("{name}\n{count}\n").as_bytes(), tail].concat();
            refused(soon(|| load("t.msh", bytes)), "t.msh: byte ", count);
        }
    }
    let bytes = msh41(false);
    let at = bytes.windows(7).position(|w| w == b"$Nodes\n").unwrap() + 7;
    for word in 0..4 {
        let mut bytes = bytes.clone();
        bytes[at + 8 * word..at + 8 * word + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        if word < 2 {
            refused(soon(|| load("t.msh", bytes)), "t.msh: byte ", "18446744073709551615");
        }
    }
}

#[test]
fn medit() {
    const MESH: &str = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
        Tetrahedra\n1\n1 2 3 4 0\nEnd\n";
    load("t.mesh", MESH).unwrap();
    let bad = |from: &str, to: &str, start: &str, reason: &str| {
        assert!(MESH.contains(from), "{from}");
        refused(soon(|| load("t.mesh", MESH.replace(from, to))), start, reason);
    };
    for node in NO_NODES {
        bad(
            "1 2 3 4 0",
            &format!("1 2 3 {node} 0"),
            "t.mesh:11: element 1: ",
            &format!("node {node} does not exist"),
        );
    }
    for (word, reason) in NO_NUMBERS {
        bad("0 1 0 0", &format!("0 {word} 0 0"), "t.mesh:7: node 3: ", reason);
    }
    bad("\n4\n", "\n5\n", "t.mesh:9: ", "\"Tetrahedra\" comes after 4 of 5 rows");
    bad("\n4\n", "\n3\n", "t.mesh:8: ", "not a keyword");
    bad("\n4\n", "\n4000000000\n", "t.mesh:4: ", "are announced, but only");
    bad("\n1\n", "\n18446744073709551615\n", "t.mesh:10: ", "are announced, but only");
    bad("1 2 3 4 0\nEnd", "1 2 3 4\nEnd", "t.mesh:12: element 1: ", "is not a whole number");
    bad("1 2 3 4 0", "1 2 3 3 0", "t.mesh:11: element 1: ", "appears twice");
    bad("0 0 1 0", "1 1 0 0", "t.mesh:11: element 1: ", "has no volume");
    bad("Dimension 3", "Dimension 2", "t.mesh:2: ", "dimension 2");
    bad("Formatted 2", "Formatted 9", "t.mesh:1: ", "version 9");
    bad("MeshVersion", "Mesh", "t.mesh:1: ", "MeshVersionFormatted");
    bad("Tetrahedra\n", "Hexahedra\n", "t.mesh:9: ", "split them");
    bad("Tetrahedra\n", "Vertices\n", "t.mesh:9: ", "second list");
    bad("1 0 0 0", "1 0 0 x", "t.mesh:6: node 2: ", "is not a whole number");
    bad("Tetrahedra", "Tetr\0ahedra", "t.mesh:9: ", "NUL");
    refused(load("t.mesh", ""), "t.mesh:1: ", "empty");
    refused(load("t.mesh", "[MeshSerializer_v1.8]\n"), "t.mesh:1: ", "MeshVersionFormatted");
}

#[test]
fn ten_million_lines_of_garbage_fail_at_once() {
    let garbage = "garbage\n".repeat(10_000_000);
    for name in ["g.msh", "g.mesh", "g.vtk", "g.vtu", "g.obj", "g.ply", "g.gltf"] {
        refused(soon(|| load(name, &garbage)), &format!("{name}:1: "), "");
    }
    refused(soon(|| load("g.stl", &garbage)), "g.stl: byte ", "");
    refused(soon(|| tetgen(&garbage, TET_ELE)), "t.node:1: ", "");
    refused(soon(|| tetgen(TET_NODES, &garbage)), "t.ele:1: ", "");
}
