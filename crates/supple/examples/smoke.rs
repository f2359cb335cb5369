//! Smoke.
#![allow(clippy::all, clippy::unwrap_used, clippy::print_stdout)]
use supple::*;
use supple::mesh::shapes;
fn main() {
    let threads: usize = std::env::args().nth(1).map_or(1, |a| a.parse().unwrap());
    for (cells, size) in [([18usize,9,9],[2.0,1.0,1.0]), ([40,20,20],[2.0,1.0,1.0])] {
    for kind in MaterialKind::ALL {
        let mesh = shapes::box_mesh(size, cells, shapes::Split::Six).unwrap();
        let n = mesh.vertices().len(); let m = mesh.tets().len();
        let mut x = mesh.vertices().to_vec();
        shapes::twist(&mut x, std::f64::consts::PI, 2.0, [0.5,0.5]);
        let mut s = Settings::default();
        s.solve.threads = threads; s.solve.tolerance = 0.0; s.solve.iterations = 20; s.world.gravity=[0.0;3];
        let mut scene = Scene::new(s);
        scene.add_solid("b", mesh, Material::new(kind, 1e5, 0.3).unwrap(), 1000.0).unwrap();
        let t = std::time::Instant::now();
        let mut sim = scene.build().unwrap();
        let build = t.elapsed().as_secs_f64();
        let v = vec![[0.0;3]; n];
        let (mut l, mut g, mut f) = (1e9f64,1e9f64,1e9f64);
        let mut last = None;
        for r in 0..6 {
            if r == 0 { sim.set_state(&x,&v).unwrap(); }
            let r = sim.step().unwrap();
            l = l.min(r.timings.local); g = g.min(r.timings.global); f = f.min(r.timings.total());
            last = Some(r);
        }
        let r = last.unwrap();
        println!("{:20} n {n} m {m} build {:.0} ms: local {:.3} ms ({:.0} ns/tet) global {:.3} frame {:.2} ms  primal {:.2e} dual {:.2e} force {:.2e} inv {}", kind.name(), build*1e3, l/20.0*1e3, l/20.0/m as f64*1e9, g/20.0*1e3, f*1e3, r.primal, r.dual, r.force_residual, r.inverted);
    }}
}
