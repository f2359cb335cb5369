//! Elements before the nodes have their final numbers.

use super::weight::WeightRule;
use super::{Batch, ElementList, TermBatch};
use crate::energy::Potential;

/// A list of elements that becomes a batch once the nodes are numbered.
pub trait BatchSource: Send {
    /// Calls `f` with the node ids of each element.
    fn cliques(&self, f: &mut dyn FnMut(&[u32]));
    /// Packs the elements with new node numbers.
    fn build(&self, new_of_old: &[u32], rule: WeightRule, scale: f64) -> Box<dyn TermBatch>;
}

/// A potential and the elements that have it.
pub struct Source<const V: usize, const D: usize, P> {
    /// The potential.
    pub potential: P,
    /// The elements, with the user's node numbers.
    pub list: ElementList<V, D>,
}

impl<const V: usize, const D: usize, P: Potential<D> + Clone> BatchSource for Source<V, D, P> {
    fn cliques(&self, f: &mut dyn FnMut(&[u32])) {
        // Quadrature points of an element follow each other with the same nodes.
        for same in self.list.nodes.chunk_by(|a, b| a == b) {
            f(&same[0]);
        }
    }
    fn build(&self, new_of_old: &[u32], rule: WeightRule, scale: f64) -> Box<dyn TermBatch> {
        let nodes: Vec<[u32; V]> =
            self.list.nodes.iter().map(|n| n.map(|v| new_of_old[v as usize])).collect();
        Box::new(Batch::new(self.potential.clone(), &self.list, &nodes, rule, scale))
    }
}
