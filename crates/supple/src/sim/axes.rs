//! Pins along some of the axes: symmetry planes, rails, rollers.
//!
//! The nodes stay among the free ones, and their held coordinates are at their targets from the start of a step, where gradients and
//! steps are zero (`solve/axis_pins.rs`). The matrix of ADMM, the same for x, y and z, is factored once more for each set of nodes that are held along the
//! same axes (`global/split.rs`); Newton's has a diagonal there that nothing outweighs.

use super::Simulation;
use crate::math::nodes::Row;
use crate::solve::Axes;

/// In the order of the system, those that are not pinned altogether.
pub(super) fn renumber(axes: &[(u32, [bool; 3])], place: &[u32], free: usize) -> Vec<Axes> {
    let mut out: Vec<Axes> =
        axes.iter().map(|&(node, held)| Axes { node: place[node as usize], held }).collect();
    out.retain(|a| (a.node as usize) < free);
    out.sort_by_key(|a| a.node);
    out
}

/// Where they are to be: at first where they are.
pub(super) fn targets(axes: &[Axes], x: &[Row]) -> Vec<Row> {
    axes.iter().map(|a| x[a.node as usize]).collect()
}

impl Simulation {
    /// For each node, which of its coordinates are pinned.
    pub fn held(&self) -> Vec<[bool; 3]> {
        let mut held = vec![[false; 3]; self.place.len()];
        held[self.free..].fill([true; 3]);
        self.axes.iter().for_each(|a| held[a.node as usize] = a.held);
        self.place.iter().map(|&p| held[p as usize]).collect()
    }

    /// The number of a node among those that are pinned along some axes.
    pub(super) fn axes_of(&self, node: usize) -> Option<usize> {
        self.axes.binary_search_by_key(&(node as u32), |a| a.node).ok()
    }
}
