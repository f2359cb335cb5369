//! Frames of a scene as bits, for comparisons between machines: examples/record.rs runs it natively, web/tests/parity.test.mjs in Node.
use supple_cli::view::Recipe;

/// Positions of all nodes at the start and after each frame, 64-bit little-endian, frame after frame; before each frame the number of iterations.
pub fn record(scene: &str, frames: usize) -> Result<Vec<u8>, String> {
    let recipe = Recipe::built_in(scene).ok_or_else(|| format!("there is no built-in scene {scene:?}"))?;
    let mut program = recipe.build(&[])?;
    let mut out = Vec::new();
    let mut iterations = 0;
    for frame in 0..=frames {
        if frame > 0 {
            iterations = program.frame().map_err(|e| e.to_string())?.iterations;
        }
        out.extend((iterations as f64).to_le_bytes());
        for c in program.simulation.positions().as_flattened() {
            out.extend(c.to_le_bytes());
        }
    }
    Ok(out)
}

/// The recipe of a beam of about so many tetrahedra that bends under its weight: `auto`, or published ADMM of ten iterations.
pub fn beam(cells: [usize; 3], material: &str, admm: bool) -> String {
    let method = if admm { "method = \"admm\"\niterations = 10\ntolerance = 0.0\n" } else { "" };
    format!(
        "version = 1\n[time]\ndt = 0.04\n[solve]\nthreads = 1\n{method}[[body]]\nname = \"beam\"\n\
         shape = {{ kind = \"box\", size = [1.0, 0.25, 0.25], cells = [{}, {}, {}], split = 6 }}\n\
         material = {{ kind = \"{material}\", young = 1e5, poisson = 0.4, density = 1000.0 }}\n\
         [[pin]]\nbody = \"beam\"\nselect = {{ plane = {{ point = [0, 0, 0], normal = [-1, 0, 0] }} }}\n",
        cells[0], cells[1], cells[2]
    )
}

/// Builds such a beam and steps it so many times; seconds per step, by the given clock, of the fastest step and of all.
pub fn time_beam(text: &str, steps: usize, clock: impl Fn() -> f64) -> Result<[f64; 2], String> {
    let (file, _) = supple::scene::parse::read(text, &[]).map_err(|e| format!("{e:?}"))?;
    let mut program = Recipe::of("beam", file, Default::default()).build(&[])?;
    let (mut fastest, mut all) = (f64::INFINITY, 0.0);
    for step in 0..steps + 3 {
        let start = clock();
        program.frame().map_err(|e| e.to_string())?;
        let taken = clock() - start;
        // The first ones warm up what is compiled while it runs.
        if step >= 3 {
            fastest = f64::min(fastest, taken);
            all += taken / steps as f64;
        }
    }
    Ok([fastest, all])
}
