//! Pictures of triangle meshes by software: no GPU, no fonts of the system, the same bytes on any number of threads.
//!
//! ```
//! use supple_cli::picture::{Camera, Drawable, Image, Scene3, render};
//! let body = Drawable {
//!     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!     triangles: vec![[0, 1, 2]],
//!     ..Drawable::default()
//! };
//! let scene = Scene3 { meshes: vec![body], floor: Some(0.0), ..Scene3::default() };
//! let camera = Camera::fit(&scene.bounds(), 16.0 / 9.0);
//! let mut image = Image::default();
//! render(&scene, &camera, 320, 180, &mut image);
//! assert_eq!(image.bytes().len(), 320 * 180 * 3);
//! ```
//!
//! In the order in which [`render()`] uses them:
//!
//! | file | holds |
//! |---|---|
//! | `scene` | what is to be drawn |
//! | `camera` | from where; fitting a camera to a box |
//! | `soup` | all triangles of the scene, in single precision around the camera's target |
//! | `sheet` | sheets, rounded and with their thickness |
//! | `normals`, `shapes` | normals with creases; balls and rods as triangles |
//! | `depth_map` | the scene as a far light sees it |
//! | `shadow`, `sky` | soft shadow of the key light; how much sky each corner and the floor see |
//! | `screen` | culling, clipping, projection, sorting into bands |
//! | `band` | which triangle each sample of a band sees |
//! | `floor`, `shade` | colour of the floor; colour of a surface |
//! | `render` | the stages, one after another |
//! | `overlay`, `legend`, `text`, `glyphs` | caption, labels, the bar of a scalar field; letters |
//! | `image`, `palette`, `vec3` | the result; colours; small vectors |
//!
//! To add a kind of thing: give it a list in [`Scene3`] and turn it into triangles in `soup`; all else follows.
mod band;
mod camera;
mod depth_map;
mod floor;
mod glyphs;
mod image;
mod legend;
mod normals;
mod overlay;
pub mod palette;
mod render;
mod scene;
mod screen;
mod shade;
mod shadow;
mod shapes;
mod sheet;
mod sky;
mod soup;
mod text;
mod vec3;

pub use camera::{Bounds, Camera};
pub use image::{Image, MAX_SIDE};
pub use legend::Legend;
pub use render::render;
pub use scene::{Ball, Colour, Drawable, Label, Look, Painted, Rod, Scene3, Wire};
pub use text::{draw_text, text_width};
