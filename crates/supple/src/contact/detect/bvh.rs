//! A tree of boxes, built once and refitted when things move.

/// Lowest and highest corner.
pub(in crate::contact) type Bounds = [[f64; 3]; 2];

/// Boxes of a leaf.
const LEAF: usize = 4;

/// The box around nothing.
pub(in crate::contact) const NOTHING: Bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// The box around both.
pub(in crate::contact) fn join(a: Bounds, b: Bounds) -> Bounds {
    [std::array::from_fn(|c| a[0][c].min(b[0][c])), std::array::from_fn(|c| a[1][c].max(b[1][c]))]
}

/// The box around some points, with a margin.
pub(in crate::contact) fn around(points: impl IntoIterator<Item = [f64; 3]>, margin: f64) -> Bounds {
    let b = points.into_iter().fold(NOTHING, |b, p| join(b, [p, p]));
    [b[0].map(|v| v - margin), b[1].map(|v| v + margin)]
}

pub(in crate::contact) fn meet(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|c| a[0][c] <= b[1][c] && b[0][c] <= a[1][c])
}

/// Distance of a point from a box.
fn distance(b: &Bounds, p: [f64; 3]) -> f64 {
    (0..3).map(|c| (b[0][c] - p[c]).max(p[c] - b[1][c]).max(0.0).powi(2)).sum::<f64>().sqrt()
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// A leaf's items are `order[first..first + count]`; an inner node has count 0 and its second child at `first`; the first
    /// child follows it.
    first: u32,
    count: u32,
}

/// The tree over numbered boxes.
#[derive(Debug, Default)]
pub(in crate::contact) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Tree {
    /// Over these boxes, by their centres.
    pub fn new(boxes: &[Bounds]) -> Tree {
        Tree::over((0..boxes.len() as u32).collect(), boxes)
    }

    /// Over those of these boxes that have the given numbers.
    pub fn over(order: Vec<u32>, boxes: &[Bounds]) -> Tree {
        let count = order.len();
        let mut tree = Tree { nodes: Vec::new(), order };
        if count > 0 {
            tree.split(boxes, 0, count);
        }
        tree.refit(boxes);
        tree
    }

    fn split(&mut self, boxes: &[Bounds], first: usize, end: usize) {
        let at = self.nodes.len();
        self.nodes.push(Node { bounds: NOTHING, first: first as u32, count: (end - first) as u32 });
        if end - first <= LEAF {
            return;
        }
        let centre = |i: u32, c: usize| boxes[i as usize][0][c] + boxes[i as usize][1][c];
        let spread = |c: usize| {
            let all = self.order[first..end].iter().map(|&i| centre(i, c));
            let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            high - low
        };
        let wide: [f64; 3] = std::array::from_fn(spread);
        let axis = if wide[0] >= wide[1] && wide[0] >= wide[2] {
            0
        } else if wide[1] >= wide[2] {
            1
        } else {
            2
        };
        let middle = (first + end) / 2;
        // Numbers decide between equal centres: the same tree on any machine.
        self.order[first..end].select_nth_unstable_by(middle - first, |&i, &j| {
            centre(i, axis).total_cmp(&centre(j, axis)).then(i.cmp(&j))
        });
        self.split(boxes, first, middle);
        let second = self.nodes.len() as u32;
        self.split(boxes, middle, end);
        self.nodes[at].first = second;
        self.nodes[at].count = 0;
    }

    /// The same tree over boxes that have moved.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        for at in (0..self.nodes.len()).rev() {
            let n = self.nodes[at];
            self.nodes[at].bounds = if n.count > 0 {
                let items = &self.order[n.first as usize..(n.first + n.count) as usize];
                items.iter().fold(NOTHING, |b, &i| join(b, boxes[i as usize]))
            } else {
                join(self.nodes[at + 1].bounds, self.nodes[n.first as usize].bounds)
            };
        }
    }

    /// Calls `f` with the number of each box that meets one, in a fixed order.
    pub fn visit(&self, boxes: &[Bounds], bounds: &Bounds, f: &mut dyn FnMut(u32)) {
        let mut stack = [0u32; 64];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = stack[depth] as usize;
            let n = self.nodes[at];
            if !meet(&n.bounds, bounds) {
                continue;
            }
            if n.count > 0 {
                for &i in &self.order[n.first as usize..(n.first + n.count) as usize] {
                    if meet(&boxes[i as usize], bounds) {
                        f(i);
                    }
                }
            } else if depth + 2 <= stack.len() {
                (stack[depth], stack[depth + 1]) = (n.first, at as u32 + 1);
                depth += 2;
            }
        }
    }

    /// Calls `f(number, most)` with boxes that come within `most` of a point, nearer ones first as far as the tree tells; `f` gives
    /// back what `most` is then.
    pub fn nearest(&self, boxes: &[Bounds], p: [f64; 3], f: &mut dyn FnMut(u32, f64) -> f64) {
        let mut most = f64::INFINITY;
        let mut stack = [(0u32, 0.0f64); 64];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let (at, far) = stack[depth];
            if far > most {
                continue;
            }
            let n = self.nodes[at as usize];
            if n.count > 0 {
                for &i in &self.order[n.first as usize..(n.first + n.count) as usize] {
                    if distance(&boxes[i as usize], p) <= most {
                        most = f(i, most);
                    }
                }
            } else if depth + 2 <= stack.len() {
                let (a, b) = (at + 1, n.first);
                let (da, db) = (
                    distance(&self.nodes[a as usize].bounds, p),
                    distance(&self.nodes[b as usize].bounds, p),
                );
                let (near, far) = if da <= db { ((a, da), (b, db)) } else { ((b, db), (a, da)) };
                (stack[depth], stack[depth + 1]) = (far, near);
                depth += 2;
            }
        }
    }
}
