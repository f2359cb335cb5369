//! Muscles: fibres whose rest length is driven from outside, step by step.

use super::Simulation;
use crate::energy::fibre;
use crate::error::BuildError;

/// Where the fibres are stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct FibreRef {
    /// Batch of terms, if there are fibres.
    pub batch: usize,
    /// How many elements have some.
    pub count: usize,
}

impl Simulation {
    /// Contracts the fibres of a body by c, from 0 to 0.95, from the next step on: their rest length is 1 − c times what it was.
    /// Nothing is factored.
    pub fn contract(&mut self, body: usize, contraction: f64) -> Result<(), BuildError> {
        self.contract_some(body, contraction, &|_| true)
    }

    /// Contracts the fibres of some elements of a body, which must have some.
    pub fn contract_elements(
        &mut self,
        body: usize,
        elements: &[u32],
        contraction: f64,
    ) -> Result<(), BuildError> {
        let mut wanted = elements.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let there: Vec<u32> = self.fibres_of(body).map(|(_, element)| element).collect();
        if let Some(&element) = wanted.iter().find(|e| !there.contains(e)) {
            let name = self.bodies.get(body).ok_or(BuildError::NoBody(body))?.name.clone();
            return Err(BuildError::Element {
                body: name,
                element: element as usize,
                reason: "has no fibres".into(),
            });
        }
        self.contract_some(body, contraction, &|e| wanted.binary_search(&e).is_ok())
    }

    /// The fibres of a body: number in the batch, and element of the body.
    fn fibres_of(&self, body: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let batch = self.terms.batches().get(self.fibres.batch).filter(|_| self.fibres.count > 0);
        batch.into_iter().flat_map(move |b| {
            (0..b.len()).filter_map(move |k| {
                b.origin(k).filter(|o| o.0 as usize == body).map(|(_, element)| (k, element))
            })
        })
    }

    fn contract_some(
        &mut self,
        body: usize,
        contraction: f64,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Result<(), BuildError> {
        let name = self.bodies.get(body).ok_or(BuildError::NoBody(body))?.name.clone();
        let wrong = |reason: String| BuildError::Body { body: name.clone(), reason };
        fibre::check(contraction).map_err(wrong)?;
        let mut some = false;
        let found: Vec<usize> = self
            .fibres_of(body)
            .inspect(|_| some = true)
            .filter(|(_, e)| wanted(*e))
            .map(|(k, _)| k)
            .collect();
        if !some {
            return Err(wrong("has no fibres".into()));
        }
        if let Some(b) = self.terms.batch_mut(self.fibres.batch) {
            for k in found {
                let slack = b.params(k).get(1) == Some(&0.0);
                b.set_params(k, 1, &fibre::lengths(contraction, slack));
            }
        }
        Ok(())
    }

    /// Rest lengths of all fibres, for checkpoints.
    pub(super) fn rest_lengths(&self) -> Vec<f64> {
        let batch = self.terms.batches().get(self.fibres.batch).filter(|_| self.fibres.count > 0);
        batch.map_or_else(Vec::new, |b| (0..b.len()).map(|k| b.params(k)[2]).collect())
    }

    /// Sets them; those that cannot be are refused and nothing changes.
    pub(super) fn set_rest_lengths(&mut self, lengths: &[f64]) -> bool {
        // 1 − (1 − c) may be off by rounding.
        let fine = lengths.iter().all(|r| (1.0 - fibre::MOST - 1e-12..=1.0).contains(r));
        let Some(b) =
            self.terms.batch_mut(self.fibres.batch).filter(|_| fine && lengths.len() == self.fibres.count)
        else {
            return lengths.is_empty();
        };
        for (k, &rest) in lengths.iter().enumerate() {
            let slack = b.params(k).get(1) == Some(&0.0);
            b.set_params(k, 1, &[if slack { 0.0 } else { rest }, rest]);
        }
        true
    }
}
