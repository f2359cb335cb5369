//! Columns of the inverse of a matrix, kept as long as the matrix stays the same.
//!
//! The matrix of the global step is constant, so its columns are kept for good: contacts come and go without a new
//! factor. A column is kept only at the nodes that may touch and that it can reach: those of the same component of the matrix.

/// Most bytes of columns that are kept between steps.
const MOST_BYTES: usize = 512 << 20;

/// Where a node that may touch is in the columns.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// First touching node of its component, and one past the last, in the order of `nodes`.
    range: (u32, u32),
    /// Its own number there.
    at: u32,
}

/// Kept columns over the nodes that may touch.
#[derive(Debug, Default)]
pub struct Columns {
    /// Nodes that may touch, by component and number.
    nodes: Vec<u32>,
    /// Of each node of the system, if it may touch.
    place: Vec<Option<Place>>,
    kept: Vec<Option<Box<[f64]>>>,
    bytes: usize,
    version: u64,
}

impl Columns {
    /// For the nodes `touching` of a system whose nodes have these components.
    pub fn new(touching: impl Iterator<Item = u32>, component: &[u32]) -> Columns {
        let mut nodes: Vec<u32> = touching.filter(|&i| (i as usize) < component.len()).collect();
        nodes.sort_unstable_by_key(|&i| (component[i as usize], i));
        nodes.dedup();
        let mut place = vec![None; component.len()];
        let mut start = 0;
        while start < nodes.len() {
            let of = component[nodes[start] as usize];
            let end = start + nodes[start..].iter().take_while(|&&i| component[i as usize] == of).count();
            for at in start..end {
                let range = (start as u32, end as u32);
                place[nodes[at] as usize] = Some(Place { range, at: at as u32 });
            }
            start = end;
        }
        Columns { kept: vec![None; nodes.len()], nodes, place, bytes: 0, version: 1 }
    }

    /// None yet, over the same nodes.
    pub fn like(other: &Columns) -> Columns {
        Columns {
            nodes: other.nodes.clone(),
            place: other.place.clone(),
            kept: vec![None; other.nodes.len()],
            bytes: 0,
            version: 1,
        }
    }

    /// Forgets all numbers: the matrix has changed.
    pub fn forget(&mut self) {
        self.kept.fill(None);
        self.bytes = 0;
        self.version += 1;
    }

    /// Another number whenever the matrix has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Makes room once the columns have become too many. Call between steps.
    pub fn trim(&mut self) {
        if self.bytes > MOST_BYTES {
            self.forget();
        }
    }

    /// True if the column of a node is there.
    pub fn has(&self, node: u32) -> bool {
        self.slot(node).is_some_and(|s| self.kept[s.at as usize].is_some())
    }

    fn slot(&self, node: u32) -> Option<Place> {
        self.place.get(node as usize).copied().flatten()
    }

    /// The touching nodes that the column of a node reaches.
    pub fn reach(&self, node: u32) -> &[u32] {
        self.slot(node).map_or(&[], |s| &self.nodes[s.range.0 as usize..s.range.1 as usize])
    }

    /// Keeps a column: `width` numbers for each node of [`Columns::reach`].
    pub fn keep(&mut self, node: u32, column: Box<[f64]>) {
        if let Some(s) = self.slot(node) {
            self.bytes += 8 * column.len();
            self.kept[s.at as usize] = Some(column);
        }
    }

    /// The `width` numbers of a kept column at each of `at`; zeros where it does not reach.
    pub fn gather(&self, node: u32, at: &[u32], width: usize, out: &mut Vec<f64>) {
        out.clear();
        let of = self.slot(node);
        let column = of.and_then(|s| self.kept[s.at as usize].as_deref()).unwrap_or(&[]);
        for &i in at {
            let entry = match (of, self.slot(i)) {
                (Some(s), Some(t)) if s.range == t.range => {
                    let first = (t.at - s.range.0) as usize * width;
                    column.get(first..first + width)
                }
                _ => None,
            };
            match entry {
                Some(numbers) => out.extend_from_slice(numbers),
                None => out.extend(std::iter::repeat_n(0.0, width)),
            }
        }
    }
}
