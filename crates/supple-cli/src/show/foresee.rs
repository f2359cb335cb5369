//! What a run will show, as far as that can be known before it: for the camera of pictures that are drawn while it
//! lasts. A guess that is too small costs a change of view in an interrupted run, one that is too large nothing but
//! drawing once more at the end.
use supple::scene::Program;

use crate::picture::Bounds;

/// Moments at which motions are looked at.
const MOMENTS: u32 = 32;
/// Bodies that fall are followed only until the box is so many times as large as at the start: they would not be seen.
const FARTHEST: f64 = 5.0;

/// A box around what the bodies are likely to reach in the `seconds` that follow.
///
/// Bodies start where they are and may go back to their rest shape. One that is held by nothing flies as a thrown
/// stone does; one that is held follows its pins and anchors, and may hang down from them.
pub fn foresee(program: &Program, seconds: f64) -> Bounds {
    let sim = &program.simulation;
    let (positions, velocities) = (sim.positions(), sim.velocities());
    let gravity = sim.settings().world.gravity;
    let moments = |end: f64| (0..=MOMENTS).map(move |k| end * f64::from(k) / f64::from(MOMENTS));
    // For each moment and each motion, the places of its nodes.
    let moved = (program.last_keyframe() - sim.time()).clamp(0.0, seconds.max(0.0));
    let motions: Vec<_> = moments(moved).map(|t| program.scripted(sim.time() + t)).collect();

    let mut all = around(&positions);
    let limit = FARTHEST * all.diagonal();
    for (number, (body, look)) in sim.bodies().iter().zip(&program.bodies).enumerate() {
        let nodes = body.first_node..body.first_node + body.nodes;
        let start = around(&positions[nodes.clone()]);
        let mut base = start;
        base.join(&Bounds { low: look.rest[0], high: look.rest[1] });
        all.join(&base);
        let held: Vec<[f64; 3]> = look
            .pins
            .iter()
            .chain(&look.anchors)
            .map(|&id| positions[body.first_node + id as usize])
            .collect();
        if held.is_empty() {
            let speed = mean(&velocities[nodes]);
            // Later and later, each time twice as late: the run may be very long.
            let near = (0..2 * MOMENTS).rev().map(|k| seconds * 0.5_f64.powi(k as i32));
            for t in near {
                let there = start.moved(std::array::from_fn(|k| speed[k] * t + 0.5 * gravity[k] * t * t));
                // What has met an obstacle goes no farther the same way.
                if met(program, there.centre()) {
                    break;
                }
                let mut larger = all;
                larger.join(&there);
                if larger.diagonal() > limit {
                    break;
                }
                all = larger;
            }
            continue;
        }
        let mut ways = vec![[0.0; 3]];
        for moment in &motions {
            for (before, (_, now)) in motions[0].iter().zip(moment).filter(|(before, _)| before.0 == number) {
                all.join(&around(now));
                let (from, to) = (mean(&before.1), mean(now));
                ways.push(std::array::from_fn(|k| to[k] - from[k]));
            }
        }
        let centre = around(&held).centre();
        let reach = (0..3).map(|k| (base.high[k] - centre[k]).max(centre[k] - base.low[k]).powi(2));
        let (reach, g) = (reach.sum::<f64>().sqrt(), gravity.iter().map(|a| a * a).sum::<f64>().sqrt());
        for way in ways {
            all.join(&base.moved(way));
            if g > 0.0 {
                all.include(std::array::from_fn(|k| centre[k] + way[k] + gravity[k] / g * reach));
            }
        }
    }
    all
}

/// True for a point inside of an obstacle where that is at the start.
fn met(program: &Program, p: [f64; 3]) -> bool {
    let all = program.simulation.obstacles().iter().enumerate();
    all.into_iter().any(|(i, o)| {
        let pose = program.simulation.obstacle_pose(i);
        pose.is_some_and(|pose| o.shape.closest(pose.undo(p)).distance < 0.0)
    })
}

fn around(points: &[[f64; 3]]) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    points.iter().for_each(|&p| bounds.include(p));
    bounds
}

fn mean(points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len().max(1) as f64)
}
