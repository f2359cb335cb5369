//! Disjoint sets of numbers, joined one pair at a time (union–find with path halving).

/// Disjoint sets of the numbers from 0 on. The root of a set is its least number, so results do not depend on the order of joins.
#[derive(Debug, Clone)]
pub struct Sets(Vec<u32>);

impl Sets {
    /// `count` sets of one number each.
    pub fn new(count: usize) -> Sets {
        Sets((0..count as u32).collect())
    }

    /// The least number of the set of `i`; `i` itself if it is none of them.
    pub fn root(&mut self, mut i: u32) -> u32 {
        while let Some(&parent) = self.0.get(i as usize)
            && parent != i
        {
            let above = self.0.get(parent as usize).copied().unwrap_or(parent);
            if let Some(parent) = self.0.get_mut(i as usize) {
                *parent = above;
            }
            i = above;
        }
        i
    }

    /// Makes one set of those of `a` and `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(parent) = self.0.get_mut(a.max(b) as usize) {
            *parent = a.min(b);
        }
    }

    /// How many sets there are.
    pub fn count(&self) -> usize {
        self.0.iter().enumerate().filter(|&(i, &parent)| i as u32 == parent).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_sets_share_their_least_number() {
        let mut sets = Sets::new(6);
        for (a, b) in [(5, 3), (1, 4), (3, 4), (4, 5)] {
            sets.join(a, b);
        }
        assert_eq!((0..6).map(|i| sets.root(i)).collect::<Vec<_>>(), [0, 1, 2, 1, 1, 1]);
        assert_eq!(sets.count(), 3);
        // Numbers beyond the last are sets of their own, and joining them does nothing.
        assert_eq!(sets.root(9), 9);
        sets.join(0, 9);
        assert_eq!(sets.count(), 3);
    }
}
