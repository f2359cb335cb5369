//! The formats by name.
use std::fmt;
use std::str::FromStr;

use miette::Diagnostic;
use thiserror::Error;

/// What an animation can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Surface and springs, one Wavefront file per frame, exact; nodes in the order of [`Format::Pc2`].
    Obj,
    /// Surface and springs with colours, one binary file per frame, single precision.
    Ply,
    /// Surface, one binary file per frame, single precision, triangles without common vertices.
    Stl,
    /// Elements, velocities and fields for ParaView, one file per frame, exact, and a collection with the times.
    Vtu,
    /// Surface as binary glTF, animated by morph targets, single precision.
    Glb,
    /// Surface and springs as USD text with time samples, single precision.
    Usda,
    /// All nodes as PointCache2, single precision.
    Pc2,
    /// All nodes, elements and times for numpy, exact.
    Npz,
    /// Pictures, one per frame.
    Png,
    /// A movie with 255 colours.
    Gif,
    /// A movie in full colour, for browsers.
    Apng,
    /// A movie as H.264; needs the program `ffmpeg`.
    Mp4,
    /// The run as one HTML page that plays in a browser, without a server.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 13] = [
        Self::Obj,
        Self::Ply,
        Self::Stl,
        Self::Vtu,
        Self::Glb,
        Self::Usda,
        Self::Pc2,
        Self::Npz,
        Self::Png,
        Self::Gif,
        Self::Apng,
        Self::Mp4,
        Self::Html,
    ];

    /// The name that a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Stl => "stl",
            Self::Vtu => "vtu",
            Self::Glb => "glb",
            Self::Usda => "usda",
            Self::Pc2 => "pc2",
            Self::Npz => "npz",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
            Self::Html => "html",
        }
    }

    /// True for pictures and movies.
    pub fn is_picture(self) -> bool {
        matches!(self, Self::Png | Self::Gif | Self::Apng | Self::Mp4)
    }

    /// True if people look at it: pictures and pages.
    pub fn is_looked_at(self) -> bool {
        self.is_picture() || self == Self::Html
    }

    /// True if obstacles are in it too.
    pub fn has_obstacles(self) -> bool {
        self.is_looked_at() || self == Self::Glb
    }

    /// True if positions are rounded to single precision, whose range is smaller.
    pub(super) fn is_single(self) -> bool {
        !matches!(self, Self::Obj | Self::Vtu | Self::Npz)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of the formats'.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("{given:?} is no export format{}; there are {}", hint(.given), list())]
pub struct UnknownFormat {
    /// What was given.
    pub given: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let lower = text.trim().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|f| f.name() == lower);
        found.ok_or_else(|| UnknownFormat { given: text.to_owned() })
    }
}

fn list() -> String {
    Format::ALL.map(Format::name).join(", ")
}

/// `: did you mean …?`, or nothing if no name is near.
fn hint(given: &str) -> String {
    let lower = given.trim().trim_start_matches('.').to_ascii_lowercase();
    // Relatives of the formats that are further away than a slip of the finger.
    let relative = match lower.as_str() {
        "gltf" | "gltf2" => Some(Format::Glb),
        "usd" | "usdc" | "usdz" => Some(Format::Usda),
        "vtk" | "pvd" | "paraview" => Some(Format::Vtu),
        "npy" | "numpy" => Some(Format::Npz),
        "mdd" | "abc" => Some(Format::Pc2),
        "htm" | "page" | "report" => Some(Format::Html),
        "movie" | "video" | "mov" | "h264" => Some(Format::Mp4),
        _ => None,
    };
    let near = || {
        let distance = |f: &Format| edits(f.name(), &lower);
        // Of names as near as each other, the one with the same letters.
        let sorted = |word: &str| {
            let mut letters: Vec<char> = word.chars().collect();
            letters.sort_unstable();
            letters
        };
        let key = |f: &Format| (distance(f), sorted(f.name()) != sorted(&lower));
        Format::ALL.into_iter().min_by_key(key).filter(|f| lower.len() < 40 && distance(f) <= 2)
    };
    match relative.or_else(near) {
        Some(format) => format!(": did you mean {format}?"),
        None => String::new(),
    }
}

/// Letters to insert, delete or replace to come from one word to the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = corner + usize::from(a != *b);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
