//! A maximum matching between the elements of two arrays, grown from one that may be incomplete.

use std::collections::{HashMap, VecDeque};

/// Whether the matching could be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// No larger matching exists.
    Spent,
    /// It was given up: too many comparisons.
    TooMuch,
}

/// Grows the matching `of_right` (for each right vertex its left partner) until it is maximum.
///
/// `lefts` are the vertices without a partner, those to be served first in front: a left vertex
/// that has a partner keeps one. `fits` says whether there is an edge; it is asked at most `budget`
/// times and once for each pair.
pub(super) fn grow(
    of_right: &mut [Option<usize>],
    lefts: &[usize],
    budget: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Effort {
    let mut edges = Edges { of: HashMap::new(), asked: 0, right: of_right.len(), fits };
    for &start in lefts {
        if edges.asked > budget {
            return Effort::TooMuch;
        }
        if let Some(path) = edges.augmenting_path(start, of_right, budget) {
            for (left, right) in path {
                of_right[right] = Some(left);
            }
        }
    }
    if edges.asked > budget { Effort::TooMuch } else { Effort::Spent }
}

struct Edges<F> {
    of: HashMap<usize, Vec<usize>>,
    asked: usize,
    right: usize,
    fits: F,
}

impl<F: Fn(usize, usize) -> bool> Edges<F> {
    /// The pairs to join so that `start` gets a partner and nobody loses one.
    fn augmenting_path(
        &mut self,
        start: usize,
        of_right: &[Option<usize>],
        budget: usize,
    ) -> Option<Vec<(usize, usize)>> {
        // How each right vertex was reached: from which left one.
        let mut reached: Vec<Option<usize>> = vec![None; self.right];
        // How each left vertex was reached: over which right one.
        let mut over: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(left) = queue.pop_front() {
            if self.asked > budget {
                return None;
            }
            for right in self.neighbours(left) {
                if reached[right].is_some() {
                    continue;
                }
                reached[right] = Some(left);
                match of_right[right] {
                    Some(owner) => {
                        over.insert(owner, right);
                        queue.push_back(owner);
                    }
                    None => return Some(walk_back(right, &reached, &over)),
                }
            }
        }
        None
    }

    fn neighbours(&mut self, left: usize) -> Vec<usize> {
        if let Some(known) = self.of.get(&left) {
            return known.clone();
        }
        self.asked += self.right;
        let found: Vec<usize> = (0..self.right).filter(|&right| (self.fits)(left, right)).collect();
        self.of.insert(left, found.clone());
        found
    }
}

fn walk_back(
    end: usize,
    reached: &[Option<usize>],
    over: &HashMap<usize, usize>,
) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut right = end;
    while let Some(left) = reached[right] {
        path.push((left, right));
        match over.get(&left) {
            Some(&next) => right = next,
            None => break,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(edges: &[&[usize]], mut of_right: Vec<Option<usize>>) -> Vec<Option<usize>> {
        let lefts: Vec<usize> =
            (0..edges.len()).filter(|left| !of_right.contains(&Some(*left))).collect();
        let effort = grow(&mut of_right, &lefts, 1000, |left, right| edges[left].contains(&right));
        assert_eq!(effort, Effort::Spent);
        of_right
    }

    #[test]
    fn the_only_perfect_matching_is_found() {
        let of_right = grown(&[&[0, 1], &[0], &[1, 2]], vec![None; 3]);
        assert_eq!(of_right, [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn a_pair_that_stands_in_the_way_is_moved() {
        assert_eq!(grown(&[&[0, 1], &[0]], vec![Some(0), None]), [Some(1), Some(0)]);
    }

    #[test]
    fn whoever_comes_first_is_served_where_not_all_can_be() {
        let of_right = grown(&[&[0], &[0], &[0, 1]], vec![None; 2]);
        assert_eq!(of_right, [Some(0), Some(2)]);
    }

    #[test]
    fn too_much_work_is_given_up() {
        let mut of_right = vec![None; 10];
        let lefts: Vec<usize> = (0..10).collect();
        assert_eq!(grow(&mut of_right, &lefts, 25, |_, _| false), Effort::TooMuch);
    }
}
