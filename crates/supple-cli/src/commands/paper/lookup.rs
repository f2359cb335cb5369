//! The paper's idea for a faster local step (section 4.3): the proximal operator from a table. Against the closed form.
use std::hint::black_box;

use miette::miette;
use serde_json::json;
use supple::energy::check::Random;
use supple::energy::{Element, Isotropic, Lame, NeoHookean};
use supple::math::lane::{Kernel, dispatch};
use supple::math::real::{BLOCK, Block, Real};

use super::Context;
use super::page::{Claim, Section};
use crate::commands::bench::machine::fastest;

/// Stretches that the table knows, and its knots along each of them.
const LOW: f64 = 0.4;
const HIGH: f64 = 1.8;
const KNOTS: usize = 33;

/// Proximal operator at the knots of a cube of stretches, linear in each stretch between them. One material, one k.
struct Table(Vec<[f64; 3]>);

impl Table {
    fn new(e: &Element<f64>) -> Table {
        let at = |i: usize| LOW + (HIGH - LOW) * i as f64 / (KNOTS - 1) as f64;
        let mut values = Vec::with_capacity(KNOTS * KNOTS * KNOTS);
        for i in 0..KNOTS {
            for j in 0..KNOTS {
                for k in 0..KNOTS {
                    values.push(exact(e, [at(i), at(j), at(k)]));
                }
            }
        }
        Table(values)
    }

    #[inline]
    fn look_up(&self, s: [f64; 3]) -> [f64; 3] {
        let (mut cell, mut t) = ([0; 3], [0.0; 3]);
        for c in 0..3 {
            let place =
                ((s[c] - LOW) * ((KNOTS - 1) as f64 / (HIGH - LOW))).clamp(0.0, (KNOTS - 1) as f64 - 1e-9);
            cell[c] = place as usize;
            t[c] = place - cell[c] as f64;
        }
        let first = (cell[0] * KNOTS + cell[1]) * KNOTS + cell[2];
        let mut out = [0.0; 3];
        for corner in 0..8 {
            let bit = [corner >> 2 & 1, corner >> 1 & 1, corner & 1];
            let mut share = 1.0;
            for c in 0..3 {
                share *= if bit[c] == 1 { t[c] } else { 1.0 - t[c] };
            }
            let v = self.0[first + (bit[0] * KNOTS + bit[1]) * KNOTS + bit[2]];
            for c in 0..3 {
                out[c] += share * v[c];
            }
        }
        out
    }
}

/// The closed form, whatever the order of the stretches.
fn exact(e: &Element<f64>, s: [f64; 3]) -> [f64; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
    let mut warm = Isotropic::<3>::cold(&NeoHookean, e);
    let z = NeoHookean.prox(e, &order.map(|i| s[i]), &mut warm);
    let mut out = [0.0; 3];
    for (rank, &i) in order.iter().enumerate() {
        out[i] = z[rank];
    }
    out
}

/// The closed form on lanes.
struct Lanes<'a> {
    e: Element<f64>,
    input: &'a [[Block; 3]],
    out: &'a mut [[Block; 3]],
}

impl Kernel for Lanes<'_> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        let e = self.e.splat::<R>();
        let cold = Isotropic::<3>::cold(&NeoHookean, &self.e);
        for (p, o) in self.input.iter().zip(self.out) {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let s = [R::load(&p[0], lane), R::load(&p[1], lane), R::load(&p[2], lane)];
                let mut warm = R::splat(cold);
                let z = NeoHookean.prox(&e, &s, &mut warm);
                for c in 0..3 {
                    z[c].store(&mut o[c], lane);
                }
            }
        }
    }
}

/// Measures nanoseconds and errors.
pub(super) fn section(c: &Context) -> miette::Result<Section> {
    let lame = Lame::from_young(1.0, 0.3).map_err(|e| miette!("{e}"))?;
    let e = Element::new(lame.bulk(), &[lame.mu, lame.lambda]);
    let table = Table::new(&e);
    let mut random = Random(11);
    let count = 4096;
    let inputs: Vec<[f64; 3]> = (0..count)
        .map(|_| {
            let mut s = [(); 3].map(|()| random.between(0.6, 1.6));
            s.sort_by(|a, b| b.total_cmp(a));
            s
        })
        .collect();
    let mut blocks = vec![[Block::default(); 3]; count / BLOCK];
    for (i, s) in inputs.iter().enumerate() {
        for c in 0..3 {
            blocks[i / BLOCK][c].0[i % BLOCK] = s[c];
        }
    }
    let (mut worst, mut sum) = (0.0f64, 0.0);
    for &s in &inputs {
        let (a, b) = (table.look_up(s), exact(&e, s));
        let off = (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f64::max);
        (worst, sum) = (worst.max(off), sum + off);
    }
    let repeats = if c.quick { 40 } else { 400 };
    let each = |seconds: f64| 1e9 * seconds / count as f64;
    let mut out = vec![[0.0; 3]; count];
    let looked_up = each(fastest(repeats, || {
        for (s, o) in black_box(&inputs).iter().zip(&mut out) {
            *o = table.look_up(*s);
        }
        black_box(&mut out);
    }));
    let scalar = each(fastest(repeats, || {
        for (s, o) in black_box(&inputs).iter().zip(&mut out) {
            let mut warm = Isotropic::<3>::cold(&NeoHookean, &e);
            *o = NeoHookean.prox(&e, s, &mut warm);
        }
        black_box(&mut out);
    }));
    let mut wide = blocks.clone();
    let lanes = each(fastest(repeats, || {
        dispatch(Lanes { e, input: black_box(&blocks), out: &mut wide });
        black_box(&mut wide);
    }));
    let kilobytes = table.0.len() * 24 / 1000;
    let claim = Claim::new(
        "The proximal operator could be looked up in a precomputed table to make the local step faster",
        "proposed, not measured",
        format!(
            "a table of {KNOTS}³ knots ({kilobytes} kB for one material and one k) takes {looked_up:.0} ns and is off by up to {worst:.0e} in a stretch; \
             the closed form takes {lanes:.0} ns in lanes ({scalar:.0} ns one by one) and is exact"
        ),
        None,
    );
    let data = json!({
        "knots": KNOTS, "bytes": table.0.len() * 24, "table_ns": looked_up, "scalar_ns": scalar, "lanes_ns": lanes,
        "worst_error": worst, "mean_error": sum / count as f64,
    });
    Ok(Section {
        id: "lookup",
        title: "Section 4.3: a look-up table for the proximal operator".into(),
        claims: vec![claim],
        html: String::new(),
        data,
    })
}
