//! Threads: a model of who may do what while it waits, and what the real ones do.
#![cfg(feature = "parallel")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{settings, twisted};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use supple::MaterialKind;
use supple::exec::Exec;

/// What threads may do while they wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rules {
    /// Take other work while waiting for a piece that another thread has begun.
    work_while_waiting: bool,
    /// Keep awake above work that is half done.
    awake_above_work: bool,
}

/// The rules of old: both, as rayon's `join` and a broadcast to all threads have it.
const OLD: Rules = Rules { work_while_waiting: true, awake_above_work: true };
/// Those of `exec/pool.rs`.
const NEW: Rules = Rules { work_while_waiting: false, awake_above_work: false };

/// What a thread is in the middle of; the last of its stack is what it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Frame {
    /// The step: offers the outer piece, does its own part, waits, says that it is over.
    Step(u8),
    /// The outer piece, which offers the inner one, does its own part and waits.
    Outer(u8),
    /// The inner piece: nothing to wait for.
    Inner,
    /// Looks for work until the step is over.
    Awake,
}

/// An offer: nobody has it, it was begun, it is done and its latch is not yet set, its latch is set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Offer {
    None,
    Open,
    Begun,
    Done,
    Latched,
}

/// Two threads: the first runs the step. A broadcast waits for each that was asked to stay awake.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    stacks: [Vec<Frame>; 2],
    outer: Offer,
    inner: Offer,
    /// The thread that offered the inner piece.
    inner_of: usize,
    asked_to_stay_awake: [bool; 2],
    over: bool,
}

impl World {
    fn start() -> World {
        World {
            stacks: [vec![Frame::Step(0)], vec![]],
            outer: Offer::None,
            inner: Offer::None,
            inner_of: 0,
            asked_to_stay_awake: [false; 2],
            over: false,
        }
    }

    fn with(&self, change: impl FnOnce(&mut World)) -> World {
        let mut next = self.clone();
        change(&mut next);
        next
    }

    /// What a thread that looks for work may start.
    fn starts(&self, t: usize, rules: Rules, out: &mut Vec<World>) {
        let half_done = self.stacks[t].iter().any(|f| *f != Frame::Awake);
        if self.asked_to_stay_awake[t] {
            out.push(self.with(|w| {
                w.asked_to_stay_awake[t] = false;
                // Refused: it returns at once.
                if rules.awake_above_work || !half_done {
                    w.stacks[t].push(Frame::Awake);
                }
            }));
        }
        if self.outer == Offer::Open && t == 1 {
            out.push(self.with(|w| {
                w.outer = Offer::Begun;
                w.stacks[t].push(Frame::Outer(0));
            }));
        }
        if self.inner == Offer::Open && self.inner_of != t {
            out.push(self.with(|w| {
                w.inner = Offer::Begun;
                w.stacks[t].push(Frame::Inner);
            }));
        }
    }

    /// All worlds that one move of one thread leads to.
    fn next(&self, rules: Rules) -> Vec<World> {
        let mut out = Vec::new();
        for t in 0..2 {
            let Some(&top) = self.stacks[t].last() else {
                self.starts(t, rules, &mut out);
                continue;
            };
            let set = |w: &mut World, f: Frame| *w.stacks[t].last_mut().unwrap() = f;
            match top {
                // Asks both to stay awake; in another move offers the piece.
                Frame::Step(0) => out.push(self.with(|w| {
                    w.asked_to_stay_awake = [true; 2];
                    set(w, Frame::Step(1));
                })),
                Frame::Step(1) => out.push(self.with(|w| {
                    w.outer = Offer::Open;
                    set(w, Frame::Step(2));
                })),
                // Its own part is done: waits. What nobody took up is done here.
                Frame::Step(2) => match self.outer {
                    Offer::Open => out.push(self.with(|w| {
                        w.outer = Offer::Latched;
                        w.stacks[t].push(Frame::Outer(0));
                    })),
                    Offer::Latched => out.push(self.with(|w| set(w, Frame::Step(3)))),
                    // Between the end of a piece and its latch everyone is in rayon's hands.
                    Offer::Done => self.starts(t, rules, &mut out),
                    _ if rules.work_while_waiting => self.starts(t, rules, &mut out),
                    _ => {}
                },
                Frame::Step(_) => out.push(self.with(|w| {
                    w.over = true;
                    w.stacks[t].pop();
                })),
                Frame::Outer(0) => out.push(self.with(|w| {
                    (w.inner, w.inner_of) = (Offer::Open, t);
                    set(w, Frame::Outer(1));
                })),
                Frame::Outer(1) => match self.inner {
                    Offer::Open => out.push(self.with(|w| {
                        w.inner = Offer::Latched;
                        set(w, Frame::Outer(2));
                    })),
                    Offer::Latched => out.push(self.with(|w| set(w, Frame::Outer(2)))),
                    Offer::Done => self.starts(t, rules, &mut out),
                    _ if rules.work_while_waiting => self.starts(t, rules, &mut out),
                    _ => {}
                },
                Frame::Outer(_) => out.push(self.with(|w| {
                    if w.outer == Offer::Begun {
                        w.outer = Offer::Done;
                    }
                    w.stacks[t].pop();
                })),
                Frame::Inner => out.push(self.with(|w| {
                    w.inner = Offer::Done;
                    w.stacks[t].pop();
                })),
                Frame::Awake => {
                    if self.over {
                        out.push(self.with(|w| _ = w.stacks[t].pop()));
                    }
                    self.starts(t, rules, &mut out);
                }
            }
        }
        // The latch is set by the thread that did the piece, which is not ours to wait for.
        for (offer, of) in [(self.outer, 0), (self.inner, 1)] {
            if offer == Offer::Done {
                out.push(
                    self.with(|w| *(if of == 0 { &mut w.outer } else { &mut w.inner }) = Offer::Latched),
                );
            }
        }
        out
    }
}

/// Looks at all orders of all moves: how many worlds there are, and one from which the step can never end.
fn explore(rules: Rules) -> (usize, Option<World>) {
    let (mut seen, mut open) = (HashSet::from([World::start()]), vec![World::start()]);
    let mut before: HashMap<World, Vec<World>> = HashMap::new();
    while let Some(world) = open.pop() {
        for next in world.next(rules) {
            before.entry(next.clone()).or_default().push(world.clone());
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let mut good: HashSet<World> = seen.iter().filter(|w| w.over).cloned().collect();
    let mut open: Vec<World> = good.iter().cloned().collect();
    while let Some(world) = open.pop() {
        for earlier in before.get(&world).into_iter().flatten() {
            if good.insert(earlier.clone()) {
                open.push(earlier.clone());
            }
        }
    }
    (seen.len(), seen.into_iter().find(|w| !good.contains(w)))
}

#[test]
fn the_model_finds_the_dead_lock_of_old_and_none_now() {
    let (_, stuck) = explore(OLD);
    let stuck = stuck.expect("the old rules lead to a dead lock");
    assert!(stuck.stacks.iter().any(|s| s.len() > 1 && s.last() == Some(&Frame::Awake)), "{stuck:?}");
    // Each rule alone is not enough: work above work ends, but keeping awake above work does not.
    assert!(explore(Rules { awake_above_work: true, ..NEW }).1.is_some());
    let (worlds, stuck) = explore(NEW);
    assert!(worlds > 50, "only {worlds} worlds");
    assert_eq!(stuck, None);
}

thread_local! {
    /// The pieces that this thread has begun and not ended.
    static BEGUN: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Runs a piece and notes if it was begun above one that is not its parent.
fn piece(number: usize, parent: Option<usize>, wrong: &AtomicUsize, f: impl FnOnce()) {
    BEGUN.with_borrow_mut(|begun| {
        if begun.last().is_some_and(|below| Some(*below) != parent) {
            wrong.fetch_add(1, Ordering::Relaxed);
        }
        begun.push(number);
    });
    f();
    BEGUN.with_borrow_mut(|begun| _ = begun.pop());
}

fn busy(rounds: usize) {
    for k in 0..rounds {
        std::hint::black_box(k);
    }
}

/// Four threads, pieces within pieces of many lengths: no thread starts one above another that is half done, unless that waits for it.
#[test]
fn no_piece_is_begun_above_another() {
    let exec = Exec::new(4);
    let wrong = AtomicUsize::new(0);
    for round in 0..300 {
        exec.install(|| {
            let mut outer = [0usize; 12];
            exec.for_each(&mut outer, |i, done| {
                piece(i + 1, None, &wrong, || {
                    let mut inner = [0usize; 6];
                    exec.for_each(&mut inner, |j, done| {
                        piece(100 * (i + 1) + j, Some(i + 1), &wrong, || {
                            busy((round * 37 + i * 101 + j * 57) % 4000)
                        });
                        *done = 1;
                    });
                    *done = inner.iter().sum();
                });
            });
            assert_eq!(outer, [6; 12]);
        });
    }
    assert_eq!(wrong.into_inner(), 0);
}

#[test]
fn both_halves_are_done_once() {
    let exec = Exec::new(2);
    for round in 0..2000 {
        let (mut a, mut b) = (0, 0);
        exec.install(|| {
            exec.join(
                || {
                    busy(round % 50);
                    a += 1;
                },
                || b += 1,
            );
        });
        assert_eq!((a, b), (1, 1));
    }
}

/// A panic in a piece comes out where the pieces were offered, and the threads go on.
#[test]
fn a_panic_does_not_stop_the_threads() {
    let exec = Exec::new(2);
    for bad in 0..8 {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            exec.install(|| {
                exec.for_each(&mut [0; 8], |i, _| {
                    busy(1000);
                    assert_ne!(i, bad);
                });
            });
        }));
        assert!(result.is_err());
        let sum = Mutex::new(0);
        exec.install(|| exec.for_each(&mut [1, 2, 3], |_, k| *sum.lock().unwrap() += *k));
        assert_eq!(*sum.lock().unwrap(), 6);
    }
}

/// Threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// True once there are so many; threads that have ended are counted for a moment longer.
#[cfg(target_os = "linux")]
fn comes_down_to(count: usize) -> bool {
    let wait = || std::thread::sleep(std::time::Duration::from_millis(10));
    (0..500).any(|_| threads() == count || (wait(), false).1)
}

/// Ten that ask for two threads each have two together, and give them back.
#[cfg(target_os = "linux")]
#[test]
fn ten_simulations_share_two_threads() {
    // A process of its own: other tests have threads too.
    if std::env::var_os("SUPPLE_TEST_ALONE").is_none() {
        let test = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ten_simulations_share_two_threads", "--test-threads=1"])
            .env("SUPPLE_TEST_ALONE", "1")
            .status();
        assert!(test.unwrap().success());
        return;
    }
    let before = threads();
    let mut simulations: Vec<_> = (0..10)
        .map(|_| {
            let mut s = settings(0.02);
            (s.solve.threads, s.solve.iterations) = (2, 3);
            twisted(s, MaterialKind::NeoHookean, [6, 3, 3], true)
        })
        .collect();
    // Two, and the ten that ask for a step at the same time.
    std::thread::scope(|scope| {
        for simulation in &mut simulations {
            scope.spawn(|| (0..20).for_each(|_| _ = simulation.step().unwrap()));
        }
        assert!(threads() <= before + 12, "{} threads", threads());
    });
    assert!(simulations.iter().all(|s| s.threads() == 2));
    assert!(comes_down_to(before + 2), "{} threads, {before} before", threads());
    drop(simulations);
    assert!(comes_down_to(before), "{} threads, {before} before", threads());
}
