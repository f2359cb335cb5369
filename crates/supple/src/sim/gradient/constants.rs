//! From derivatives with respect to numbers of elements and masses of nodes to those of constants of bodies, by the chain rule: how the numbers
//! follow from a constant is found by building the lists of elements with it changed a little both ways.

use super::super::{Parts, Simulation};
use super::{Gradient, GradientError};
use crate::error::BuildError;
use crate::term::{TermBatch, VOLUME};

/// A constant of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name: `young`, `density` …
    pub name: String,
    /// One value, or one for each element; not a number for elements that have none.
    pub values: Vec<f64>,
}

/// Bodies with a constant changed.
pub struct Varied {
    /// All lists of elements.
    pub parts: Parts,
    /// By how much each value was changed.
    pub steps: Vec<f64>,
    /// Elements of this name have their energy times so much, which no number tells.
    pub scaled: Option<(&'static str, f64)>,
}

/// What knows constants by name.
pub trait Recipe: Send + Sync {
    /// Those of a body.
    fn constants(&self, body: usize) -> Vec<Constant>;
    /// The bodies with a constant of one of them changed by so many steps of a difference.
    fn varied(&self, body: usize, constant: &Constant, sign: f64) -> Result<Varied, BuildError>;
}

/// dL/dθ of a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ByConstant {
    /// Its name.
    pub name: String,
    /// For a change of all elements alike.
    pub total: f64,
    /// For a change in each element alone, by its number; empty for constants of the body as a whole.
    pub elements: Vec<f64>,
}

/// A batch with volume and numbers of each of its elements.
type Numbered = (Box<dyn TermBatch>, Vec<Vec<f64>>);

/// Volume and numbers of every element by batch, damping of nodes, masses.
struct Numbers {
    batches: Vec<Numbered>,
    drags: Vec<f64>,
    masses: Vec<f64>,
}

impl Simulation {
    fn numbers_of(&self, varied: Varied) -> Numbers {
        let parts = varied.parts;
        let (rule, scale) = self.settings.solve.weights(false);
        let built = parts.sources.iter().map(|s| s.build(&self.place, rule, scale));
        let batches = built.map(|b| {
            let mut all: Vec<Vec<f64>> = (0..b.len()).map(|e| b.volume_and_numbers(e)).collect();
            if let Some((_, by)) = varied.scaled.filter(|s| s.0 == b.name()) {
                all.iter_mut().for_each(|n| n[VOLUME] *= by);
            }
            (b, all)
        });
        Numbers {
            batches: batches.collect(),
            drags: parts.air.drags.iter().map(|d| d.1).collect(),
            masses: parts.masses,
        }
    }

    /// Constants of a body: names and values.
    pub fn constants(&self, body: usize) -> Vec<Constant> {
        self.recipe.as_ref().map(|r| r.constants(body)).unwrap_or_default()
    }

    /// Derivatives with respect to the constants of a body.
    pub fn by_constant(&self, gradient: &Gradient, body: usize) -> Result<Vec<ByConstant>, GradientError> {
        if body >= self.bodies.len() {
            return Err(BuildError::NoBody(body).into());
        }
        let Some(recipe) = &self.recipe else {
            return Err(GradientError::Record("the simulation was not built from a scene".into()));
        };
        let mut out = Vec::new();
        for constant in recipe.constants(body) {
            let plus = recipe.varied(body, &constant, 1.0)?;
            let steps = plus.steps.clone();
            let plus = self.numbers_of(plus);
            let minus = self.numbers_of(recipe.varied(body, &constant, -1.0)?);
            let same = plus.batches.len() == gradient.numbers.len()
                && plus.masses.len() == self.place.len()
                && plus.batches.iter().zip(&minus.batches).zip(self.terms.batches()).all(|((a, b), c)| {
                    a.1.len() == b.1.len() && a.1.len() == c.len() && a.0.name() == c.name()
                });
            if !same {
                return Err(GradientError::Record("its elements are not those of the scene".into()));
            }
            let mut elements = vec![0.0; if steps.len() > 1 { steps.len() } else { 0 }];
            let mut total = 0.0;
            let mut add = |element: u32, by: f64| {
                total += by;
                if let Some(e) = elements.get_mut(element as usize) {
                    *e += by;
                }
            };
            for (number, ((b, p), (_, m))) in plus.batches.iter().zip(&minus.batches).enumerate() {
                let raw = gradient.numbers[number].chunks_exact(b.numbers());
                for (e, ((p, m), raw)) in p.iter().zip(m).zip(raw).enumerate() {
                    let Some((of, element)) = b.origin(e).filter(|o| o.0 as usize == body) else { continue };
                    debug_assert_eq!(of as usize, body);
                    let step = steps.get(element as usize).or(steps.last()).copied().unwrap_or(f64::NAN);
                    let by: f64 = raw.iter().zip(p.iter().zip(m)).map(|(r, (p, m))| r * (p - m)).sum();
                    if by != 0.0 {
                        add(element, by / (2.0 * step));
                    }
                }
            }
            // Damping of nodes is put into their terms before each step.
            if let Some(raw) = gradient.numbers.get(self.air.batch).filter(|_| !self.air.is_empty()) {
                let count = self.terms.batches()[self.air.batch].numbers();
                for (e, (p, m)) in plus.drags.iter().zip(&minus.drags).enumerate() {
                    let sum: f64 = raw[e * count + 1..e * count + 4].iter().sum();
                    if p != m {
                        add(u32::MAX, sum * (p - m) / (2.0 * steps[0]));
                    }
                }
            }
            for (bar, (p, m)) in gradient.masses.iter().zip(plus.masses.iter().zip(&minus.masses)) {
                if p != m {
                    add(u32::MAX, bar * (p - m) / (2.0 * steps[0]));
                }
            }
            out.push(ByConstant { name: constant.name, total, elements });
        }
        Ok(out)
    }
}
