//! What a session wants built, and what has been.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::scene::Program;

use super::beside::Rival;
use super::files::{Files, Opening};
use super::grip::Grip;
use super::recipe::Recipe;

/// A wish.
pub struct Job {
    /// What to build.
    pub recipe: Recipe,
    /// With these points held.
    pub grips: Vec<Grip>,
    /// True if the result continues from the state of the running program; false if it starts from the beginning.
    pub goes_on: bool,
    /// Its number.
    pub number: u64,
    /// By this method beside.
    pub rival: Option<Rival>,
    /// Files that are to be opened: then the recipe is what they say.
    pub files: Option<Files>,
    /// It is of files, which are given back once it is built.
    pub opened: bool,
}

/// A program and its start, as a checkpoint.
pub type Ready = (Box<Program>, Vec<u8>);

/// What is ready.
pub struct Pair {
    /// The scene.
    pub first: Ready,
    /// The same by the method beside.
    pub beside: Option<Ready>,
    /// A state to begin with, instead of the start.
    pub state: Option<Vec<u8>>,
}

/// A program that is ready, or why there is none.
pub struct Built {
    /// The wish.
    pub job: Job,
    /// What was wished for.
    pub result: Result<Pair, String>,
}

impl Job {
    /// Builds it.
    pub fn done(mut self) -> Built {
        let made = catch_unwind(AssertUnwindSafe(|| self.make()));
        let result = made.unwrap_or_else(|_| Err(BROKEN.into()));
        // The room that they take is for others.
        self.files = None;
        Built { job: self, result }
    }

    fn make(&mut self) -> Result<Pair, String> {
        let mut state = None;
        match self.files.as_ref().map(Files::opening).transpose()? {
            None => {}
            Some(Opening::Scene(recipe, at)) => (self.recipe, state) = (*recipe, at),
            Some(Opening::Checkpoint(_)) => return Err("a checkpoint needs a scene".into()),
        }
        let first = build(&self.recipe, &self.grips)?;
        let beside = match self.rival {
            Some(rival) => {
                let mut other = self.recipe.clone();
                other.file = rival.scene(&other.file);
                Some(build(&other, &self.grips)?)
            }
            None => None,
        };
        Ok(Pair { first, beside, state })
    }
}

const BROKEN: &str = "the scene could not be built: this is a mistake in supple";

/// Builds a program; a panic becomes an error, so that the server stays.
pub fn build(recipe: &Recipe, grips: &[Grip]) -> Result<Ready, String> {
    let built = catch_unwind(AssertUnwindSafe(|| {
        let program = recipe.build(grips)?;
        let start = program.simulation.checkpoint();
        Ok((Box::new(program), start))
    }));
    built.unwrap_or_else(|_| Err(BROKEN.into()))
}
