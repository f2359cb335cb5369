//! From a frame to the scene of a picture.
use super::bytes::{points, put_f32, put_point, singles};
use super::exporter::{ColourBy, Floor, Options};
use super::shell::Shell;
use super::{ExportError, Frame, Model};
use crate::picture::{Ball, Bounds, Camera, Colour, Drawable, Legend, Rod, Scene3, palette};

/// Radii of springs and pins, and the gap above the floor, as parts of the diagonal of what is shown.
const ROD: f64 = 0.004;
const PIN: f64 = 0.008;
const GAP: f64 = 0.01;
/// Heights of the floor that look alike, as a part of the same.
const FLOORS: f64 = 0.05;
/// Springs of a body without colour are dark, pins darker.
const PIN_COLOUR: [f32; 3] = [0.20, 0.22, 0.26];

/// How frames are shown: what the camera is fitted to, where the floor is, what colours mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stage {
    pub camera: Camera,
    /// Height of the floor.
    floor: Option<f64>,
    /// Unit of the thickness of springs and pins: the diagonal of what is shown.
    size: f64,
    /// Values at both ends of the colours.
    range: [f64; 2],
}

impl Stage {
    /// True if frames look alike on both, but for the distance: floors as near, the same colours.
    pub fn like(&self, other: &Stage) -> bool {
        let floors = match (self.floor, other.floor) {
            (Some(a), Some(b)) => (a - b).abs() <= FLOORS * self.size,
            (a, b) => a == b,
        };
        floors && self.range == other.range
    }
}

/// Keeps of each frame what a picture of it needs, and makes scenes of that: at once, on a stage that is a guess, or
/// later, when the whole run is known.
pub(super) struct Painter {
    shells: Vec<Shell>,
    /// Vertices of all shells.
    vertices: usize,
    options: Options,
    /// Middle of the first frame: what is kept are single-precision distances to it.
    origin: Option<[f64; 3]>,
    /// All that was seen so far.
    bounds: Bounds,
    /// Least and greatest value of the field so far.
    range: [f64; 2],
}

impl Painter {
    pub fn new(model: &Model, options: &Options) -> Self {
        let shells = Shell::all(model);
        let vertices = shells.iter().map(|s| s.nodes.len()).sum();
        let (bounds, range) = (Bounds::EMPTY, [f64::INFINITY, f64::NEG_INFINITY]);
        Self { shells, vertices, options: options.clone(), origin: None, bounds, range }
    }

    /// What is to be kept of a frame: vertices of the shells, pins, and the field at the vertices.
    pub fn record(&mut self, model: &Model, frame: &Frame<'_>) -> Result<Vec<u8>, ExportError> {
        let mut seen = Vec::with_capacity(self.vertices + model.pins.len());
        for (shell, body) in self.shells.iter().zip(&model.bodies) {
            seen.extend(shell.positions(body, frame));
        }
        seen.extend(model.pins.iter().filter_map(|&pin| frame.positions.get(pin as usize)));
        let mut bounds = Bounds::EMPTY;
        seen.iter().for_each(|&p| bounds.include(p));
        let origin = *self.origin.get_or_insert(bounds.centre());

        let mut record = Vec::with_capacity(seen.len() * 16);
        for p in seen {
            put_point(&mut record, std::array::from_fn(|k| p[k] - origin[k]));
        }
        if let Some(by) = &self.options.colour_by {
            let values = at_nodes(model, frame, by)?;
            for (shell, body) in self.shells.iter().zip(&model.bodies) {
                for &node in &shell.nodes {
                    let value = values[body.first_node + node as usize];
                    self.range = [self.range[0].min(value), self.range[1].max(value)];
                    put_f32(&mut record, [value as f32]);
                }
            }
        }
        self.bounds.join(&bounds);
        Ok(record)
    }

    /// A stage that shows a box; without one, all frames so far.
    pub fn stage(&self, shown: Option<&Bounds>, aspect: f64) -> Stage {
        let seen = shown.unwrap_or(&self.bounds);
        let shown = self.options.bounds.as_ref().unwrap_or(seen);
        let size = shown.diagonal();
        let floor = match self.options.floor {
            Floor::Below if seen.is_empty() => None,
            Floor::Below => Some(seen.low[1] - GAP * size),
            Floor::At(height) => Some(height),
            Floor::Off => None,
        };
        let range = self.options.colour_by.as_ref().and_then(|by| by.range).unwrap_or(self.range);
        Stage { camera: Camera::fit_from(shown, aspect, self.options.from), floor, size, range }
    }

    /// True if a stage shows all frames so far, whole and above the floor.
    pub fn fits(&self, stage: &Stage, aspect: f64) -> bool {
        let below = self.options.floor == Floor::Below && stage.floor.is_some_and(|f| self.bounds.low[1] < f);
        !below && (self.options.bounds.is_some() || stage.camera.sees(&self.bounds, aspect))
    }

    /// All that was seen so far.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The scene of a record.
    pub fn scene(&self, model: &Model, record: &[u8], stage: &Stage) -> Scene3 {
        let origin = self.origin.unwrap_or_default();
        let (places, values) = record.split_at((12 * (self.vertices + model.pins.len())).min(record.len()));
        let places: Vec<[f64; 3]> =
            points(places).map(|p| std::array::from_fn(|k| origin[k] + f64::from(p[k]))).collect();
        let values: Vec<f64> = singles(values).map(f64::from).collect();
        let Stage { floor, size, range: [low, high], .. } = *stage;
        let mut scene = Scene3 {
            floor,
            look: self.options.look,
            caption: self.options.caption.clone(),
            ..Scene3::default()
        };
        let by = self.options.colour_by.as_ref();
        if let Some(by) = by.filter(|_| low <= high) {
            scene.legend = Some(Legend { title: by.title.clone(), low, high });
        }
        for (shell, body) in self.shells.iter().zip(&model.bodies) {
            let part = shell.first..shell.first + shell.nodes.len();
            let positions = places.get(part.clone()).unwrap_or_default();
            for edge in &shell.edges {
                let [from, to] = edge.map(|v| positions.get(v as usize).copied().unwrap_or_default());
                scene.rods.push(Rod { from, to, radius: ROD * size, colour: body.colour });
            }
            let colour = match values.get(part) {
                Some(values) if !body.tets.is_empty() => {
                    Colour::PerVertex(palette::scalars(values, low, high))
                }
                _ => Colour::Uniform(body.colour),
            };
            if !shell.triangles.is_empty() {
                scene.meshes.push(Drawable {
                    positions: positions.to_vec(),
                    triangles: shell.triangles.clone(),
                    colour,
                    two_sided: body.two_sided(),
                    ..Drawable::default()
                });
            }
        }
        let pins = places.get(self.vertices..).unwrap_or_default();
        scene.balls.extend(pins.iter().map(|&centre| Ball {
            centre,
            radius: PIN * size,
            colour: PIN_COLOUR,
        }));
        scene
    }
}

/// The field at each node: the mean over the tetrahedra and triangles of sheets around it, not a number where there are none.
fn at_nodes(model: &Model, frame: &Frame<'_>, by: &ColourBy) -> Result<Vec<f64>, ExportError> {
    let Some((_, values)) = frame.element_fields.iter().find(|(name, _)| *name == by.field) else {
        let names: Vec<&str> = frame.element_fields.iter().map(|f| f.0).collect();
        let reason = format!("there is no field {:?} to colour by, only {}", by.field, names.join(", "));
        return Err(ExportError::Frame { frame: frame.index, reason });
    };
    let mut sums = vec![(0.0, 0_u32); frame.positions.len()];
    let elements = model.tet_nodes().chain(model.sheet_triangles().map(|t| t.to_vec()));
    for (element, &value) in elements.zip(values) {
        if value.is_finite() {
            for node in element {
                let (sum, count) = &mut sums[node as usize];
                *sum += value;
                *count += 1;
            }
        }
    }
    Ok(sums.into_iter().map(|(sum, count)| sum / f64::from(count)).collect())
}
