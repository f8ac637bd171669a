//! Reads what `cargo test -- --show-output` writes: the counts, the skips, and only what failed.

/// What came of all test binaries together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    passed: usize,
    failed: usize,
    /// Tests that say `skipped: …`, and ignored ones by their name.
    pub(crate) skipped: Vec<String>,
    /// What tests say they went through: `counted: …`.
    pub(crate) counted: Vec<String>,
    /// What is left when the successes are taken out.
    pub(crate) failures: String,
}

impl Summary {
    pub(crate) fn read(output: &str) -> Self {
        let mut summary = Self::default();
        let mut in_successes = false;
        for line in output.lines() {
            if let Some(result) = line.strip_prefix("test result: ") {
                in_successes = false;
                summary.add(result);
            } else if let Some(why) = line.strip_prefix("skipped: ") {
                summary.skipped.push(why.to_owned());
            } else if let Some(what) = line.strip_prefix("counted: ") {
                summary.counted.push(what.to_owned());
            } else if line == "successes:" {
                in_successes = true;
            } else if line == "failures:" {
                in_successes = false;
                summary.keep(line);
            } else if let Some(name) = ignored(line) {
                summary.skipped.push(name.to_owned());
            } else if !in_successes && !is_noise(line) {
                summary.keep(line);
            }
        }
        summary
    }

    /// Both together.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.counted.extend(other.counted);
        self.failures.push_str(&other.failures);
        self
    }

    /// Whether no test ran at all.
    pub(crate) fn is_of_nothing(&self) -> bool {
        self.passed + self.failed == 0
    }

    pub(crate) fn counts(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped.len())
    }

    fn add(&mut self, result: &str) {
        let count = |word: &str| {
            let before = result.split_once(word)?.0;
            before.rsplit(' ').next()?.parse::<usize>().ok()
        };
        self.passed += count(" passed").unwrap_or(0);
        self.failed += count(" failed").unwrap_or(0);
    }

    fn keep(&mut self, line: &str) {
        self.failures.push_str(line);
        self.failures.push('\n');
    }
}

fn ignored(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.split_once(" ... ignored").map(|(name, _)| name)
}

fn is_noise(line: &str) -> bool {
    let is_passed =
        line.starts_with("test ") && (line.ends_with(" ok") || line.ends_with("FAILED"));
    let is_header = line.starts_with("running ") && line.contains(" test");
    let is_timing = line.starts_with("all doctests ran in ");
    line.is_empty() || is_passed || is_header || is_timing
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 4 tests
test a ... ok
test b ... ok
test c ... FAILED
test d ... ignored, takes an hour

successes:

---- b stdout ----
hello
skipped: fixtures: no ../shared
counted: 7 things

successes:
    a
    b

failures:

---- c stdout ----
thread 'c' panicked at src/lib.rs:1:1:
left is not right

failures:
    c

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test e ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn failures_are_kept_and_successes_are_not() {
        let summary = Summary::read(OUTPUT);
        assert_eq!(summary.counts(), "3 passed, 1 failed, 2 skipped");
        assert_eq!(summary.skipped, ["d", "fixtures: no ../shared"]);
        assert_eq!(summary.counted, ["7 things"]);
        assert_eq!(
            summary.failures,
            "failures:\n---- c stdout ----\nthread 'c' panicked at src/lib.rs:1:1:\n\
             left is not right\nfailures:\n    c\n"
        );
    }
}
