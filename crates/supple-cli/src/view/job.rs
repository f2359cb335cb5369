//! What a session wants built, and what has been.
use std::panic::{AssertUnwindSafe, catch_unwind};

use supple::scene::Program;

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
}

/// A program that is ready, or why there is none.
pub struct Built {
    /// The wish.
    pub job: Job,
    /// The program and its start, as a checkpoint.
    pub result: Result<(Box<Program>, Vec<u8>), String>,
}

impl Job {
    /// Builds it.
    pub fn done(self) -> Built {
        let result = build(&self.recipe, &self.grips);
        Built { job: self, result }
    }
}

/// Builds a program; a panic becomes an error, so that the server stays.
pub fn build(recipe: &Recipe, grips: &[Grip]) -> Result<(Box<Program>, Vec<u8>), String> {
    let built = catch_unwind(AssertUnwindSafe(|| {
        let program = recipe.build(grips)?;
        let start = program.simulation.checkpoint();
        Ok((Box::new(program), start))
    }));
    built.unwrap_or_else(|_| Err("the scene could not be built: this is a mistake in supple".into()))
}
