//! An obstacle of your own: a ring, into which a soft ball falls that is too large for its hole.
#![allow(clippy::print_stdout)]

use supple::contact::{Surface, SurfacePoint};
use supple::mesh::{TetMesh, shapes};
use supple::{Material, MaterialKind, Obstacle, Scene, Settings};

/// Everything within `tube` of a level circle around the origin.
#[derive(Debug)]
struct Ring {
    radius: f64,
    tube: f64,
}

impl Surface for Ring {
    fn kind(&self) -> &'static str {
        "ring"
    }
    fn closest(&self, p: [f64; 3]) -> SurfacePoint {
        let out = p[0].hypot(p[2]);
        // On the axis every direction is as good as any other.
        let along = if out > 0.0 { [p[0] / out, p[2] / out] } else { [1.0, 0.0] };
        let (u, v) = (out - self.radius, p[1]);
        let d = u.hypot(v);
        let (u, v) = if d > 0.0 { (u / d, v / d) } else { (0.0, 1.0) };
        let normal = [u * along[0], v, u * along[1]];
        let circle = [self.radius * along[0], 0.0, self.radius * along[1]];
        let point = [0, 1, 2].map(|c| circle[c] + self.tube * normal[c]);
        SurfacePoint { distance: d - self.tube, normal, point }
    }
    fn centre(&self) -> [f64; 3] {
        [0.0; 3]
    }
    fn triangles(&self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        (Vec::new(), Vec::new()) // pictures do not show it
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = shapes::ball(0.3, 6)?.map(|p| [p[0], p[1] + 0.4, p[2]])?;
    let start: TetMesh = ball.clone();
    let ring = Ring { radius: 0.35, tube: 0.1 };
    let mut settings = Settings::default();
    settings.time.dt = 0.01;
    settings.world.damping = 2.0;
    let mut scene = Scene::new(settings);
    scene.add_solid("ball", ball, Material::new(MaterialKind::NeoHookean, 5e4, 0.4)?, 1000.0)?;
    scene.add_obstacle(Obstacle::new("ring", ring).with_friction(0.3))?;
    let mut simulation = scene.build()?;
    let mut deepest = 0.0f64;
    for _ in 0..600 {
        deepest = deepest.max(simulation.step()?.max_penetration);
    }
    let middle = |x: &[[f64; 3]]| x.iter().map(|p| p[1]).sum::<f64>() / x.len() as f64;
    let (from, to) = (middle(start.vertices()), middle(&simulation.positions()));
    let carried = simulation.reactions()[0][1];
    let weight = 9.8 * simulation.masses().iter().sum::<f64>();
    println!(
        "the ball came to rest {:.3} m lower; the ring bears {:.4} of its weight",
        from - to,
        carried / weight
    );
    // A rigid ball would rest at √(0.4² − 0.35²) = 0.194 m; a soft one sinks deeper and does not fall through.
    if !(0.0..0.2).contains(&to) || (carried / weight - 1.0).abs() > 1e-3 || deepest > 1e-4 {
        return Err(format!("{to} m, {carried} N, {deepest} m").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}
