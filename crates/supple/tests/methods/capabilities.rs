//! What a method takes is what `solve/capabilities.rs` says: a scene with one thing more is built, or refused with a message that names
//! methods which do build it.

use super::common;
use super::setup::settings;
use supple::contact::HalfSpace;
use supple::scene::Collisions;
use supple::solve::capabilities::{Terms, of};
use supple::{
    BodyId, BuildError, MaterialKind, Method, Obstacle, Scene, Settings, SlideOn, Spring, SpringKind,
};

/// What is asked of a method besides a block that all of them take.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    Nothing,
    Obstacle,
    Bodies,
    Link,
    Hard,
    /// A material whose energy is no distance to a set.
    Material,
}

fn build(s: Settings, asked: Asked) -> Result<(), BuildError> {
    let mut scene = Scene::new(s);
    let kind = if asked == Asked::Material { MaterialKind::Corotated } else { MaterialKind::Arap };
    let block: BodyId =
        scene.add_solid("block", common::bar([1, 1, 1], 1.0), common::material(kind), 1000.0)?;
    match asked {
        Asked::Nothing | Asked::Material => {}
        Asked::Obstacle => {
            let floor = HalfSpace::new([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
            scene.add_obstacle(Obstacle::new("floor", floor))?;
        }
        Asked::Bodies => scene.collide(Collisions { within: true, ..Collisions::default() })?,
        Asked::Link => {
            scene.slide(block, &[0], SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.0]), None)?;
        }
        Asked::Hard => {
            let rod = Spring { kind: SpringKind::Rod, ..Spring::new([0, 1], 1.0) };
            scene.add_springs("rod", vec![[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]], vec![1.0; 2], vec![rod])?;
        }
    }
    scene.build().map(|_| ())
}

#[test]
fn methods_take_what_their_table_says() {
    let mut refused = 0;
    for method in Method::ALL {
        let takes = of(method);
        let of_method = |method| settings(0.01, |s| s.method = method);
        for (asked, able) in [
            (Asked::Nothing, true),
            (Asked::Obstacle, takes.obstacles),
            (Asked::Bodies, takes.bodies),
            (Asked::Link, takes.links),
            (Asked::Hard, takes.terms == Terms::All),
            (Asked::Material, takes.terms != Terms::Distances),
        ] {
            let told = match build(of_method(method), asked) {
                Ok(()) => {
                    assert!(able, "{method} took {asked:?}");
                    continue;
                }
                Err(e) => e.to_string(),
            };
            assert!(!able, "{method} refused {asked:?}: {told}");
            assert!(told.contains(&format!("`{method}`")), "{told}");
            refused += 1;
            let Some((_, offered)) = told.rsplit_once("use ") else { continue };
            let offered: Vec<Method> =
                Method::ALL.into_iter().filter(|m| offered.contains(&format!("`{m}`"))).collect();
            assert!(!offered.is_empty(), "{told}");
            for other in offered {
                assert!(build(of_method(other), asked).is_ok(), "{told} {other} does not take it");
            }
        }
    }
    assert_eq!(refused, 4 + 1 + 2 + 4 + 1, "bodies, obstacles, links, hard constraints, materials");
}
