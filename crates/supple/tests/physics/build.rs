//! Scenes that cannot be: each error names the body, the element or node, and the reason.

use super::common::{bar, material, settings};
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Scene, Settings, Spring, TetMesh};

const UNIT: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn contains(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

fn scene() -> Scene {
    Scene::new(settings(0.02))
}

fn arap() -> Material {
    material(MaterialKind::Arap)
}

#[test]
fn meshes() {
    let two = |tet: [u32; 4], extra: [f64; 3]| {
        let mut v = UNIT.to_vec();
        v.push(extra);
        TetMesh::new(v, vec![[0, 1, 2, 3], tet]).unwrap_err().to_string()
    };
    contains(&two([0, 1, 2, 4], [0.3, 0.3, 0.0]), &["element 1", "volume"]);
    contains(&two([0, 2, 1, 3], [0.0, 0.0, 2.0]), &["element 1", "inverted"]);
    contains(&two([0, 1, 2, 7], [0.0, 0.0, 2.0]), &["element 1", "node 7", "5 nodes"]);
    contains(&two([0, 1, 1, 4], [0.0, 0.0, 2.0]), &["element 1", "node 1", "twice"]);
    contains(&two([0, 1, 2, u32::MAX], [0.0, 0.0, 2.0]), &["element 1", "node 4294967295"]);
    for bad in [f64::NAN, f64::INFINITY] {
        contains(&two([0, 1, 2, 4], [0.0, bad, 2.0]), &["node 4", "finite"]);
    }
    contains(&TetMesh::new(vec![], vec![]).unwrap_err().to_string(), &["empty"]);
    contains(&TetMesh::new(UNIT.to_vec(), vec![]).unwrap_err().to_string(), &["empty"]);
    // A sliver whose volume vanishes against its size.
    contains(&two([0, 1, 2, 4], [0.3, 0.3, 1e-18]), &["element 1", "volume"]);
    for size in [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, f64::NAN]] {
        contains(&box_mesh(size, [1, 1, 1], Split::Six).unwrap_err().to_string(), &["box", "positive"]);
    }
    contains(&box_mesh([1.0; 3], [1, 0, 1], Split::Five).unwrap_err().to_string(), &["cell"]);
    contains(&box_mesh([1.0; 3], [usize::MAX, 2, 1], Split::Five).unwrap_err().to_string(), &["too large"]);
}

#[test]
fn bodies() {
    let mesh = bar([1, 1, 1], 1.0);
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = scene().add_solid("blob", mesh.clone(), arap(), density).unwrap_err().to_string();
        contains(&e, &["`blob`", "density"]);
    }
    let mut s = scene();
    s.add_solid("blob", mesh.clone(), arap(), 1000.0).unwrap();
    let e = s.add_solid("blob", mesh.clone(), arap(), 1000.0).unwrap_err().to_string();
    contains(&e, &["`blob`", "name already"]);
    let e = s.add_springs("blob", vec![[0.0; 3]], vec![1.0], vec![]).unwrap_err().to_string();
    contains(&e, &["`blob`", "name already"]);
    for bad in [-1.0, f64::NAN, f64::INFINITY, 0.0] {
        let mut masses = vec![1.0; 8];
        masses[5] = bad;
        let e = scene().add_solid_with_masses("blob", mesh.clone(), vec![arap(); 6], masses).unwrap_err();
        contains(&e.to_string(), &["`blob`", "node 5", "mass"]);
    }
    let e = scene().add_solid_with_masses("blob", mesh.clone(), vec![arap(); 6], vec![1.0; 7]).unwrap_err();
    contains(&e.to_string(), &["`blob`", "7 masses", "8 nodes"]);
    let e = scene().add_solid_by_element("blob", mesh, vec![arap(); 5], 1.0).unwrap_err();
    contains(&e.to_string(), &["`blob`", "5 materials", "6 elements"]);
    // A node that no element uses has no mass.
    let mut vertices = UNIT.to_vec();
    vertices.push([2.0; 3]);
    let loose = TetMesh::new(vertices, vec![[0, 1, 2, 3]]).unwrap();
    let e = scene().add_solid("blob", loose, arap(), 1000.0).unwrap_err().to_string();
    contains(&e, &["`blob`", "node 4", "no mass"]);
    let Err(e) = scene().build() else { panic!("an empty scene was built") };
    contains(&e.to_string(), &["no body"]);
}

#[test]
fn springs_pins_and_anchors() {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0]];
    let good = Spring::new([0, 1], 1.0);
    for (bad, words) in [
        (Spring { nodes: [0, 2], ..good }, ["element 1", "node 2"]),
        (Spring { nodes: [1, 1], ..good }, ["element 1", "node 1"]),
        (Spring { stiffness: 0.0, ..good }, ["element 1", "stiffness"]),
        (Spring { stiffness: f64::NAN, ..good }, ["element 1", "stiffness"]),
        (Spring { rest_length: Some(-0.1), ..good }, ["element 1", "rest length"]),
        (Spring { rest_length: Some(f64::NAN), ..good }, ["element 1", "rest length"]),
    ] {
        let e = scene().add_springs("net", points.clone(), vec![1.0; 2], vec![good, bad]).unwrap_err();
        contains(&e.to_string(), &["`net`", words[0], words[1]]);
    }
    let nan = vec![[0.0; 3], [f64::NAN, 0.0, 0.0]];
    let e = scene().add_springs("net", nan, vec![1.0; 2], vec![good]).unwrap_err();
    contains(&e.to_string(), &["`net`", "node 1", "finite"]);
    let e = scene().add_springs("net", vec![], vec![], vec![]).unwrap_err();
    contains(&e.to_string(), &["`net`", "no node"]);

    let mut s = scene();
    let net = s.add_springs("net", points, vec![1.0; 2], vec![good]).unwrap();
    contains(&s.pin(net, &[0, 9]).unwrap_err().to_string(), &["`net`", "node 9", "2 nodes"]);
    contains(&s.anchor(net, &[9], 1.0).unwrap_err().to_string(), &["`net`", "node 9"]);
    for bad in [0.0, -1.0, f64::NAN] {
        contains(&s.anchor(net, &[0], bad).unwrap_err().to_string(), &["`net`", "stiffness"]);
    }
    s.anchor(net, &[0], 1.0).unwrap();
    contains(&s.anchor(net, &[0], 1.0).unwrap_err().to_string(), &["`net`", "node 0", "already"]);
    contains(&s.pin(supple::BodyId(3), &[0]).unwrap_err().to_string(), &["no body number 3"]);

    s.pin(net, &[1]).unwrap();
    let mut sim = s.build().unwrap();
    let before = sim.checkpoint();
    let at = [[0.0; 3]];
    contains(&sim.move_pins(0, &[0], &at).unwrap_err().to_string(), &["`net`", "node 0", "not pinned"]);
    contains(&sim.move_pins(0, &[7], &at).unwrap_err().to_string(), &["`net`", "node 7"]);
    contains(&sim.move_pins(0, &[1], &[]).unwrap_err().to_string(), &["`net`", "targets"]);
    contains(
        &sim.move_pins(0, &[1], &[[f64::NAN; 3]]).unwrap_err().to_string(),
        &["`net`", "node 1", "finite"],
    );
    contains(&sim.move_pins(4, &[1], &at).unwrap_err().to_string(), &["no body number 4"]);
    contains(&sim.move_anchors(0, &[1], &at).unwrap_err().to_string(), &["`net`", "node 1", "no anchor"]);
    let far = [[0.0; 3], [f64::INFINITY, 0.0, 0.0]];
    contains(&sim.set_forces(&far).unwrap_err().to_string(), &["`net`", "node 1", "force"]);
    contains(&sim.set_state(&far, &[[0.0; 3]; 2]).unwrap_err().to_string(), &["`net`", "node 1", "position"]);
    contains(&sim.set_state(&[[0.0; 3]; 2], &far).unwrap_err().to_string(), &["`net`", "node 1", "velocity"]);
    contains(&sim.set_state(&at, &[[0.0; 3]; 2]).unwrap_err().to_string(), &["1 nodes", "2"]);
    assert_eq!(sim.checkpoint(), before, "an error changed something");
}

#[test]
fn materials() {
    for kind in MaterialKind::ALL {
        for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            contains(&Material::new(kind, young, 0.3).err().unwrap().reason, &["Young"]);
        }
        for poisson in [0.5, -1.0, 0.7, -2.0, f64::NAN] {
            contains(&Material::new(kind, 1e5, poisson).err().unwrap().reason, &["Poisson"]);
        }
    }
    for stiffness in [0.0, -1.0, f64::NAN] {
        contains(&Material::arap_with_stiffness(stiffness).err().unwrap().reason, &["stiffness", "arap"]);
    }
}

#[test]
fn settings_out_of_range() {
    let check = |name: &str, change: &dyn Fn(&mut Settings)| {
        let mut s = Settings::default();
        change(&mut s);
        let mut scene = Scene::new(s.clone());
        scene.add_solid("blob", bar([1, 1, 1], 1.0), arap(), 1000.0).unwrap();
        let Err(e) = scene.build() else { panic!("{name}: built") };
        contains(&e.to_string(), &[name]);
        // And while it runs.
        scene.settings = Settings::default();
        let mut sim = scene.build().unwrap();
        contains(&sim.update_settings(s).unwrap_err().to_string(), &[name]);
        assert_eq!(*sim.settings(), Settings::default());
    };
    for bad in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-200, 1e200] {
        check("time.dt", &|s| s.time.dt = bad);
    }
    for bad in [f64::NAN, -1e-9, f64::INFINITY] {
        check("solve.tolerance", &|s| s.solve.tolerance = bad);
    }
    check("solve.iterations", &|s| s.solve.iterations = 0);
    for bad in [0.0, -1.0, f64::NAN] {
        check("solve.weight_scale", &|s| s.solve.weight_scale = bad);
        check("solve.time_budget", &|s| s.solve.time_budget = Some(bad));
    }
    check("world.gravity", &|s| s.world.gravity[1] = f64::NAN);
}
