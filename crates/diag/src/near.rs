//! "Did you mean": the candidate nearest to what was typed, or none when nothing is near.

/// The candidate nearest to `typed`, ignoring ASCII case, when at most a third of it differs.
///
/// Distance counts inserted, deleted, changed and swapped neighbouring characters. Ties go to the
/// first candidate, so the same input always gives the same suggestion.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed: Vec<char> = typed.chars().map(|c| c.to_ascii_lowercase()).take(MAX_LENGTH).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let limit = (typed.len().max(3) / 3).max(1);
        let letters: Vec<char> =
            candidate.chars().map(|c| c.to_ascii_lowercase()).take(MAX_LENGTH).collect();
        if letters.len().abs_diff(typed.len()) > limit {
            continue;
        }
        let distance = distance(&typed, &letters);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer names are compared by their beginning: the cost is quadratic.
const MAX_LENGTH: usize = 128;

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let change = last[j] + usize::from(x != y);
            let mut least = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_near_name_and_nothing_for_a_far_one() {
        let names = ["CidrBlock", "Tags", "EnableDnsSupport"];
        assert_eq!(nearest("CidrBlok", names), Some("CidrBlock"));
        assert_eq!(nearest("cidrblock", names), Some("CidrBlock"));
        assert_eq!(nearest("Tasg", names), Some("Tags"));
        assert_eq!(nearest("Endpoint", names), None);
        assert_eq!(nearest("", names), None);
    }
}
