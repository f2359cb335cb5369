//! Bodies that nothing holds, moved as a whole.
//!
//! No force within a body moves its mass centre: summed over its nodes, the stationarity of (5) says Σ m(x − x̃) = 0, whatever the material.
//! A translation by the mean of x̃ − x is therefore the exact minimisation of (5) along translations, and what a method leaves undone, be it
//! stalled at its first iterate, is only ever a matter of shape.

use super::Problem;
use crate::math::nodes::Row;

/// What is no part of a body that nothing holds.
const HELD: u32 = u32::MAX;

/// Nodes that are joined by elements, where no element joins them to a pinned node, to a place or to the air.
#[derive(Clone, Debug, Default)]
pub struct Free {
    /// Number of the body of each free node.
    of: Vec<u32>,
    /// Σm, and memory for Σ m(x̃ − x) and the size of the numbers that it is made of.
    sums: Vec<Sum>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    mass: f64,
    way: [f64; 3],
    largest: f64,
}

impl Free {
    /// `component` names the component of each free node by one of its nodes; `held` are free nodes of components that something holds.
    pub fn new(component: &[u32], mass: &[f64], held: impl Iterator<Item = u32>) -> Free {
        let mut number = vec![0; component.len()];
        for node in held {
            number[component[node as usize] as usize] = HELD;
        }
        let mut free = Free::default();
        for (node, &c) in component.iter().enumerate() {
            // The first node of a component gives it its number, from 1 on.
            if number[c as usize] == 0 {
                free.sums.push(Sum::default());
                number[c as usize] = free.sums.len() as u32;
            }
            let own = number[c as usize];
            let own = if own == HELD { HELD } else { own - 1 };
            free.of.push(own);
            if let Some(sum) = free.sums.get_mut(own as usize) {
                sum.mass += mass[node];
            }
        }
        free
    }
}

impl Problem<'_> {
    /// Moves bodies that nothing holds so that Σ m(x − x̃) = 0 for each. True if one moved by more than the rounding of positions.
    pub fn carry(&mut self) -> bool {
        // What may touch or is linked is held, perhaps.
        if !self.contact.is_empty() || self.contact.by_potential() {
            return false;
        }
        let (mass, x_tilde) = (self.mass, self.x_tilde);
        for sum in &mut self.free_bodies.sums {
            (sum.way, sum.largest) = ([0.0; 3], 0.0);
        }
        for (node, &own) in self.free_bodies.of.iter().enumerate() {
            let Some(sum) = self.free_bodies.sums.get_mut(own as usize) else { continue };
            for c in 0..3 {
                let (x, to) = (self.x[node].0[c], x_tilde[node].0[c]);
                sum.way[c] += mass[node] * (to - x);
                sum.largest = sum.largest.max(x.abs()).max(to.abs());
            }
        }
        let mut moved = false;
        for sum in &mut self.free_bodies.sums {
            let way = sum.way.map(|w| w / sum.mass);
            let rounding = 16.0 * f64::EPSILON * sum.largest;
            let far = way.iter().any(|w| w.abs() > rounding) && way.iter().all(|w| w.is_finite());
            sum.way = if far { way } else { [0.0; 3] };
            moved |= far;
        }
        if moved {
            for (node, &own) in self.free_bodies.of.iter().enumerate() {
                let Some(sum) = self.free_bodies.sums.get(own as usize) else { continue };
                let x = self.x[node].0;
                self.x[node] = Row([x[0] + sum.way[0], x[1] + sum.way[1], x[2] + sum.way[2], x[3]]);
            }
        }
        moved
    }
}
