//! What contact costs: bodies on a floor against the same held by pins, and the search for contacts alone.
use miette::IntoDiagnostic;
use serde::Serialize;
use supple::contact::{HalfSpace, Obstacle};
use supple::mesh::shapes;
use supple::scene::Collisions;
use supple::{Material, MaterialKind, Scene, Settings, Simulation, TetMesh};

/// What was measured. Times are of the fastest frame after the body has come to rest.
#[derive(Clone, Debug, Serialize)]
pub struct Contact {
    /// What touches what.
    pub name: &'static str,
    /// Tetrahedra.
    pub elements: usize,
    /// Triangles of surfaces that may touch bodies.
    pub triangles: usize,
    /// Contacts that bear a force, and candidates.
    pub contacts: usize,
    pub candidates: usize,
    /// One frame.
    pub frame_ms: f64,
    /// The search for contacts in it.
    pub detection_ms: f64,
}

fn material() -> miette::Result<Material> {
    Material::new(MaterialKind::NeoHookean, 1e6, 0.4).map_err(|e| miette::miette!("{e}"))
}

/// A box of 8748 tetrahedra, on a floor or held by pins below.
fn resting(pins: bool) -> miette::Result<Simulation> {
    let mut scene = Scene::new(Settings::default());
    let mesh = shapes::box_mesh([2.0, 1.0, 1.0], [18, 9, 9], shapes::Split::Six).into_diagnostic()?;
    let below: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][1] < 1e-3).collect();
    let body = scene.add_solid("box", mesh, material()?, 1000.0).into_diagnostic()?;
    if pins {
        scene.pin(body, &below).into_diagnostic()?;
    } else {
        let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).map_err(|e| miette::miette!("{e}"))?;
        let floor = Obstacle { friction: 0.5, ..Obstacle::new("floor", floor) };
        scene.add_obstacle(floor).into_diagnostic()?;
    }
    scene.build().into_diagnostic()
}

/// Two plates of 10k triangles together, one above the other. Their steps end after one iteration: it is the search that is looked at, and each
/// iteration factors a matrix of 5184 nodes.
fn plates(gap: f64) -> miette::Result<Simulation> {
    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    settings.solve.iterations = 1;
    let mut scene = Scene::new(settings);
    let mesh = shapes::box_mesh([2.0, 0.06, 2.0], [35, 1, 35], shapes::Split::Six).into_diagnostic()?;
    let at = mesh.vertices().iter().map(|p| [p[0] + 0.013, p[1] + 0.06 + gap, p[2] + 0.011]).collect();
    let above = TetMesh::new(at, mesh.tets().to_vec()).into_diagnostic()?;
    scene.add_solid("below", mesh, material()?, 1000.0).into_diagnostic()?;
    scene.add_solid("above", above, material()?, 1000.0).into_diagnostic()?;
    scene.collide(Collisions::default()).into_diagnostic()?;
    scene.build().into_diagnostic()
}

/// All of them.
pub fn measure(quick: bool) -> miette::Result<Vec<Contact>> {
    let resting_frames = if quick { (20, 5) } else { (100, 25) };
    let mut all = Vec::new();
    let mut run = |name: &'static str, mut sim: Simulation, triangles: usize, frames: (usize, usize)| {
        let mut least = Contact {
            name,
            elements: sim.element_count(),
            triangles,
            contacts: 0,
            candidates: 0,
            frame_ms: f64::INFINITY,
            detection_ms: f64::INFINITY,
        };
        for frame in 0..frames.0 + frames.1 {
            let start = std::time::Instant::now();
            let r = sim.step().into_diagnostic()?;
            let seconds = start.elapsed().as_secs_f64();
            if frame >= frames.0 {
                least.frame_ms = least.frame_ms.min(1e3 * seconds);
                least.detection_ms = least.detection_ms.min(1e3 * r.timings.detection);
                (least.contacts, least.candidates) = (r.contacts, r.candidates);
            }
        }
        all.push(least);
        Ok::<(), miette::Report>(())
    };
    run("box on a floor", resting(false)?, 0, resting_frames)?;
    run("the same on pins", resting(true)?, 0, resting_frames)?;
    run("two plates, far apart", plates(1.0)?, 10_360, (2, 5))?;
    run("… a third of a cell apart", plates(0.02)?, 10_360, (2, 5))?;
    run("… 2 mm apart", plates(0.002)?, 10_360, (2, 5))?;
    Ok(all)
}
