//! The tree of tasks: which parts of the factor can be worked on side by side.
//!
//! Subtrees of the elimination tree touch disjoint columns, and only add to the rows of their common
//! ancestors. A task is a set of supernodes with children tasks that come before it (going up: factor,
//! forward) or after it (going down: backward). Each works on a vector of its own: its columns, and then
//! the rows of ancestors that it adds to or reads. The tree depends on the matrix alone, never on the
//! number of threads, and so do the sums and their bits.

use super::panels::{Node, Panels, WIDEST};

/// A factor with fewer numbers than this is one task: less is done before another thread, awake, has taken a part of it.
const SMALLEST: usize = 20_000;

/// The same for a subtree. Each level of tasks copies its rows, so small factors have one.
const SMALLEST_PART: usize = 200_000;

/// Levels of the tree: at most 2^DEEPEST tasks side by side.
const DEEPEST: usize = 4;

/// A child that has more than this part of the work of all is not worth a task beside the others.
const LOPSIDED: f64 = 0.65;

/// The pattern of the factor: supernodes and the rows below them, in ascending order.
#[derive(Debug)]
pub(super) struct Supernodes {
    /// Supernode `s` is the columns `begin[s]..begin[s + 1]`.
    pub begin: Vec<u32>,
    /// Its rows below are `rows[row_ptr[s]..row_ptr[s + 1]]`.
    pub row_ptr: Vec<usize>,
    pub rows: Vec<u32>,
    /// The supernode of the first row below; itself if there is none.
    pub parent: Vec<u32>,
    /// Where each entry of the matrix is among the rows of its supernode, columns first.
    pub places: Vec<u32>,
    /// Where each of `rows` is among those of the parent.
    pub up: Vec<u32>,
}

impl Supernodes {
    pub fn len(&self) -> usize {
        self.parent.len()
    }
    pub fn columns(&self, s: usize) -> std::ops::Range<usize> {
        self.begin[s] as usize..self.begin[s + 1] as usize
    }
    pub fn below(&self, s: usize) -> &[u32] {
        &self.rows[self.row_ptr[s]..self.row_ptr[s + 1]]
    }

    /// Where the rows below a supernode are among those of its parent.
    pub fn up(&self, s: usize) -> &[u32] {
        &self.up[self.row_ptr[s]..self.row_ptr[s + 1]]
    }

    /// Where a row is among those of a supernode.
    pub fn place(&self, s: usize, row: u32) -> Option<u32> {
        let columns = self.columns(s);
        if columns.contains(&(row as usize)) {
            return Some(row - columns.start as u32);
        }
        let at = self.below(s).binary_search(&row).ok()?;
        Some((columns.len() + at) as u32)
    }
}

/// A set of supernodes, and the tasks below it.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// Its supernodes, ascending.
    pub supernodes: Vec<u32>,
    /// Its columns, ascending, and then the rows of ancestors, ascending: the numbers of the vector's rows.
    pub rows: Vec<u32>,
    /// How many of them are its own columns.
    pub own: usize,
    /// Where its rows of ancestors are in the vector of the parent.
    pub up: Vec<u32>,
    /// Its supernodes in the numbering of its vector.
    pub panels: Panels,
    pub children: Vec<Task>,
}

impl Task {
    /// The whole tree.
    pub fn new(pattern: &Supernodes) -> Task {
        let count = pattern.len();
        let mut work = vec![0usize; count];
        let mut first = (0..count as u32).collect::<Vec<_>>();
        let mut children = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for s in 0..count {
            let (cols, rows) = (pattern.columns(s).len(), pattern.below(s).len());
            work[s] += Node::diagonal_len(cols) + cols * rows;
            let parent = pattern.parent[s] as usize;
            if parent == s {
                roots.push(s as u32);
            } else {
                work[parent] += work[s];
                first[parent] = first[parent].min(first[s]);
                children[parent].push(s as u32);
            }
        }
        let tree = Tree { work, first, children };
        let mut root = tree.task(roots, 0);
        let n = pattern.begin[count] as usize;
        root.number(pattern, &mut vec![u32::MAX; n]);
        root
    }

    /// Fills in the numbering of the vector; `place` is all `MAX` before and after.
    fn number(&mut self, pattern: &Supernodes, place: &mut [u32]) {
        for child in &mut self.children {
            child.number(pattern, place);
        }
        for &s in &self.supernodes {
            self.rows.extend(pattern.columns(s as usize).map(|c| c as u32));
        }
        self.own = self.rows.len();
        for &row in &self.rows {
            place[row as usize] = 0;
        }
        let below = self.supernodes.iter().flat_map(|&s| pattern.below(s as usize));
        let from_children = self.children.iter().flat_map(|child| &child.rows[child.own..]);
        for &row in below.chain(from_children) {
            if place[row as usize] == u32::MAX {
                place[row as usize] = 0;
                self.rows.push(row);
            }
        }
        self.rows[self.own..].sort_unstable();
        for (k, &row) in self.rows.iter().enumerate() {
            place[row as usize] = k as u32;
        }
        for child in &mut self.children {
            child.up = child.rows[child.own..].iter().map(|&row| place[row as usize]).collect();
        }
        let mut below = Vec::new();
        for &s in &self.supernodes {
            let columns = pattern.columns(s as usize);
            let first = place[columns.start] as usize;
            let end = first + columns.len();
            let mut at = first;
            while at < end {
                let next = end.min(at + WIDEST);
                below.clear();
                below.extend(next as u32..end as u32);
                below.extend(pattern.below(s as usize).iter().map(|&row| place[row as usize]));
                self.panels.push(at, next - at, &below);
                at = next;
            }
        }
        for &row in &self.rows {
            place[row as usize] = u32::MAX;
        }
    }

    /// Bytes of the factor in this task and those below.
    pub fn bytes(&self) -> usize {
        let children: usize = self.children.iter().map(Task::bytes).sum();
        size_of::<f64>() * self.panels.len() + size_of::<u32>() * self.panels.ids.len() + children
    }
}

/// The elimination tree of supernodes.
struct Tree {
    /// Numbers in the subtree of each.
    work: Vec<usize>,
    /// The first supernode of the subtree of each: it is the run from there up to the root of it.
    first: Vec<u32>,
    children: Vec<Vec<u32>>,
}

impl Tree {
    /// A task for whole subtrees, given by their roots.
    fn task(&self, roots: Vec<u32>, depth: usize) -> Task {
        let mut all: Vec<u32> = Vec::new();
        for &s in &roots {
            all.extend(self.first[s as usize]..=s);
        }
        all.sort_unstable();
        let whole = Task { supernodes: all, ..Task::default() };
        let smallest = if depth == 0 { SMALLEST } else { SMALLEST_PART };
        if depth == DEEPEST || self.sum(&roots) < smallest {
            return whole;
        }
        // Take supernodes off the top until what is left falls into two halves.
        let (mut own, mut rest) = (Vec::new(), roots);
        loop {
            let sum = self.sum(&rest);
            if sum < smallest {
                return whole;
            }
            rest.sort_unstable_by_key(|&s| (self.work[s as usize], s));
            match rest.pop() {
                Some(last) if self.work[last as usize] as f64 > LOPSIDED * sum as f64 => {
                    own.push(last);
                    rest.extend(&self.children[last as usize]);
                }
                Some(last) => {
                    rest.push(last);
                    break;
                }
                None => return whole,
            }
        }
        // Largest first, always to the lighter half.
        let mut halves = [Vec::new(), Vec::new()];
        let mut sums = [0; 2];
        for &s in rest.iter().rev() {
            let lighter = if sums[1] < sums[0] { 1 } else { 0 };
            sums[lighter] += self.work[s as usize];
            halves[lighter].push(s);
        }
        own.sort_unstable();
        let children = halves.into_iter().map(|half| self.task(half, depth + 1)).collect();
        Task { supernodes: own, children, ..Task::default() }
    }

    fn sum(&self, roots: &[u32]) -> usize {
        roots.iter().map(|&s| self.work[s as usize]).sum()
    }
}
