//! What a picture must show, whatever its exact colours. Thresholds are far from the values seen (in comments) and far
//! from those of the fault that each test is for.
#![allow(clippy::unwrap_used)]
mod common;

use common::{brightness, cube, sphere};
use supple_cli::picture::{
    Ball, Bounds, Camera, Colour, Drawable, Image, Label, Legend, Look, Rod, Scene3, Wire, palette, render,
    text_width,
};

const RED: [f32; 3] = [0.85, 0.1, 0.1];
const W: u32 = 320;
const H: u32 = 180;

fn draw(scene: &Scene3, camera: &Camera) -> Image {
    let mut image = Image::default();
    render(scene, camera, W, H, &mut image);
    image
}

/// Straight at the target from the front, with a plain floor and the light from the upper left.
fn front(eye: [f64; 3]) -> Camera {
    Camera { eye, target: [0.0; 3], up: [0.0, 1.0, 0.0], fov: 0.6 }
}

fn plain() -> Look {
    Look { grid: false, key: Some([-1.0, 1.5, 0.3]), ..Look::LIGHT }
}

#[test]
fn sphere_over_a_floor() {
    let scene = Scene3 {
        meshes: vec![sphere([0.0; 3], 1.0, 48, RED)],
        floor: Some(-1.0),
        look: plain(),
        ..Scene3::default()
    };
    let image = draw(&scene, &front([0.0, 2.5, 8.0]));
    let [r, g, b] = image.pixel(W / 2, H / 2).map(i32::from);
    assert!(r > 2 * g && r > 2 * b, "the middle is red: {r} {g} {b}");

    let corner = image.pixel(0, 0).map(i32::from);
    let sky = Look::LIGHT.top.map(|c| (c * 255.0) as i32);
    assert!((0..3).all(|c| (corner[c] - sky[c]).abs() < 6), "the corner is background: {corner:?} {sky:?}");

    // The light stands at the left, so that the shadow lies at the right; equally far at the left the floor is lit.
    let (shade, lit) = (brightness(&image, 215, 118), brightness(&image, W - 215, 118));
    assert!(shade < lit - 100, "shadow {shade}, lit floor {lit}");

    // The side towards the light is brighter than the other.
    assert!(brightness(&image, 135, 75) > brightness(&image, 185, 100) + 60);
}

#[test]
fn no_light_leaks_under_a_body_that_stands_on_the_floor() {
    let mut scene = Scene3 { meshes: vec![cube(1.0)], floor: Some(-1.0), look: plain(), ..Scene3::default() };
    let camera = front([0.0, 2.5, 8.0]);
    let with = draw(&scene, &camera);
    scene.meshes.clear();
    let without = draw(&scene, &camera);
    // Just beside the foot of the cube, on the shadow side.
    let (x, y) = (218, 124);
    assert!(brightness(&with, x, y) < brightness(&without, x, y) - 100);
}

#[test]
fn a_box_keeps_sharp_edges_and_a_ball_is_smooth() {
    let camera = front([0.0, 0.0, 8.0]);
    let colours = |mesh: Drawable| {
        let image = draw(&Scene3 { meshes: vec![mesh], look: plain(), ..Scene3::default() }, &camera);
        (140..=180).step_by(10).map(|x| brightness(&image, x, 90)).collect::<Vec<_>>()
    };
    // One face, one normal: only the highlight and the light from the sky vary a little.
    let flat = colours(cube(1.0));
    let spread = |c: &[i32]| c.iter().max().unwrap() - c.iter().min().unwrap();
    assert!(spread(&flat) < 25, "{flat:?}");
    let smoothed = colours(Drawable { crease: 3.2, ..cube(1.0) });
    assert!(spread(&smoothed) > 2 * spread(&flat).max(15), "{smoothed:?}");

    // On a coarse sphere neighbouring pixels differ little: no facets.
    let scene = Scene3 { meshes: vec![sphere([0.0; 3], 1.0, 20, RED)], look: plain(), ..Scene3::default() };
    let image = draw(&scene, &camera);
    let line: Vec<i32> = (130..190).map(|x| brightness(&image, x, 90)).collect();
    assert!(line.windows(2).all(|w| (w[0] - w[1]).abs() < 30), "{line:?}");
}

#[test]
fn what_crosses_the_near_plane_is_cut() {
    // A long strip that passes under the eye and goes on far behind it.
    let strip = Drawable {
        positions: vec![[-2.0, -0.5, 100.0], [2.0, -0.5, 100.0], [2.0, -0.5, -5.0], [-2.0, -0.5, -5.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        colour: Colour::Uniform(RED),
        ..Drawable::default()
    };
    let scene = Scene3 { meshes: vec![strip], look: plain(), ..Scene3::default() };
    let image = draw(&scene, &front([0.0, 0.5, 4.0]));
    let [r, g, _] = image.pixel(W / 2, H - 2).map(i32::from);
    assert!(r > 2 * g, "the strip reaches the lower border: {r} {g}");
    let [r, g, _] = image.pixel(W / 2, 5).map(i32::from);
    assert!(r < 2 * g, "and does not wrap around to the upper: {r} {g}");
}

#[test]
fn bad_input_is_left_out() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let good = sphere([0.0; 3], 1.0, 32, RED);
    let camera = front([0.0, 1.0, 8.0]);
    let clean = draw(
        &Scene3 { meshes: vec![good.clone()], floor: Some(-1.0), look: plain(), ..Scene3::default() },
        &camera,
    );
    let mut bad = good;
    let n = bad.positions.len() as u32;
    bad.positions.extend([[nan; 3], [inf, 0.0, 0.0], [1e300, -1e300, 1e300], [0.0, -inf, 0.0]]);
    // Out of range, not finite, repeated corner, zero area.
    bad.triangles.extend([
        [0, 1, n],
        [n + 1, 1, 2],
        [0, n + 2, n + 3],
        [0, 1, u32::MAX],
        [5, 5, 6],
        [0, 1, 0],
    ]);
    let scene = Scene3 {
        meshes: vec![bad, Drawable::default()],
        balls: vec![Ball { centre: [nan, 0.0, 0.0], radius: 1.0, colour: RED }],
        rods: vec![
            Rod { from: [0.0; 3], to: [0.0; 3], radius: 1.0, colour: RED },
            Rod { from: [0.0; 3], to: [1.0, inf, 0.0], radius: nan, colour: RED },
        ],
        floor: Some(-1.0),
        look: plain(),
        ..Scene3::default()
    };
    assert_eq!(draw(&scene, &camera), clean, "what cannot be drawn leaves no trace");
    assert_eq!(scene.bounds().high[0], 1e300, "only finite points count");
}

#[test]
fn odd_scenes_and_cameras_do_not_panic() {
    let values = [0.0, -0.0, 1e-320, 1e-9, 1.0, 1e9, 1e38, 1e300, f64::MAX, f64::NAN, f64::INFINITY];
    let mut image = Image::default();
    for (k, &a) in values.iter().enumerate() {
        let b = values[(k * 7 + 3) % values.len()];
        let mut mesh = cube(if a.is_finite() { a } else { 1.0 });
        mesh.crease = a;
        mesh.wire = Wire::Triangles;
        mesh.positions.push([a, b, -a]);
        mesh.triangles.push([0, 1, 8]);
        mesh.colour = Colour::PerVertex(vec![[a as f32, f32::NAN, -1.0]]);
        let scene = Scene3 {
            meshes: vec![mesh],
            balls: vec![Ball { centre: [b; 3], radius: a, colour: [f32::NAN; 3] }],
            rods: vec![Rod { from: [a, 0.0, 0.0], to: [b, 1.0, 0.0], radius: 0.1, colour: RED }],
            floor: Some(b),
            look: Look { key: Some([a, b, a]), samples: k as u32, ..Look::DARK },
            caption: Some("äöü \u{0} \u{1F600}".to_owned()),
            labels: vec![Label { at: [a, b, 0.0], text: "x".repeat(500) }],
            legend: Some(Legend { title: String::new(), low: a, high: b }),
        };
        for camera in [
            Camera::fit(&scene.bounds(), a),
            Camera { eye: [a, b, a], target: [b; 3], up: [0.0, a, 0.0], fov: b },
            Camera { eye: [0.0; 3], target: [0.0; 3], up: [0.0; 3], fov: 0.0 },
            Camera { eye: [0.0, 5.0, 0.0], target: [0.0; 3], up: [0.0, 1.0, 0.0], fov: 0.5 },
        ] {
            render(&scene, &camera, 64, 36, &mut image);
        }
    }
    let empty = Scene3::default();
    let camera = Camera::fit(&Bounds::EMPTY, 1.0);
    for (w, h) in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 200), (200, 3)] {
        render(&empty, &camera, w, h, &mut image);
        assert_eq!((image.width(), image.height()), (w, h));
    }
}

#[test]
fn the_picture_does_not_depend_on_the_number_of_threads() {
    let scene = Scene3 {
        meshes: vec![sphere([0.0; 3], 1.0, 60, RED), cube(0.8)],
        floor: Some(-1.0),
        caption: Some("threads".to_owned()),
        ..Scene3::default()
    };
    let camera = Camera::fit(&scene.bounds(), 16.0 / 9.0);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw(&scene, &camera))
    };
    let one = on(1);
    for threads in [2, 3, 8] {
        assert_eq!(on(threads), one, "{threads} threads");
    }
}

#[test]
fn neighbours_leave_no_gap() {
    // A lit sheet of many small triangles in front of a black background: not one pixel of it shows through.
    let n = 37;
    let mut sheet = Drawable { two_sided: true, colour: Colour::Uniform([1.0; 3]), ..Drawable::default() };
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i) / f64::from(n) - 0.5, f64::from(j) / f64::from(n) - 0.5);
            sheet.positions.push([13.0 * x, 8.0 * y, 0.1 * (9.0 * x).sin() * (7.0 * y).cos()]);
        }
    }
    let at = |i: u32, j: u32| j * (n + 1) + i;
    for j in 0..n {
        for i in 0..n {
            sheet.triangles.extend([
                [at(i, j), at(i + 1, j), at(i + 1, j + 1)],
                [at(i, j), at(i + 1, j + 1), at(i, j + 1)],
            ]);
        }
    }
    let look = Look { top: [0.0; 3], bottom: [0.0; 3], ..plain() };
    let image = draw(&Scene3 { meshes: vec![sheet], look, ..Scene3::default() }, &front([0.0, 0.0, 8.0]));
    let darkest =
        (0..H).flat_map(|y| (0..W).map(move |x| (x, y))).map(|(x, y)| brightness(&image, x, y)).min();
    assert!(darkest.unwrap() > 250, "{darkest:?}");
}

#[test]
fn one_sided_and_two_sided() {
    let mut triangle = Drawable {
        positions: vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0]],
        triangles: vec![[0, 2, 1]], // clockwise: seen from behind
        colour: Colour::Uniform(RED),
        ..Drawable::default()
    };
    let red = |mesh: &Drawable| {
        let scene = Scene3 { meshes: vec![mesh.clone()], look: plain(), ..Scene3::default() };
        let [r, g, _] = draw(&scene, &front([0.0, 0.0, 8.0])).pixel(W / 2, H / 2).map(i32::from);
        r > 2 * g
    };
    assert!(!red(&triangle));
    triangle.two_sided = true;
    assert!(red(&triangle));
}

#[test]
fn wire_draws_edges_but_not_the_diagonal_of_quads() {
    let face = |wire: Wire| Drawable {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        wire,
        ..Drawable::default()
    };
    let middle = |wire: Wire| {
        let scene = Scene3 { meshes: vec![face(wire)], look: plain(), ..Scene3::default() };
        brightness(&draw(&scene, &front([0.0, 0.0, 8.0])), W / 2, H / 2 - 1) // on the diagonal
    };
    let (drawn, off) = (middle(Wire::Triangles), middle(Wire::Off));
    assert!(drawn < off - 20, "{drawn} {off}");
    assert_eq!(middle(Wire::Quads), middle(Wire::Off));
}

#[test]
fn a_fitted_camera_sees_the_whole_box() {
    for size in [[1.0, 1.0, 1.0], [10.0, 0.1, 0.1], [0.0, 3.0, 0.0], [1e-4, 2e-4, 1e-4], [3e5, 1e5, 2e5]] {
        for aspect in [0.5, 1.0, 16.0 / 9.0] {
            let low = [7.0 * size[0], -size[1], 3.0];
            let bounds = Bounds { low, high: std::array::from_fn(|k| low[k] + size[k]) };
            let camera = Camera::fit(&bounds, aspect);
            let balls = (0..8)
                .map(|k| {
                    std::array::from_fn(
                        |axis| if k >> axis & 1 == 0 { bounds.low[axis] } else { bounds.high[axis] },
                    )
                })
                .map(|centre| Ball {
                    centre,
                    radius: 0.02 * size.iter().fold(0.0, |m: f64, s| m.max(*s)),
                    colour: RED,
                })
                .collect();
            let look = Look { top: [0.0; 3], bottom: [0.0; 3], ..plain() };
            let mut image = Image::default();
            let height = (200.0 / aspect) as u32;
            render(&Scene3 { balls, look, ..Scene3::default() }, &camera, 200, height, &mut image);
            let lit = |x: u32, y: u32| brightness(&image, x, y) > 0;
            assert!(
                (0..200).flat_map(|x| (0..height).map(move |y| (x, y))).any(|(x, y)| lit(x, y)),
                "{size:?}"
            );
            let border = (0..200).flat_map(|x| [(x, 0), (x, height - 1)]);
            let border = border.chain((0..height).flat_map(|y| [(0, y), (199, y)]));
            assert!(border.into_iter().all(|(x, y)| !lit(x, y)), "{size:?} {aspect}");
        }
    }
}

#[test]
fn the_scale_of_the_scene_does_not_matter() {
    let look = plain();
    let picture = |scale: f64, shift: f64| {
        let scene = Scene3 {
            meshes: vec![sphere([shift, 0.0, 0.0], scale, 32, RED)],
            floor: Some(-scale),
            look,
            ..Scene3::default()
        };
        draw(&scene, &Camera::fit(&scene.bounds(), 16.0 / 9.0))
    };
    let (a, b) = (picture(1.0, 0.0), picture(1e-3, 50.0));
    let far = a.bytes().iter().zip(b.bytes()).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    assert!(far < a.bytes().len() / 500, "{far} bytes differ");
}

#[test]
fn scalar_colours_grow_lighter() {
    let light = |c: [f32; 3]| 0.30 * c[0] + 0.59 * c[1] + 0.11 * c[2];
    let steps: Vec<f32> = (0..=100).map(|k| light(palette::scalar(f64::from(k) / 100.0))).collect();
    assert!(steps.windows(2).all(|w| w[1] > w[0]));
    assert!(steps[100] - steps[0] > 0.6);
    assert_eq!(palette::scalar(-5.0), palette::scalar(0.0));
    assert_eq!(palette::scalar(f64::NAN), [0.5; 3]);
    assert_ne!(palette::body(0), palette::body(1));
}

#[test]
fn text_appears_where_it_should() {
    let mut scene = Scene3::default();
    let camera = Camera::fit(&Bounds::EMPTY, 16.0 / 9.0);
    let without = draw(&scene, &camera);
    scene.caption = Some("Caption".to_owned());
    let with = draw(&scene, &camera);
    let changed: Vec<(u32, u32)> = (0..H)
        .flat_map(|y| (0..W).map(move |x| (x, y)))
        .filter(|&(x, y)| with.pixel(x, y) != without.pixel(x, y))
        .collect();
    assert!(changed.len() > 60);
    assert!(changed.iter().all(|&(x, y)| x < W / 2 && y > H * 3 / 4), "lower left only");
    assert!(text_width("00", 14.0) == text_width("19", 14.0), "digits are equally wide");
    assert!(text_width("mm", 14.0) > text_width("ii", 14.0));
}
