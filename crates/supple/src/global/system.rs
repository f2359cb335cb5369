//! The matrix of the global step: symmetric, sparse, its pattern built once and its values as often as wanted.

use crate::math::nodes::Row;

/// Sets of nodes that are coupled with each other, such as the four corners of each tetrahedron.
/// They are the pattern of the matrix: nodes i and j may have an entry if some clique holds both.
#[derive(Clone, Debug)]
pub struct Cliques {
    n: usize,
    /// Clique `c` is `nodes[ends[c - 1]..ends[c]]`.
    ends: Vec<usize>,
    nodes: Vec<u32>,
}

impl Cliques {
    /// No clique yet, over nodes `0..n`.
    pub fn new(n: usize) -> Cliques {
        Cliques { n, ends: Vec::new(), nodes: Vec::new() }
    }

    /// As [`Cliques::new`], with room for `cliques` sets of `nodes` node ids in total.
    pub fn with_capacity(n: usize, cliques: usize, nodes: usize) -> Cliques {
        Cliques { n, ends: Vec::with_capacity(cliques), nodes: Vec::with_capacity(nodes) }
    }

    /// How many nodes there are to choose from.
    pub fn n(&self) -> usize {
        self.n
    }

    /// How many cliques there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no clique: a diagonal matrix.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a clique; a node may occur in it twice. False, and nothing added, if an id is not below `n`.
    #[must_use]
    pub fn push(&mut self, nodes: &[u32]) -> bool {
        if nodes.iter().any(|&v| v as usize >= self.n) {
            return false;
        }
        self.nodes.extend_from_slice(nodes);
        self.ends.push(self.nodes.len());
        true
    }

    /// The nodes of one clique.
    fn get(&self, c: usize) -> &[u32] {
        let start = if c == 0 { 0 } else { self.ends[c - 1] };
        &self.nodes[start..self.ends[c]]
    }

    /// Renames every node: `v` becomes `new_of_old[v]`, for a permutation `new_of_old` of `0..n`.
    /// A slice of another length changes nothing.
    pub fn renumber(&mut self, new_of_old: &[u32]) {
        if new_of_old.len() == self.n {
            for v in &mut self.nodes {
                *v = new_of_old[*v as usize];
            }
        }
    }

    /// For every node its neighbours in ascending order, by columns: (starts, ids). With `lower` only the
    /// node itself and its neighbours of higher number; else all neighbours without the node itself.
    pub(super) fn adjacency(&self, lower: bool) -> (Vec<usize>, Vec<u32>) {
        let n = self.n;
        // The cliques of each node.
        let mut at = vec![0usize; n + 2];
        for &v in &self.nodes {
            at[v as usize + 2] += 1;
        }
        for v in 2..n + 2 {
            at[v] += at[v - 1];
        }
        let mut of_node = vec![0u32; self.nodes.len()];
        for c in 0..self.len() {
            for &v in self.get(c) {
                of_node[at[v as usize + 1]] = c as u32;
                at[v as usize + 1] += 1;
            }
        }
        let mut starts = Vec::with_capacity(n + 1);
        let mut ids: Vec<u32> = Vec::new();
        let mut seen = vec![u32::MAX; n];
        starts.push(0);
        for v in 0..n {
            let (id, first) = (v as u32, ids.len());
            seen[v] = id;
            if lower {
                ids.push(id);
            }
            for &c in &of_node[at[v]..at[v + 1]] {
                for &w in self.get(c as usize) {
                    if seen[w as usize] != id {
                        seen[w as usize] = id;
                        if !lower || w > id {
                            ids.push(w);
                        }
                    }
                }
            }
            ids[first..].sort_unstable();
            starts.push(ids.len());
        }
        (starts, ids)
    }
}

/// A symmetric sparse matrix: the lower triangle by columns, rows ascending, the diagonal always present.
#[derive(Clone, Debug)]
pub struct System {
    n: usize,
    col_ptr: Vec<usize>,
    row_idx: Vec<u32>,
    values: Vec<f64>,
    /// Where the sums of [`System::refill`] went when it was called first.
    places: Vec<u32>,
    /// The values after the first part of it, and how many sums that had.
    first: Vec<f64>,
    first_places: usize,
}

/// The parts of [`System::refill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What seldom changes.
    First,
    /// What changes often.
    Rest,
}

/// Where [`System::refill`] puts what is outside of the matrix.
const NOWHERE: u32 = u32::MAX;

impl System {
    /// A matrix of zeros whose pattern is the diagonal and the pairs within cliques.
    pub fn from_pattern(cliques: &Cliques) -> System {
        let (col_ptr, row_idx) = cliques.adjacency(true);
        let values = vec![0.0; row_idx.len()];
        System {
            n: cliques.n,
            col_ptr,
            row_idx,
            values,
            places: Vec::new(),
            first: Vec::new(),
            first_places: 0,
        }
    }

    /// Rows, and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Where each column starts in [`System::row_idx`] and [`System::values`]; `n + 1` numbers.
    pub fn col_ptr(&self) -> &[usize] {
        &self.col_ptr
    }

    /// The row of each entry of the lower triangle; the first of each column is the diagonal.
    pub fn row_idx(&self) -> &[u32] {
        &self.row_idx
    }

    /// The value of each entry of the lower triangle.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The diagonal entry of a row, if there is such a row.
    pub fn diagonal(&self, row: usize) -> Option<f64> {
        (row < self.n).then(|| self.values[self.col_ptr[row]])
    }

    /// As [`System::values`], to be changed.
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// A matrix of zeros in which each entry is widened to a 3×3 block.
    pub(super) fn widened(&self) -> System {
        let entries = 9 * self.row_idx.len() - 3 * self.n;
        let (mut col_ptr, mut row_idx) = (Vec::with_capacity(3 * self.n + 1), Vec::with_capacity(entries));
        col_ptr.push(0);
        for j in 0..self.n {
            for c in 0..3 {
                row_idx.extend(3 * j as u32 + c..3 * j as u32 + 3);
                for &i in &self.row_idx[self.col_ptr[j] + 1..self.col_ptr[j + 1]] {
                    row_idx.extend(3 * i..3 * i + 3);
                }
                col_ptr.push(row_idx.len());
            }
        }
        let values = vec![0.0; row_idx.len()];
        System {
            n: 3 * self.n,
            col_ptr,
            row_idx,
            values,
            places: Vec::new(),
            first: Vec::new(),
            first_places: 0,
        }
    }

    /// The same matrix with the identity's rows and columns for some nodes, which are in order.
    pub(super) fn without(&self, nodes: &[u32]) -> System {
        let left_out = |i: u32| nodes.binary_search(&i).is_ok();
        let mut values = self.values.clone();
        for j in 0..self.n {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            let out = left_out(j as u32);
            for (v, &i) in values[column.clone()].iter_mut().zip(&self.row_idx[column]) {
                if out || left_out(i) {
                    *v = if i as usize == j { 1.0 } else { 0.0 };
                }
            }
        }
        let (col_ptr, row_idx) = (self.col_ptr.clone(), self.row_idx.clone());
        System { n: self.n, col_ptr, row_idx, values, places: Vec::new(), first: Vec::new(), first_places: 0 }
    }

    /// Sets all values to zero, and keeps the pattern.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to the entries (i, j) and (j, i), which are one and the same number here.
    /// False, and nothing changed, if the pattern has no such entry.
    #[must_use]
    pub fn add(&mut self, i: usize, j: usize, value: f64) -> bool {
        let place = self.place(i, j);
        if let Some(at) = place {
            self.values[at] += value;
        }
        place.is_some()
    }

    /// Where the entry (i, j) stands among the values.
    fn place(&self, i: usize, j: usize) -> Option<usize> {
        let (row, col) = if i > j { (i, j) } else { (j, i) };
        if row >= self.n {
            return None;
        }
        let (start, end) = (self.col_ptr[col], self.col_ptr[col + 1]);
        self.row_idx[start..end].binary_search(&(row as u32)).ok().map(|at| start + at)
    }

    /// Sets all values to sums: `each(part, add)` calls `add(i, j, value)`, which adds to the entries (i, j) and (j, i), and to nothing if
    /// there is none. It is called for the first part and then for the rest. With `again` the first part is as in the call before: from the
    /// second such call on it is not asked for. Every call must have the same pairs in the same order: they are looked up once.
    pub fn refill(&mut self, again: bool, mut each: impl FnMut(Part, &mut dyn FnMut(u32, u32, f64))) {
        let mut places = core::mem::take(&mut self.places);
        let keep = again;
        let again = again && self.first.len() == self.values.len();
        let mut next = if again { self.first_places } else { 0 };
        if !keep {
            self.first.clear();
        }
        if again {
            self.values.copy_from_slice(&self.first);
        } else {
            self.clear();
        }
        let parts: &[Part] = if again { &[Part::Rest] } else { &[Part::First, Part::Rest] };
        for &part in parts {
            each(part, &mut |i, j, value| {
                let at = match places.get(next) {
                    Some(&at) => at,
                    None => {
                        let at = self.place(i as usize, j as usize).map_or(NOWHERE, |at| at as u32);
                        places.push(at);
                        at
                    }
                };
                next += 1;
                if let Some(v) = self.values.get_mut(at as usize) {
                    *v += value;
                }
            });
            if part == Part::First && keep {
                self.first.clone_from(&self.values);
                self.first_places = next;
            }
        }
        self.places = places;
    }

    /// y = A x, for the first `n` rows of both. Meant for residuals, not for speed.
    pub fn mul(&self, x: &[Row], y: &mut [Row]) {
        y[..self.n].fill(Row::default());
        for j in 0..self.n {
            let xj = x[j].0;
            let mut sum = [0.0; 4];
            for p in self.col_ptr[j]..self.col_ptr[j + 1] {
                let (i, a) = (self.row_idx[p] as usize, self.values[p]);
                for c in 0..3 {
                    sum[c] += a * x[i].0[c];
                }
                if i != j {
                    for c in 0..3 {
                        y[i].0[c] += a * xj[c];
                    }
                }
            }
            for c in 0..3 {
                y[j].0[c] += sum[c];
            }
        }
    }
}
