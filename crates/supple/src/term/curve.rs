//! Second derivatives of elements, for Newton's method: 3×3 blocks between the corners.

use super::kernel::View;
use crate::energy::Potential;
use crate::math::lane::Kernel;
use crate::math::nodes::Row;
use crate::math::real::{BLOCK, Block, Real};
use crate::math::small::Mat3;

/// Blocks between corners a ≥ b ≥ 1 of an element with V corners (for V = 1, the node's own).
pub(super) const fn pairs(v: usize) -> usize {
    let rows = if v > 1 { v - 1 } else { 1 };
    rows * (rows + 1) / 2
}

/// Writes V ∂²Ψ/∂x_a∂x_b for corners a ≥ b ≥ 1, nine numbers by columns each; the other blocks follow from the sum over
/// all corners, which is zero.
pub(super) struct Curve<'a, const V: usize, const D: usize, P> {
    pub view: View<'a, V, P>,
    pub x: &'a [Row],
    pub out: &'a mut [Block],
}

impl<const V: usize, const D: usize, P: Potential<D>> Kernel for Curve<'_, V, D, P> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let (potential, chunk) = (self.view.potential, self.view.chunk);
        let rows = if V > 1 { V - 1 } else { 1 };
        for p in 0..chunk.nodes.len() {
            let out = &mut self.out[p * pairs(V) * 9..(p + 1) * pairs(V) * 9];
            let g = &chunk.g[p * rows * D..(p + 1) * rows * D];
            for lane in (0..BLOCK).step_by(R::LANES) {
                let e = chunk.element::<R>(p, lane, P::PARAMS);
                let dx = chunk.local::<R, D>(p, lane, self.x);
                let c = potential.curvature(&e, &dx);
                let volume = chunk.volume::<R>(p, lane);
                let mut along = [[R::zero(); D]; V];
                for v in 0..rows {
                    let mut row = [R::zero(); D];
                    for d in 0..D {
                        row[d] = R::load(&g[v * D + d], lane);
                    }
                    along[v] = c.along(&row);
                }
                let mut at = 0;
                for a in 0..rows {
                    for b in 0..a + 1 {
                        let block = c.block(&along[a], &along[b]);
                        for j in 0..3 {
                            for i in 0..3 {
                                (volume * block[j][i]).store(&mut out[at + 3 * j + i], lane);
                            }
                        }
                        at += 9;
                    }
                }
            }
        }
    }
}

/// Hands all blocks of the element in one lane of a packet to `f(corner a, corner b, block)`, a ≥ b.
pub(super) fn spread<const V: usize>(
    blocks: &[Block],
    lane: usize,
    f: &mut dyn FnMut(usize, usize, &Mat3<f64>),
) {
    let rows = if V > 1 { V - 1 } else { 1 };
    let first = usize::from(V > 1);
    // Of corner 0: K_a0 = −Σ_b K_ab, K_00 = −Σ_a K_a0.
    let mut zero = [[[0.0; 3]; 3]; V];
    let mut at = 0;
    for a in 0..rows {
        for b in 0..a + 1 {
            let mut k = [[0.0; 3]; 3];
            for j in 0..3 {
                for i in 0..3 {
                    k[j][i] = blocks[at + 3 * j + i].0[lane];
                    if V > 1 {
                        zero[a + 1][j][i] -= k[j][i];
                        if a != b {
                            zero[b + 1][i][j] -= k[j][i];
                        }
                    }
                }
            }
            f(a + first, b + first, &k);
            at += 9;
        }
    }
    if V > 1 {
        for a in 1..V {
            for j in 0..3 {
                for i in 0..3 {
                    zero[0][j][i] -= zero[a][j][i];
                }
            }
            f(a, 0, &zero[a]);
        }
        f(0, 0, &zero[0]);
    }
}
