//! The theorems of the appendices, as measured numbers, on a net of springs of no length between anchors: there every
//! energy is quadratic and every set of projective dynamics is affine.
use miette::IntoDiagnostic;
use serde_json::json;
use supple::energy::check::Random;
use supple::{Control, Method, Scene, Settings, SolveSettings, Spring};

use super::Context;
use super::page::{Claim, Section, paragraph, plots};
use crate::plot::{Axis, Plot, Series};

const NODES: usize = 24;
/// Iterations after which the limit is reached to rounding: 2⁻⁹⁰.
const MANY: usize = 90;

/// One step of the net.
fn net(method: Method, iterations: usize) -> miette::Result<supple::Simulation> {
    let mut random = Random(301);
    let mut place = |size: f64| [(); 3].map(|()| random.between(-size, size));
    let rest: Vec<[f64; 3]> = (0..NODES).map(|_| place(1.0)).collect();
    let moved: Vec<[f64; 3]> = rest
        .iter()
        .map(|p| {
            let d = place(0.5);
            std::array::from_fn(|c| p[c] + d[c])
        })
        .collect();
    let velocity: Vec<[f64; 3]> = rest.iter().map(|_| place(3.0)).collect();
    let masses = (0..NODES).map(|_| random.between(0.5, 2.0)).collect();
    let springs = (0..NODES as u32).map(|a| Spring {
        rest_length: Some(0.0),
        ..Spring::new([a, (a + 5) % NODES as u32], random.between(20.0, 90.0))
    });
    let springs: Vec<Spring> = springs.collect();
    let mut settings = Settings::published();
    settings.time.dt = 0.1;
    settings.solve =
        SolveSettings { method, iterations, tolerance: 0.0, threads: 1, ..SolveSettings::published() };
    let mut scene = Scene::new(settings);
    let body = scene.add_springs("net", rest, masses, springs).into_diagnostic()?;
    for i in 0..NODES as u32 {
        scene.anchor(body, &[i], random.between(20.0, 90.0)).into_diagnostic()?;
    }
    let mut simulation = scene.build().into_diagnostic()?;
    simulation.set_state(&moved, &velocity).into_diagnostic()?;
    Ok(simulation)
}

/// x, and √w²·(z, u) of all elements, after each iteration.
struct Iterates {
    x: Vec<Vec<[f64; 3]>>,
    zu: Vec<Vec<f64>>,
}

fn iterates(method: Method, iterations: usize) -> miette::Result<Iterates> {
    let mut all = Iterates { x: Vec::new(), zu: Vec::new() };
    net(method, iterations)?
        .step_with(&mut |it| {
            all.x.push(it.positions());
            let mut numbers = Vec::new();
            for (batch, count) in it.batches().into_iter().enumerate() {
                for element in 0..count {
                    if let Some((z, u, w2)) = it.local_state(batch, element) {
                        numbers.extend(z.iter().chain(&u).map(|v| w2.sqrt() * v));
                    }
                }
            }
            all.zu.push(numbers);
            Control::Continue
        })
        .into_diagnostic()?;
    Ok(all)
}

/// The largest distance of two nodes of the same number.
fn distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let one = |p: &[f64; 3], q: &[f64; 3]| (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt();
    a.iter().zip(b).map(|(p, q)| one(p, q)).fold(0.0, f64::max)
}

/// Measures rate and identity.
pub(super) fn section(_: &Context) -> miette::Result<Section> {
    let admm = iterates(Method::Admm, MANY)?;
    let limit = admm.zu.last().cloned().unwrap_or_default();
    let errors: Vec<f64> = admm
        .zu
        .iter()
        .map(|v| v.iter().zip(&limit).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt())
        .collect();
    let rates: Vec<f64> = errors.windows(2).skip(1).take(20).map(|e| e[1] / e[0]).collect();
    let off = rates.iter().map(|r| (r - 0.5).abs()).fold(0.0, f64::max);
    let end = admm.x.last().cloned().unwrap_or_default();
    let first_step = admm.x.first().map_or(f64::NAN, |x| distance(x, &end));

    let count = 50;
    let projective = iterates(Method::Projective, count)?;
    let apart = admm.x.iter().zip(&projective.x).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
    let compared = admm.x.len().min(projective.x.len());

    let claims = vec![
        Claim::new(
            "Quadratic energies, WᵀW their Hessian: the error of (z, u) halves in each iteration (2017 paper, App. A)",
            "rate ½",
            format!(
                "rate ½ within {off:.1e} in each of {} iterations; x is within {first_step:.1e} m of its limit after the first",
                rates.len()
            ),
            Some(rates.len() == 20 && off <= 1e-6),
        ),
        Claim::new(
            "On affine sets ADMM with w = √k is projective dynamics, iterate by iterate (2016 paper, App. A; 2017 paper, App. B)",
            "identical",
            format!("nodes at most {apart:.1e} m apart in {compared} iterations, the net 2 m wide"),
            Some(compared == count && apart <= 1e-12),
        ),
    ];
    let start = errors.first().copied().unwrap_or(1.0);
    let points = |v: &dyn Fn(usize) -> f64| (0..50).map(|n| [n as f64 + 1.0, v(n)]).collect();
    let plot = Plot {
        title: "Error of (z, u) on quadratic energies".into(),
        x: Axis::linear("iterations"),
        y: Axis::log("relative error").between(1e-15, 1.0),
        series: vec![
            Series::new("measured", points(&|n| errors.get(n).map_or(f64::NAN, |e| e / start))),
            Series::new("½ⁿ", points(&|n| 0.5f64.powi(n as i32))),
        ],
    };
    let html = paragraph(&format!(
        "One step of a net of {NODES} nodes, {NODES} springs of no length and {NODES} anchors; numbers at random, w² = k."
    )) + &plots(&[plot]);
    let data = json!({
        "nodes": NODES, "rates": rates, "rate_off": off, "x_after_first": first_step,
        "projective_apart": apart, "projective_iterations": compared,
    });
    Ok(Section {
        id: "appendix",
        title: "Appendices: rate ½, and projective dynamics as ADMM".into(),
        claims,
        html,
        data,
    })
}
