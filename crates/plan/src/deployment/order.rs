//! Which rows matter most: those that the longest chain of others waits for.

use super::Row;

/// By row, how many rows the longest chain has that begins with it; a row is heavier than all that wait for it.
pub fn weights(rows: &[Row]) -> Vec<usize> {
    let mut weights = vec![0; rows.len()];
    // What a row waits for, and how many wait for each: taken off from the ends.
    let mut waiting_for = vec![0_usize; rows.len()];
    for row in rows {
        for &before in row.depends_on.iter().filter(|it| **it < rows.len()) {
            waiting_for[before] += 1;
        }
    }
    let mut ends: Vec<usize> = (0..rows.len()).filter(|it| waiting_for[*it] == 0).collect();
    while let Some(end) = ends.pop() {
        weights[end] += 1;
        for &before in rows[end].depends_on.iter().filter(|it| **it < rows.len()) {
            weights[before] = weights[before].max(weights[end]);
            waiting_for[before] -= 1;
            if waiting_for[before] == 0 {
                ends.push(before);
            }
        }
    }
    weights
}
