//! Derivatives of an element's forces, for those who differentiate steps: with respect to positions, its numbers, its volume, the state that
//! dissipation was taken at, and its rest shape.
//!
//! Forces are formulas of a few numbers without iteration, so their derivatives are central differences with a step of [`STEP`] of the
//! size of what changes: one rule for every energy, projected away nothing, off by about 1e-10 of the stiffness. The vector `y` is
//! what the forces are pulled back along: the derivative of y·∇U is asked for.

use super::{Batch, Elements};
use crate::energy::{Element, Potential};
use crate::math::nodes::Row;
use crate::math::small::{Local, Mat3};

/// Step of central differences, relative to the size of what changes.
const STEP: f64 = 1e-5;

/// In place of a number's place: the volume of the element.
pub const VOLUME: usize = 0;

/// What differs between both sides of a difference.
type Sides<const D: usize> = (Local<f64, D>, Local<f64, D>);

/// Derivatives of y·∇U, element by element in order of adding.
pub trait Pull {
    /// True if the terms' numbers are taken at the last state.
    fn lagged(&self) -> bool;
    /// Numbers of an element that derivatives count, its volume first.
    fn numbers(&self) -> usize;
    /// The volume of an element in m³, 1 for those without, then the material's numbers, then the gradients that are stored, which of bending depend on
    /// the material too; empty if there is no such element.
    fn volume_and_numbers(&self, element: usize) -> Vec<f64>;
    /// Calls `f(i, j, K)` for each pair of corners of each element: ∂²U/∂x_i∂x_j as it is, by columns; (j, i) is its transpose and is not
    /// called.
    fn tangent(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>));
    /// Adds ∂(y·∇U)/∂(volume, numbers) to `out`, [`Pull::numbers`] for each element. Numbers of the last state are left out.
    fn pull_numbers(&self, x: &[Row], y: &[Row], out: &mut [f64]);
    /// Calls `f(node, ∂(y·∇U)/∂x_n)` for terms whose numbers were taken at `last`, `rate` being 1/Δt.
    fn pull_last(&self, last: &[Row], x: &[Row], y: &[Row], rate: f64, f: &mut dyn FnMut(u32, [f64; 3]));
    /// Calls `f(node, ∂(y·∇U)/∂X)` for the rest positions X of the corners, the numbers of the element being what they are. False, and nothing
    /// is called, if the terms do not know their rest shape as a tetrahedron of four nodes.
    fn pull_rest(&self, x: &[Row], y: &[Row], f: &mut dyn FnMut(u32, [f64; 3])) -> bool;
}

impl<const V: usize, const D: usize, P: Potential<D>> Batch<V, D, P> {
    /// Gradients, volume, element, Dx and the nodes.
    fn look_at(&self, element: usize, x: &[Row]) -> Option<Look<V, D>> {
        let (c, p, l) = self.locate(element)?;
        let chunk = &self.chunks[c];
        let nodes: [u32; V] = std::array::from_fn(|v| chunk.nodes[p][v][l]);
        let g = self.corner_gradients(chunk, p, l);
        let e = chunk.element::<f64>(p, l, P::PARAMS);
        let z = chunk.local::<f64, D>(p, l, x);
        // As large as the element: also where z itself vanishes.
        let mut size = 0.0f64;
        for v in 0..V {
            let long = g[v].iter().map(|a| a * a).sum::<f64>().sqrt();
            let from = if V > 1 { x[nodes[0] as usize].xyz() } else { [0.0; 3] };
            let to = x[nodes[v] as usize].xyz();
            let edge = (0..3).map(|k| (to[k] - from[k]).powi(2)).sum::<f64>().sqrt();
            size = size.max(long * edge);
        }
        let size = if size > 0.0 { size } else { 1.0 };
        Some(Look { nodes, g, e, z, volume: chunk.volume::<f64>(p, l), size })
    }

    /// D·rows of an element.
    fn local_of(look: &Look<V, D>, rows: &[Row]) -> Local<f64, D> {
        let mut z = [[0.0; 3]; D];
        for v in 0..V {
            let r = rows[look.nodes[v] as usize].xyz();
            for d in 0..D {
                for k in 0..3 {
                    z[d][k] += look.g[v][d] * r[k];
                }
            }
        }
        z
    }

    /// The derivative of the stress along a direction, by central differences.
    fn slope(&self, e: &Element<f64>, z: &Local<f64, D>, along: &Local<f64, D>, h: f64) -> Local<f64, D> {
        let moved = |s: f64| -> Local<f64, D> {
            std::array::from_fn(|d| std::array::from_fn(|k| z[d][k] + s * along[d][k]))
        };
        let (a, b): Sides<D> = (self.potential.stress(e, &moved(h)), self.potential.stress(e, &moved(-h)));
        std::array::from_fn(|d| std::array::from_fn(|k| (a[d][k] - b[d][k]) / (2.0 * h)))
    }
}

/// One element, at some positions.
struct Look<const V: usize, const D: usize> {
    nodes: [u32; V],
    g: [[f64; D]; V],
    e: Element<f64>,
    z: Local<f64, D>,
    volume: f64,
    size: f64,
}

/// Σ a·b.
fn inner<const D: usize>(a: &Local<f64, D>, b: &Local<f64, D>) -> f64 {
    (0..D).map(|d| a[d][0] * b[d][0] + a[d][1] * b[d][1] + a[d][2] * b[d][2]).sum()
}

impl<const V: usize, const D: usize, P: Potential<D>> Pull for Batch<V, D, P> {
    fn lagged(&self) -> bool {
        P::LAGGED
    }
    fn numbers(&self) -> usize {
        1 + P::PARAMS + Self::ROWS * D
    }
    fn volume_and_numbers(&self, element: usize) -> Vec<f64> {
        let Some((c, p, l)) = self.locate(element) else { return Vec::new() };
        let mut all = vec![self.chunks[c].volume::<f64>(p, l)];
        all.extend(self.params(element));
        all.extend((0..Self::ROWS * D).map(|q| self.chunks[c].g[p * Self::ROWS * D + q].0[l]));
        all
    }

    fn tangent(&self, x: &[Row], f: &mut dyn FnMut(u32, u32, &Mat3<f64>)) {
        // ∂S_dk/∂z_qj, by (q, j).
        let mut slopes = vec![[[0.0; 3]; D]; 3 * D];
        for element in 0..self.len() {
            let Some(look) = self.look_at(element, x) else { continue };
            for (at, slope) in slopes.iter_mut().enumerate() {
                let mut unit = [[0.0; 3]; D];
                unit[at / 3][at % 3] = 1.0;
                *slope = self.slope(&look.e, &look.z, &unit, STEP * look.size);
            }
            for a in 0..V {
                for b in 0..=a {
                    let mut block = [[0.0; 3]; 3];
                    for (at, slope) in slopes.iter().enumerate() {
                        let (q, j) = (at / 3, at % 3);
                        let by = look.volume * look.g[b][q];
                        for d in 0..D {
                            for k in 0..3 {
                                block[j][k] += by * look.g[a][d] * slope[d][k];
                            }
                        }
                    }
                    f(look.nodes[a], look.nodes[b], &block);
                }
            }
        }
    }

    fn pull_numbers(&self, x: &[Row], y: &[Row], out: &mut [f64]) {
        let count = self.numbers();
        for (element, out) in out.chunks_exact_mut(count).enumerate() {
            let Some(look) = self.look_at(element, x) else { continue };
            let l = Self::local_of(&look, y);
            if inner(&l, &l) == 0.0 {
                continue;
            }
            let stress = self.potential.stress(&look.e, &look.z);
            out[VOLUME] += inner(&stress, &l);
            for q in 0..P::PARAMS {
                let size = look.e.param[q].abs();
                let h = STEP * if size > 0.0 { size } else { 1.0 };
                let at = |s: f64| {
                    let mut e = look.e;
                    e.param[q] += s;
                    inner(&self.potential.stress(&e, &look.z), &l)
                };
                out[1 + q] += look.volume * (at(h) - at(-h)) / (2.0 * h);
            }
            // V P(Σ x g):(Σ y g) by g; ∂P is symmetric.
            let size = inner(&l, &l).sqrt();
            let unit = l.map(|c| c.map(|a| a / size));
            let dp = self.slope(&look.e, &look.z, &unit, STEP * look.size).map(|c| c.map(|a| a * size));
            let from = |rows: &[Row], v: usize| {
                let (a, b) = (rows[look.nodes[v] as usize].xyz(), rows[look.nodes[0] as usize].xyz());
                if V > 1 { std::array::from_fn(|k| a[k] - b[k]) } else { a }
            };
            for r in 0..Self::ROWS {
                let v = r + usize::from(V > 1);
                let (x, y): ([f64; 3], [f64; 3]) = (from(x, v), from(y, v));
                for d in 0..D {
                    let by: f64 = (0..3).map(|k| stress[d][k] * y[k] + dp[d][k] * x[k]).sum();
                    out[1 + P::PARAMS + r * D + d] += look.volume * by;
                }
            }
        }
    }

    fn pull_last(&self, last: &[Row], x: &[Row], y: &[Row], rate: f64, f: &mut dyn FnMut(u32, [f64; 3])) {
        if !P::LAGGED {
            return;
        }
        for element in 0..self.len() {
            let (Some(then), Some(now)) = (self.look_at(element, last), self.look_at(element, x)) else {
                continue;
            };
            let l = Self::local_of(&now, y);
            if inner(&l, &l) == 0.0 {
                continue;
            }
            let h = STEP * then.size;
            let mut slope = [[0.0; 3]; D];
            for d in 0..D {
                for k in 0..3 {
                    let at = |s: f64| {
                        let (mut e, mut z) = (now.e, then.z);
                        z[d][k] += s;
                        self.potential.lag(&mut e, &z, rate);
                        inner(&self.potential.stress(&e, &now.z), &l)
                    };
                    slope[d][k] = now.volume * (at(h) - at(-h)) / (2.0 * h);
                }
            }
            for v in 0..V {
                let force = |k: usize| (0..D).map(|d| then.g[v][d] * slope[d][k]).sum();
                f(then.nodes[v], [force(0), force(1), force(2)]);
            }
        }
    }

    /// With ∇N_a → ∇N_a − (∇δX)ᵀ∇N_a, F → F − F∇δX and V → V(1 + tr ∇δX) the derivative of W = V P(F):L is V E:∇δX,
    /// E = (P:L)1 − Fᵀ∂P(L) − LᵀP: Eshelby's tensor, polarised.
    fn pull_rest(&self, x: &[Row], y: &[Row], f: &mut dyn FnMut(u32, [f64; 3])) -> bool {
        if V != 4 || D != 3 || P::LAGGED || P::BESIDE || self.members.iter().any(|m| !m.is_empty()) {
            return false;
        }
        for element in 0..self.len() {
            let Some(look) = self.look_at(element, x) else { continue };
            let l = Self::local_of(&look, y);
            let size = inner(&l, &l).sqrt();
            if size == 0.0 {
                continue;
            }
            let p = self.potential.stress(&look.e, &look.z);
            let unit = l.map(|c| c.map(|a| a / size));
            let dp = self.slope(&look.e, &look.z, &unit, STEP * look.size).map(|c| c.map(|a| a * size));
            let work = inner(&p, &l);
            let column = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            for v in 0..V {
                let mut force = [0.0; 3];
                // ∂δX_i/∂X_j has the weight E_ij g_j; columns of matrices are z[j].
                for i in 0..D {
                    for j in 0..D {
                        let mut entry = -column(&look.z[i], &dp[j]) - column(&l[i], &p[j]);
                        if i == j {
                            entry += work;
                        }
                        force[i] += look.volume * entry * look.g[v][j];
                    }
                }
                f(look.nodes[v], force);
            }
        }
        true
    }
}
