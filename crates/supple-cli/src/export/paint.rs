//! From a frame to the scene of a picture.
use super::bytes::{points, put_f32, put_point, singles};
use super::exporter::{ColourBy, Floor, Options};
use super::shell::Shell;
use super::{ExportError, Frame, Model};
use crate::picture::{Ball, Bounds, Camera, Colour, Drawable, Legend, Rod, Scene3, palette};

/// Radii of springs and pins, and the gap above the floor, as parts of the box's diagonal.
const ROD: f64 = 0.004;
const PIN: f64 = 0.008;
const GAP: f64 = 0.01;
/// Springs of a body without colour are dark, pins darker.
const PIN_COLOUR: [f32; 3] = [0.20, 0.22, 0.26];

/// Keeps of each frame what a picture of it needs, and draws it later, when the whole run is known.
pub(super) struct Painter {
    shells: Vec<Shell>,
    /// Vertices of all shells.
    vertices: usize,
    options: Options,
    /// Middle of the first frame: what is kept are single-precision distances to it.
    origin: Option<[f64; 3]>,
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

    /// The camera for all frames.
    pub fn camera(&self, width: u32, height: u32) -> Camera {
        Camera::fit_from(&self.shown(), f64::from(width) / f64::from(height), self.options.from)
    }

    /// The scene of a record.
    pub fn scene(&self, model: &Model, record: &[u8]) -> Scene3 {
        let origin = self.origin.unwrap_or_default();
        let (places, values) = record.split_at((12 * (self.vertices + model.pins.len())).min(record.len()));
        let places: Vec<[f64; 3]> =
            points(places).map(|p| std::array::from_fn(|k| origin[k] + f64::from(p[k]))).collect();
        let values: Vec<f64> = singles(values).map(f64::from).collect();
        let shown = self.shown();
        let size = diagonal(&shown);
        let mut scene = Scene3 {
            floor: match self.options.floor {
                Floor::Below if self.bounds.is_empty() => None,
                Floor::Below => Some(self.bounds.low[1] - GAP * size),
                Floor::At(height) => Some(height),
                Floor::Off => None,
            },
            look: self.options.look,
            caption: self.options.caption.clone(),
            ..Scene3::default()
        };
        let by = self.options.colour_by.as_ref();
        let [low, high] = by.and_then(|by| by.range).unwrap_or(self.range);
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

    fn shown(&self) -> Bounds {
        self.options.bounds.unwrap_or(self.bounds)
    }
}

/// The field at each node: the mean over the tetrahedra around it, not a number where there are none.
fn at_nodes(model: &Model, frame: &Frame<'_>, by: &ColourBy) -> Result<Vec<f64>, ExportError> {
    let Some((_, values)) = frame.element_fields.iter().find(|(name, _)| *name == by.field) else {
        let names: Vec<&str> = frame.element_fields.iter().map(|f| f.0).collect();
        let reason = format!("there is no field {:?} to colour by, only {}", by.field, names.join(", "));
        return Err(ExportError::Frame { frame: frame.index, reason });
    };
    let mut sums = vec![(0.0, 0_u32); frame.positions.len()];
    let tets = model.bodies.iter().flat_map(|b| b.tets.iter().map(|&t| b.global(t)));
    for (tet, &value) in tets.zip(values) {
        if value.is_finite() {
            for node in tet {
                let (sum, count) = &mut sums[node as usize];
                *sum += value;
                *count += 1;
            }
        }
    }
    Ok(sums.into_iter().map(|(sum, count)| sum / f64::from(count)).collect())
}

fn diagonal(bounds: &Bounds) -> f64 {
    if bounds.is_empty() {
        return 1.0;
    }
    let d: f64 = (0..3).map(|k| (bounds.high[k] - bounds.low[k]).powi(2)).sum::<f64>().sqrt();
    if d > 0.0 && d.is_finite() { d } else { 1.0 }
}
