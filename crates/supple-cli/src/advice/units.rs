//! Numbers that are far from what makes sense, mostly because they are in other units than SI.
use supple::scene::Program;
use supple::scene::file::{MaterialTable, Mode, SceneFile};

use super::{corners, short};

/// Steps longer than this see next to nothing of a motion, in s; shorter ones are shorter than sound needs for a cell of a millimetre.
const STEP: [f64; 2] = [1e-7, 0.5];
/// Ways of a falling body in one step, in sizes of the scene.
const FALL: f64 = 30.0;
/// Sizes of bodies, in m.
const SIZE: [f64; 2] = [1e-4, 100.0];
/// Young's moduli, in Pa: from the softest gels (some Pa) to diamond (1.2e12).
const YOUNG: [f64; 2] = [1.0, 2e12];
/// Densities, in kg/m³: from air (1.2) to osmium (22 590).
const DENSITY: [f64; 2] = [1.0, 25_000.0];
/// Pressure under its own weight that a solid bears, as a multiple of Young's modulus.
const SQUASH: f64 = 10.0;

fn outside(x: f64, [low, high]: [f64; 2]) -> bool {
    x < low || x > high
}

pub fn look(file: &SceneFile, program: &Program) -> Vec<String> {
    let mut all = Vec::new();
    let settings = program.simulation.settings();
    let (dt, gravity) = (settings.time.dt, settings.world.gravity.iter().map(|g| g * g).sum::<f64>().sqrt());
    let x = program.simulation.positions();
    let [low, high] = corners(&x);
    let size = high.iter().zip(low).map(|(high, low)| (high - low).powi(2)).sum::<f64>().sqrt();
    let fall = 0.5 * gravity * dt * dt;
    if program.mode != Mode::Static && (outside(dt, STEP) || fall > FALL * size) {
        let what = format!("time: each step is {} s", short(dt));
        let seen = if dt < STEP[0] {
            format!(
                "; the whole run is {} s. Steps are mostly 0.001 to 0.04 s",
                short(dt * f64::from(program.substeps) * program.frames as f64)
            )
        } else {
            let way = format!(
                ", in which a body falls {} m while the scene is {} m large",
                short(fall),
                short(size)
            );
            let way = if gravity > 0.0 { way } else { String::new() };
            format!(
                "{way}. Steps are mostly 0.001 to 0.04 s: if {} were milliseconds, write {}",
                short(dt),
                short(dt * 1e-3)
            )
        };
        all.push(what + &seen);
    }
    for (table, (body, look)) in file.body.iter().zip(program.simulation.bodies().iter().zip(&program.bodies))
    {
        let [low, high] = look.rest;
        let extent = high.iter().zip(low).map(|(high, low)| high - low).fold(0.0, f64::max);
        let name = &body.name;
        if outside(extent, SIZE) {
            let hint = match extent > SIZE[1] {
                true => format!(
                    "if its numbers are millimetres, `scale = 0.001` makes it {} m",
                    short(extent * 1e-3)
                ),
                false => format!(
                    "if its numbers are kilometres, `scale = 1000` makes it {} m",
                    short(extent * 1e3)
                ),
            };
            all.push(format!(
                "body `{name}`: it is {} m large; lengths are in metres: {hint}",
                short(extent)
            ));
        }
        // Weight of a column as high as the body; sheets and nets hang and are not squashed.
        let height = if look.tets.is_empty() { 0.0 } else { high[1] - low[1] };
        let materials = table.material.iter().chain(table.region.iter().map(|r| &r.material));
        for m in materials {
            all.extend(material(m, name, gravity * height));
        }
    }
    all
}

/// What looks wrong with a material; `head` is g·h of the body.
fn material(m: &MaterialTable, name: &str, head: f64) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(density) = m.density.filter(|&d| outside(d, DENSITY)) {
        let hint = match density < DENSITY[0] {
            true => format!("if {} is g/cm³, write {}", short(density), short(1e3 * density)),
            false => "no material is so heavy".into(),
        };
        all.push(format!(
            "body `{name}`: a density of {} kg/m³ (water has 1000, wood 600, steel 7850); {hint}",
            short(density)
        ));
    }
    let Some(young) = m.young else { return all };
    let pressure = m.density.unwrap_or(0.0) * head;
    let known = "jelly has about 1e3 Pa, rubber 1e6, wood 1e10, steel 2e11";
    if outside(young, YOUNG) {
        let hint = match young < YOUNG[0] {
            true => format!(
                "if {} is MPa, write {}; if GPa, {}",
                short(young),
                short(1e6 * young),
                short(1e9 * young)
            ),
            false => "nothing is so stiff: the solver only gets slower by it".into(),
        };
        all.push(format!("body `{name}`: Young's modulus is {} Pa ({known}); {hint}", short(young)));
    } else if pressure > SQUASH * young {
        all.push(format!(
            "body `{name}`: Young's modulus is {} Pa, but its own weight presses with {} Pa (density·g·height): it will be squashed flat; {known}",
            short(young),
            short(pressure)
        ));
    }
    all
}
