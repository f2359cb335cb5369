//! Threads that help each other, shared by all simulations that ask for the same number of them.
//!
//! The thread that runs a step offers pieces of work in a fixed numbering. Whoever is free claims the next one, the offering thread too; so it
//! does alone whatever nobody else claims. When none is left it waits for the pieces that others have begun, and for nothing else:
//!
//! - A thread that waits spins, and starts nothing meanwhile. So no piece is ever begun above another that is half done, and threads cannot
//!   wait for each other in a circle: a piece waits only for pieces that it has offered itself.
//! - Helpers stay awake by [`keep_awake`], which refuses to run above a piece. `tests/exec.rs` has a model of both rules, and of what happens without.
//! - A thread that the system has taken away in the middle of a piece is missed once; then it rests ([`Rest`]), and steps go on without help for a
//!   while. Rest grows while that happens again and again, as it does beside other programs that want all cores.
//!
//! Rayon owns the threads, and lends borrowed closures to them (`join`); what is claimed, and how one waits, is decided here.

use super::Stopwatch;
use std::cell::Cell;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Looks for work, about 0.2 ms of them, after which a helper that finds none goes to sleep: the thread that it helps may have been taken
/// away, and gets the core so.
const MOST_IDLE: usize = 1000;

/// Turns of waiting between two looks at the clock.
const TURNS: u32 = 256;

/// A piece that takes this much longer than all that was done meanwhile has lost its thread, in s and as a factor.
const LATE: (f64, f64) = (200e-6, 3.0);

/// The least and the most rest after a piece was late, in ns. A thread that was on time for [`TRUST`] times the last rest starts anew with the least.
const REST: (u64, u64) = (4_000_000, 500_000_000);
const TRUST: u64 = 10;

thread_local! {
    /// Steps and pieces that this thread has begun and not ended.
    static BEGUN: Cell<usize> = const { Cell::new(0) };
    /// True while this thread keeps itself awake.
    static AWAKE: Cell<bool> = const { Cell::new(false) };
}

/// Counts a step or piece as begun while it is in scope.
struct Begin;

impl Begin {
    fn here() -> Begin {
        BEGUN.set(BEGUN.get() + 1);
        Begin
    }
}

impl Drop for Begin {
    fn drop(&mut self) {
        BEGUN.set(BEGUN.get() - 1);
    }
}

/// The state of what a helper was offered.
#[derive(Default)]
struct Offer(AtomicU8);

impl Offer {
    const BEGUN: u8 = 1;
    const OVER: u8 = 2;

    /// Says that it is over when it goes out of scope, also in a panic.
    fn begin(&self) -> Over<'_> {
        self.0.store(Self::BEGUN, Ordering::Release);
        Over(self)
    }
    fn is_missing(&self) -> bool {
        self.0.load(Ordering::Acquire) == Self::BEGUN
    }
}

struct Over<'a>(&'a Offer);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.0.store(Offer::OVER, Ordering::Release);
    }
}

/// Until when nobody is asked for help.
#[derive(Debug)]
struct Rest {
    clock: Stopwatch,
    /// ns on the clock; 0 if nothing was late.
    until: AtomicU64,
    /// Length of the last rest in ns.
    length: AtomicU64,
}

impl Rest {
    fn now(&self) -> u64 {
        (self.clock.seconds() * 1e9) as u64
    }

    fn is_on(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        until != 0 && self.now() < until
    }

    fn start(&self) {
        let (now, last) = (self.now(), self.length.load(Ordering::Relaxed));
        let free = now.saturating_sub(self.until.load(Ordering::Relaxed));
        let length = if free > TRUST * last { REST.0 } else { (2 * last).clamp(REST.0, REST.1) };
        self.length.store(length, Ordering::Relaxed);
        self.until.store((now + length).max(1), Ordering::Relaxed);
    }
}

/// What helpers need to know, also when the pool is gone.
#[derive(Debug)]
struct Shared {
    /// Steps that are under way.
    steps: AtomicUsize,
    rest: Rest,
}

/// Threads.
#[derive(Debug)]
pub(super) struct Pool {
    threads: usize,
    rayon: rayon::ThreadPool,
    shared: Arc<Shared>,
}

/// All pools that someone has, by number of threads.
static POOLS: Mutex<Vec<(usize, Weak<Pool>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// The pool of so many threads; none if the system refuses them.
    pub fn of(threads: usize) -> Option<Arc<Pool>> {
        let mut pools = lock(&POOLS);
        pools.retain(|(_, pool)| pool.strong_count() > 0);
        if let Some(pool) = pools.iter().find(|(n, _)| *n == threads).and_then(|(_, pool)| pool.upgrade()) {
            return Some(pool);
        }
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
        let rest = Rest { clock: Stopwatch::start(), until: AtomicU64::new(0), length: AtomicU64::new(0) };
        let pool =
            Arc::new(Pool { threads, rayon, shared: Arc::new(Shared { steps: AtomicUsize::new(0), rest }) });
        pools.push((threads, Arc::downgrade(&pool)));
        Some(pool)
    }

    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        struct Step<'a>(&'a AtomicUsize);
        impl Drop for Step<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Release);
            }
        }
        self.rayon.install(|| {
            self.shared.steps.fetch_add(1, Ordering::Relaxed);
            let (_step, _begun) = (Step(&self.shared.steps), Begin::here());
            f()
        })
    }

    /// `f(piece)` for every piece; see the head of the file.
    pub fn each<P: Send>(&self, count: usize, pieces: impl Iterator<Item = P> + Send, f: impl Fn(P) + Sync) {
        let pieces = Mutex::new(pieces);
        let claim = || lock(&pieces).next();
        let work = || {
            while let Some(piece) = claim() {
                f(piece);
            }
        };
        // Outside of a step there is nobody to help.
        if BEGUN.get() == 0 || self.shared.rest.is_on() {
            work();
        } else {
            self.share(self.threads.min(count) - 1, &work);
        }
    }

    /// `work` on this thread and on at most `others` more; it returns where nothing is left to claim.
    fn share(&self, others: usize, work: &(dyn Fn() + Sync)) {
        if others == 0 {
            work();
            return;
        }
        let (offer, clock) = (Offer::default(), Stopwatch::start());
        rayon::join_context(
            |_| {
                work();
                self.wait(&offer, &clock);
            },
            |context| {
                // What nobody took up comes back to where it came from; all is claimed by then.
                if context.migrated() {
                    let (_over, _begun) = (offer.begin(), Begin::here());
                    self.stay_awake();
                    self.share(others - 1, work);
                }
            },
        );
    }

    /// Both closures, the second by whoever claims it first.
    pub fn both(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        if BEGUN.get() == 0 || self.shared.rest.is_on() {
            a();
            b();
            return;
        }
        let (offer, clock, b) = (Offer::default(), Stopwatch::start(), Mutex::new(Some(b)));
        rayon::join_context(
            |_| {
                a();
                let mine = lock(&b).take();
                match mine {
                    Some(b) => b(),
                    None => self.wait(&offer, &clock),
                }
            },
            |context| {
                if context.migrated() {
                    let mut claim = lock(&b);
                    if let Some(b) = claim.take() {
                        let (_over, _begun) = (offer.begin(), Begin::here());
                        drop(claim);
                        self.stay_awake();
                        b();
                    }
                }
            },
        );
    }

    /// Until what was offered is over, if it was begun. Nothing is started meanwhile. `clock` runs since the offer.
    fn wait(&self, offer: &Offer, clock: &Stopwatch) {
        if !offer.is_missing() {
            return;
        }
        let own = clock.seconds();
        let (mut turn, mut late) = (0u32, false);
        while offer.is_missing() {
            turn = turn.wrapping_add(1);
            std::hint::spin_loop();
            if turn % TURNS != 0 {
                continue;
            }
            if late {
                // Perhaps it stands in the queue of this core.
                std::thread::yield_now();
            } else if clock.seconds() > own + LATE.0 + LATE.1 * own {
                late = true;
                self.shared.rest.start();
            } else if cfg!(not(feature = "clock")) && turn > 100 * TURNS {
                late = true;
            }
        }
    }

    /// Makes this thread look for more work after the piece that it is about to do, if nothing is below that.
    fn stay_awake(&self) {
        if BEGUN.get() == 1 && !AWAKE.get() {
            let shared = self.shared.clone();
            rayon::spawn(move || keep_awake(&shared));
        }
    }
}

/// Does what is offered while there are steps, and spins between: never above a piece that is half done, since that would wait for all that is
/// done here.
fn keep_awake(shared: &Shared) {
    if BEGUN.get() > 0 || AWAKE.replace(true) {
        return;
    }
    let mut idle = 0;
    while idle < MOST_IDLE && !shared.rest.is_on() {
        idle = match rayon::yield_now() {
            Some(rayon::Yield::Executed) => 0,
            _ => idle + 1,
        };
        if shared.steps.load(Ordering::Acquire) == 0 {
            // Another step may follow at once.
            idle += 4;
        }
        for _ in 0..4 {
            std::hint::spin_loop();
        }
    }
    AWAKE.set(false);
}
