//! The way of an iteration: Newton's, with the pairs that will push at its end (`contact/potential/foresight.rs`).

use super::Newton;
use crate::contact::{Barrier, Obstacle};
use crate::exec::Exec;
use crate::global::Coupled;
use crate::math::nodes::Row;
use crate::math::small::{Mat3, axpy};
use crate::solve::Problem;

/// Most matrices factored for a way, and how much of what the way gains may be left to gain by another.
const ROUNDS: usize = 2;
const ENOUGH: f64 = 0.05;

/// s·block.
fn scaled(s: f64, block: &Mat3<f64>) -> Mat3<f64> {
    block.map(|column| column.map(|v| s * v))
}

/// row −= block·v, or its transpose.
fn subtract(row: &mut Row, block: &Mat3<f64>, v: &Row, transposed: bool) {
    for r in 0..3 {
        for c in 0..3 {
            let k = if transposed { block[r][c] } else { block[c][r] };
            row.0[r] -= k * v.0[c];
        }
    }
}

/// Σ u·v.
fn along(u: &[Row], v: &[Row]) -> f64 {
    u.iter().zip(v).map(|(a, b)| (0..3).map(|c| a.0[c] * b.0[c]).sum::<f64>()).fold(0.0, |a, b| a + b)
}

/// Adds to the right-hand side what nodes that are prescribed do on their way by a block between some nodes.
fn lead(
    rhs: &mut [Row],
    parts: &[(u32, f64)],
    block: &Mat3<f64>,
    ahead: [f64; 3],
    prescribed: Option<&[Row]>,
) {
    let Some(ways) = prescribed else { return };
    let way = parts.iter().fold(ahead.map(|d| -d), |sum, &(i, a)| axpy(sum, a, ways[i as usize].xyz()));
    for &(i, a) in parts {
        if let Some(row) = rhs.get_mut(i as usize) {
            subtract(row, &scaled(a, block), &Row::new(way), false);
        }
    }
}

/// Adds a block between some nodes to the matrix, and what it does to the right-hand side.
fn add_block(
    (matrix, rhs): (&mut Coupled, &mut [Row]),
    parts: &[(u32, f64)],
    block: &Mat3<f64>,
    ahead: [f64; 3],
    prescribed: Option<&[Row]>,
) {
    lead(rhs, parts, block, ahead, prescribed);
    for (k, &(i, a)) in parts.iter().enumerate() {
        for &(j, w) in &parts[..=k] {
            matrix.add(i, j, &scaled(a * w, block));
        }
    }
}

/// direction = −K⁻¹g, with what pins and obstacles still have to go, and the share of the last change of it that was gone: 1 for all of Newton's way. None
/// if the matrix has no factor.
pub(super) fn aim(
    p: &mut Problem<'_>,
    m: &mut Newton,
    b: &mut Barrier,
    obstacles: &[Obstacle],
    moving: bool,
) -> Option<f64> {
    let (n, exec) = (p.free(), p.exec);
    // Which springs there are depends on the iterate alone, never on what the matrix has had room for.
    m.foresight.begin(b, obstacles);
    m.ways = b.prescribed_ways(&m.way, n);
    let prescribed = moving.then(|| m.ways.clone());
    let has_room = m.foresight.beyond().all(|nodes| m.matrix.has_room(nodes));
    if !(has_room && assemble(p, m, b, prescribed.as_deref())) {
        b.pattern(&mut m.pairs, &m.foresight);
        m.matrix.analyse(p.matrix, &mut m.pairs, p.x, exec);
        assemble(p, m, b, prescribed.as_deref());
    }
    let share = foresee(m, prescribed.as_deref(), exec)?;
    p.lead_held(&mut m.direction);
    m.direction.iter().all(|r| r.is_finite()).then_some(share)
}

/// K with the pairs that push now, and −g with what `prescribed` does by K on its way. False if a block has no place in the matrix.
fn assemble(p: &mut Problem<'_>, m: &mut Newton, b: &mut Barrier, prescribed: Option<&[Row]>) -> bool {
    let (n, inv) = (p.free(), 1.0 / (p.dt * p.dt));
    if !m.matrix.begin() {
        return false;
    }
    m.rhs.clear();
    m.rhs.extend(m.gradient.iter().map(|g| Row([-g.0[0], -g.0[1], -g.0[2], 0.0])));
    let (matrix, rhs, way) = (&mut m.matrix, &mut m.rhs, &m.way);
    p.terms.curvature(p.x, p.exec, &mut |i, j, k| {
        matrix.add(i, j, k);
        if prescribed.is_some() {
            match ((i as usize) < n, (j as usize) < n) {
                (true, false) => subtract(&mut rhs[i as usize], k, &way[j as usize], false),
                (false, true) => subtract(&mut rhs[j as usize], k, &way[i as usize], true),
                _ => {}
            }
        }
    });
    for i in 0..n {
        let d = p.mass[i] * inv;
        matrix.add(i as u32, i as u32, &[[d, 0.0, 0.0], [0.0, d, 0.0], [0.0, 0.0, d]]);
    }
    p.each_firm(&mut |i, block| matrix.add(i as u32, i as u32, block));
    b.locals(&mut m.locals);
    m.locals.iter().for_each(|local| local.each(|i, j, block| matrix.add(i, j, block)));
    if prescribed.is_some() {
        b.each_block(&mut |parts, block, ahead| lead(rhs, parts, block, ahead, prescribed));
    }
    b.each_held(&mut |parts, block, ahead| add_block((matrix, rhs), parts, block, ahead, prescribed));
    matrix.is_complete()
}

/// direction = the minimum of m, nearly, and the share of its last change that was gone; none if the matrix has no factor.
fn foresee(m: &mut Newton, prescribed: Option<&[Row]>, exec: &Exec) -> Option<f64> {
    let n = m.gradient.len();
    let (matrix, sight) = (&mut m.matrix, &mut m.foresight);
    let mut share = 1.0;
    // g_B; and K_B p, of the way so far and of the next.
    let mut rest = m.gradient.clone();
    sight.add_now(&mut rest);
    let [bent, next] = &mut m.bent;
    bent.clear();
    bent.resize(n, Row::default());
    m.direction.clear();
    m.direction.resize(n, Row::default());
    for round in 0..ROUNDS {
        if matrix.factor(exec).is_err() {
            return None;
        }
        m.ways[..n].copy_from_slice(&m.rhs);
        matrix.solve(&mut m.ways[..n], exec);
        // K_B s = Σ λ(s) b − g_B, over the springs of the matrix.
        next.clear();
        next.extend(m.gradient.iter().map(|g| Row([-g.0[0], -g.0[1], -g.0[2], 0.0])));
        sight.add_change(&m.ways, next);
        // What is prescribed goes all of its way.
        let whole = prescribed.is_some() && round == 0;
        let (mut flat, mut curved) = (0.0, 0.0);
        for i in 0..n {
            for c in 0..3 {
                let q = m.ways[i].0[c] - m.direction[i].0[c];
                flat += (rest[i].0[c] + bent[i].0[c]) * q;
                curved += (next[i].0[c] - bent[i].0[c]) * q;
            }
        }
        let t = sight.advance(&m.ways, [flat, curved], whole);
        share = t;
        for i in 0..n {
            for c in 0..3 {
                m.direction[i].0[c] += t * (m.ways[i].0[c] - m.direction[i].0[c]);
                bent[i].0[c] += t * (next[i].0[c] - bent[i].0[c]);
            }
        }
        let gain = -along(&m.gradient, &m.direction);
        if round + 1 == ROUNDS || sight.error() <= ENOUGH * gain.abs() {
            break;
        }
        sight.turn(&mut |parts, block, force, ahead| {
            for &(i, a) in parts {
                if let Some(row) = m.rhs.get_mut(i as usize) {
                    (0..3).for_each(|c| row.0[c] += a * force[c]);
                }
            }
            add_block((matrix, &mut m.rhs), parts, block, ahead, prescribed);
        });
    }
    Some(share)
}
