//! The formats by name.
use std::fmt;
use std::str::FromStr;

use miette::Diagnostic;
use thiserror::Error;

/// The formats: each with what it is and the name that a user types.
macro_rules! formats {
    ( $( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+ ) => {
        /// What an animation can be written as.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Format {
            $( $(#[doc = $doc])+ $variant, )+
        }

        impl Format {
            /// All formats.
            pub const ALL: [Self; [$( $name ),+].len()] = [$( Self::$variant ),+];

            /// The name that a user types.
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )+
                }
            }
        }
    };
}

formats! {
    /// Surface and springs, one Wavefront file per frame, exact; nodes in the order of [`Format::Pc2`].
    Obj = "obj",
    /// Surface and springs with colours, one binary file per frame, single precision.
    Ply = "ply",
    /// Surface, one binary file per frame, single precision, triangles without common vertices.
    Stl = "stl",
    /// Elements, velocities and fields for ParaView, one file per frame, exact, and a collection with the times.
    Vtu = "vtu",
    /// Surface as binary glTF, animated by morph targets, single precision.
    Glb = "glb",
    /// Surface and springs as USD text with time samples, single precision.
    Usda = "usda",
    /// All nodes as PointCache2, single precision.
    Pc2 = "pc2",
    /// All nodes, elements and times for numpy, exact.
    Npz = "npz",
    /// Pictures, one per frame.
    Png = "png",
    /// A movie with 255 colours.
    Gif = "gif",
    /// A movie in full colour, for browsers.
    Apng = "apng",
    /// A movie as H.264; needs the program `ffmpeg`.
    Mp4 = "mp4",
    /// The run as one HTML page that plays in a browser, without a server.
    Html = "html",
}

impl Format {
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

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("unknown export format {given:?}{}; the formats are {}", hint(.given), list())]
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
        let distance = |f: &Format| strsim::damerau_levenshtein(f.name(), &lower);
        Format::ALL.into_iter().min_by_key(distance).filter(|f| lower.len() < 40 && distance(f) <= 2)
    };
    match relative.or_else(near) {
        Some(format) => format!(": did you mean {format}?"),
        None => String::new(),
    }
}
