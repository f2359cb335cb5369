//! Fibres among the terms: which batch holds them, and their rest lengths, which may change from step to step.

use super::TermSet;
use crate::energy::fibre;

/// Where the fibres are stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct FibreRef {
    /// Batch of terms, if there are fibres.
    pub batch: usize,
    /// How many elements have some.
    pub count: usize,
}

impl FibreRef {
    /// An error unless fibres can contract so far.
    pub fn check(contraction: f64) -> Result<(), String> {
        fibre::check(contraction)
    }

    /// Body and element of each.
    pub fn origins(self, terms: &TermSet) -> Vec<(u32, u32)> {
        let batch = terms.batches().get(self.batch).filter(|_| self.count > 0);
        batch.map_or_else(Vec::new, |b| (0..b.len()).filter_map(|k| b.origin(k)).collect())
    }

    /// Contracts some of them, by a contraction that [`FibreRef::check`] allows.
    pub fn contract(self, terms: &mut TermSet, which: &[usize], contraction: f64) {
        if let Some(b) = terms.batch_mut(self.batch).filter(|_| self.count > 0) {
            for &k in which {
                let slack = b.params(k).get(1) == Some(&0.0);
                b.set_params(k, 1, &fibre::lengths(contraction, slack));
            }
        }
    }

    /// Their rest lengths.
    pub fn rest_lengths(self, terms: &TermSet) -> Vec<f64> {
        let batch = terms.batches().get(self.batch).filter(|_| self.count > 0);
        batch.map_or_else(Vec::new, |b| (0..b.len()).map(|k| b.params(k)[2]).collect())
    }

    /// Sets them; false, and nothing changes, if they cannot be.
    pub fn set_rest_lengths(self, terms: &mut TermSet, lengths: &[f64]) -> bool {
        // 1 − (1 − c) may be off by rounding.
        let possible = |r: &f64| (1.0 - fibre::MOST - 1e-12..=1.0).contains(r);
        if lengths.len() != self.count || !lengths.iter().all(possible) {
            return false;
        }
        if let Some(b) = terms.batch_mut(self.batch).filter(|_| self.count > 0) {
            for (k, &rest) in lengths.iter().enumerate() {
                let slack = b.params(k).get(1) == Some(&0.0);
                b.set_params(k, 1, &[if slack { 0.0 } else { rest }, rest]);
            }
        }
        true
    }
}
