//! Start states in which bodies have entered each other: told by name, then resolved or refused.

use super::cloth::{linen, sheet};
use super::crossing::{Shape, crossing};
use super::setup::{floor, settings};
use supple::mesh::shapes::{Split, box_mesh};
use supple::mesh::surface;
use supple::scene::{Collisions, Intersecting, Program, parse::parse};
use supple::sim::Entered;
use supple::{BuildError, Material, MaterialKind, Method, Scene, TetMesh};

fn cube(at: [f64; 3]) -> TetMesh {
    box_mesh([0.2; 3], [2; 3], Split::Six).unwrap().map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap()
}

fn solids(at: &[[f64; 3]], intersecting: Intersecting) -> Scene {
    let mut s = settings(Method::Auto, 0.01);
    s.world.gravity = [0.0; 3];
    s.solve.tolerance = 1e-5;
    let mut scene = Scene::new(s);
    for (i, at) in at.iter().enumerate() {
        let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
        scene.add_solid(&format!("cube{i}"), cube(*at), rubber, 1000.0).unwrap();
    }
    scene.collide(Collisions { intersecting, ..Collisions::default() }).unwrap();
    scene
}

#[test]
fn refused_with_names() {
    let overlap = [[0.0; 3], [0.17, 0.05, 0.03]];
    let e = solids(&overlap, Intersecting::Refuse).build().err().unwrap();
    assert!(matches!(e, BuildError::Intersecting { count, .. } if count > 2), "{e:?}");
    let text = e.to_string();
    assert!(text.contains("cube0") && text.contains("cube1") && text.contains("edge"), "{text}");
    // One inside of the other, without surfaces that cross; the same bodies apart; and put into each other later.
    let mut scene = solids(&[[0.0; 3]], Intersecting::Refuse);
    let big = box_mesh([0.6; 3], [2; 3], Split::Six).unwrap();
    let big = big.map(|p| p.map(|c| c - 0.2)).unwrap();
    let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.35).unwrap();
    scene.add_solid("big", big, rubber, 1000.0).unwrap();
    let text = scene.build().err().unwrap().to_string();
    assert!(text.contains("node") && text.contains("lies inside") && text.contains("big"), "{text}");
    let mut sim = solids(&[[0.0; 3], [0.3, 0.0, 0.0]], Intersecting::Refuse).build().unwrap();
    assert!(sim.intersections().is_empty());
    let mut x = sim.positions();
    let v = sim.velocities();
    x[27..].iter_mut().for_each(|p| p[0] -= 0.15);
    assert!(sim.set_state(&x, &v).is_err());
    // On the same grid surfaces meet in edges and corners, and none passes through another.
    for by in [[0.1, 0.0, 0.0], [0.1, 0.1, 0.0], [0.1; 3], [0.0, -0.1, 0.1]] {
        let text = solids(&[[0.0; 3], by], Intersecting::Refuse).build().err().unwrap().to_string();
        assert!(text.contains("lies inside"), "{text}");
        let mut sim = solids(&[[0.0; 3], [0.3, 0.0, 0.0]], Intersecting::Refuse).build().unwrap();
        let mut x = sim.positions();
        let v = sim.velocities();
        x[27..].iter_mut().for_each(|p| *p = [p[0] - 0.3 + by[0], p[1] + by[1], p[2] + by[2]]);
        assert!(sim.set_state(&x, &v).is_err());
    }
    // What only touches has not entered.
    solids(&[[0.0; 3], [0.0, 0.2, 0.0], [0.2, 0.0, 0.0]], Intersecting::Refuse).build().unwrap();
}

#[test]
fn an_obstacle_counts_too() {
    let mut scene = solids(&[[0.0, -0.05, 0.0]], Intersecting::Refuse);
    scene.add_obstacle(floor(0.3)).unwrap();
    let text = scene.build().err().unwrap().to_string();
    assert!(text.contains("cube0") && text.contains("floor"), "{text}");
}

#[test]
fn solids_come_apart_gently() {
    for at in [[0.17, 0.05, 0.03], [0.16, 0.0, 0.0], [0.18, 0.18, 0.02]] {
        let mut sim = solids(&[[0.0; 3], at], Intersecting::Resolve).build().unwrap();
        let all = sim.intersections();
        assert!(all.iter().any(|i| matches!(i.entered, Entered::Triangle(..))), "{all:?}");
        assert!(sim.describe(&all[0]).contains("cube"), "{}", sim.describe(&all[0]));
        let mut depth = f64::INFINITY;
        for frame in 0..80 {
            let r = sim.step().unwrap();
            assert!(r.max_penetration <= depth * 1.05 + 1e-6, "{at:?}, {frame}: {depth}, {r:?}");
            depth = r.max_penetration;
            let fastest = sim.velocities().iter().flatten().map(|v| v.abs()).fold(0.0, f64::max);
            assert!(fastest < 2.0, "{at:?}, {frame}: a blow, {fastest}");
        }
        assert_eq!(depth, 0.0, "{at:?}");
        assert!(sim.intersections().is_empty(), "{at:?}");
    }
}

/// Two sheets that cross: said where, then led apart until nothing crosses, and nothing crosses again.
#[test]
fn sheets_that_cross_are_told_and_come_apart() {
    let mut s = settings(Method::Auto, 0.01);
    s.world.gravity = [0.0; 3];
    s.solve.tolerance = 1e-5;
    let mut scene = Scene::new(s);
    let low = sheet(0.4, 5, [0.0; 3], false);
    let high = sheet(0.4, 5, [0.0; 3], false);
    // Tilted: one border is a little below the other sheet.
    let tilted =
        high.vertices().iter().map(|p| [p[0] + 0.21, 0.013 + 0.2 * (p[0] + 0.1), p[2] + 0.013]).collect();
    let high = supple::TriMesh::new(tilted, high.triangles().to_vec()).unwrap();
    let n = low.vertices().len();
    let shapes =
        [Shape::of_triangles(low.triangles().to_vec(), 0), Shape::of_triangles(high.triangles().to_vec(), n)];
    scene.add_cloth("low", low, linen()).unwrap();
    scene.add_cloth("high", high, linen()).unwrap();
    scene.collide(Collisions { within: true, ..Collisions::default() }).unwrap();
    let mut sim = scene.build().unwrap();
    assert!(crossing(&sim, &shapes).is_some() && !sim.intersections().is_empty());
    let text = sim.refuse_intersections().err().unwrap().to_string();
    assert!(text.contains("edge") && text.contains("low") && text.contains("high"), "{text}");
    let mut free = None;
    for frame in 0..200 {
        sim.step().unwrap();
        match crossing(&sim, &shapes) {
            None => free = free.or(Some(frame)),
            Some(what) => assert!(free.is_none(), "{frame}: crosses again, {what:?}"),
        }
    }
    assert!(free.is_some() && sim.intersections().is_empty(), "still crossed after 200 steps");
}

#[test]
fn scene_files_say_which() {
    let text = |word: &str| {
        format!(
            r#"version = 1
[collide]
intersecting = "{word}"
[[body]]
name = "a"
shape = {{ kind = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }}
material = {{ kind = "corotated", young = 1e5, poisson = 0.3 }}
[[body]]
name = "b"
shape = {{ kind = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }}
material = {{ kind = "corotated", young = 1e5, poisson = 0.3 }}
translate = [0.15, 0.03, 0.02]
"#
        )
    };
    let build = |word: &str| Program::new(&parse(&text(word), &[]).unwrap(), &mut |_| Err("no files".into()));
    assert!(build("resolve").is_ok());
    let e = build("refuse").err().unwrap();
    assert_eq!(e.key.as_deref(), Some("collide.intersecting"), "{e}");
    assert!(e.to_string().contains("body `a`") && e.to_string().contains("body `b`"), "{e}");
    assert!(parse(&text("ignore"), &[]).is_err());
    // The surface of the test's own mesh is that of the library.
    assert_eq!(surface(cube([0.0; 3]).tets()).len(), 48);
}
