//! The numbers of the factor, supernode by supernode (multifrontal).
//!
//! A supernode collects its columns of the matrix and the updates of its children in a dense front,
//! eliminates its columns there, and passes the rest on to its parent as an update. The eliminated columns
//! go straight into the packed panels, so the factor is never held twice.

use super::cholesky::FactorError;
use super::panels::pack;
use super::system::System;
use super::tree::{Supernodes, Task};
use crate::exec::Exec;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, Par};

/// How many former updates are kept for their memory.
const SPARE: usize = 4;

/// What a supernode passes on to its parent: the lower triangle, by columns, over its rows below.
struct Update {
    from: u32,
    values: Vec<f64>,
}

/// Factors the supernodes of a task and all below it.
pub(super) fn factor(
    task: &mut Task,
    pattern: &Supernodes,
    system: &System,
    exec: &Exec,
) -> Result<(), FactorError> {
    task_updates(task, pattern, system, exec).map(|_| ())
}

/// As [`factor`], and returns the updates for supernodes of other tasks.
fn task_updates(
    task: &mut Task,
    pattern: &Supernodes,
    system: &System,
    exec: &Exec,
) -> Result<Vec<Update>, FactorError> {
    let mut results: Vec<(&mut Task, Result<Vec<Update>, FactorError>)> =
        task.children.iter_mut().map(|child| (child, Ok(Vec::new()))).collect();
    exec.for_each(&mut results, |_, (child, result)| {
        *result = task_updates(child, pattern, system, exec);
    });
    // Updates by the supernode that waits for them, each list in a fixed order, and those for other tasks.
    let mut waiting: Vec<Vec<Update>> = Vec::new();
    waiting.resize_with(task.supernodes.len(), Vec::new);
    let mut leaving = Vec::new();
    let mut hand_on = |waiting: &mut Vec<Vec<Update>>, update: Update| match task
        .supernodes
        .binary_search(&pattern.parent[update.from as usize])
    {
        Ok(at) => waiting[at].push(update),
        Err(_) => leaving.push(update),
    };
    for (_, result) in results {
        for update in result? {
            hand_on(&mut waiting, update);
        }
    }
    let mut front = Front::default();
    task.panels.values.resize(task.panels.len(), 0.0);
    let mut out = &mut task.panels.values[..];
    let mut nodes = task.panels.nodes.iter();
    for (at, &s) in task.supernodes.iter().enumerate() {
        let columns = pattern.columns(s as usize);
        front.start(pattern, system, s as usize)?;
        for update in std::mem::take(&mut waiting[at]) {
            front.add(pattern, &update);
            if front.spare.len() == SPARE {
                front.spare.remove(0);
            }
            front.spare.push(update.values);
        }
        let update = front.eliminate(columns.start)?;
        let mut done = 0;
        while done < columns.len() {
            let Some(node) = nodes.next() else { break };
            let (part, rest) = std::mem::take(&mut out).split_at_mut(node.len());
            pack(&front.panel[done * front.stride + done..], front.stride, node.cols, node.rows, part);
            out = rest;
            done += node.cols;
        }
        if pattern.parent[s as usize] != s {
            hand_on(&mut waiting, Update { from: s, values: update });
        }
    }
    Ok(leaving)
}

/// A dense front: the columns of a supernode, and the update it makes.
#[derive(Default)]
struct Front {
    columns: usize,
    /// Rows in all: the supernode's columns and the rows below them.
    stride: usize,
    /// The numbers of the rows.
    rows: Vec<u32>,
    /// The columns to eliminate.
    panel: Vec<f64>,
    /// The update, of `stride - columns` rows and columns; the lower triangle counts.
    update: Vec<f64>,
    /// Where the rows of an update go.
    places: Vec<usize>,
    /// Rows of an update that stay side by side in the front: (from, to, how many).
    runs: Vec<(usize, usize, usize)>,
    /// Memory of former updates.
    spare: Vec<Vec<f64>>,
}

impl Front {
    /// The columns of the matrix.
    fn start(&mut self, pattern: &Supernodes, system: &System, s: usize) -> Result<(), FactorError> {
        let columns = pattern.columns(s);
        self.rows.clear();
        self.rows.extend(columns.start as u32..columns.end as u32);
        self.rows.extend_from_slice(pattern.below(s));
        self.columns = columns.len();
        self.stride = self.rows.len();
        self.panel.clear();
        self.panel.resize(self.stride * self.columns, 0.0);
        let below = self.stride - self.columns;
        self.update = self.zeros(below);
        for (j, column) in columns.zip(self.panel.chunks_exact_mut(self.stride)) {
            let entries = system.col_ptr()[j]..system.col_ptr()[j + 1];
            for (&row, &value) in system.row_idx()[entries.clone()].iter().zip(&system.values()[entries]) {
                let at = self.rows.binary_search(&row).map_err(|_| FactorError::OtherPattern)?;
                column[at] += value;
            }
        }
        Ok(())
    }

    /// A square whose lower triangle is zero, in memory used before if there is some of the right size.
    fn zeros(&mut self, size: usize) -> Vec<f64> {
        let need = size * size;
        let fits = |old: &Vec<f64>| old.len() >= need && old.len() <= 2 * need;
        let Some(at) = self.spare.iter().position(fits) else {
            return vec![0.0; need];
        };
        let mut square = self.spare.swap_remove(at);
        square.truncate(need);
        for (c, column) in square.chunks_exact_mut(size.max(1)).enumerate() {
            column[c..].fill(0.0);
        }
        square
    }

    /// Adds the update of a child.
    fn add(&mut self, pattern: &Supernodes, update: &Update) {
        let ids = pattern.below(update.from as usize);
        let size = ids.len();
        // Both lists ascend, and the front has all rows of the update.
        self.runs.clear();
        self.places.clear();
        let mut to = 0;
        for (from, id) in ids.iter().enumerate() {
            let start = to;
            while to < self.stride && self.rows[to] != *id {
                to += 1;
            }
            match self.runs.last_mut() {
                Some(run) if to == start => run.2 += 1,
                _ => self.runs.push((from, to, 1)),
            }
            self.places.push(to);
            to += 1;
        }
        let below = self.stride - self.columns;
        let long_runs = size >= 8 * self.runs.len();
        let mut run = 0;
        for (from, source) in update.values.chunks_exact(size).enumerate() {
            let to = self.places[from];
            // Rows of the target start at 0 in the panel, and at the first row below in the update.
            let (target, base) = if to < self.columns {
                (&mut self.panel[to * self.stride..(to + 1) * self.stride], 0)
            } else {
                let column = to - self.columns;
                (&mut self.update[column * below..(column + 1) * below], self.columns)
            };
            if long_runs {
                run += (self.runs[run].0 + self.runs[run].2 <= from) as usize;
                for &(run_from, run_to, run_len) in &self.runs[run..] {
                    let skip = from.saturating_sub(run_from);
                    let source = &source[run_from + skip..run_from + run_len];
                    let target = &mut target[run_to + skip - base..run_to + run_len - base];
                    for (t, s) in target.iter_mut().zip(source) {
                        *t += s;
                    }
                }
            } else {
                for (&to, s) in self.places[from..].iter().zip(&source[from..]) {
                    target[to - base] += s;
                }
            }
        }
    }

    /// Eliminates the columns: L in the panel, and what remains for the parent.
    fn eliminate(&mut self, first: usize) -> Result<Vec<f64>, FactorError> {
        let (columns, below) = (self.columns, self.stride - self.columns);
        let need = cholesky_in_place_scratch::<f64>(columns, Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| FactorError::TooLarge)?;
        let panel = MatMut::from_column_major_slice_mut(&mut self.panel, self.stride, columns);
        let (mut top, mut bottom) = panel.split_at_row_mut(columns);
        cholesky_in_place(
            top.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|LltError::NonPositivePivot { index }| FactorError::NotPositive { column: first + index })?;
        for c in 0..columns {
            if !top[(c, c)].is_finite() {
                return Err(FactorError::NotPositive { column: first + c });
            }
        }
        let mut update = std::mem::take(&mut self.update);
        if below > 0 {
            solve_lower_triangular_in_place(top.as_ref(), bottom.as_mut().transpose_mut(), Par::Seq);
            triangular::matmul(
                MatMut::from_column_major_slice_mut(&mut update, below, below),
                BlockStructure::TriangularLower,
                Accum::Add,
                bottom.as_ref(),
                BlockStructure::Rectangular,
                bottom.as_ref().transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
        }
        Ok(update)
    }
}
