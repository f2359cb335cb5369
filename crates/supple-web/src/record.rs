//! Frames of a scene as bits, for comparisons between machines: examples/record.rs runs it natively, web/tests/parity.test.mjs in Node.
use supple_cli::view::Recipe;

/// Positions of all nodes at the start and after each frame, 64-bit little-endian, frame after frame.
pub fn record(scene: &str, frames: usize) -> Result<Vec<u8>, String> {
    let recipe = Recipe::built_in(scene).ok_or_else(|| format!("there is no built-in scene {scene:?}"))?;
    let mut program = recipe.build(&[])?;
    let mut out = Vec::new();
    for frame in 0..=frames {
        if frame > 0 {
            program.frame().map_err(|e| e.to_string())?;
        }
        for c in program.simulation.positions().as_flattened() {
            out.extend(c.to_le_bytes());
        }
    }
    Ok(out)
}

/// Builds a scene and takes so many frames of it: the seconds of the fastest, by the given clock.
pub fn fastest_frame(text: &str, frames: usize, clock: impl Fn() -> f64) -> Result<f64, String> {
    let (file, _) = supple::scene::parse::read(text, &[]).map_err(|e| format!("{e:?}"))?;
    let mut program = Recipe::of("scene", file, Default::default()).build(&[])?;
    let mut fastest = f64::INFINITY;
    for _ in 0..frames {
        let start = clock();
        program.frame().map_err(|e| e.to_string())?;
        fastest = f64::min(fastest, clock() - start);
    }
    Ok(fastest)
}
