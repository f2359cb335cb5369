//! A surface that falls: the scene that is made of it.
use supple::mesh::fill::{FillError, FillSettings, Kind, Surface, fill};
use supple::mesh::io::RawMesh;
use supple_files::memory;

/// Tetrahedra of a surface that is dropped, if nobody says how many.
pub const TETS: usize = 6000;

/// The kind of fill, as the scene has it: a cage for what is too thin to be filled otherwise. What neither fills is refused here, where the message
/// is about the surface and not about a scene that nobody wrote.
fn kind(mesh: &RawMesh, tets: usize) -> Result<&'static str, FillError> {
    let surface = Surface { vertices: &mesh.vertices, triangles: &mesh.triangles };
    let settings = FillSettings { memory: memory::limit().unwrap_or(u64::MAX), ..FillSettings::tets(tets) };
    let Err(why) = fill(&surface, &settings) else { return Ok("") };
    fill(&surface, &settings.kind(Kind::Cage)).map_or(Err(why), |_| Ok(", kind = \"cage\""))
}

/// The scene of a mesh in a file, half of its height above a floor at 0: a surface is filled with about `tets` tetrahedra, a mesh of tetrahedra
/// is taken as it is.
pub fn scene(mesh: &RawMesh, name: &str, file: &str, tets: usize) -> Result<String, String> {
    if mesh.triangles.is_empty() && mesh.tets.is_empty() {
        return Err("has neither triangles nor tetrahedra; only surfaces and solids are dropped".into());
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in &mesh.vertices {
        for ((low, high), c) in low.iter_mut().zip(&mut high).zip(p) {
            (*low, *high) = (low.min(*c), high.max(*c));
        }
    }
    let size = high.iter().zip(low).map(|(high, low)| (high - low).powi(2)).sum::<f64>().sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return Err("all its vertices are the same point".into());
    }
    let fill = match mesh.tets.is_empty() {
        true => {
            let kind = kind(mesh, tets).map_err(|e| e.to_string())?;
            format!("fill = {{ tets = {tets}{kind} }}\nskin = true\n")
        }
        false => String::new(),
    };
    // Some seconds of a body of a metre; smaller ones fall sooner.
    let dt = (size / 9.8).sqrt() / 15.0;
    // Its own weight presses a body of this stiffness by about a fiftieth of its height.
    let young = 50.0 * 1000.0 * 9.8 * size;
    let fall = (0.5 * (high[1] - low[1])).max(0.05 * size);
    let lift = [-0.5 * (low[0] + high[0]), fall - low[1], -0.5 * (low[2] + high[2])];
    // What JSON escapes, TOML escapes alike.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    Ok(format!(
        "version = 1\n\n[time]\ndt = {dt:?}\nframes = 45\n\n[[body]]\nname = {name}\nmesh = {file}\n{fill}translate = {lift:?}\nmaterial = {{ kind = \"stable_neo_hookean\", young = {young:?}, poisson = 0.4, density = 1000.0 }}\n\
         damping = {{ stiffness = {damp:?} }}\n\n[[obstacle]]\nname = \"floor\"\nshape = {{ kind = \"half_space\", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }}\nfriction = 0.5\n",
        name = quoted(name),
        file = quoted(file),
        damp = 0.1 * dt,
    ))
}
