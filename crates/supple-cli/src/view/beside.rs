//! A second method on the same scene, frame by frame beside the first: both start from the same state, get the same values and pulls, and have the
//! same time.
use serde::Deserialize;
use supple::scene::Program;
use supple::scene::file::SceneFile;
use supple::{Method, SolveSettings};

use super::grip::Grip;
use super::stream::Numbers;

/// By what the scene is solved beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rival {
    /// ADMM as the paper has it: not accelerated, from u = 0, its weights.
    AdmmPublished,
    /// The method of that name, with the scene's other settings.
    #[serde(untagged)]
    Method(Method),
}

impl Rival {
    /// The word by which it is asked for.
    pub fn word(self) -> String {
        match self {
            Rival::AdmmPublished => "admm_published".into(),
            Rival::Method(method) => method.to_string(),
        }
    }

    /// The same scene by this method.
    pub fn scene(self, file: &SceneFile) -> SceneFile {
        let mut file = file.clone();
        match self {
            Rival::Method(method) => file.solve.method = method,
            Rival::AdmmPublished => {
                let p = SolveSettings::published();
                file.solve.method = p.method;
                file.solve.weight_rule = p.weight_rule;
                file.solve.weight_scale = p.weight_scale;
                file.solve.start = p.start;
                (file.solve.dual_start, file.solve.acceleration) = (p.dual_start, p.acceleration);
                file.solve.projections = p.projections;
            }
        }
        file
    }
}

/// The scene by the second method.
pub struct Beside {
    /// Which.
    pub rival: Rival,
    /// The scene.
    pub program: Box<Program>,
    /// The state at its start, as a checkpoint.
    pub start: Vec<u8>,
    /// What its last frame came to.
    pub last: Numbers,
    /// What is held here, the same points as on the first side.
    pub grips: Vec<Grip>,
}
