//! The order of statements: what others read stands before them, and else as it was found.

/// The order in which to write, where each needs those of its list. Without cycles all are in it, each once.
pub(super) fn sequence(needs: &[Vec<usize>]) -> Vec<usize> {
    let mut sequence = Vec::with_capacity(needs.len());
    let mut state = vec![State::New; needs.len()];
    for start in 0..needs.len() {
        // A stack and not recursion: chains are as long as somebody made them.
        let mut open = vec![(start, 0)];
        while let Some((at, next)) = open.pop() {
            if state[at] == State::Done || (next == 0 && state[at] == State::Open) {
                continue;
            }
            state[at] = State::Open;
            if let Some(needed) = needs[at].get(next) {
                open.push((at, next + 1));
                open.push((*needed, 0));
            } else {
                state[at] = State::Done;
                sequence.push(at);
            }
        }
    }
    sequence
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_comes_first_and_the_rest_stays_in_order() {
        assert_eq!(sequence(&[vec![2], vec![], vec![3], vec![]]), [3, 2, 0, 1]);
        assert_eq!(sequence(&[vec![], vec![0], vec![0]]), [0, 1, 2]);
        // A cycle is never asked for; it loses nobody.
        let mut all = sequence(&[vec![1], vec![0]]);
        all.sort_unstable();
        assert_eq!(all, [0, 1]);
        let long: Vec<Vec<usize>> = (0..5_000).map(|at| vec![at + 1]).chain([vec![]]).collect();
        assert_eq!(sequence(&long).len(), 5_001);
    }
}
