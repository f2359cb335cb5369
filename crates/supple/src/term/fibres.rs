//! Fibres among the terms: which batch holds them, and their rest lengths, which may change from step to step.

use super::{TermBatch, TermSet};
use crate::energy::fibre;
use crate::error::ParameterError;

/// Where the fibres are stored: the batches of elements with four and with ten nodes, if there are any.
#[derive(Clone, Copy, Debug, Default)]
pub struct FibreRef {
    /// Batches of terms.
    pub batches: [usize; 2],
    /// How many terms each has; numbers of fibres count through both.
    pub counts: [usize; 2],
}

impl FibreRef {
    /// An error unless fibres can contract so far.
    pub fn check(contraction: f64) -> Result<(), ParameterError> {
        fibre::check(contraction)
    }

    /// All of them.
    pub fn count(self) -> usize {
        self.counts[0] + self.counts[1]
    }

    /// Batch of each fibre and its number there.
    fn each(self) -> impl Iterator<Item = (usize, usize)> {
        let [a, b] = self.counts;
        let [first, second] = self.batches;
        (0..a).map(move |k| (first, k)).chain((0..b).map(move |k| (second, k)))
    }

    /// Body and element of each.
    pub fn origins(self, terms: &TermSet) -> Vec<(u32, u32)> {
        self.each().filter_map(|(b, k)| terms.batches().get(b)?.origin(k)).collect()
    }

    /// Contracts some of them, by a contraction that [`FibreRef::check`] allows.
    pub fn contract(self, terms: &mut TermSet, which: &[usize], contraction: f64) {
        let places: Vec<(usize, usize)> = self.each().collect();
        for &(batch, k) in which.iter().filter_map(|&w| places.get(w)) {
            if let Some(b) = terms.batch_mut(batch) {
                let slack = b.params(k).get(1) == Some(&0.0);
                b.set_params(k, 1, &fibre::lengths(contraction, slack));
            }
        }
    }

    /// Adds −∂/∂contraction of something to place `step` of the values of each fibre of a batch, given its derivatives with respect to
    /// [`super::Pull::numbers`] of each element.
    pub fn collect(
        self,
        terms: &TermSet,
        batch: &dyn TermBatch,
        numbers: &[f64],
        step: usize,
        out: &mut [((u32, u32), Vec<f64>)],
    ) {
        for ((number, k), (_, values)) in self.each().zip(out) {
            let Some(b) = terms.batches().get(number) else { continue };
            if !std::ptr::addr_eq(b.as_ref(), batch) {
                continue;
            }
            let own = &numbers[k * batch.numbers()..(k + 1) * batch.numbers()];
            // Volume, stiffness, least and greatest length; both lengths are 1 − c, the least only of fibres that bear compression.
            let slack = b.params(k).get(1) == Some(&0.0);
            values[step] += own[3] + if slack { 0.0 } else { own[2] };
        }
    }

    /// Their rest lengths.
    pub fn rest_lengths(self, terms: &TermSet) -> Vec<f64> {
        self.each().filter_map(|(b, k)| terms.batches().get(b).map(|b| b.params(k)[2])).collect()
    }

    /// Sets them; false, and nothing changes, if they cannot be.
    pub fn set_rest_lengths(self, terms: &mut TermSet, lengths: &[f64]) -> bool {
        // 1 − (1 − c) may be off by rounding.
        let possible = |r: &f64| (1.0 - fibre::MOST - 1e-12..=1.0).contains(r);
        if lengths.len() != self.count() || !lengths.iter().all(possible) {
            return false;
        }
        for ((batch, k), &rest) in self.each().zip(lengths) {
            if let Some(b) = terms.batch_mut(batch) {
                let slack = b.params(k).get(1) == Some(&0.0);
                b.set_params(k, 1, &[if slack { 0.0 } else { rest }, rest]);
            }
        }
        true
    }
}
