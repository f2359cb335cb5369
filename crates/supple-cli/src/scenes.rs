//! The scenes of the folder `scenes/`, embedded in the program.

/// A built-in scene.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl BuiltIn {
    /// What the comment at its head says, in one line.
    pub fn about(&self) -> String {
        let lines = self.text.lines().map_while(|l| l.strip_prefix("# "));
        lines.collect::<Vec<_>>().join(" ")
    }
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// All of them; the first is the one that is shown without a name.
        pub const ALL: &[BuiltIn] =
            &[$(BuiltIn { name: $name, text: include_str!(concat!(env!("SUPPLE_SCENES"), "/", $name, ".toml")) }),*];
    };
}
scenes!(
    "figure",
    "beams",
    "bowl",
    "chain",
    "curtain",
    "cylinders",
    "drape",
    "flag",
    "hanging",
    "knot",
    "materials",
    "muscle",
    "net",
    "pile",
    "plates",
    "recover",
    "ring",
    "rollers",
    "sail",
    "shapes",
    "skin",
    "stack",
    "stairs",
    "stretched",
    "strip",
    "swing",
    "twist",
    "untwist_low",
    "untwist_medium",
    "untwist_high",
    "wring",
);

/// A scene by name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|s| s.name == name)
}
