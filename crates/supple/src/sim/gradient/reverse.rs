//! The record backwards, one step at a time.

use super::super::Simulation;
use super::matrix::{Hessian, Side};
use super::rows::{active, of_origin};
use super::tape::{Seed, State, Step, Tape};
use super::{Gradient, GradientError, StepNote};
use crate::math::nodes::Row;
use crate::math::small::sub;

/// dL/dx and dL/dv of a state.
struct Bar {
    x: Vec<Row>,
    v: Vec<Row>,
}

impl Bar {
    fn new(n: usize) -> Bar {
        Bar { x: vec![Row::default(); n], v: vec![Row::default(); n] }
    }
}

fn add(rows: &mut [Row], i: usize, by: f64, v: [f64; 3]) {
    (0..3).for_each(|c| rows[i].0[c] += by * v[c]);
}

impl Simulation {
    /// Derivatives of L, given dL/dx and dL/dv of recorded states. The state of the simulation stays.
    pub fn backward(&mut self, tape: &Tape, seeds: &[Seed]) -> Result<Gradient, GradientError> {
        tape.usable()?;
        if tape.fingerprint != self.fingerprint {
            return Err(GradientError::Record("it is of another simulation".into()));
        }
        self.differentiable()?;
        let here = self.snapshot();
        let recording = self.tape.take();
        let result = self.walk(tape, seeds);
        let back = self.rewind(&here);
        self.tape = recording;
        let gradient = result?;
        back?;
        Ok(gradient)
    }

    fn walk(&mut self, tape: &Tape, seeds: &[Seed]) -> Result<Gradient, GradientError> {
        let (n, count) = (self.place.len(), tape.len());
        let mut seeded: Vec<Option<Bar>> = (0..=count).map(|_| None).collect();
        for s in seeds {
            let Some(at) = seeded.get_mut(s.step) else {
                let e = format!("there is no state {} in a record of {count} steps", s.step);
                return Err(GradientError::Seed(e));
            };
            let bar = at.get_or_insert_with(|| Bar::new(n));
            for (rows, given, what) in [(&mut bar.x, &s.dx, "dx"), (&mut bar.v, &s.dv, "dv")] {
                if given.is_empty() {
                    continue;
                }
                if given.len() != n || given.iter().flatten().any(|g| !g.is_finite()) {
                    let e = format!("{what} must have {n} rows of three finite numbers");
                    return Err(GradientError::Seed(e));
                }
                for (&p, g) in self.place.iter().zip(given) {
                    add(rows, p as usize, 1.0, *g);
                }
            }
        }
        let batches = self.terms.batches();
        let mut out = Gradient {
            numbers: batches.iter().map(|b| vec![0.0; b.len() * b.numbers()]).collect(),
            masses: vec![0.0; n],
            forces: vec![Vec::new(); count],
            pins: vec![Vec::new(); count],
            obstacles: vec![vec![[0.0; 3]; self.obstacles().len()]; count],
            frictions: vec![0.0; self.obstacles().len()],
            contractions: self
                .fibres
                .origins(&self.terms)
                .into_iter()
                .map(|o| (o, vec![0.0; count]))
                .collect(),
            ..Gradient::default()
        };
        let mut rest = vec![Row::default(); n];
        out.no_rest = self.without_rest();
        let mut hessian = Hessian::new(&self.system);

        // States by step, of a segment at a time; those around it for rules that look back.
        let mut now = seeded[count].take().unwrap_or_else(|| Bar::new(n));
        let mut before = Bar::new(n);
        let mut end = count;
        while end > 0 {
            let (first, states) = self.states(tape, end)?;
            for k in (first..end).rev() {
                let last = match k.checked_sub(1) {
                    None => tape.start.clone(),
                    Some(j) if j >= first => states[j - first].clone(),
                    Some(j) => self.state_at(tape, j)?,
                };
                let past = match (tape.steps[k].rule.weights[1] != 0.0, k) {
                    (false, _) => State::default(),
                    (true, 0) => tape.past.clone(),
                    (true, 1) => tape.start.clone(),
                    (true, k) if k >= first + 2 => states[k - 2 - first].clone(),
                    (true, k) => self.state_at(tape, k - 2)?,
                };
                let (next, earlier) = self.step_back(
                    (k, &tape.steps[k], &states[k - first]),
                    (&last, &past),
                    &now,
                    (&mut hessian, &mut out, &mut rest),
                )?;
                // What step k gave to the state before, and what the step after gave to it.
                let mut next = next;
                for i in 0..n {
                    add(&mut next.x, i, 1.0, before.x[i].xyz());
                    add(&mut next.v, i, 1.0, before.v[i].xyz());
                }
                if let Some(seed) = &seeded[k] {
                    for i in 0..n {
                        add(&mut next.x, i, 1.0, seed.x[i].xyz());
                        add(&mut next.v, i, 1.0, seed.v[i].xyz());
                    }
                }
                (now, before) = (next, earlier);
            }
            end = first;
        }
        // Pins that nothing moved go along with positions.
        let start = &tape.start.x;
        let mut follows = vec![true; n];
        for (k, step) in tape.steps.iter().enumerate() {
            let targets = step.inputs.targets.iter().enumerate();
            for (p, target) in targets {
                let i = self.free + p;
                follows[i] &= target.xyz() == start[i].xyz();
            }
            for (node, &p) in self.place.iter().enumerate() {
                if p as usize >= self.free && follows[p as usize] {
                    add(&mut now.x, p as usize, 1.0, out.pins[k][node]);
                }
            }
            for (a, target) in self.axes.iter().zip(step.inputs.axis_targets.iter()) {
                let i = a.node as usize;
                follows[i] &= (0..3).all(|c| !a.held[c] || target.0[c] == start[i].0[c]);
                if follows[i]
                    && let Some(node) = self.place.iter().position(|&p| p as usize == i)
                {
                    add(&mut now.x, i, 1.0, out.pins[k][node]);
                }
            }
        }
        out.positions = self.user_order(&now.x);
        out.velocities = self.user_order(&now.v);
        out.rest = self.user_order(&rest);
        out.masses = self.place.iter().map(|&p| out.masses[p as usize]).collect();
        let numbers = out.positions.iter().chain(&out.velocities).chain(&out.rest).flatten();
        if !numbers.chain(&out.masses).chain(out.numbers.iter().flatten()).all(|a| a.is_finite()) {
            return Err(GradientError::NonFinite(0));
        }
        Ok(out)
    }

    /// The states of the last steps before `end`, and which is the first of them: from where they are kept, or by repeating from a checkpoint.
    pub(super) fn states(&mut self, tape: &Tape, end: usize) -> Result<(usize, Vec<State>), GradientError> {
        if tape.whole() {
            return Ok((0, tape.steps[..end].iter().filter_map(|s| s.state.clone()).collect()));
        }
        let from = tape.snapshots.iter().rev().find(|s| s.0 < end);
        let Some((first, snapshot)) = from else {
            return Err(GradientError::Record("it has no checkpoint".into()));
        };
        self.rewind(snapshot)?;
        let mut states = Vec::with_capacity(end - first);
        for step in &tape.steps[*first..end] {
            self.apply(&step.inputs, true)?;
            self.advance(None)?;
            states.push(self.kept_state());
        }
        Ok((*first, states))
    }

    fn state_at(&mut self, tape: &Tape, step: usize) -> Result<State, GradientError> {
        let (_, mut states) = self.states(tape, step + 1)?;
        states.pop().ok_or_else(|| GradientError::Record("it has no checkpoint".into()))
    }

    /// Bodies of which some elements do not know their rest shape.
    fn without_rest(&self) -> Vec<String> {
        let none = vec![Row::default(); self.place.len()];
        let mut bodies: Vec<u32> = Vec::new();
        for b in self.terms.batches() {
            let anchors =
                self.anchors.iter().any(|a| std::ptr::eq(self.terms.batches()[a.batch].as_ref(), b.as_ref()));
            if anchors || b.name() == "spring" || b.pull_rest(&none, &none, &mut |_, _| {}) {
                continue;
            }
            bodies.extend((0..b.len()).filter_map(|e| b.origin(e)).map(|o| o.0));
        }
        bodies.sort_unstable();
        bodies.dedup();
        bodies.iter().filter_map(|&b| self.bodies.get(b as usize)).map(|b| b.name.clone()).collect()
    }

    /// One step: from dL/d(x⁺, v⁺) to dL/d(x, v) of the state before, and of the one before that.
    fn step_back(
        &mut self,
        (k, step, state): (usize, &Step, &State),
        (last, past): (&State, &State),
        bar: &Bar,
        (hessian, out, rest): (&mut Hessian, &mut Gradient, &mut [Row]),
    ) -> Result<(Bar, Bar), GradientError> {
        let (n, free, exec) = (self.place.len(), self.free, self.exec.clone());
        let (rule, s) = (&step.rule, step.rule.step);
        let world = &step.inputs.settings.world;
        let x = &state.x;
        self.apply(&step.inputs, false)?;

        // X and the velocity that the prediction takes, as in the step itself.
        let mut base = vec![Row::default(); n];
        rule.combine(rule.weights, &last.x, &past.x, &mut base);
        let kept = (-world.damping * rule.dt).exp();
        let kept = [kept, kept * (-world.damping * step.past_dt).exp()];
        let rate = 1.0 / s;
        self.terms.lag(&base, rate, &exec);

        // H at the solution, with the active set of contacts.
        let (mut rows, switching) = active(&state.contacts, x);
        let inertia = hessian.assemble((&self.terms, &self.axes), (x, &self.mass, s), &rows);

        // v⁺ = (x⁺ − X)/s.
        let mut total = bar.x.clone();
        let mut x_base = vec![Row::default(); n];
        for i in 0..n {
            add(&mut total, i, rate, bar.v[i].xyz());
            add(&mut x_base, i, -rate, bar.v[i].xyz());
        }
        let mut adjoint: Vec<Row> = total[..free].to_vec();
        let solved = exec.install(|| {
            let indefinite = hessian.factor(&rows, Side::Adjoint, &exec)?;
            Some((indefinite, hessian.solve(&mut adjoint, &mut rows, &exec)?))
        });
        let Some((indefinite, linear_residual)) = solved else { return Err(GradientError::Singular(k)) };
        adjoint.resize(n, Row::default());
        out.notes.insert(
            0,
            StepNote {
                step: k,
                unconverged: step.unconverged,
                residual: step.residual,
                indefinite,
                linear_residual,
                switching,
            },
        );

        // Pins: they move x⁺ itself.
        let mut pulled = vec![Row::default(); n];
        hessian.multiply_until(inertia, &adjoint, &mut pulled);
        for row in &rows {
            // Gaps and slips of contacts that pinned nodes take part in.
            let [normal, plane] = of_origin(row, &[]);
            for (node, weight) in row.parts().filter(|p| p.0 as usize >= free) {
                add(&mut pulled, node as usize, weight, normal);
                add(&mut pulled, node as usize, weight, plane);
            }
        }
        let mut pins = vec![Row::default(); n];
        for i in free..n {
            pins[i] = Row::new(sub(total[i].xyz(), pulled[i].xyz()));
        }
        for a in &self.axes {
            let i = a.node as usize;
            for c in (0..3).filter(|&c| a.held[c]) {
                pins[i].0[c] = total[i].0[c] - pulled[i].0[c];
            }
        }
        out.pins[k] = self.user_order(&pins);

        // The prediction: forces, gravity, masses, X and V.
        let mut next = Bar::new(n);
        let mut earlier = Bar::new(n);
        let mut v_base = vec![Row::default(); n];
        for i in 0..free {
            let (m, mu) = (self.mass[i], adjoint[i].xyz());
            add(&mut x_base, i, m / (s * s), mu);
            add(&mut v_base, i, m / s, mu);
            for c in 0..3 {
                let mut velocity = rule.weights[0] * kept[0] * last.v[i].0[c];
                if rule.weights[1] != 0.0 {
                    velocity += rule.weights[1] * kept[1] * past.v[i].0[c];
                }
                let gained = (x[i].0[c] - base[i].0[c] - s * velocity) / (s * s);
                out.gravity[c] += m * mu[c];
                out.masses[i] -= mu[c] * (gained - world.gravity[c]);
            }
        }
        out.forces[k] = self.user_order(&adjoint);

        // Terms: their numbers, the state that dissipation was taken at, their rest shape.
        for (b, raw) in self.terms.batches().iter().zip(&mut out.numbers) {
            let mut own = vec![0.0; raw.len()];
            b.pull_numbers(x, &adjoint, &mut own);
            raw.iter_mut().zip(&own).for_each(|(r, o)| *r -= o);
            b.pull_last(&base, x, &adjoint, rate, &mut |i, g| add(&mut x_base, i as usize, -1.0, g));
            b.pull_rest(x, &adjoint, &mut |i, g| add(rest, i as usize, -1.0, g));
            if b.name() == "fibre" {
                self.fibres.collect(&self.terms, b.as_ref(), &own, k, &mut out.contractions);
            }
        }

        // Contacts: where the obstacle is at the end, where it and the node were.
        for row in &rows {
            let [normal, plane] = of_origin(row, &adjoint);
            let o = row.contact.obstacle as usize;
            if let Some(to) = out.obstacles[k].get_mut(o) {
                (0..3).for_each(|c| to[c] += normal[c] + plane[c]);
            }
            if let Some(from) = k.checked_sub(1).and_then(|j| out.obstacles[j].get_mut(o)) {
                (0..3).for_each(|c| from[c] -= plane[c]);
            }
            for (node, weight) in row.parts() {
                add(&mut next.x, node as usize, weight, plane);
            }
            if row.turn > 0.0
                && let Some(friction) = out.frictions.get_mut(o)
            {
                let rel = super::rows::relative(row, &adjoint);
                *friction -= row.contact.force[0] * (0..3).map(|c| rel[c] * row.along[c]).sum::<f64>();
            }
        }

        // X and V of the rule.
        for i in 0..n {
            add(&mut next.x, i, rule.weights[0], x_base[i].xyz());
            add(&mut next.v, i, rule.weights[0] * kept[0], v_base[i].xyz());
            if rule.weights[1] != 0.0 {
                add(&mut earlier.x, i, rule.weights[1], x_base[i].xyz());
                add(&mut earlier.v, i, rule.weights[1] * kept[1], v_base[i].xyz());
            }
        }
        if !next.x.iter().chain(&next.v).all(|r| r.is_finite()) {
            return Err(GradientError::NonFinite(k));
        }
        Ok((next, earlier))
    }
}
