//! A filled figure by every method.

use supple::mesh::fill::{FillSettings, Kind, fill};
use supple::{Material, MaterialKind, Method, Scene, Settings, Status};

use crate::stand::table;

/// A table held at one end sags for a tenth of a second: all methods that find the minimum have the nodes where Newton's has them, to a thousandth of
/// the way, and every step converges. Position-based dynamics is a baseline whose stiffness is its number of iterations: it must stay finite and held.
#[test]
fn a_filled_figure_moves_alike_by_every_method() {
    let table = table();
    for kind in [Kind::Conform, Kind::Grow, Kind::Cage] {
        let (mesh, _) = fill(&table.surface(), &FillSettings::tets(700).kind(kind)).unwrap();
        assert_eq!(kind == Kind::Conform, mesh.fill().is_empty());
        let held: Vec<u32> =
            (0u32..).zip(mesh.vertices()).filter(|(_, p)| p[0] < -0.45).map(|(i, _)| i).collect();
        let run = |method: Method, material: MaterialKind| {
            let mut settings = Settings::default();
            settings.time.dt = 0.01;
            settings.solve.method = method;
            settings.solve.iterations = if method == Method::Position { 50 } else { 2000 };
            let mut scene = Scene::new(settings);
            let material = Material::new(material, 1e5, 0.3).unwrap();
            let body = scene.add_solid("table", mesh.clone(), material, 1000.0).unwrap();
            scene.pin(body, &held).unwrap();
            let mut s = scene.build().unwrap();
            for frame in 0..10 {
                let status = s.step().unwrap().status;
                let all = method == Method::Position || status == Status::Converged;
                assert!(all, "{kind:?}, {method:?}, frame {frame}: {status}");
            }
            s.positions()
        };
        let away = |a: &[[f64; 3]], b: &[[f64; 3]]| {
            let square = |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>();
            a.iter().zip(b).map(square).fold(0.0f64, f64::max).sqrt()
        };
        for material in [MaterialKind::Arap, MaterialKind::StableNeoHookean] {
            let wanted = run(Method::Newton, material);
            let way = away(&wanted, mesh.vertices());
            assert!(way > 0.01, "it moves {way} m");
            for method in Method::ALL {
                if method == Method::Projective && material != MaterialKind::Arap {
                    continue;
                }
                let found = run(method, material);
                let off = away(&found, &wanted) / way;
                println!("{kind:?}, {material:?}, {method:?}: {off:.1e} of {way:.3} m");
                let most = if method == Method::Position { 2.0 } else { 1e-3 };
                assert!(off <= most, "{kind:?}, {material:?}, {method:?}: {off:.1e}");
            }
        }
    }
}
