//! From a frame to the scene of a picture.
use super::bytes::{points, put_f32, put_point, singles};
use super::exporter::{ColourBy, Floor, Options};
use super::shell::Shell;
use supple::scene::file::Select;

use super::{ExportError, Frame, Model, Pattern};
use crate::picture::{Ball, Bounds, Camera, Colour, Drawable, Label, Legend, Painted, Rod, Scene3, palette};

/// Radii of springs and pins, and the gap above the floor, as parts of the diagonal of what is shown.
const ROD: f64 = 0.004;
const PIN: f64 = 0.008;
/// Faces that meet at more than this angle (radians) keep a sharp edge; those of sheets, whose folds come and go, at more than that.
const CREASE: f64 = 0.9;
const FOLD: f64 = 1.4;
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
    /// Height of the lowest point so far.
    lowest: f64,
    /// Middle of the body that is followed, in the first frame.
    followed: Option<[f64; 3]>,
    /// Vertices in the first frame, where patterns are drawn.
    rest: Vec<[f64; 3]>,
}

/// Bytes of a record before its places: the time and how far the body that is followed has gone.
const HEAD: usize = 16;
/// Share of its size that is shown around a body that is followed.
const AROUND: f64 = 0.4;
/// Fields of a pattern along the longest side of a body.
const FIELDS: f64 = 9.0;
/// Light and dark lines around a body with fibres, an even number.
const FIBRES: f64 = 28.0;

impl Painter {
    pub fn new(model: &Model, options: &Options) -> Self {
        let shells = Shell::all(model);
        let vertices = shells.iter().map(|s| s.nodes.len()).sum();
        let (bounds, range) = (Bounds::EMPTY, [f64::INFINITY, f64::NEG_INFINITY]);
        Self {
            shells,
            vertices,
            options: options.clone(),
            origin: None,
            bounds,
            range,
            lowest: f64::INFINITY,
            followed: None,
            rest: Vec::new(),
        }
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
        if self.rest.is_empty() {
            self.rest = seen[..self.vertices].to_vec();
        }
        let gone = self.gone(&seen);
        let shown = self.shown(&seen, gone);

        let mut record = Vec::with_capacity(HEAD + seen.len() * 16);
        put_f32(&mut record, [frame.time as f32]);
        put_point(&mut record, gone);
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
        self.bounds.join(&shown);
        self.lowest = self.lowest.min(shown.low[1] + gone[1]);
        Ok(record)
    }

    /// Vertices of the body that is followed.
    fn followed(&self) -> Option<std::ops::Range<usize>> {
        let shell = self.shells.get(self.options.follow?)?;
        Some(shell.first..shell.first + shell.nodes.len()).filter(|part| !part.is_empty())
    }

    /// How far the body that is followed has gone since the first frame.
    fn gone(&mut self, seen: &[[f64; 3]]) -> [f64; 3] {
        let Some(points) = self.followed().and_then(|part| seen.get(part)) else { return [0.0; 3] };
        let n = points.len() as f64;
        let middle = std::array::from_fn(|k| points.iter().map(|p| p[k] / n).sum::<f64>());
        let first = *self.followed.get_or_insert(middle);
        std::array::from_fn(|k| middle[k] - first[k])
    }

    /// What of a frame the camera must show, as seen by one that has gone along.
    fn shown(&self, seen: &[[f64; 3]], gone: [f64; 3]) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        if let Some(points) = self.followed().and_then(|part| seen.get(part)) {
            points.iter().for_each(|p| bounds.include(std::array::from_fn(|k| p[k] - gone[k])));
            let room = AROUND * bounds.diagonal();
            (bounds.low, bounds.high) = (bounds.low.map(|c| c - room), bounds.high.map(|c| c + room));
            return bounds;
        }
        let within = |p: &[f64; 3], b: &Bounds| (0..3).all(|k| b.low[k] <= p[k] && p[k] <= b.high[k]);
        let counts = |p: &&[f64; 3]| self.options.limit.as_ref().is_none_or(|b| within(p, b));
        seen.iter().filter(counts).for_each(|&p| bounds.include(p));
        bounds
    }

    /// Where the camera is in the frame of a record.
    pub fn camera(&self, record: &[u8], stage: &Stage) -> Camera {
        let mut head = singles(record.get(..HEAD).unwrap_or_default()).map(f64::from);
        let time = head.next().unwrap_or(0.0);
        let gone: Vec<f64> = head.collect();
        let camera = stage.camera.turned(self.options.orbit * time);
        let moved = |p: [f64; 3]| std::array::from_fn(|k| p[k] + gone.get(k).copied().unwrap_or(0.0));
        Camera { eye: moved(camera.eye), target: moved(camera.target), ..camera }
    }

    /// A stage that shows a box; without one, all frames so far.
    pub fn stage(&self, shown: Option<&Bounds>, aspect: f64) -> Stage {
        let seen = shown.unwrap_or(&self.bounds);
        let shown = self.options.bounds.as_ref().unwrap_or(seen);
        let size = shown.diagonal();
        let lowest = if self.followed.is_some() { self.lowest } else { seen.low[1] };
        let floor = match self.options.floor {
            Floor::Below if seen.is_empty() => None,
            Floor::Below => Some(lowest - GAP * size),
            Floor::At(height) => Some(height),
            Floor::Off => None,
        };
        let range = self.options.colour_by.as_ref().and_then(|by| by.range).unwrap_or(self.range);
        // A camera that goes around needs room on all sides.
        let mut around = *shown;
        if self.options.orbit != 0.0 && !shown.is_empty() {
            let [x, _, z] = shown.centre();
            let r = 0.5 * (shown.high[0] - shown.low[0]).hypot(shown.high[2] - shown.low[2]);
            around.include([x - r, shown.low[1], z - r]);
            around.include([x + r, shown.low[1], z + r]);
        }
        let fitted = || Camera::fit_from(&around, aspect, self.options.from);
        let camera = self.options.camera.unwrap_or_else(fitted);
        // Of a camera that stands still: what it sees at the distance that it looks at.
        let size = if self.options.camera.is_some() { camera.distance() * camera.fov } else { size };
        Stage { camera, floor, size, range }
    }

    /// True if a stage shows all frames so far, whole and above the floor.
    pub fn fits(&self, stage: &Stage, aspect: f64) -> bool {
        let below = self.options.floor == Floor::Below && stage.floor.is_some_and(|f| self.lowest < f);
        let given = self.options.bounds.is_some() || self.options.camera.is_some();
        !below && (given || stage.camera.sees(&self.bounds, aspect))
    }

    /// All that was seen so far.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The scene of a record.
    pub fn scene(&self, model: &Model, record: &[u8], stage: &Stage) -> Scene3 {
        let origin = self.origin.unwrap_or_default();
        let record = record.get(HEAD..).unwrap_or_default();
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
                _ if !body.parts.is_empty() => {
                    let rest = self.rest.get(part_of(shell)).unwrap_or_default();
                    Colour::PerVertex(
                        rest.iter().map(|&p| inside(&body.parts, p).unwrap_or(body.colour)).collect(),
                    )
                }
                _ => Colour::Uniform(body.colour),
            };
            if !shell.triangles.is_empty() {
                scene.meshes.push(Drawable {
                    pattern: self.pattern(body.pattern, part_of(shell), &body.parts),
                    glass: body.glass,
                    positions: positions.to_vec(),
                    triangles: shell.triangles.clone(),
                    colour,
                    two_sided: body.two_sided(),
                    sheet: body.sheet,
                    crease: if body.sheet.is_some() { FOLD } else { CREASE },
                    ..Drawable::default()
                });
            }
        }
        scene.labels = self.labels(model, &places);
        let pins = places.get(self.vertices..).unwrap_or_default();
        scene.balls.extend(pins.iter().map(|&centre| Ball {
            centre,
            radius: PIN * size,
            colour: PIN_COLOUR,
        }));
        scene
    }
}

/// The vertices of a shell among those of all.
fn part_of(shell: &Shell) -> std::ops::Range<usize> {
    shell.first..shell.first + shell.nodes.len()
}

/// The colour of the last part that a point lies in.
fn inside(parts: &[(Select, [f32; 3])], p: [f64; 3]) -> Option<[f32; 3]> {
    let holds = |s: &Select| {
        let boxed = s.in_box.as_ref().is_some_and(|b| (0..3).all(|k| (b.min[k]..=b.max[k]).contains(&p[k])));
        let far = |c: [f64; 3]| (0..3).map(|k| (p[k] - c[k]).powi(2)).sum::<f64>();
        boxed || s.sphere.as_ref().is_some_and(|b| far(b.centre) <= b.radius * b.radius)
    };
    parts.iter().rev().find(|(select, _)| holds(select)).map(|(_, colour)| *colour)
}

/// Lines along a body: stripes by the angle around it, and none on its parts.
fn fibres(rest: &[[f64; 3]], bounds: &Bounds, along: usize, parts: &[(Select, [f32; 3])]) -> Painted {
    let middle = bounds.centre();
    let [u, v] = [(along + 1) % 3, (along + 2) % 3];
    let place = |p: &[f64; 3]| {
        let (a, b) = (p[u] - middle[u], p[v] - middle[v]);
        // The seam, where lines lie close together, is where few look from.
        let turn = (a - b).atan2(a + b) / std::f64::consts::TAU;
        let mut place = [0.5; 3];
        place[along] = if inside(parts, *p).is_some() { 0.25 } else { (turn * FIBRES + 0.25) as f32 };
        place
    };
    Painted { places: rest.iter().map(place).collect(), axis: along, checker: false }
}

impl Painter {
    /// A pattern, by places in the first frame in fields of it.
    fn pattern(
        &self,
        pattern: Pattern,
        part: std::ops::Range<usize>,
        parts: &[(Select, [f32; 3])],
    ) -> Option<Painted> {
        let rest = self.rest.get(part)?;
        let mut bounds = Bounds::EMPTY;
        rest.iter().for_each(|&p| bounds.include(p));
        let sides: [f64; 3] = std::array::from_fn(|k| bounds.high[k] - bounds.low[k]);
        let longest = (0..3).max_by(|&a, &b| sides[a].total_cmp(&sides[b])).unwrap_or(0);
        let checker = match pattern {
            Pattern::Plain => return None,
            Pattern::Stripes => false,
            Pattern::Checker => true,
            Pattern::Fibres => return Some(fibres(rest, &bounds, longest, parts)),
        };
        let field = FIELDS / sides[longest].max(1e-12);
        // Off whole numbers, where flat sides mostly are.
        let places =
            rest.iter().map(|p| std::array::from_fn(|k| ((p[k] - bounds.low[k]) * field + 0.25) as f32));
        Some(Painted { places: places.collect(), axis: longest, checker })
    }

    /// Names above the bodies that have one.
    fn labels(&self, model: &Model, places: &[[f64; 3]]) -> Vec<Label> {
        let mut labels = Vec::new();
        for (shell, body) in self.shells.iter().zip(&model.bodies) {
            if let (Some(text), Some(points)) = (&body.label, places.get(part_of(shell))) {
                let mut bounds = Bounds::EMPTY;
                points.iter().for_each(|&p| bounds.include(p));
                if !bounds.is_empty() {
                    let [x, _, z] = bounds.centre();
                    labels.push(Label { at: [x, bounds.high[1], z], text: text.clone() });
                }
            }
        }
        labels
    }
}

/// The field at each node: the mean over the tetrahedra and triangles of sheets around it, NaN where there are none.
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
