//! From bodies to a factored system.

use super::checkpoint::fingerprint;
use super::integrator::{Past, Rule};
use super::{Air, Group, Simulation, State, Workspace, axes, links};
use crate::contact::{Columns, ContactSet, Link, Obstacle, Pose, Reaches, Surfaces, Touching};
use crate::error::BuildError;
use crate::exec::Exec;
use crate::global::{Cholesky, Cliques, Split, System, inverse, order};
use crate::math::nodes::Row;
use crate::settings::{ContactMethod, FirstHessian, Method, Settings};
use crate::solve::contact_methods::Nodal;
use crate::solve::whole::Free;
use crate::solve::{Axes, BodySums, Descent, Lagged, fill};
use crate::term::{BatchSource, FibreRef, Firm, TermBatch, TermSet};
use std::sync::Arc;

/// A body's share of the nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name given by the user.
    pub name: String,
    /// Number of its first node.
    pub first_node: usize,
    /// How many nodes it has.
    pub nodes: usize,
    /// How many of them, the first, are corners of elements; those behind lie on the edges of elements of order 2.
    pub corners: usize,
}

/// Where a soft anchor is stored.
#[derive(Clone, Copy, Debug)]
pub struct AnchorRef {
    /// Body.
    pub body: u32,
    /// Node within the body.
    pub node: u32,
    /// Batch of terms.
    pub batch: usize,
    /// Element of the batch.
    pub element: usize,
}

/// All that a simulation is made of. Nodes are numbered over all bodies; the scene has checked every number.
pub struct Parts {
    /// Settings, validated.
    pub settings: Settings,
    /// Bodies in order.
    pub bodies: Vec<Body>,
    /// Start positions in m.
    pub positions: Vec<[f64; 3]>,
    /// Masses in kg, positive.
    pub masses: Vec<f64>,
    /// True for pinned nodes.
    pub pinned: Vec<bool>,
    /// Nodes that are pinned along some axes, and which.
    pub axes: Vec<(u32, [bool; 3])>,
    /// Pinned nodes on edges whose ends are pinned too, with these ends.
    pub followers: Vec<(u32, [u32; 2], [bool; 3])>,
    /// Fill fractions of the tetrahedra of bodies that have some, for checkpoints; the terms have them already.
    pub fill: Vec<f64>,
    /// Terms.
    pub sources: Vec<Box<dyn BatchSource>>,
    /// Anchors.
    pub anchors: Vec<AnchorRef>,
    /// Fibres.
    pub fibres: FibreRef,
    /// Who feels the air.
    pub air: Air,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Nodes that may touch them, or each other.
    pub touching: Vec<Touching>,
    /// Surfaces of bodies that may touch each other.
    pub surfaces: Surfaces,
    /// Links: those of each group, in order, and what they slide on.
    pub groups: Vec<Group>,
    /// All links, group by group.
    pub links: Vec<Link>,
    /// Triangles of the surfaces that links slide on.
    pub skins: Vec<Vec<[u32; 3]>>,
}

/// Scenes of so many nodes use one thread unless more are asked for.
const ONE_THREAD: usize = 500;

impl Simulation {
    /// Numbers the nodes, packs the elements, factors the matrix.
    pub fn assemble(parts: Parts) -> Result<Simulation, BuildError> {
        let settings = parts.settings;
        let n = parts.positions.len();
        // Small bodies are done before a second thread has woken up.
        let few = settings.solve.threads == 0 && n <= ONE_THREAD;
        let exec = Arc::new(Exec::new(if few { 1 } else { settings.thread_count() }));

        // Free nodes get numbers 0…free−1 for now, and an order that keeps the factor small.
        const PINNED: u32 = u32::MAX;
        let mut free_number = vec![PINNED; n];
        let mut free_positions = Vec::new();
        for i in 0..n {
            if !parts.pinned[i] {
                free_number[i] = free_positions.len() as u32;
                free_positions.push(parts.positions[i]);
            }
        }
        let free = free_positions.len();
        let mut cliques = Cliques::new(free);
        let mut clique = Vec::new();
        for source in &parts.sources {
            source.cliques(&mut |nodes| {
                clique.clear();
                for v in nodes.iter().map(|&v| free_number[v as usize]) {
                    // An element may name a node twice, where it has no neighbour.
                    if v != PINNED && !clique.contains(&v) {
                        clique.push(v);
                    }
                }
                // Node ids were checked at the door: a clique always fits.
                let fits = clique.is_empty() || cliques.push(&clique);
                debug_assert!(fits);
            });
        }
        let rank = inverse(&exec.install(|| order(&cliques, &free_positions, &exec)));
        cliques.renumber(&rank);
        let mut next_pinned = free as u32;
        let place: Vec<u32> = free_number
            .iter()
            .map(|&f| {
                if f == PINNED {
                    next_pinned += 1;
                    next_pinned - 1
                } else {
                    rank[f as usize]
                }
            })
            .collect();

        let touching_bodies = !parts.surfaces.is_empty();
        let (rule, scale) = settings.solve.weights(touching_bodies || !parts.obstacles.is_empty());
        let batches = parts.sources.iter().map(|s| s.build(&place, rule, scale)).collect();
        let mut terms = TermSet::new(batches, n);
        terms.leave_out(free);
        allowed(&settings, &terms, &parts.bodies, &parts.obstacles, touching_bodies)?;
        links::allowed(&settings, &parts.groups, &parts.bodies)?;
        carries(&settings, &parts.obstacles, touching_bodies, &parts.groups)?;
        let axes = axes::renumber(&parts.axes, &place, free);
        let mut mass = vec![0.0; n];
        let mut x = vec![Row::default(); n];
        for (i, &p) in place.iter().enumerate() {
            mass[p as usize] = parts.masses[i];
            x[p as usize] = Row::new(parts.positions[i]);
        }
        let mut system = System::from_pattern(&cliques);
        fill(&mut system, &terms, &mass, settings.time.dt, false);
        if settings.solve.contact == ContactMethod::Local {
            fill_local(&mut system, parts.touching.iter().map(|t| place[t.node as usize]));
        }
        let global = exec.install(|| Cholesky::new(&system, &exec)).map_err(factor_error)?;
        let scratch = global.scratch();
        // Pinned nodes do not yield to obstacles.
        let touching: Vec<Touching> = parts
            .touching
            .iter()
            .map(|t| t.renumber(|v| place[v as usize]))
            .filter(|t| t.nodes().any(|v| (v as usize) < free))
            .collect();
        let linked = links::renumber(&parts.links, &parts.skins, &place, &x);
        let columns = match touching.is_empty() && linked.is_empty() {
            true => Columns::default(),
            false => Columns::new(
                touching.iter().flat_map(Touching::nodes).chain(linked.nodes()),
                &components(&system),
            ),
        };
        let poses = vec![[Pose::default(); 2]; parts.obstacles.len()];
        let along = axes.iter().map(|a| (a.node, a.held)).collect();
        let mut contact = ContactSet::new(parts.obstacles, touching, free).with_held(along);
        if !parts.surfaces.is_empty() {
            let surfaces = parts.surfaces.renumber(|v| place[v as usize]);
            let mut body = vec![0; n];
            for (number, b) in parts.bodies.iter().enumerate() {
                (b.first_node..b.first_node + b.nodes).for_each(|i| body[place[i] as usize] = number as u32);
            }
            contact = exec.install(|| contact.with_potential(surfaces, &x, &body, exec.clone()));
        }
        if !linked.is_empty() {
            contact = contact.with_links(linked);
        }
        let whole = Free::new(&components(&system), &mass, held(&terms, free, &axes));
        let mut body = vec![0; free];
        for (number, b) in parts.bodies.iter().enumerate() {
            for node in b.first_node..b.first_node + b.nodes {
                if let Some(of) = body.get_mut(place[node] as usize) {
                    *of = number as u32;
                }
            }
        }
        let fingerprint = fingerprint(
            &parts.bodies,
            &parts.positions,
            &parts.masses,
            (&parts.pinned, &parts.axes),
            &parts.fill,
            &terms,
            &place,
            contact.obstacles(),
            (&parts.links, &parts.skins),
        );
        let state = State {
            frame: 0,
            time: 0.0,
            targets: x[free..].to_vec(),
            axis_targets: axes::targets(&axes, &x),
            touches: Vec::new(),
            x,
            v: vec![Row::default(); n],
            a: vec![Row::default(); n],
            a_before: vec![Row::default(); n],
            past: Past::default(),
            force: vec![Row::default(); n],
            poses,
            kept: Vec::new(),
            reaches: Reaches::default(),
            reactions: Vec::new(),
            frames: vec![[Pose::default(); 2]; parts.groups.len()],
            broken: vec![false; parts.links.len()],
            link_forces: Vec::new(),
        };
        let work = Workspace {
            x: vec![Row::default(); n],
            x_base: vec![Row::default(); n],
            v_base: vec![Row::default(); n],
            x_tilde: vec![Row::default(); n],
            x_free: vec![Row::default(); n],
            rhs: vec![Row::default(); free],
            force: vec![Row::default(); if parts.air.is_empty() { 0 } else { n }],
            rounding: vec![0.0; free],
            whole,
            body,
            body_size: body_sizes(&parts.bodies, &parts.positions),
            per_body: vec![BodySums::default(); parts.bodies.len()],
            motion: vec![0.0; parts.bodies.len()],
            jolt: vec![0.0; parts.bodies.len()],
            hessian_at: Vec::new(),
        };
        let followers = parts.followers.iter().map(|&(node, ends, held)| {
            let at = |v: u32| parts.positions[v as usize];
            let ([a, b], m) = (ends.map(at), at(node));
            let offset = std::array::from_fn(|c| m[c] - 0.5 * (a[c] + b[c]));
            let place = |v: u32| place[v as usize] as usize;
            super::Follower { node: place(node), ends: ends.map(place), held, offset }
        });
        let followers = followers.collect();
        let mut air = parts.air;
        air.renumber(&place);
        let mut anchor_order: Vec<u32> = (0..parts.anchors.len() as u32).collect();
        anchor_order.sort_by_key(|&k| (parts.anchors[k as usize].body, parts.anchors[k as usize].node));
        Ok(Simulation {
            matrix_step: settings.time.dt,
            settings,
            exec,
            bodies: parts.bodies,
            anchors: parts.anchors,
            anchor_order,
            fibres: parts.fibres,
            air,
            terms,
            system,
            global,
            scratch,
            split: Split::default(),
            place,
            followers,
            free,
            axes,
            mass,
            state,
            contact,
            groups: parts.groups,
            columns,
            refuse: false,
            nodal: Nodal::default(),
            descent: Descent::default(),
            lagged: Lagged::default(),
            counted: super::Factors { matrices: 1, hessians: 0 },
            work,
            fingerprint,
            recipe: None,
            tape: None,
        })
    }

    /// The integrator's rule of the next step.
    pub(super) fn rule(&self) -> Rule {
        let time = &self.settings.time;
        Rule::of(time.integrator, time.dt, &self.state.past)
    }

    /// Sets weights and time step anew and factors the matrix with them.
    pub(super) fn refactor(&mut self) -> Result<(), BuildError> {
        self.matrix_step = self.rule().step;
        let (rule, scale) = self.settings.solve.weights(self.touching());
        // The next step finds its own weights of hard constraints.
        self.terms.firm(Firm::Off);
        self.terms.set_weights(rule, scale);
        if let Some(drag) = self.terms.batch_mut(self.air.batch).filter(|_| self.air.firm > 1.0) {
            drag.set_weights(rule, scale * self.air.firm);
        }
        self.lagged.hessian.forget();
        self.columns.forget();
        fill(&mut self.system, &self.terms, &self.mass, self.matrix_step, false);
        self.nodal.forget();
        if self.settings.solve.contact == ContactMethod::Local {
            fill_local(&mut self.system, self.contact.touching().iter().map(|t| t.node));
        }
        let exec = self.exec.clone();
        exec.install(|| self.global.refactor(&self.system, &exec)).map_err(factor_error)
    }
}

/// The diagonal of each body's bounding box; of a body that has none that of all, or 1 m.
fn body_sizes(bodies: &[Body], positions: &[[f64; 3]]) -> Vec<f64> {
    let diagonal = |nodes: &[[f64; 3]]| {
        let mut square = 0.0;
        for c in 0..3 {
            let low = nodes.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
            let high = nodes.iter().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max);
            square += (high - low) * (high - low);
        }
        Some(square.sqrt()).filter(|d| d.is_finite() && *d > 0.0)
    };
    let all = diagonal(positions).unwrap_or(1.0);
    bodies.iter().map(|b| diagonal(&positions[b.first_node..b.first_node + b.nodes]).unwrap_or(all)).collect()
}

/// For each node the lowest node that it is coupled with, directly or through others.
fn components(system: &System) -> Vec<u32> {
    let mut of: Vec<u32> = (0..system.n() as u32).collect();
    fn root(of: &mut [u32], mut i: u32) -> u32 {
        while of[i as usize] != i {
            of[i as usize] = of[of[i as usize] as usize];
            i = of[i as usize];
        }
        i
    }
    for j in 0..system.n() {
        for &i in &system.row_idx()[system.col_ptr()[j]..system.col_ptr()[j + 1]] {
            let (a, b) = (root(&mut of, i), root(&mut of, j as u32));
            of[a.max(b) as usize] = a.min(b);
        }
    }
    (0..system.n() as u32).map(|i| root(&mut of, i)).collect()
}

/// Free nodes that share an element with a pinned node, or whose element or axis holds them where they are: a stencil of one node alone sees
/// a translation.
fn held(terms: &TermSet, free: usize, axes: &[Axes]) -> impl Iterator<Item = u32> {
    let mut held: Vec<u32> = axes.iter().map(|a| a.node).collect();
    let mut corners = Vec::new();
    for batch in terms.batches() {
        corners.clear();
        batch.corners(&mut |node, _| corners.push(node));
        let per_element = corners.len() / batch.len().max(1);
        for element in corners.chunks(per_element.max(1)) {
            if per_element == 1 || element.iter().any(|&node| node as usize >= free) {
                held.extend(element.iter().copied().filter(|&node| (node as usize) < free));
            }
        }
    }
    held.into_iter()
}

/// That the method takes every obstacle and every term.
pub(super) fn allowed(
    settings: &Settings,
    terms: &TermSet,
    bodies: &[Body],
    obstacles: &[Obstacle],
    collide: bool,
) -> Result<(), BuildError> {
    if collide || !obstacles.is_empty() {
        let refuse = |name, what: &str| {
            let of = obstacles
                .first()
                .map_or("contact between bodies".into(), |o| format!("the obstacle `{}`", o.name));
            let reason = format!(
                "{what} cannot take {of}: use `auto`, `admm`, `newton`, `quasi_newton` or `projective`"
            );
            Err(BuildError::Setting { name, reason })
        };
        match (settings.solve.method, settings.solve.first_hessian) {
            (Method::Position, _) => return refuse("solve.method", "`position`"),
            (Method::QuasiNewton, FirstHessian::Identity) => {
                return refuse("solve.first_hessian", "`quasi_newton` with the `identity`");
            }
            _ => {}
        }
    }
    let method = settings.solve.method;
    if collide && !matches!(method, Method::Auto | Method::Newton) {
        let reason = format!("`{method}` cannot take contact between bodies: use `auto` or `newton`");
        return Err(BuildError::Setting { name: "solve.method", reason });
    }
    if collide && let Some(b) = terms.batches().iter().find(|b| b.hard()) {
        let body = b.origin(0).and_then(|(body, _)| bodies.get(body as usize));
        let body = body.map_or(String::new(), |b| format!(" of body `{}`", b.name));
        let reason = format!(
            "contact between bodies and the hard `{}` elements{body} cannot be solved together: make these soft, or leave out `collide`",
            b.name()
        );
        return Err(BuildError::Setting { name: "collide", reason });
    }
    let takes = |b: &dyn TermBatch| match method {
        Method::Auto | Method::Admm => true,
        Method::Projective => b.projective(),
        Method::Position | Method::QuasiNewton | Method::Newton => !b.hard(),
    };
    let Some(b) = terms.batches().iter().find(|b| !takes(b.as_ref())) else { return Ok(()) };
    let body = b.origin(0).and_then(|(body, _)| bodies.get(body as usize));
    let body = body.map_or(String::new(), |b| format!(" of body `{}`", b.name));
    let instead = match method {
        Method::Projective => "it takes `arap`, springs, anchors and soft limits",
        _ => "they are hard constraints, which `admm` and `auto` take",
    };
    let (method, name) = (method.as_str(), b.name());
    let reason = format!("`{method}` cannot take the `{name}` elements{body}: {instead}");
    Err(BuildError::Setting { name: "solve.method", reason })
}

/// That the way to contact carries what may touch.
pub(super) fn carries(
    settings: &Settings,
    obstacles: &[Obstacle],
    collide: bool,
    groups: &[Group],
) -> Result<(), BuildError> {
    let way = settings.solve.contact;
    if way == ContactMethod::Delassus {
        return Ok(());
    }
    let refuse = |what: String| {
        let reason = format!("`{}` cannot take {what}: use `delassus`", way.as_str());
        Err(BuildError::Setting { name: "solve.contact", reason })
    };
    if collide {
        return refuse("contact between bodies".into());
    }
    if let Some(g) = groups.first() {
        return refuse(format!("`{}`", g.kind));
    }
    match obstacles.iter().find(|o| o.friction > 0.0 && way != ContactMethod::Local) {
        Some(o) => refuse(format!("the friction of obstacle `{}`", o.name)),
        None => Ok(()),
    }
}

fn factor_error(e: crate::global::FactorError) -> BuildError {
    BuildError::Factor(e.to_string())
}

/// Adds w²Δt² of the nodes' own terms of contact: as much as the diagonal has.
fn fill_local(system: &mut System, touching: impl Iterator<Item = u32>) {
    for i in
        touching.map(|i| i as usize).filter(|&i| i < system.n()).collect::<std::collections::BTreeSet<_>>()
    {
        let own = system.values()[system.col_ptr()[i]];
        let there = system.add(i, i, own);
        debug_assert!(there, "the diagonal is always there");
    }
}
