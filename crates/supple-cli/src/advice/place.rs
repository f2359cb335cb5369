//! Bodies that start inside of something.
use std::collections::BTreeMap;

use supple::scene::Program;
use supple::scene::file::SceneFile;
use supple::sim::Entered;

/// Nodes of a body that are looked for in another one, at most.
const SAMPLES: usize = 200;

/// How far inside of a tetrahedron a point must be, as a part of its height: bodies may touch.
const MARGIN: f64 = 1e-3;
/// The same for the middle of an obstacle, which may lie on a face between two.
const ON_FACE: f64 = -1e-9;

pub fn look(file: &SceneFile, program: &mut Program) -> Vec<String> {
    let mut all = Vec::new();
    // What each body has entered, how often, and the first of it in words.
    let mut found: BTreeMap<(usize, usize, bool), (usize, String)> = BTreeMap::new();
    for i in program.simulation.intersections() {
        let (what, obstacle) = match &i.entered {
            Entered::Triangle(other, _) => (*other, false),
            Entered::Obstacle(o) => (*o, true),
        };
        let entry =
            found.entry((i.body, what, obstacle)).or_insert_with(|| (0, program.simulation.describe(&i)));
        entry.0 += 1;
    }
    // An obstacle that lies whole within an element touches no node.
    for (number, obstacle) in
        program.simulation.obstacles().iter().enumerate().filter(|(_, o)| !o.shape.is_flat())
    {
        let Some(pose) = program.simulation.obstacle_pose(number) else { continue };
        let centre = pose.apply(obstacle.shape.centre());
        // The centre of a ring is not in it.
        if obstacle.shape.closest(obstacle.shape.centre()).distance < 0.0 {
            for body in 0..program.bodies.len() {
                if !found.contains_key(&(body, number, true)) && inside(program, body, &[centre], ON_FACE) > 0
                {
                    let text = format!(
                        "obstacle `{}` lies inside body `{}`",
                        obstacle.name, program.bodies[body].name
                    );
                    found.insert((body, number, true), (1, text));
                }
            }
        }
    }
    for ((body, other, obstacle), (count, first)) in &found {
        let name = &program.bodies[*body].name;
        let more = if *count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        let text = match obstacle {
            true => format!(
                "body `{name}` starts inside an obstacle: {first}{more}. It will be pushed out; move one of them, with `translate`"
            ),
            false if body == other => format!(
                "body `{name}` starts passing through itself: {first}{more}. Change its shape or its `start`"
            ),
            false => format!(
                "body `{name}` starts inside another body: {first}{more}. Move one of them, with `translate`"
            ),
        };
        all.push(text);
    }
    if file.collide.is_none() && file.stitch.is_empty() && file.attach.is_empty() {
        all.extend(overlaps(program));
    }
    all
}

/// Solids that overlap where nothing keeps bodies apart.
fn overlaps(program: &Program) -> Vec<String> {
    let x = program.simulation.positions();
    let bodies = program.simulation.bodies();
    let mut all = Vec::new();
    for a in 0..bodies.len() {
        for b in 0..bodies.len() {
            if a == b || program.bodies[b].tets.is_empty() {
                continue;
            }
            let nodes = &x[bodies[a].first_node..bodies[a].first_node + bodies[a].nodes];
            let some: Vec<[f64; 3]> =
                nodes.iter().step_by(nodes.len().div_ceil(SAMPLES).max(1)).copied().collect();
            if inside(program, b, &some, MARGIN) > 0 {
                let (a, b) = (&bodies[a].name, &bodies[b].name);
                all.push(format!(
                    "body `{a}` starts inside body `{b}`, and they will pass through each other: move one of them with `translate`; \
                     with a table `[collide]` bodies touch each other"
                ));
            }
        }
    }
    all
}

/// How many of the points lie inside a tetrahedron of a body, by more than a margin as a part of its height.
fn inside(program: &Program, body: usize, points: &[[f64; 3]], margin: f64) -> usize {
    let (Some(of), Some(look)) = (program.simulation.bodies().get(body), program.bodies.get(body)) else {
        return 0;
    };
    let x = program.simulation.positions();
    let Some(at) = x.get(of.first_node..of.first_node + of.nodes) else { return 0 };
    let [low, high] = super::corners(at);
    let near: Vec<&[f64; 3]> =
        points.iter().filter(|p| (0..3).all(|k| low[k] < p[k] && p[k] < high[k])).collect();
    if near.is_empty() {
        return 0;
    }
    let corner = |v: u32| at.get(v as usize).copied().unwrap_or_default();
    let tets: Vec<[[f64; 3]; 4]> = look.tets.iter().map(|t| t.map(corner)).collect();
    near.into_iter().filter(|p| tets.iter().any(|t| holds(t, **p, margin))).count()
}

/// True if a point lies inside of a tetrahedron, as far away from its faces.
fn holds(t: &[[f64; 3]; 4], p: [f64; 3], margin: f64) -> bool {
    if (0..3).any(|k| t.iter().all(|c| c[k] < p[k]) || t.iter().all(|c| c[k] > p[k])) {
        return false;
    }
    let volume = |c: [[f64; 3]; 4]| {
        let [a, b, d] = [1, 2, 3].map(|i| -> [f64; 3] { std::array::from_fn(|k| c[i][k] - c[0][k]) });
        a[0] * (b[1] * d[2] - b[2] * d[1])
            + a[1] * (b[2] * d[0] - b[0] * d[2])
            + a[2] * (b[0] * d[1] - b[1] * d[0])
    };
    let whole = volume(*t);
    (0..4).all(|k| {
        let mut c = *t;
        c[k] = p;
        volume(c) / whole >= margin
    })
}
