//! A step that an observer discards never happened: state and every later step have the same bits.

use super::common::{settings, twisted};
use supple::{Control, MaterialKind, Method, Simulation, StepError};

fn made(method: Method, threads: usize) -> Simulation {
    let mut s = settings(0.02);
    s.solve.method = method;
    s.solve.iterations = 60;
    s.solve.tolerance = 1e-8;
    s.solve.threads = threads;
    let kind = if method == Method::Projective { MaterialKind::Arap } else { MaterialKind::NeoHookean };
    twisted(s, kind, [6, 2, 2], true)
}

fn bits(sim: &Simulation) -> Vec<u8> {
    sim.checkpoint()
}

#[test]
fn a_discarded_step_never_happened() {
    for method in Method::ALL {
        for threads in [1, 2] {
            let (mut a, mut b) = (made(method, threads), made(method, threads));
            for frame in 0..4 {
                let before = bits(&b);
                for last in [1, 4] {
                    let mut seen = 0;
                    let result = b.step_with(&mut |it| {
                        seen = it.index();
                        if it.index() == last { Control::Discard } else { Control::Continue }
                    });
                    // A step may need fewer iterations; the first one is there in every frame.
                    if seen == last {
                        assert_eq!(result.unwrap_err(), StepError::Discarded, "{method}");
                        assert_eq!(bits(&b), before, "{method}, frame {frame}");
                    } else {
                        a.step().unwrap();
                    }
                }
                a.step().unwrap();
                b.step().unwrap();
                assert_eq!(bits(&a), bits(&b), "{method}, frame {frame}");
            }
        }
    }
}

#[test]
fn iterations_say_who_made_them() {
    for method in Method::ALL {
        let mut sim = made(method, 1);
        let tets = sim.tetrahedra().len();
        let report = sim
            .step_with(&mut |it| {
                let by = it.method();
                assert!(by == method || method == Method::Auto && by != Method::Auto);
                assert_eq!(it.tetrahedra().len(), tets);
                assert!(it.primal() == 0.0 || by == Method::Admm);
                Control::Continue
            })
            .unwrap();
        assert!(report.iterations > 0);
        let origins: Vec<_> = sim.tetrahedra().iter().map(|t| t.origin).collect();
        assert!(origins.is_sorted() && origins.len() == tets);
    }
}
