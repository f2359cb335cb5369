//! Muscles: fibres whose rest length is driven from outside, step by step.

use super::Simulation;
use crate::error::BuildError;
use crate::term::FibreRef;

impl Simulation {
    /// Contracts the fibres of a body by c, from 0 to 0.95, from the next step on: their rest length is 1 − c times what it was.
    /// Nothing is factored.
    pub fn contract(&mut self, body: usize, contraction: f64) -> Result<(), BuildError> {
        self.contract_some(body, contraction, None)
    }

    /// Contracts the fibres of some elements of a body, which must have some.
    pub fn contract_elements(
        &mut self,
        body: usize,
        elements: &[u32],
        contraction: f64,
    ) -> Result<(), BuildError> {
        self.contract_some(body, contraction, Some(elements))
    }

    fn contract_some(
        &mut self,
        body: usize,
        contraction: f64,
        elements: Option<&[u32]>,
    ) -> Result<(), BuildError> {
        let name = self.bodies.get(body).ok_or(BuildError::NoBody(body))?.name.clone();
        let wrong = |reason: String| BuildError::Body { body: name.clone(), reason };
        FibreRef::check(contraction).map_err(|e| wrong(e.reason))?;
        // Element, and number among all fibres.
        let mut mine: Vec<(u32, usize)> = Vec::new();
        for (k, (b, element)) in self.fibres.origins(&self.terms).into_iter().enumerate() {
            if b as usize == body {
                mine.push((element, k));
            }
        }
        if mine.is_empty() {
            return Err(wrong("has no fibres".into()));
        }
        mine.sort_unstable();
        let mut which = Vec::new();
        for &element in elements.unwrap_or_default() {
            // One of order 2 has several.
            let from = mine.partition_point(|m| m.0 < element);
            let fibres = mine[from..].iter().take_while(|m| m.0 == element).map(|m| m.1);
            let before = which.len();
            which.extend(fibres);
            if which.len() == before {
                let reason = "has no fibres".into();
                return Err(BuildError::Element { body: name, element: element as usize, reason });
            }
        }
        if elements.is_none() {
            which.extend(mine.iter().map(|m| m.1));
        }
        self.fibres.contract(&mut self.terms, &which, contraction);
        Ok(())
    }
}
