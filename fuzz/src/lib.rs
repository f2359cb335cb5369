//! What all targets check: no panic, and whatever a reader accepts is a sound mesh; errors of a scene are
//! messages, and a scene that is read can be written and read again.
use supple::contact::{DistanceGrid, Surface};
use supple::mesh::Embedding;
use supple::mesh::fill as filling;
use supple::mesh::io::{Format, RawMesh, ReadError, read, read_npy, write};
use supple::mesh::quality::inspect;
use supple::mesh::shapes;
use supple::scene::parse;
use supple::{Material, MaterialKind, Scene, Settings, Simulation};
use supple_cli::fit::data;
use supple_cli::view::{command::Command, decode};

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
    let vertices: Vec<[f64; 3]> = numbers
        .chunks_exact(9)
        .flat_map(|c| [[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]])
        .collect();
    let triangles: Vec<[u32; 3]> =
        (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let surface = filling::Surface { vertices: &vertices, triangles: &triangles };
    let fineness = match how >> 4 & 3 {
        0 => filling::Fineness::Default,
        1 => filling::Fineness::Tets(500),
        _ => filling::Fineness::Size(f64::from(*width).max(1.0) / 4.0),
    };
    let kind = [filling::Kind::Conform, filling::Kind::Grow, filling::Kind::Cage][usize::from(how % 3)];
    let settings = filling::FillSettings {
        fineness,
        kind,
        threads: 1,
        memory: 1 << 26,
        ..filling::FillSettings::default()
    };
    match filling::fill(&surface, &settings) {
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

/// Restores a checkpoint, as it is and with its length and checksum mended, into a scene with a pin, an anchor and an obstacle: a refusal leaves
/// the state as it was, and what is taken is finite and can go on.
pub fn checkpoint(bytes: &[u8]) {
    thread_local! {
        static SIMULATION: std::cell::RefCell<Simulation> = std::cell::RefCell::new(small());
    }
    let mut mended = bytes.to_vec();
    if let Some(length) = mended.get_mut(12..20) {
        length.copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    }
    if let Some(end) = mended.len().checked_sub(8) {
        let (content, tail) = mended.split_at_mut(end);
        let step = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        tail.copy_from_slice(&content.iter().fold(0xcbf2_9ce4_8422_2325, step).to_le_bytes());
    }
    SIMULATION.with_borrow_mut(|sim| {
        for bytes in [bytes, &mended] {
            let before = sim.checkpoint();
            match sim.restore(bytes) {
                Ok(()) => {
                    let finite = |sim: &Simulation| {
                        sim.positions().iter().chain(&sim.velocities()).flatten().all(|v| v.is_finite())
                    };
                    assert!(finite(sim));
                    // An error of a step is one as long as the state stays sound.
                    let _ = sim.step();
                    assert!(finite(sim));
                    sim.restore(&before).expect("a checkpoint of its own");
                }
                Err(e) => assert!(!e.to_string().is_empty() && sim.checkpoint() == before),
            }
        }
    });
}

/// The scene of [`checkpoint`], after three steps.
pub fn small() -> Simulation {
    let mesh = shapes::box_mesh([1.0, 0.5, 0.5], [2, 1, 1], shapes::Split::Five).expect("a box");
    let mut settings = Settings::default();
    (settings.solve.threads, settings.solve.iterations) = (1, 5);
    let mut scene = Scene::new(settings);
    let material = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).expect("a material");
    let body = scene.add_solid("body", mesh, material, 1000.0).expect("a body");
    scene.pin(body, &[0]).expect("a pin");
    scene.anchor(body, &[1], 1e3).expect("an anchor");
    let mut sim = scene.build().expect("a scene");
    for _ in 0..3 {
        sim.step().expect("a step");
    }
    sim
}

/// A message to the viewer's socket.
pub fn message(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(e) = Command::read(text) {
        assert!(!e.is_empty());
    }
    // And one from it, as programs read it.
    if let Err(e) = decode::message(bytes) {
        assert!(!e.is_empty());
    }
}

/// Measurements of a material, as `supple material fit` reads them: numbers that can be fitted, or words.
pub fn material_csv(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match data::read("fuzz.csv", text) {
        Ok(pairs) => assert!(!pairs.is_empty() && pairs.iter().flatten().all(|v| v.is_finite())),
        Err(e) => assert!(!e.is_empty()),
    }
}
