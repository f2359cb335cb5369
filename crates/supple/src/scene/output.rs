//! What a run writes, and how bodies look in it.

use super::file::SceneFile;
use super::parse::SceneError;
use super::parse::{did_you_mean, nearest};
use serde::{Deserialize, Serialize};

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Formats: obj, ply, stl, vtu, glb, usda, pc2, npz, png, gif, apng, mp4, html.
    pub export: Vec<String>,
    /// Writes every N-th frame only. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// First frame that is written; frame 0 is the start. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// Last frame that is written. Default: the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// Height of the floor that pictures show, in m; by default a little below everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Direction from which pictures are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<[f64; 3]>,
    /// A camera that stands still, instead of one that is placed so that all is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraTable>,
    /// Name of a body that the camera goes along with, without turning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
    /// Turns the camera around what it looks at, in degrees per second of simulated time. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orbit: Option<f64>,
    /// Width and height of pictures in pixels. Default [960, 540].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[u32; 2]>,
    /// Smoothness of edges in pictures: `draft`, `good` (default) or `best`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CameraTable {
    /// Where it stands, in m.
    pub position: [f64; 3],
    /// What is in the middle of the picture, in m.
    pub target: [f64; 3],
    /// Angle of view from the lower to the upper edge of the picture in degrees. Default 32.
    #[serde(default = "fov")]
    pub fov: f64,
}

fn fov() -> f64 {
    32.0
}

/// How smooth edges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// One sample per pixel.
    Draft,
    /// Four samples per pixel.
    #[default]
    Good,
    /// Eight samples per pixel.
    Best,
}

/// What is drawn on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Its colour.
    #[default]
    Plain,
    /// Stripes across its longest side.
    Stripes,
    /// A checker.
    Checker,
    /// Lines along its longest side, as fibres.
    Fibres,
}

/// How an obstacle is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ObstacleLook {
    /// As a solid.
    #[default]
    Solid,
    /// So that one sees through it.
    Glass,
    /// Not at all.
    Hidden,
}

/// A colour: `"#e0a030"`, or red, green and blue from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a colour like \"#e0a030\", or three numbers from 0 to 1")]
pub enum ColourText {
    /// `#rrggbb`.
    Hex(String),
    /// Red, green and blue, sRGB from 0 to 1.
    Rgb([f32; 3]),
}

impl ColourText {
    /// Red, green and blue, sRGB from 0 to 1; None if it is no colour.
    pub fn rgb(&self) -> Option<[f32; 3]> {
        match self {
            ColourText::Rgb(c) => c.iter().all(|v| (0.0..=1.0).contains(v)).then_some(*c),
            ColourText::Hex(text) => {
                let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
                let n = u32::from_str_radix(digits, 16).ok()?;
                Some([16, 8, 0].map(|shift| (n >> shift & 255) as f32 / 255.0))
            }
        }
    }
}

/// What stands beside a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected true or a text in quotes")]
pub enum LabelText {
    /// Its name, or nothing.
    Name(bool),
    /// This.
    Text(String),
}

/// What is wrong with the outputs and the looks of a scene.
pub(super) fn check(file: &SceneFile) -> Result<(), SceneError> {
    let o = &file.output;
    let at = |key: &str, message: String| Err(SceneError::at(format!("output.{key}"), message));
    let view = o.view.unwrap_or([1.0; 3]);
    let length = view.iter().map(|v| v * v).sum::<f64>();
    if !(length.is_finite() && length > 1e-12) {
        return at("view", format!("{view:?} is no direction"));
    }
    if o.floor.is_some_and(|f| !(f.abs() < 1e12)) {
        return at("floor", "must be a height in m".into());
    }
    if o.every == Some(0) {
        return at("every", "must be at least 1".into());
    }
    if let (Some(start), Some(end)) = (o.start, o.end)
        && end < start
    {
        return at("end", format!("comes before `start`, {start}"));
    }
    if let Some(c) = &o.camera {
        let way: f64 = c.position.iter().zip(&c.target).map(|(a, b)| (a - b).powi(2)).sum();
        if !(way.is_finite() && way > 1e-12) {
            return at("camera", "must stand somewhere else than at what it looks at".into());
        }
        if !(1.0..=150.0).contains(&c.fov) {
            return at("camera.fov", format!("must lie between 1 and 150 degrees, not {}", c.fov));
        }
        if o.view.is_some() {
            return at("view", "and `camera` exclude each other".into());
        }
    }
    if o.orbit.is_some_and(|v| !(v.abs() <= 1e5)) {
        return at("orbit", "must lie within ±1e5 degrees per second".into());
    }
    if let Some([w, h]) = o.size
        && !((16..=16_384).contains(&w) && (16..=16_384).contains(&h))
    {
        return at("size", format!("{w} by {h} pixels: each must be from 16 to 16384"));
    }
    if let Some(name) = &o.follow
        && !file.body.iter().any(|b| b.name == *name)
    {
        let hint = nearest(name, file.body.iter().map(|b| b.name.as_str())).map(did_you_mean);
        return Err(SceneError {
            hint,
            ..SceneError::at("output.follow", format!("there is no body `{name}`"))
        });
    }
    let wrong = |c: &Option<ColourText>| c.as_ref().is_some_and(|c| c.rgb().is_none());
    let message = "must be like \"#e0a030\", or three numbers from 0 to 1";
    if let Some(i) = file.body.iter().position(|b| wrong(&b.colour)) {
        return Err(SceneError::at(format!("body[{i}].colour"), message));
    }
    for (i, body) in file.body.iter().enumerate() {
        if let Some(k) = body.region.iter().position(|r| wrong(&r.colour)) {
            return Err(SceneError::at(format!("body[{i}].region[{k}].colour"), message));
        }
    }
    if let Some(i) = file.obstacle.iter().position(|o| wrong(&o.colour)) {
        return Err(SceneError::at(format!("obstacle[{i}].colour"), message));
    }
    Ok(())
}
