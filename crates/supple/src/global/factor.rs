//! The numbers of the factor, supernode by supernode (multifrontal).
//!
//! A supernode collects its columns of the matrix and the updates of its children in a dense front,
//! eliminates its columns there, and passes the rest on to its parent as an update. The eliminated columns
//! go straight into the packed panels, so the factor is never held twice. Updates wait on a stack: in
//! postorder, those on top are the children of the supernode that comes next.

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

/// Updates that wait for their parents.
#[derive(Default)]
struct Stack {
    /// Which supernode each is from, and where it starts.
    entries: Vec<(usize, usize)>,
    /// Lower triangles over the rows below the supernode, by columns without gaps.
    values: Vec<f64>,
}

/// Factors the supernodes of a task and of all below it.
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
) -> Result<Stack, FactorError> {
    let mut results: Vec<(&mut Task, Result<Stack, FactorError>)> =
        task.children.iter_mut().map(|child| (child, Ok(Stack::default()))).collect();
    exec.for_each(&mut results, |_, (child, result)| {
        *result = task_updates(child, pattern, system, exec);
    });
    let incoming = results.into_iter().map(|(_, result)| result).collect::<Result<Vec<Stack>, _>>()?;
    if task.panels.values.len() != task.panels.len() {
        task.panels.values = vec![0.0; task.panels.len()];
    }
    let mut out = &mut task.panels.values[..];
    let mut nodes = task.panels.nodes.iter();
    let (mut front, mut stack) = memory_for(task.supernodes.iter().map(|&s| s as usize), pattern);
    for &s in &task.supernodes {
        let s = s as usize;
        let columns = pattern.columns(s);
        front.start(pattern, system, s)?;
        let waits = |&(from, _): &(usize, usize)| pattern.parent[from] as usize == s;
        let keep = stack.entries.len() - stack.entries.iter().rev().take_while(|entry| waits(entry)).count();
        let mut children: Vec<(usize, &[f64])> = Vec::new();
        children.extend(stack.entries[keep..].iter().map(|&(from, at)| (from, &stack.values[at..])));
        for below in &incoming {
            let updates = below.entries.iter().filter(|entry| waits(entry));
            children.extend(updates.map(|&(from, at)| (from, &below.values[at..])));
        }
        for &(from, update) in &children {
            front.add(pattern.up(from), update, Into::Panel);
        }
        front.eliminate(columns.start)?;
        for &(from, update) in &children {
            front.add(pattern.up(from), update, Into::Update);
        }
        let mut done = 0;
        while done < columns.len() {
            let Some(node) = nodes.next() else { break };
            let (part, rest) = std::mem::take(&mut out).split_at_mut(node.len());
            pack(&front.panel[done * front.stride + done..], front.stride, node.cols, node.rows, part);
            out = rest;
            done += node.cols;
        }
        if let Some(&(_, at)) = stack.entries.get(keep) {
            stack.values.truncate(at);
            stack.entries.truncate(keep);
        }
        if pattern.parent[s] as usize != s {
            stack.entries.push((s, stack.values.len()));
            let below = front.stride - front.columns;
            for (c, column) in front.update.chunks_exact(below).enumerate().take(below) {
                stack.values.extend_from_slice(&column[c..]);
            }
        }
    }
    for below in &incoming {
        let ends = below.entries.iter().skip(1).map(|&(_, at)| at).chain([below.values.len()]);
        for (&(from, at), end) in below.entries.iter().zip(ends) {
            // Not for this task: on to the next.
            if task.supernodes.binary_search(&pattern.parent[from]).is_err() {
                stack.entries.push((from, stack.values.len()));
                stack.values.extend_from_slice(&below.values[at..end]);
            }
        }
    }
    stack.values.shrink_to_fit();
    Ok(stack)
}

/// A front and a stack with room for all that these supernodes will need.
fn memory_for(supernodes: impl Iterator<Item = usize>, pattern: &Supernodes) -> (Front, Stack) {
    let (mut panel, mut update, mut stack) = (0, 0, 0);
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut height = 0;
    for s in supernodes {
        let (columns, below) = (pattern.columns(s).len(), pattern.below(s).len());
        panel = panel.max((columns + below) * columns);
        update = update.max(below * below);
        while let Some(&(from, start)) = waiting.last()
            && pattern.parent[from] as usize == s
        {
            waiting.pop();
            height = start;
        }
        if pattern.parent[s] as usize != s {
            waiting.push((s, height));
            height += below * (below + 1) / 2;
            stack = stack.max(height);
        }
    }
    let front = Front { panel: Vec::with_capacity(panel), update: vec![0.0; update], ..Front::default() };
    (front, Stack { entries: Vec::new(), values: Vec::with_capacity(stack) })
}

/// Which columns of an update to add: those that are eliminated with the supernode, or those that stay.
#[derive(Clone, Copy, PartialEq)]
enum Into {
    Panel,
    Update,
}

/// A dense front: the columns of a supernode, and the update it makes.
#[derive(Default)]
struct Front {
    columns: usize,
    /// Rows in all: the supernode's columns and the rows below them.
    stride: usize,
    /// The columns to eliminate.
    panel: Vec<f64>,
    /// The update, of `stride - columns` rows and columns; the lower triangle counts. Longer than that, to
    /// have room for all fronts.
    update: Vec<f64>,
    /// Rows of a child's update that stay side by side: (from, to, how many).
    runs: Vec<(usize, usize, usize)>,
}

impl Front {
    /// The columns of the matrix.
    fn start(&mut self, pattern: &Supernodes, system: &System, s: usize) -> Result<(), FactorError> {
        let columns = pattern.columns(s);
        let below = pattern.below(s);
        self.columns = columns.len();
        self.stride = columns.len() + below.len();
        self.panel.clear();
        self.panel.resize(self.stride * self.columns, 0.0);
        let first = columns.start;
        let is = |place: usize, row: u32| match place.checked_sub(self.columns) {
            None => first + place == row as usize,
            Some(k) => below.get(k) == Some(&row),
        };
        for (j, column) in columns.zip(self.panel.chunks_exact_mut(self.stride)) {
            let entries = system.col_ptr()[j]..system.col_ptr()[j + 1];
            let values = system.row_idx()[entries.clone()].iter().zip(&system.values()[entries.clone()]);
            for (k, (&row, &value)) in entries.zip(values) {
                // The places of the pattern that was factored first; a part of it has others.
                let at = match pattern.places.get(k) {
                    Some(&at) if is(at as usize, row) => at,
                    _ => pattern.place(s, row).ok_or(FactorError::OtherPattern)?,
                };
                column[at as usize] += value;
            }
        }
        Ok(())
    }

    /// Adds the update of a child, whose rows go to `places` of the front, which ascend.
    fn add(&mut self, places: &[u32], mut update: &[f64], part: Into) {
        let size = places.len();
        self.runs.clear();
        for (from, &to) in places.iter().enumerate() {
            match self.runs.last_mut() {
                Some(run) if run.1 + run.2 == to as usize => run.2 += 1,
                _ => self.runs.push((from, to as usize, 1)),
            }
        }
        let below = self.stride - self.columns;
        let long_runs = size >= 8 * self.runs.len();
        let mut run = 0;
        for (from, &to) in places.iter().enumerate() {
            let to = to as usize;
            let (source, rest) = update.split_at(size - from);
            update = rest;
            if long_runs {
                run += (self.runs[run].0 + self.runs[run].2 <= from) as usize;
            }
            // Rows of the target start at 0 in the panel, and at the first row below in the update.
            let (target, base) = match part {
                Into::Panel if to >= self.columns => break,
                Into::Panel => (&mut self.panel[to * self.stride..(to + 1) * self.stride], 0),
                Into::Update if to < self.columns => continue,
                Into::Update => {
                    let column = to - self.columns;
                    (&mut self.update[column * below..(column + 1) * below], self.columns)
                }
            };
            if long_runs {
                for &(run_from, run_to, run_len) in &self.runs[run..] {
                    let skip = from.saturating_sub(run_from);
                    let source = &source[run_from + skip - from..run_from + run_len - from];
                    let target = &mut target[run_to + skip - base..run_to + run_len - base];
                    for (t, s) in target.iter_mut().zip(source) {
                        *t += s;
                    }
                }
            } else {
                for (&to, s) in places[from..].iter().zip(source) {
                    target[to as usize - base] += s;
                }
            }
        }
    }

    /// Eliminates the columns: L into the panel, and −L Lᵀ of the rows below into the update.
    fn eliminate(&mut self, first: usize) -> Result<(), FactorError> {
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
        if below > 0 {
            solve_lower_triangular_in_place(top.as_ref(), bottom.as_mut().transpose_mut(), Par::Seq);
            triangular::matmul(
                MatMut::from_column_major_slice_mut(&mut self.update[..below * below], below, below),
                BlockStructure::TriangularLower,
                Accum::Replace,
                bottom.as_ref(),
                BlockStructure::Rectangular,
                bottom.as_ref().transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
        }
        Ok(())
    }
}
