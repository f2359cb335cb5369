//! What is to be drawn. Lengths are in the scene's own unit, y is up, colours are sRGB from 0 to 1.
use super::camera::Bounds;
use super::legend::Legend;
use super::palette;

/// Everything in one picture.
#[derive(Debug, Clone, Default)]
pub struct Scene3 {
    /// Bodies and obstacles.
    pub meshes: Vec<Drawable>,
    /// Pins, particles.
    pub balls: Vec<Ball>,
    /// Springs, rods, axes.
    pub rods: Vec<Rod>,
    /// Height of the floor, a plane without end that fades into the background. None: no floor.
    pub floor: Option<f64>,
    /// Background, floor and light.
    pub look: Look,
    /// A line of text at the lower left.
    pub caption: Option<String>,
    /// Names written beside points of the scene.
    pub labels: Vec<Label>,
    /// Explains the colours of a scalar field.
    pub legend: Option<Legend>,
}

/// A triangle mesh. Triangles whose indices are out of range or whose corners are not finite are left out.
#[derive(Debug, Clone)]
pub struct Drawable {
    /// Vertices.
    pub positions: Vec<[f64; 3]>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour of the surface.
    pub colour: Colour,
    /// True for cloth and open surfaces; false leaves out what faces away.
    pub two_sided: bool,
    /// A sheet of this thickness: it is drawn rounded between its vertices, and thick where that is more than a pixel.
    pub sheet: Option<f64>,
    /// Which edges of the elements to draw.
    pub wire: Wire,
    /// A pattern of lighter and darker fields.
    pub pattern: Option<Painted>,
    /// One sees through it, and it casts no shadow.
    pub glass: bool,
    /// Faces that meet at more than this angle (radians) keep a sharp edge.
    pub crease: f64,
}

impl Default for Drawable {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            triangles: Vec::new(),
            colour: Colour::Uniform(palette::body(0)),
            two_sided: false,
            sheet: None,
            wire: Wire::Off,
            pattern: None,
            glass: false,
            crease: 0.9,
        }
    }
}

/// A pattern that moves with a mesh.
#[derive(Debug, Clone)]
pub struct Painted {
    /// A place for each vertex, whole numbers apart where fields begin.
    pub places: Vec<[f32; 3]>,
    /// Axis across which stripes lie.
    pub axis: usize,
    /// A checker instead of stripes.
    pub checker: bool,
}

/// Colour of a mesh.
#[derive(Debug, Clone)]
pub enum Colour {
    /// One for all.
    Uniform([f32; 3]),
    /// One per vertex; vertices beyond the end of the list are grey.
    PerVertex(Vec<[f32; 3]>),
}

/// Edges to be drawn on a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    /// None.
    #[default]
    Off,
    /// All edges of all triangles.
    Triangles,
    /// Triangles 2i and 2i + 1 are halves of a quadrilateral: the edge that they share is not drawn.
    Quads,
}

/// A small sphere.
#[derive(Debug, Clone, Copy)]
pub struct Ball {
    /// Centre.
    pub centre: [f64; 3],
    /// Radius.
    pub radius: f64,
    /// Colour.
    pub colour: [f32; 3],
}

/// A thick line.
#[derive(Debug, Clone, Copy)]
pub struct Rod {
    /// One end.
    pub from: [f64; 3],
    /// The other end.
    pub to: [f64; 3],
    /// Radius.
    pub radius: f64,
    /// Colour.
    pub colour: [f32; 3],
}

/// Text beside a point.
#[derive(Debug, Clone)]
pub struct Label {
    /// The point; a label behind the camera is not drawn, one behind a body is.
    pub at: [f64; 3],
    /// The text.
    pub text: String,
}

/// Background, floor and light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Background at the top of the picture.
    pub top: [f32; 3],
    /// Background at the bottom of the picture, and at the horizon.
    pub bottom: [f32; 3],
    /// Floor in full light.
    pub floor: [f32; 3],
    /// Lines on the floor, at round distances.
    pub grid: bool,
    /// Text.
    pub ink: [f32; 3],
    /// Direction towards the key light. None: from above, over the viewer's left shoulder.
    pub key: Option<[f64; 3]>,
    /// Samples per pixel: 1, 4 or 8 (others are rounded up).
    pub samples: u32,
}

impl Look {
    /// A bright studio.
    pub const LIGHT: Self = Self {
        top: [0.80, 0.86, 0.92],
        bottom: [0.955, 0.965, 0.975],
        floor: [0.93, 0.935, 0.94],
        grid: true,
        ink: [0.16, 0.20, 0.26],
        key: None,
        samples: 4,
    };
    /// A dark studio.
    pub const DARK: Self = Self {
        top: [0.055, 0.065, 0.09],
        bottom: [0.17, 0.19, 0.23],
        floor: [0.27, 0.29, 0.33],
        grid: true,
        ink: [0.88, 0.90, 0.93],
        key: None,
        samples: 4,
    };
}

impl Default for Look {
    fn default() -> Self {
        Self::LIGHT
    }
}

impl Scene3 {
    /// Bounds of all bodies, balls and rods, without the floor. Join those of all frames to fit a camera.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for mesh in &self.meshes {
            for position in &mesh.positions {
                bounds.include(*position);
            }
        }
        for ball in &self.balls {
            bounds.include_ball(ball.centre, ball.radius);
        }
        for rod in &self.rods {
            bounds.include_ball(rod.from, rod.radius);
            bounds.include_ball(rod.to, rod.radius);
        }
        bounds
    }
}
