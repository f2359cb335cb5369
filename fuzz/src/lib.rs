//! What all targets check: no panic, and whatever a reader accepts is a sound mesh; what is wrong with a scene is told in
//! words, and a scene that is read can be written and read again.
use supple::contact::{DistanceGrid, Surface};
use supple::mesh::{Embedding, fill};
use supple::mesh::io::{Format, RawMesh, ReadError, read, read_npy, write};
use supple::mesh::quality::inspect;
use supple::scene::parse;

/// Reads a file that stands alone.
pub fn alone(extension: &str, bytes: &[u8]) {
    let format = Format::from_extension(extension).expect("a known extension");
    sound(read(format, "fuzz", bytes, None));
}

/// Reads numbers on a grid, and makes an obstacle of them.
pub fn npy(bytes: &[u8]) {
    let Ok(samples) = read_npy("fuzz", bytes) else { return };
    assert_eq!(samples.counts.iter().product::<usize>(), samples.values.len());
    if let Ok(grid) = DistanceGrid::new([0.0; 3], [0.5; 3], samples.counts, samples.values) {
        for p in [[0.0; 3], [0.3, 0.2, 0.1], [-9.0, 1e300, 0.4]] {
            let s = grid.closest(p);
            assert!(s.distance.is_finite() && s.normal.iter().all(|v| v.is_finite()));
        }
    }
}

/// Reads a .node file and, behind a NUL byte, its .ele file.
pub fn tetgen(bytes: &[u8]) {
    let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let ele = bytes.get(cut + 1..).unwrap_or(&[]);
    sound(read(Format::TetgenNode, "fuzz", &bytes[..cut], Some(("fuzz.ele", ele))));
}

/// Fills triangles: the first byte says how, then come triangles of nine numbers each, of two bytes or, if the second byte is odd, of eight.
/// Whatever comes out has angles within the promise and carries its surface.
pub fn fill(bytes: &[u8]) {
    let [how, width, rest @ ..] = bytes else { return };
    let numbers: Vec<f64> = if width & 1 == 0 {
        rest.chunks_exact(2).map(|b| f64::from(i16::from_le_bytes([b[0], b[1]])) / 256.0).collect()
    } else {
        let eight = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|i| b[i]));
        rest.chunks_exact(8).map(eight).collect()
    };
    // All of them corners of triangles: a vertex that is nowhere and belongs to none is no reason to refuse a surface, but to refuse a skin.
    let vertices: Vec<[f64; 3]> = numbers.chunks_exact(9).flat_map(|c| [[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]]).collect();
    let triangles: Vec<[u32; 3]> = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let surface = fill::Surface { vertices: &vertices, triangles: &triangles };
    let fineness = match how >> 4 & 3 {
        0 => fill::Fineness::Default,
        1 => fill::Fineness::Tets(500),
        _ => fill::Fineness::Size(f64::from(*width).max(1.0) / 4.0),
    };
    let kind = [fill::Kind::Conform, fill::Kind::Grow, fill::Kind::Cage][usize::from(how % 3)];
    let settings =
        fill::FillSettings { fineness, kind, threads: 1, memory: 1 << 26, ..fill::FillSettings::default() };
    match fill::fill(&surface, &settings) {
        Ok((mesh, report)) => {
            let [low, high] = report.dihedral.map(f64::to_degrees);
            assert!(low > 9.0 && high < 165.0, "{low} {high}");
            Embedding::new(&mesh, &vertices).expect("a skin");
            report.notes();
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
}

/// Reads a scene and, behind a NUL byte, an override.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (text, set) = text.split_once('\0').unwrap_or((text, ""));
    let set: Vec<_> = set.split_once('=').map(|(k, v)| (k.to_string(), v.to_string())).into_iter().collect();
    match parse::read(text, &set) {
        Ok((file, paths)) => {
            assert_eq!(paths.len(), set.len());
            let again = parse::to_text(&file).expect("a scene that can be written");
            parse::parse(&again, &[]).expect("a scene that can be read again");
        }
        Err(wrong) => {
            assert!(!wrong.is_empty() && wrong.len() <= 50);
            wrong.into_iter().for_each(|e| assert!(!e.located(text).render("fuzz", text).is_empty()));
        }
    }
}

fn sound(outcome: Result<RawMesh, ReadError>) {
    let Ok(mesh) = outcome else { return };
    if !mesh.tets.is_empty() {
        mesh.to_tet_mesh().expect("tetrahedra that a body can have");
    }
    inspect(&mesh.vertices, &mesh.tets, &mesh.triangles);
    for format in [Format::Gmsh, Format::Vtu, Format::Ply] {
        write(format, &mesh, Vec::new()).expect("a mesh that can be written");
    }
}
