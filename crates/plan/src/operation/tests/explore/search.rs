//! Breadth first through every state, so that the first story that breaks something is a shortest one.

use super::cloud::Finish;
use super::configuration::Configuration;
use super::invariant::Violation;
use super::model::{Model, Move, Outcome};
use super::story::story;
use super::tables::FastSet;
use super::world::{Budget, World};

/// What a search came to.
pub(super) struct Report {
    /// Distinct states.
    pub(super) states: usize,
    /// Moves between them.
    pub(super) moves: usize,
    /// States from which a run without faults was followed to the end.
    pub(super) lived: usize,
    /// The longest such run.
    pub(super) longest: usize,
    /// Whether there were too many states.
    pub(super) cut: bool,
    /// What fell, and how it came to that.
    pub(super) broken: Option<(Violation, String)>,
}

/// How often a state is followed to the end: one in so many.
const SAMPLE: usize = 20;
/// More states than this do not fit in memory.
const MOST: usize = 25_000_000;
/// No run without faults takes as many moves.
const PATIENT: usize = 300;

/// Searches all of a configuration.
pub(super) fn search(configuration: Configuration) -> Report {
    let mut model = Model::new(configuration);
    let start = model.start();
    let mut tree = Tree { parents: vec![(0, None)] };
    let mut seen: FastSet<World> = FastSet::default();
    seen.insert(start);
    let mut level = vec![(start, 0u32)];
    let mut report = Report { states: 1, moves: 0, lived: 0, longest: 0, cut: false, broken: None };
    // What falls in a run without faults is found by the search as well, with its story; unless more
    // time passes in that run than the budget allows.
    let mut beyond = None;
    while !level.is_empty() && !report.cut {
        let mut below = Vec::new();
        for (world, index) in level {
            let moves = model.moves(&world);
            report.moves += moves.len();
            if moves.is_empty() && model.running(&world).next().is_some() {
                let stuck = Violation { number: "I4", what: "nothing can happen".to_owned() };
                return tree.broken(&mut model, &report, (index, None), stuck);
            }
            if (index as usize).is_multiple_of(SAMPLE) {
                report.lived += 1;
                match live(&mut model, world) {
                    Ok(length) => report.longest = report.longest.max(length),
                    Err(violation) => {
                        beyond.get_or_insert((index, violation));
                    }
                }
            }
            for (made, outcome) in moves {
                match outcome {
                    Ok(next) if seen.insert(next) => below.push((next, tree.add(index, made))),
                    Ok(_) => {}
                    Err(violation) => {
                        return tree.broken(&mut model, &report, (index, Some(made)), violation);
                    }
                }
            }
            report.cut = tree.parents.len() > MOST;
            if report.cut {
                break;
            }
        }
        level = below;
    }
    if let Some((index, violation)) = beyond {
        return tree.broken(&mut model, &report, (index, None), violation);
    }
    report.states = tree.parents.len();
    report
}

/// How each state was first reached.
struct Tree {
    parents: Vec<(u32, Option<Move>)>,
}

impl Tree {
    fn add(&mut self, parent: u32, made: Move) -> u32 {
        let number = u32::try_from(self.parents.len()).expect("fewer than 2^32");
        self.parents.push((parent, Some(made)));
        number
    }

    /// The report of what fell at a state, or at a move from it.
    fn broken(
        &self,
        model: &mut Model,
        report: &Report,
        (mut at, last): (u32, Option<Move>),
        violation: Violation,
    ) -> Report {
        let mut path: Vec<Move> = last.into_iter().collect();
        while let (parent, Some(made)) = self.parents[at as usize] {
            path.push(made);
            at = parent;
        }
        path.reverse();
        let story = story(model, &path, &violation);
        let (states, broken) = (self.parents.len(), Some((violation, story)));
        Report { states, broken, ..*report }
    }
}

/// I4: follows a state while nothing goes wrong: whoever can move does, requests succeed, and time
/// passes when nothing else does.
fn live(model: &mut Model, mut world: World) -> Result<usize, Violation> {
    world.left = Budget::default();
    let budget = std::mem::replace(&mut model.configuration.budget, generous());
    let mut quiet = 0;
    let mut result = Err(Violation { number: "I4", what: "it never ends".to_owned() });
    for length in 0..PATIENT {
        if model.running(&world).next().is_none() {
            result = Ok(length);
            break;
        }
        let before = world;
        match calm(model, &world, length) {
            Some(Ok(next)) => world = next,
            Some(Err(violation)) => {
                let what = format!("{} though nothing more goes wrong", violation.what);
                result = Err(Violation { what, ..violation });
                break;
            }
            None => {}
        }
        // Polls and waits go round; the clock goes on.
        quiet = if world == before { 2 } else { quiet + 1 };
        if quiet % 12 == 2 {
            world = model.later(world, 11);
        }
    }
    model.configuration.budget = budget;
    result
}

/// A budget of which so much is gone that I11 does not count in runs that begin in the middle.
fn generous() -> Budget {
    Budget { crash: 100, ..Budget::default() }
}

/// One move in which nothing goes wrong.
fn calm(model: &mut Model, world: &World, turn: usize) -> Option<Outcome> {
    let moves = model.moves(world).into_iter().filter(|(made, _)| {
        matches!(
            made,
            Move::Claim { .. }
                | Move::Land { .. }
                | Move::Commit { .. }
                | Move::Finish { how: Finish::Succeed | Finish::FindTaken, .. }
        )
    });
    let moves: Vec<_> = moves.collect();
    let pick = turn % moves.len().max(1);
    moves.into_iter().nth(pick).map(|(_, outcome)| outcome)
}
