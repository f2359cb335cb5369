//! Which hard constraints are off, and by how much.

use super::Simulation;
use serde::Serialize;

/// A hard constraint that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// Name of its body.
    pub body: String,
    /// What it is: `rod or rope`, `strain limit`.
    pub kind: &'static str,
    /// Number of the spring, triangle or tetrahedron within the body.
    pub element: usize,
    /// How far it is off: in m for rods and ropes, without unit for strain limits.
    pub off: f64,
}

impl Simulation {
    /// The hard constraints that are off in the present state, at most so many, the worst first.
    pub fn violations(&self, most: usize) -> Vec<Violation> {
        let mut all = Vec::new();
        for b in self.terms.batches() {
            if let Some(hard) = b.hard() {
                hard.violations(&self.state.x, &mut |origin, off| all.push((origin, b.name(), off)));
            }
        }
        all.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        all.truncate(most);
        let name = |body: u32| self.bodies.get(body as usize).map_or_else(String::new, |b| b.name.clone());
        all.into_iter()
            .map(|((body, element), kind, off)| Violation {
                body: name(body),
                kind,
                element: element as usize,
                off,
            })
            .collect()
    }
}
