//! Fig. 2 and 6: the untwisting box, by projective dynamics, ADMM with several weights, and L-BFGS.
use serde_json::Value;
use supple::{Start, WeightRule};
use supple_files::load::Loaded;

use super::Context;
use super::page::{Claim, Section, paragraph, plots, table};
use crate::commands::Failure;
use crate::compare::{self, Comparison, Milestone, Plan, Race, TARGETS, Variant};
use crate::scenes;

/// The untwisting box: a built-in scene with another material and another twist.
#[derive(Clone, Copy)]
pub(super) struct Untwist {
    /// Name of the built-in scene.
    pub scene: &'static str,
    /// Its material.
    pub material: &'static str,
    /// Young's modulus in Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Twist in degrees.
    pub angle: f64,
}

impl Untwist {
    /// The scene.
    pub fn load(&self, c: &Context) -> Result<Loaded, Failure> {
        let text = scenes::find(self.scene).map_or("", |s| s.text).to_string();
        let set = [
            format!("body.box.material.kind={}", self.material),
            format!("body.box.material.young={:e}", self.young),
            format!("body.box.material.poisson={:?}", self.poisson),
            format!("body.box.start.twist.angle={:?}", self.angle),
            format!("solve.threads={}", c.threads),
        ];
        Loaded::parse(self.scene, text, None, &set).map_err(Failure::load)
    }
}

/// The box of Fig. 2 as it was let go, by several methods: `arap`, projective dynamics' own, whose stiffness k the weights
/// refer to. The paper tells neither stiffness nor twist.
fn untwist(c: &Context, angle: f64, variants: &[Variant]) -> Result<Comparison, Failure> {
    let scene = if c.quick { "untwist_low" } else { "untwist_high" };
    let loaded = Untwist { scene, material: "arap", young: 1e6, poisson: 0.3, angle }.load(c)?;
    let plan = Plan { start: Start::Inertia, repeats: if c.quick { 2 } else { 5 }, ..Plan::default() };
    let race = Race::new(&loaded, &[], plan)?;
    Ok(Comparison::of(&race, scene, variants, &mut |_| {}))
}

/// Iterations and milliseconds to a target, or a dash.
pub(super) fn reach(m: Option<Milestone>) -> String {
    m.map_or_else(|| "–".into(), |m| format!("{} / {}", m.iterations, compare::milliseconds(m.seconds)))
}

/// The table of a comparison.
pub(super) fn summary(caption: &str, c: &Comparison) -> String {
    let mut rows = Vec::new();
    for r in &c.runs {
        let Some(d) = r.done() else { continue };
        let mut row = vec![r.name.clone(), d.status.to_string(), d.iterations.to_string()];
        row.extend(TARGETS.map(|t| reach(c.milestone(d, t))));
        row.push(format!("{:.0e}", c.final_error(d).max(0.0)));
        rows.push(row);
    }
    let head = [
        "method",
        "status",
        "iterations",
        "to 1e-2: iterations / ms",
        "to 1e-4",
        "to 1e-9",
        "error at the end",
    ];
    table(caption, &head, &rows)
}

fn size(c: &Comparison) -> String {
    format!(
        "The box of {} nodes and {} elements, twisted by 90° and let go, Δt = 0.04 s, `arap` with E = 1 MPa, ν = 0.3 and k = 2μ (the \
         paper tells neither stiffness nor twist: of stiffnesses from 0.1 to 10 MPa and twists of 90°, 135° and 180° this pair was chosen \
         because everything that the paper reports is seen there; elsewhere, as at 180°, a quarter of k does not converge, or a sixteenth does). Relative error \
         (ε(xₙ) − ε*)/(ε(x⁰) − ε*), ε* = {:.6e} J by {}; all start at x̃.",
        c.size[0], c.size[1], c.lowest, c.found_by
    )
}

fn notes(c: &Comparison) -> String {
    c.notes.iter().map(|n| paragraph(&format!("Note: {n}."))).collect()
}

/// Words for when something was reached.
fn words(m: Option<Milestone>) -> String {
    m.map_or_else(
        || "never".into(),
        |m| format!("{} iterations, {} ms", m.iterations, compare::milliseconds(m.seconds)),
    )
}

/// Fig. 2.
pub(super) fn fig2(context: &Context) -> Result<Section, Failure> {
    let names = ["projective dynamics", "ADMM, w = √k", "ADMM, w = ½√k", "L-BFGS"];
    let mut variants: Vec<Variant> = Vec::new();
    for (name, known) in [(names[0], "projective"), (names[3], "lbfgs")] {
        variants.extend(Variant::named(known).map(|v| Variant { name: name.into(), ..v }));
    }
    variants.insert(1, Variant::weighted(names[1].into(), WeightRule::Shear, 1.0));
    variants.insert(2, Variant::weighted(names[2].into(), WeightRule::Shear, 0.25));
    let c = untwist(context, 90.0, &variants)?;
    let at = |name: &str, target: f64| c.reached(name, target);
    let [pd, one, half, lbfgs] = names.map(|n| at(n, 1e-4));
    let near = match (pd, one) {
        (Some(a), Some(b)) => Some(a.iterations.abs_diff(b.iterations) <= 1 + a.iterations / 10),
        _ => Some(false),
    };
    let coarse = names.map(|n| at(n, 1e-2));
    let halved = c.run(names[2]).and_then(|r| r.done()).map(|d| (d.status, c.final_error(d)));
    let claims = vec![
        Claim::new(
            "With w = √k ADMM takes nearly the same steps as projective dynamics, although rotations do not form an affine set",
            "the curves lie on each other",
            format!("to 1e-4: projective {}; ADMM {}", words(pd), words(one)),
            near,
        ),
        Claim::new(
            "With half that weight ADMM converges faster than projective dynamics",
            "the curve lies below",
            match (half, halved) {
                (None, Some((status, error))) => {
                    format!("not on this mesh: {status} at {error:.0e} (to 1e-2: {})", words(coarse[2]))
                }
                _ => format!("to 1e-4: {} instead of {}", words(half), words(pd)),
            },
            Some(match (half, pd) {
                (Some(h), Some(p)) => h.iterations < p.iterations,
                _ => false,
            }),
        ),
        Claim::new(
            "Plain L-BFGS (history 10) takes more time than projective dynamics and ADMM",
            "the curve lies above, against time",
            format!("to 1e-4: {}", words(lbfgs)),
            Some(match (lbfgs, pd, one) {
                (Some(l), Some(p), Some(o)) => l.seconds > p.seconds.max(o.seconds),
                (None, ..) => true,
                _ => false,
            }),
        ),
    ];
    let html = paragraph(&size(&c))
        + &notes(&c)
        + &plots(&[
            compare::error_plot(&c, "Untwisting box: against iterations", false),
            compare::error_plot(&c, "Untwisting box: against time", true),
        ])
        + &summary("Iterations / milliseconds to a relative error", &c);
    Ok(section("fig2", "Fig. 2: projective dynamics, ADMM and L-BFGS", claims, html, compare::json(&c)))
}

/// Fig. 6.
pub(super) fn fig6(context: &Context) -> Result<Section, Failure> {
    let scales = [1.0 / 16.0, 0.25, 0.5, 1.0, 4.0, 16.0];
    let variants: Vec<Variant> = scales
        .iter()
        .map(|&s| Variant::weighted(format!("w² = {}", compare::ratio(s)), WeightRule::Shear, s))
        .collect();
    let c = untwist(context, 90.0, &variants)?;
    let at = |i: usize, target: f64| c.reached(&variants[i].name, target);
    let ends =
        |i: usize| c.run(&variants[i].name).and_then(|r| r.done()).map_or(f64::NAN, |d| c.final_error(d));
    let (large, one) = (at(5, 1e-4), at(3, 1e-4));
    let quarter = untwist(context, 180.0, &variants[1..2])?;
    let quarter_ends = quarter.runs.first().and_then(|r| r.done()).map_or_else(String::new, |d| {
        format!("{} at {:.0e} after {} iterations", d.status, quarter.final_error(d).max(0.0), d.iterations)
    });
    let claims = vec![
        Claim::new(
            "Smaller weights can converge much faster",
            "the curves get steeper as w falls",
            format!(
                "to 1e-4: w² = 16 k {}; w² = 4 k {}; w² = k {}",
                words(large),
                words(at(4, 1e-4)),
                words(one)
            ),
            Some(match (large, one) {
                (Some(l), Some(o)) => o.iterations < l.iterations,
                (None, Some(_)) => true,
                _ => false,
            }),
        ),
        Claim::new(
            "Extremely small weights do not converge at all: the problem is not convex",
            "the lowest weight does not",
            format!("w² = k/16 ends at a relative error of {:.0e}, w² = k/4 at {:.0e}", ends(0), ends(1)),
            Some(ends(0) > 1e-3),
        ),
        Claim::new(
            "How small is too small depends on the problem: twisted by 180° instead of 90°, w² = k/4",
            "–",
            quarter_ends,
            None,
        ),
    ];
    let html = paragraph(&size(&c))
        + &notes(&c)
        + &plots(&[
            compare::error_plot(&c, "ADMM with different weights: iterations", false),
            compare::error_plot(&c, "ADMM with different weights: time", true),
        ])
        + &summary("Iterations / milliseconds to a relative error", &c);
    Ok(section("fig6", "Fig. 6: the choice of the weights", claims, html, compare::json(&c)))
}

fn section(id: &'static str, title: &str, claims: Vec<Claim>, html: String, data: Value) -> Section {
    Section { id, title: title.into(), claims, html, data }
}
