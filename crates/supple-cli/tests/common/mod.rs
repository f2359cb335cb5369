//! Meshes and measures shared by the tests.
#![allow(dead_code)]
use std::f64::consts::PI;

use supple_cli::picture::{Colour, Drawable, Image};

/// A closed sphere, counter-clockwise from outside.
pub fn sphere(centre: [f64; 3], radius: f64, sides: u32, colour: [f32; 3]) -> Drawable {
    let rings = sides / 2;
    let mut positions = Vec::new();
    for ring in 0..=rings {
        let (s, c) = (PI * f64::from(ring) / f64::from(rings)).sin_cos();
        for side in 0..sides {
            let (sin, cos) = (2.0 * PI * f64::from(side) / f64::from(sides)).sin_cos();
            positions.push([
                centre[0] + radius * s * sin,
                centre[1] + radius * c,
                centre[2] + radius * s * cos,
            ]);
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let (a, b) = (ring * sides + side, ring * sides + (side + 1) % sides);
            triangles.extend([[a, a + sides, b + sides], [a, b + sides, b]]);
        }
    }
    Drawable { positions, triangles, colour: Colour::Uniform(colour), ..Drawable::default() }
}

/// A box whose faces share their eight corners.
pub fn cube(half: f64) -> Drawable {
    let positions =
        (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -half } else { half })).collect();
    let quads: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Drawable { positions, triangles, colour: Colour::Uniform([0.8, 0.8, 0.8]), ..Drawable::default() }
}

/// Sum of the channels, 0 to 765.
pub fn brightness(image: &Image, x: u32, y: u32) -> i32 {
    image.pixel(x, y).iter().map(|c| i32::from(*c)).sum()
}
