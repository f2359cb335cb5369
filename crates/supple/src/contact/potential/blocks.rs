//! What each pair has in the matrix: its repulsion, its friction and how its normal turns, all between the same four nodes, summed before they go there.

use super::*;

/// Takes nodes with their weights, a 3×3 block for weights one, and how far the surface of a shape still goes there.
pub type EachBlock<'a> = dyn FnMut(&[(u32, f64)], &Mat3<f64>, [f64; 3]) + 'a;

/// Blocks between the nodes of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    nodes: [u32; 4],
    count: u8,
    /// Of nodes i ≥ j, by columns, at i(i + 1)/2 + j.
    blocks: [Mat3<f64>; 10],
}

impl Local {
    fn new(p: &Pair) -> Local {
        Local { nodes: p.nodes, count: p.count, blocks: [[[0.0; 3]; 3]; 10] }
    }

    /// Adds a block for weights one.
    fn add(&mut self, weights: &[f64; 4], block: &Mat3<f64>) {
        let mut at = 0;
        for i in 0..self.count as usize {
            for j in 0..=i {
                let w = weights[i] * weights[j];
                let to = &mut self.blocks[at];
                for c in 0..3 {
                    (0..3).for_each(|r| to[c][r] += w * block[c][r]);
                }
                at += 1;
            }
        }
    }

    /// Adds s (Σ c_i u_i)².
    pub(super) fn add_square(&mut self, s: f64, c: &[[f64; 3]; 4]) {
        let mut at = 0;
        for i in 0..4 {
            for j in 0..=i {
                let to = &mut self.blocks[at];
                for col in 0..3 {
                    let a = s * c[j][col];
                    (0..3).for_each(|row| to[col][row] += a * c[i][row]);
                }
                at += 1;
            }
        }
    }

    /// Calls `f` with two nodes and their block.
    pub fn each(&self, mut f: impl FnMut(u32, u32, &Mat3<f64>)) {
        let mut at = 0;
        for i in 0..self.count as usize {
            for j in 0..=i {
                f(self.nodes[i], self.nodes[j], &self.blocks[at]);
                at += 1;
            }
        }
    }
}

impl Barrier {
    /// The positive block of a pair's repulsion for weights one.
    fn repulsion(&self, p: &Pair) -> Option<Mat3<f64>> {
        let stiffness = p.potential()[2];
        if !(stiffness > 0.0) {
            return None;
        }
        let mut block = outer(stiffness, p.normal);
        if let Ok(k) = self.braced.binary_search_by_key(&p.key, |b| b.0) {
            let along = self.braced[k].1 * stiffness;
            let across = outer(along, p.normal);
            for c in 0..3 {
                (0..3).for_each(|r| block[c][r] -= across[c][r]);
                block[c][c] += along;
            }
        }
        Some(block)
    }

    /// The friction of a pair in the list.
    fn friction_of_pair(&self, p: &Pair) -> Option<usize> {
        let at = self.friction.binary_search_by_key(&p.key, |f| f.pair.key).ok()?;
        (self.friction[at].pair.nodes == p.nodes).then_some(at)
    }

    /// The blocks of all pairs that are near or in the list of friction.
    pub fn locals(&mut self, out: &mut Vec<Local>) {
        out.clear();
        let mut partnered = std::mem::take(&mut self.partnered);
        partnered.clear();
        partnered.resize(self.friction.len(), false);
        self.pairs.iter().filter_map(|p| self.friction_of_pair(p)).for_each(|at| partnered[at] = true);
        let exec = self.exec();
        let this = &*self;
        exec.collect(this.pairs.len(), out, |some, out| {
            for p in &this.pairs[some] {
                let mut local = Local::new(p);
                let repulsion = this.repulsion(p).map(|block| local.add(&p.weights, &block)).is_some();
                let friction = this.friction_of_pair(p).map(|at| {
                    let f = &this.friction[at];
                    local.add(&f.pair.weights, &f.curvature(&this.y, &this.y_n));
                });
                let turns = this.turn(p, &mut local);
                if repulsion || friction.is_some() || turns {
                    out.push(local);
                }
            }
        });
        let alone = self.friction.iter().zip(&partnered).filter(|(_, partnered)| !**partnered);
        out.extend(alone.map(|(f, _)| {
            let mut local = Local::new(&f.pair);
            local.add(&f.pair.weights, &f.curvature(&self.y, &self.y_n));
            local
        }));
        self.partnered = partnered;
    }

    /// Calls `f` with nodes and weights of what is near or slips, and its positive block for weights one: for what is prescribed.
    pub fn each_block(&self, f: &mut EachBlock<'_>) {
        let mut parts: Vec<(u32, f64)> = Vec::new();
        let mut call = |of: &mut dyn Iterator<Item = (u32, f64)>, block: &Mat3<f64>, ahead: [f64; 3]| {
            parts.clear();
            parts.extend(of);
            f(&parts, block, ahead);
        };
        for p in &self.pairs {
            if let Some(block) = self.repulsion(p) {
                call(&mut p.parts(), &block, p.ahead);
            }
        }
        for l in &self.friction {
            // Its slip is counted from where the surface will be.
            call(&mut l.pair.parts(), &l.curvature(&self.y, &self.y_n), [0.0; 3]);
        }
    }

    /// The same of what is held.
    pub fn each_held(&self, f: &mut EachBlock<'_>) {
        let mut parts: Vec<(u32, f64)> = Vec::new();
        for h in &self.held {
            parts.clear();
            parts.extend(h.parts());
            f(&parts, &h.curvature(&self.y), [0.0; 3]);
        }
    }
}
