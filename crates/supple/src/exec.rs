//! Threads: the one place that knows whether there are any.
//!
//! Work is cut into pieces whose size never depends on the number of threads, and pieces write to places of
//! their own. So every result has the same bits on any number of threads, and without the `parallel` feature.

#[cfg(feature = "parallel")]
use rayon::prelude::*;
#[cfg(feature = "parallel")]
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers that one thread searches at a time.
#[cfg(feature = "parallel")]
const PIECE: usize = 128;

/// Looks for work, some ms of them, after which a thread that finds none no longer keeps itself awake. There must be an end: a thread may have come
/// here while it waits for a piece of work that it has begun, and `f` may wait for that piece.
#[cfg(feature = "parallel")]
const MOST_IDLE: usize = 20_000;

/// Says that a piece of work is over when it goes out of scope.
#[cfg(feature = "parallel")]
struct Over<'a>(&'a AtomicBool);

#[cfg(feature = "parallel")]
impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A pool of threads, entered once per step; or none.
#[derive(Debug)]
pub struct Exec {
    threads: usize,
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl Default for Exec {
    /// The caller's own thread.
    fn default() -> Exec {
        Exec::new(1)
    }
}

impl Exec {
    /// A pool of `threads` threads; 1, or a system that refuses threads, gives the caller's own thread alone.
    pub fn new(threads: usize) -> Exec {
        #[cfg(feature = "parallel")]
        {
            let pool = if threads > 1 {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
            } else {
                None
            };
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

    /// Runs `f` inside the pool, whose other threads stay awake meanwhile: to wake one takes as long as an iteration of a small
    /// scene.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(|| {
                let (own, over) = (rayon::current_thread_index(), AtomicBool::new(false));
                rayon::scope(|s| {
                    // Also if `f` panics.
                    let _over = Over(&over);
                    s.spawn_broadcast(|_, thread| {
                        let mut idle = 0;
                        while Some(thread.index()) != own && idle < MOST_IDLE && !over.load(Ordering::Acquire)
                        {
                            idle = match rayon::yield_now() {
                                Some(rayon::Yield::Executed) => 0,
                                _ => idle + 1,
                            };
                            if idle > 0 {
                                std::thread::yield_now();
                            }
                        }
                    });
                    f()
                })
            });
        }
        f()
    }

    /// Both closures, side by side if there are threads. Call inside [`Exec::install`].
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() {
            return rayon::join(a, b);
        }
        (a(), b())
    }

    /// `f(index, item)` for every item, in any order. Call inside [`Exec::install`].
    pub fn for_each<T: Send>(&self, items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() && items.len() > 1 {
            items.par_iter_mut().with_max_len(1).enumerate().for_each(|(i, item)| f(i, item));
            return;
        }
        for (i, item) in items.iter_mut().enumerate() {
            f(i, item);
        }
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
        #[cfg(feature = "parallel")]
        if self.pool.is_some() && items.len() > 1 {
            items
                .par_iter_mut()
                .with_max_len(1)
                .zip(rows.par_chunks_mut(size))
                .for_each(|(item, rows)| f(item, rows));
            return;
        }
        for (item, rows) in items.iter_mut().zip(rows.chunks_mut(size)) {
            f(item, rows);
        }
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
            let piece = |k: usize| k * PIECE..count.min((k + 1) * PIECE);
            let found: Vec<Vec<T>> = (0..count.div_ceil(PIECE))
                .into_par_iter()
                .map(|k| {
                    let mut part = Vec::new();
                    f(piece(k), &mut part);
                    part
                })
                .collect();
            found.into_iter().for_each(|part| out.extend(part));
            return;
        }
        f(0..count, out);
    }

    /// `f(index, chunk)` for every chunk of `size` items, in any order. Call inside [`Exec::install`].
    pub fn for_each_chunk<T: Send>(&self, items: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() && items.len() > size {
            items.par_chunks_mut(size).enumerate().for_each(|(i, chunk)| f(i, chunk));
            return;
        }
        for (i, chunk) in items.chunks_mut(size).enumerate() {
            f(i, chunk);
        }
    }
}

/// Seconds since it was made; always 0 without the `clock` feature.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(feature = "clock")]
    start: std::time::Instant,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(feature = "clock")]
            start: std::time::Instant::now(),
        }
    }
    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        #[cfg(feature = "clock")]
        return self.start.elapsed().as_secs_f64();
        #[cfg(not(feature = "clock"))]
        0.0
    }
}
