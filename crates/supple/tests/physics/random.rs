//! Random scenes: a step is finite or an error, never a panic, and momentum is exact. The seed is fixed.

use super::bridge;
use super::common::settings;
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{Random, box_mesh, extent};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[derive(Clone, Debug)]
struct Case {
    cells: [usize; 3],
    edge: f64,
    seed: u64,
    /// How far the nodes are from rest, in edges.
    disturbance: f64,
    speed: f64,
    material: usize,
    young: f64,
    poisson: f64,
    density: f64,
    h: f64,
    iterations: usize,
    scale: f64,
    held: bool,
}

/// 10^a for a in the range.
fn power(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|a| 10_f64.powf(a))
}

fn cases() -> impl Strategy<Value = Case> {
    let shape =
        ([1_usize..3, 1..3, 1..3], power(-2.0, 1.0), any::<u64>(), power(-3.0, 0.5), power(-2.0, 2.0));
    let matter = (0_usize..5, power(2.0, 9.0), 0.0..0.4999, power(1.0, 4.0));
    let solve = (power(-4.0, 0.0), 1_usize..12, power(-0.5, 1.0), any::<bool>());
    (shape, matter, solve).prop_map(|(shape, matter, solve)| Case {
        cells: shape.0,
        edge: shape.1,
        seed: shape.2,
        disturbance: shape.3,
        speed: shape.4,
        material: matter.0,
        young: matter.1,
        poisson: matter.2,
        density: matter.3,
        h: solve.0,
        iterations: solve.1,
        scale: solve.2,
        held: solve.3,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2016),
        ..ProptestConfig::default()
    })]

    /// Five steps: everything finite (a barrier's energy and residual may be infinite, never NaN) or an error that names
    /// a node. A free body's momentum changes by M g h, 1e-12 of Σ m(|v| + |x|/h), which is what rounding of positions
    /// leaves of it, beside 1e-15 of the impulse that would displace every node by its position: the global step's
    /// rounding, A = M + Δt²DᵀW²D, which counts where Δt²k ≫ m.
    #[test]
    fn a_step_is_finite_or_an_error(case in cases()) {
        let lame = Lame::from_young(case.young, case.poisson);
        let mut random = Random::new(case.seed);
        let mesh = box_mesh(case.cells, V3::repeat(case.edge));
        let mut body = RefBody::new(&mesh, RefMaterial::all(lame)[case.material], case.density);
        let x: Vec<V3> =
            body.rest.iter().map(|p| p + random.vector(case.disturbance * case.edge)).collect();
        let v: Vec<V3> = body.rest.iter().map(|_| random.vector(case.speed)).collect();
        if case.held {
            body.pins.push(RefPin { node: 0, target: x[0] + random.vector(case.edge) });
            let target = x[3] + random.vector(case.edge);
            body.anchors.push(RefAnchor { node: 3, target, k: case.young * case.edge });
        }
        let gravity = random.vector(20.0);
        let mut s = settings(case.h);
        s.world.gravity = [gravity.x, gravity.y, gravity.z];
        s.solve.iterations = case.iterations;
        s.solve.weight_scale = case.scale;
        let mut sim = bridge::simulation(&body, s, lame);
        bridge::put(&mut sim, &body, &x, &v);
        let mass: f64 = body.masses.iter().sum();
        let momentum = |v: &[V3]| -> V3 { v.iter().zip(&body.masses).map(|(v, m)| v * *m).sum() };
        for _ in 0..5 {
            let before = (sim.positions(), sim.velocities());
            match sim.step() {
                Err(e) => {
                    prop_assert!(e.to_string().contains("node"), "{e}");
                    prop_assert_eq!(&before.0, &sim.positions());
                    break;
                }
                Ok(report) => {
                    let (x, v) = (bridge::points(&sim.positions()), bridge::points(&sim.velocities()));
                    prop_assert!(x.iter().chain(&v).all(|p| p.iter().all(|c| c.is_finite())));
                    prop_assert!(report.primal.is_finite() && report.dual.is_finite());
                    prop_assert!(report.force_residual >= 0.0 && !report.energy.elastic.is_nan());
                    prop_assert!(report.force_residual.is_finite() || case.material == 3);
                    prop_assert!(report.inverted <= body.tets.len());
                    for pin in &body.pins {
                        prop_assert_eq!(x[pin.node], pin.target);
                    }
                    if !case.held {
                        let stiffness = case.scale * lame.bulk() * case.edge;
                        let size: f64 = (0..x.len())
                            .map(|i| {
                                let own = body.masses[i] * (v[i].norm() + x[i].norm() / case.h);
                                own + 1e-3 * case.h * stiffness * x[i].norm()
                            })
                            .sum();
                        let change = momentum(&v) - momentum(&bridge::points(&before.1)) - gravity * (mass * case.h);
                        prop_assert!(change.norm() <= 1e-12 * size, "{:e}", change.norm() / size);
                    }
                }
            }
        }
    }

    /// A body of any make at rest, in any units, stays within 1e-12 of its extent for 20 steps.
    #[test]
    fn any_body_at_rest_stays(case in cases()) {
        let (mut sim, body) = at_rest(&case);
        for _ in 0..20 {
            sim.step().unwrap();
        }
        let far = super::common::distance(&sim.positions(), &bridge::rows(&body.rest));
        prop_assert!(far <= 1e-12 * extent(&body.rest), "{far:e}");
    }

    /// And every step says Converged and a force residual of at most the tolerance, 1e-10: what is left of forces there
    /// is rounding, and f_ref is 0 but for rounding.
    #[test]
    fn any_body_at_rest_says_so(case in cases()) {
        let (mut sim, _) = at_rest(&case);
        for _ in 0..20 {
            let report = sim.step().unwrap();
            prop_assert_eq!(report.status, supple::Status::Converged, "force residual {}", report.force_residual);
            prop_assert!(report.force_residual <= 1e-10);
        }
    }
}

/// The case's body at rest, without gravity.
fn at_rest(case: &Case) -> (supple::Simulation, RefBody) {
    let constants = Lame::from_young(case.young, case.poisson);
    let mesh = box_mesh(case.cells, V3::repeat(case.edge));
    let body = RefBody::new(&mesh, RefMaterial::all(constants)[case.material], case.density);
    let mut s = settings(case.h);
    s.solve.iterations = case.iterations;
    (bridge::simulation(&body, s, constants), body)
}
