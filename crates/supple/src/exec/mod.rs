//! Threads: the one place that knows whether there are any.
//!
//! Work is cut into pieces whose size and numbers never depend on the number of threads, and pieces write to places of
//! their own. So every result has the same bits on any number of threads, and without the `parallel` feature. Who does which piece is
//! decided while it runs.
//!
//! - `mod.rs`: [`Exec`], loops over pieces as the solvers call them.
//! - `pool.rs`: the threads themselves and how they claim pieces.

#[cfg(feature = "parallel")]
mod pool;

#[cfg(feature = "parallel")]
use std::sync::Arc;

/// The fewest numbers that one thread searches at a time, and the most pieces of a search: each has a list of its own.
#[cfg(feature = "parallel")]
const PIECE: usize = 128;
#[cfg(feature = "parallel")]
const PIECES: usize = 64;

/// Threads, entered once per step; or none but the caller's.
#[derive(Debug)]
pub struct Exec {
    threads: usize,
    #[cfg(feature = "parallel")]
    pool: Option<Arc<pool::Pool>>,
}

impl Default for Exec {
    /// The caller's own thread.
    fn default() -> Exec {
        Exec::new(1)
    }
}

impl Exec {
    /// `threads` threads, the same ones for all that ask for so many; 1, or a system that refuses threads, gives the caller's own thread
    /// alone.
    pub fn new(threads: usize) -> Exec {
        #[cfg(feature = "parallel")]
        {
            let pool = if threads > 1 { pool::Pool::of(threads) } else { None };
            Exec { threads: if pool.is_some() { threads } else { 1 }, pool }
        }
        #[cfg(not(feature = "parallel"))]
        {
            let _ = threads;
            Exec { threads: 1 }
        }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `f` on one of the threads; the others help with what it offers, and stay awake meanwhile: to wake one takes as long as an
    /// iteration of a small scene.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(f);
        }
        f()
    }

    /// Both closures, side by side if a thread is free. Call inside [`Exec::install`].
    pub fn join(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            pool.both(a, b);
            return;
        }
        a();
        b();
    }

    /// `f(piece)` for every piece, of which there are `count`, in any order.
    fn each<P: Send>(&self, count: usize, pieces: impl Iterator<Item = P> + Send, f: impl Fn(P) + Sync) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool
            && count > 1
        {
            pool.each(count, pieces, f);
            return;
        }
        let _ = count;
        pieces.for_each(f);
    }

    /// `f(index, item)` for every item, in any order. Call inside [`Exec::install`].
    pub fn for_each<T: Send>(&self, items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
        self.each(items.len(), items.iter_mut().enumerate(), |(i, item)| f(i, item));
    }

    /// `f(item, rows)` for every item with its own `size` rows (the last may have fewer), in any order. Call inside
    /// [`Exec::install`].
    pub fn for_each_pair<T: Send, U: Send>(
        &self,
        items: &mut [T],
        rows: &mut [U],
        size: usize,
        f: impl Fn(&mut T, &mut [U]) + Sync,
    ) {
        self.each(items.len(), items.iter_mut().zip(rows.chunks_mut(size)), |(item, rows)| f(item, rows));
    }

    /// `f(index, chunk)` for every chunk of `size` items, in any order. Call inside [`Exec::install`].
    pub fn for_each_chunk<T: Send>(&self, items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
        let count = items.len().div_ceil(size.max(1));
        self.each(count, items.chunks_mut(size).enumerate(), |(i, chunk)| f(i, chunk));
    }

    /// Appends what `f(numbers, out)` finds for the numbers below `count`, some at a time, in their order. Call inside
    /// [`Exec::install`].
    pub fn collect<T: Send>(
        &self,
        count: usize,
        out: &mut Vec<T>,
        f: impl Fn(std::ops::Range<usize>, &mut Vec<T>) + Sync,
    ) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() && count > PIECE {
            let size = PIECE.max(count.div_ceil(PIECES));
            let mut found: Vec<Vec<T>> = Vec::new();
            found.resize_with(count.div_ceil(size), Vec::new);
            self.for_each(&mut found, |k, part| f(k * size..count.min((k + 1) * size), part));
            found.iter_mut().for_each(|part| out.append(part));
            return;
        }
        f(0..count, out);
    }
}

/// The clock of a host that lends one; see [`lend_clock`].
#[cfg(not(feature = "clock"))]
static LENT: std::sync::OnceLock<fn() -> f64> = std::sync::OnceLock::new();

/// Gives the library a clock where it may not ask the system for one (without the `clock` feature): seconds since any fixed moment. The first
/// one that is lent is used; with the `clock` feature none is.
pub fn lend_clock(clock: fn() -> f64) {
    #[cfg(not(feature = "clock"))]
    let _ = LENT.set(clock);
    #[cfg(feature = "clock")]
    let _ = clock;
}

/// Seconds since it was made; without the `clock` feature by the clock that was lent, and always 0 without one.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(feature = "clock")]
    start: std::time::Instant,
    #[cfg(not(feature = "clock"))]
    start: f64,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(feature = "clock")]
            start: std::time::Instant::now(),
            #[cfg(not(feature = "clock"))]
            start: LENT.get().map_or(0.0, |now| now()),
        }
    }
    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        #[cfg(feature = "clock")]
        return self.start.elapsed().as_secs_f64();
        #[cfg(not(feature = "clock"))]
        LENT.get().map_or(0.0, |now| now() - self.start)
    }
}
