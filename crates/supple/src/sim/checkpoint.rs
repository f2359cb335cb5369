//! The state as bytes, and back, bit for bit.
//!
//! Layout, little-endian: `SUPPLECK`, version u32, length of the whole u64, fingerprint of the scene u64, frame u64, time
//! f64, habits of `auto` (u32, u16, u16), number of nodes at which its Hessian was taken (u64; 0 if there is none), number of
//! contact forces (u64), twice the number of shares of reaches and one more if a step was begun (u64), the last Δt of an integrator that
//! looks back (f64; 0 if there is no past), steps that it still goes without (u64), then for each
//! node in the user's order x, v, a, the a before it and force (3 f64 each), and with a past x and v before, then for each node a target (3 f64; zero unless
//! pinned), then for
//! each anchor its target (3 f64), then for each obstacle, and for the frame of each group of links, where it is and where it
//! will be (R by columns and shift, 12 f64 each), then for each link 1 if it is broken, else 0, zero, zero (f64),
//! then for each contact force its key, zero, zero (u64) and the force (3 f64), then for each node where the Hessian was taken
//! (3 f64), then for each hard constraint its force as u (3×D f64 by columns), then for each element with fibres their rest length
//! (f64), then a checksum u64 (FNV-1a) of everything before it.

use super::integrator::Past;
use super::{Body, Simulation, integrator};
use crate::contact::{Kept, Link, Obstacle, Pose, Reaches};
use crate::error::CheckpointError;
use crate::math::nodes::Row;
use crate::solve::Habits;
use crate::term::TermSet;

const MAGIC: &[u8; 8] = b"SUPPLECK";
const VERSION: u32 = 7;
const HEADER: usize = 8 + 4 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 8;
/// Bytes per obstacle or frame of links, per contact force, per link, and per two bodies that began near each other.
const OBSTACLE: usize = 8 * 24;
const CONTACT: usize = 48;
const LINK: usize = 24;
const SHARE: usize = 24;

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// 64-bit FNV-1a: each byte's step is invertible, so any single changed byte changes the sum.
fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(FNV_START, |h, b| (h ^ u64::from(b)).wrapping_mul(FNV_PRIME))
}

/// What makes a scene this scene: bodies, start positions, masses, pins, and the nodes and numbers of every element. Settings
/// are not part of it: they may change while a simulation runs.
pub(super) fn fingerprint(
    bodies: &[Body],
    positions: &[[f64; 3]],
    masses: &[f64],
    (pinned, axes): (&[bool], &[(u32, [bool; 3])]),
    fill: &[f64],
    terms: &TermSet,
    place: &[u32],
    obstacles: &[Obstacle],
    (links, skins): (&[Link], &[Vec<[u32; 3]>]),
) -> u64 {
    let mut user = vec![0u32; place.len()];
    for (node, &p) in place.iter().enumerate() {
        user[p as usize] = node as u32;
    }
    // FNV-1a over whole words: millions of numbers at each build.
    let mut hash = FNV_START;
    let mut put = |n: u64| hash = (hash ^ n).wrapping_mul(FNV_PRIME).rotate_left(29);
    for b in bodies {
        put(b.nodes as u64);
        put(fnv(b.name.bytes()));
    }
    positions.iter().flatten().chain(masses).for_each(|v| put(v.to_bits()));
    pinned.iter().for_each(|p| put(u64::from(*p)));
    for (node, held) in axes {
        put(u64::from(*node) << 3 | held.iter().fold(0, |bits, h| bits << 1 | u64::from(*h)));
    }
    fill.iter().for_each(|f| put(f.to_bits()));
    for o in obstacles {
        put(fnv(format!("{} {:?}", o.name, o.shape).bytes()));
        put(o.friction.to_bits());
        put(o.thickness.to_bits());
    }
    if !links.is_empty() {
        put(fnv(format!("{links:?} {skins:?}").bytes()));
    }
    for b in terms.batches() {
        put(b.len() as u64);
        put(fnv(b.name().bytes()));
        b.corners(&mut |node, row| put((row as u64) << 32 | u64::from(user[node as usize])));
        (0..b.len()).for_each(|e| b.params(e).iter().for_each(|p| put(p.to_bits())));
    }
    hash
}

impl Simulation {
    /// The whole state. [`Simulation::restore`] continues from it with the same bits in every later frame.
    pub fn checkpoint(&self) -> Vec<u8> {
        // A Hessian of another matrix than that of the next step will be forgotten.
        let kept = self.rule().step == self.matrix_step;
        let (n, hessian) = (self.place.len(), if kept { self.lagged.hessian.at() } else { &[] });
        let mut forces: Vec<f64> = self.terms.batches().iter().flat_map(|b| b.kept_forces()).collect();
        forces.extend(self.fibres.rest_lengths(&self.terms));
        let s = &self.state;
        let contact = OBSTACLE * (s.poses.len() + s.frames.len())
            + CONTACT * s.kept.len()
            + LINK * s.broken.len()
            + SHARE * s.reaches.shares.len();
        let rows = if s.past.dt > 0.0 { 24 } else { 18 };
        let length =
            HEADER + 8 * (rows * n + forces.len()) + 24 * (self.anchors.len() + hessian.len()) + contact + 8;
        let mut out = Vec::with_capacity(length);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(length as u64).to_le_bytes());
        out.extend_from_slice(&self.fingerprint.to_le_bytes());
        out.extend_from_slice(&self.state.frame.to_le_bytes());
        out.extend_from_slice(&self.state.time.to_le_bytes());
        out.extend_from_slice(&self.lagged.habits.last.to_le_bytes());
        out.extend_from_slice(&self.lagged.habits.wait.to_le_bytes());
        out.extend_from_slice(&self.lagged.habits.owed.to_le_bytes());
        out.extend_from_slice(&(hessian.len() as u64).to_le_bytes());
        out.extend_from_slice(&(s.kept.len() as u64).to_le_bytes());
        // Twice the number of shares, and one more if a step was begun.
        let shares = 2 * s.reaches.shares.len() as u64 + u64::from(s.reaches.begun);
        out.extend_from_slice(&shares.to_le_bytes());
        out.extend_from_slice(&s.past.dt.to_le_bytes());
        out.extend_from_slice(&u64::from(s.past.wait).to_le_bytes());
        let mut put = |p: [f64; 3]| {
            for c in p {
                out.extend_from_slice(&c.to_le_bytes());
            }
        };
        let past = if s.past.dt > 0.0 { vec![&s.past.x, &s.past.v] } else { Vec::new() };
        for rows in [&s.x, &s.v, &s.a, &s.a_before, &s.force].into_iter().chain(past) {
            for &p in &self.place {
                put(rows[p as usize].xyz());
            }
        }
        for &p in &self.place {
            put(match ((p as usize).checked_sub(self.free), self.axes_of(p as usize)) {
                (Some(q), _) => s.targets[q].xyz(),
                (None, Some(k)) => s.axis_targets[k].xyz(),
                (None, None) => [0.0; 3],
            });
        }
        for a in &self.anchors {
            let params = self.terms.batches()[a.batch].params(a.element);
            put([params[1], params[2], params[3]]);
        }
        for pose in s.poses.iter().chain(&s.frames).flatten() {
            pose.rotation.into_iter().chain([pose.shift]).for_each(&mut put);
        }
        for &broken in &s.broken {
            put([f64::from(u8::from(broken)), 0.0, 0.0]);
        }
        for k in &s.kept {
            put([k.key, 0, 0].map(f64::from_bits));
            put(k.force);
        }
        for ([a, b], share) in &s.reaches.shares {
            // Rounding may leave it a little below zero, which means zero.
            put([f64::from(*a), f64::from(*b), share.max(0.0)]);
        }
        if !hessian.is_empty() {
            for &p in &self.place {
                put(hessian[p as usize].xyz());
            }
        }
        forces.iter().for_each(|u| out.extend_from_slice(&u.to_le_bytes()));
        let sum = fnv(out.iter().copied());
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Takes a state that [`Simulation::checkpoint`] of the same scene gave. On an error nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.break_record("restore()");
        let number =
            |at: usize| -> Option<u64> { Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?)) };
        if bytes.get(..8) != Some(MAGIC) {
            return Err(CheckpointError::NotACheckpoint);
        }
        let short = CheckpointError::Length { found: bytes.len() as u64, expected: HEADER as u64 + 8 };
        let found =
            bytes.get(8..12).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or(short.clone())?;
        if found != VERSION {
            return Err(CheckpointError::Version { found, supported: VERSION });
        }
        let length = number(12).ok_or(short.clone())?;
        if length != bytes.len() as u64 || bytes.len() < HEADER + 8 {
            return Err(CheckpointError::Length { found: bytes.len() as u64, expected: length });
        }
        let (content, tail) = bytes.split_at(bytes.len() - 8);
        if tail != fnv(content.iter().copied()).to_le_bytes() {
            return Err(CheckpointError::Checksum);
        }
        let n = self.place.len();
        if number(20) != Some(self.fingerprint) {
            return Err(CheckpointError::OtherScene("its bodies, masses, pins or elements differ"));
        }
        let hessian = if number(52) == Some(0) { 0 } else { n };
        let forces: Vec<usize> = self.terms.batches().iter().map(|b| b.kept_forces().len()).collect();
        let kept = number(60).unwrap_or(0);
        let (shares, begun) = number(68).map_or((0, false), |n| (n / 2, n % 2 == 1));
        let past_dt = f64::from_bits(number(76).unwrap_or(0));
        let wait = u32::try_from(number(84).unwrap_or(0)).unwrap_or(u32::MAX);
        let rows = if past_dt > 0.0 { 24 } else { 18 };
        let known = HEADER
            + 8 * (rows * n + forces.iter().sum::<usize>() + self.fibres.count())
            + 24 * (self.anchors.len() + hessian)
            + 8
            + OBSTACLE * (self.state.poses.len() + self.state.frames.len())
            + LINK * self.state.broken.len();
        let fits = kept <= (bytes.len() / CONTACT) as u64 && shares <= (bytes.len() / SHARE) as u64;
        if !fits || bytes.len() != known + CONTACT * kept as usize + SHARE * shares as usize {
            return Err(CheckpointError::OtherScene("it has another number of nodes"));
        }
        let (content, lengths) = content.split_at(content.len() - 8 * self.fibres.count());
        let lengths: Vec<f64> = lengths
            .chunks_exact(8)
            .map(|c| f64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|j| c[j])))
            .collect();
        let mut values = content[HEADER..]
            .chunks_exact(24)
            .map(|c| [0, 8, 16].map(|i| f64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|j| c[i + j]))));
        let mut state = self.state.clone();
        state.frame = number(28).unwrap_or(0);
        state.time = f64::from_bits(number(36).unwrap_or(0));
        state.past = match past_dt > 0.0 {
            true => Past { x: vec![Row::default(); n], v: vec![Row::default(); n], dt: past_dt, wait },
            false => Past { wait, ..Past::default() },
        };
        let past = if past_dt > 0.0 { vec![&mut state.past.x, &mut state.past.v] } else { Vec::new() };
        let (a, a_before) = (&mut state.a, &mut state.a_before);
        let rows = [&mut state.x, &mut state.v, a, a_before, &mut state.force];
        for rows in rows.into_iter().chain(past) {
            for (&p, value) in self.place.iter().zip(&mut values) {
                rows[p as usize] = Row::new(value);
            }
        }
        for (&p, value) in self.place.iter().zip(&mut values) {
            if let Some(q) = (p as usize).checked_sub(self.free) {
                state.targets[q] = Row::new(value);
            } else if let Some(k) = self.axes_of(p as usize) {
                state.axis_targets[k] = Row::new(value);
            }
        }
        let anchors: Vec<[f64; 3]> = values.by_ref().take(self.anchors.len()).collect();
        for pose in state.poses.iter_mut().chain(&mut state.frames).flatten() {
            let mut next = || values.next().unwrap_or([f64::NAN; 3]);
            *pose = Pose { rotation: [next(), next(), next()], shift: next() };
        }
        let mut sound = true;
        for broken in &mut state.broken {
            let flag = values.next().unwrap_or([f64::NAN; 3])[0];
            sound &= flag == 0.0 || flag == 1.0;
            *broken = flag == 1.0;
        }
        state.link_forces.clear();
        state.touches.clear();
        state.kept.clear();
        for _ in 0..kept {
            let (key, force) = (values.next().unwrap_or_default(), values.next().unwrap_or([f64::NAN; 3]));
            state.kept.push(Kept { key: key[0].to_bits(), force });
        }
        state.kept.sort_by_key(|k| k.key);
        state.reaches = Reaches { begun, shares: Vec::new() };
        for _ in 0..shares {
            let [a, b, share] = values.next().unwrap_or([f64::NAN; 3]);
            sound &= a >= 0.0 && b >= a && b <= f64::from(u32::MAX) && (0.0..1.0).contains(&share);
            state.reaches.shares.push(([a as u32, b as u32], share));
        }
        state.reaches.shares.sort_by_key(|s| s.0);
        let mut at = vec![Row::default(); hessian];
        for (&p, value) in self.place.iter().zip(&mut values).take(hessian) {
            at[p as usize] = Row::new(value);
        }
        let u: Vec<f64> = values.flatten().collect();
        let now = [&state.x, &state.v, &state.a, &state.a_before, &state.force];
        let past = [&state.past.x, &state.past.v];
        let rows = now.into_iter().chain(past).chain([&state.targets, &state.axis_targets, &at]).flatten();
        let fine = rows.into_iter().all(|r| r.is_finite())
            && anchors.iter().flatten().chain(&u).all(|a| a.is_finite())
            && state.poses.iter().chain(&state.frames).flatten().all(Pose::is_finite)
            && state.kept.iter().flat_map(|k| k.force).all(f64::is_finite);
        sound &= past_dt.is_finite() && past_dt >= 0.0 && wait <= integrator::SETTLE;
        if !fine || !sound || !state.time.is_finite() || state.frame > 1 << 53 {
            return Err(CheckpointError::Content);
        }
        if !self.fibres.set_rest_lengths(&mut self.terms, &lengths) {
            return Err(CheckpointError::Content);
        }
        self.state = state;
        // The Hessian goes with the matrix of the next step, which is factored now: later that would forget both.
        if self.rule().step != self.matrix_step && self.refactor().is_err() {
            at.clear();
        }
        for (a, target) in self.anchors.clone().into_iter().zip(anchors) {
            if let Some(b) = self.terms.batch_mut(a.batch) {
                b.set_params(a.element, 1, &target);
            }
        }
        let mut u = u.as_slice();
        for (batch, count) in forces.into_iter().enumerate() {
            let (mine, rest) = u.split_at(count);
            if let Some(b) = self.terms.batch_mut(batch) {
                b.set_kept_forces(mine);
            }
            u = rest;
        }
        let habits = number(44).unwrap_or(0);
        self.lagged.habits =
            Habits { last: habits as u32, wait: (habits >> 32) as u16, owed: (habits >> 48) as u16 };
        self.lagged.hessian.go_back(&at);
        Ok(())
    }
}
