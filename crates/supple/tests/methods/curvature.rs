//! Second derivatives without their negative part. Expected: the oracle's 9×9 matrices, eigenvalues below zero set to zero.

use super::bridge::lame;
use super::reference::body::{RefAnchor, RefBody, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, box_mesh};
use super::reference::{M3, M9, V3};
use nalgebra::{DMatrix, Matrix6, SymmetricEigen};
use supple::energy::project::{Lengths, Point};
use supple::energy::{
    Arap, Corotated, Curvature, Element, Linear, NeoHookean, Potential, Soft, StVenantKirchhoff, Stretch,
};
use supple::exec::Exec;
use supple::math::nodes::Row;
use supple::term::stencil::{EDGE, NODE, tetrahedron};
use supple::term::weight::WeightRule;
use supple::term::{BatchSource, ElementList, Source};

/// ∂²Ψ/∂vec(F)² of the library, out of blocks with unit gradients.
fn found(material: &RefMaterial, f: &M3) -> M9 {
    let local = std::array::from_fn(|c| std::array::from_fn(|r| f[(r, c)]));
    let c: Curvature<f64, 3> = match *material {
        RefMaterial::Linear(l) => Linear.curvature(&Element::new(1.0, &[l.mu, l.lambda]), &local),
        RefMaterial::Arap { k } => Stretch(Arap).curvature(&Element::new(1.0, &[k]), &local),
        RefMaterial::Corotated(l) => {
            Stretch(Corotated).curvature(&Element::new(1.0, &[l.mu, l.lambda]), &local)
        }
        RefMaterial::NeoHookean(l) => {
            Stretch(NeoHookean).curvature(&Element::new(1.0, &[l.mu, l.lambda]), &local)
        }
        RefMaterial::StVenantKirchhoff(l) => {
            Stretch(StVenantKirchhoff).curvature(&Element::new(1.0, &[l.mu, l.lambda]), &local)
        }
        RefMaterial::More(..) => panic!("{} has no exact Hessian in the oracle", material.name()),
    };
    let unit = |i: usize| c.along(&std::array::from_fn(|j| f64::from(u8::from(i == j))));
    M9::from_fn(|row, column| c.block(&unit(row / 3), &unit(column / 3))[column % 3][row % 3])
}

/// The nearest matrix without negative eigenvalues, and the lowest eigenvalue.
pub fn clamped(h: &M9) -> (M9, f64) {
    let eigen = SymmetricEigen::new((h + h.transpose()) * 0.5);
    let positive = M9::from_diagonal(&eigen.eigenvalues.map(|e| e.max(0.0)));
    (eigen.eigenvectors * positive * eigen.eigenvectors.transpose(), eigen.eigenvalues.min())
}

/// Deformations of every sort; the last ones are inverted.
fn deformations(random: &mut Random, inverted: bool) -> Vec<M3> {
    let mut all = vec![M3::identity()];
    let turned = |random: &mut Random, s: V3| {
        random.rotation() * M3::from_diagonal(&s) * random.rotation().transpose()
    };
    for _ in 0..40 {
        all.push(random.stretched(0.9, 1.1));
        all.push(random.stretched(0.3, 2.5));
        all.push(random.stretched(0.05, 0.5));
        all.push(random.stretched(2.0, 6.0));
        let (a, b) = (random.uniform(0.2, 3.0), random.uniform(0.2, 3.0));
        // Two and three stretches alike, exactly and nearly.
        all.push(turned(random, V3::new(a, a, b)));
        all.push(turned(random, V3::repeat(a)));
        for apart in [1e-13, 1e-9, 1e-6, 1.1e-5, 1e-4] {
            all.push(turned(random, V3::new(a, a * (1.0 + apart), b)));
        }
        if inverted {
            let (a, b) = (random.uniform(0.8, 2.0), random.uniform(0.3, 0.7));
            all.push(turned(random, V3::new(a, 1.5 * b, -b)));
            all.push(turned(random, V3::new(a, a, -b)));
        }
    }
    all
}

/// Every material at over 400 deformations: the dense projection to 1e-9 of the matrix; no eigenvalue below rounding;
/// and the Hessian as it is where it has no negative eigenvalue.
#[test]
fn of_a_material_is_the_dense_projection() {
    let mut random = Random::new(11);
    for poisson in [0.0, 0.4, 0.49] {
        let lame = super::reference::material::Lame::from_young(1e5, poisson);
        for material in RefMaterial::all(lame) {
            let barrier = material.name() == "neo_hookean";
            let (mut definite, mut indefinite) = (0, 0);
            for f in deformations(&mut random, !barrier) {
                let exact = material.hessian(&f);
                let (wanted, lowest) = clamped(&exact);
                let found = found(&material, &f);
                let size = exact.norm();
                let error = (found - wanted).norm() / size;
                assert!(error <= 1e-9, "{} ν {poisson} at {f}: {error:e}", material.name());
                let least = SymmetricEigen::new((found + found.transpose()) * 0.5).eigenvalues.min();
                assert!(least >= -1e-13 * size, "{} at {f}: {least:e}", material.name());
                if lowest >= 0.0 {
                    definite += 1;
                    assert!((found - exact).norm() <= 1e-9 * size, "{} at {f}", material.name());
                } else if lowest < -1e-6 * size {
                    indefinite += 1;
                }
            }
            assert!(definite >= 5 || material.name() == "linear", "{} {definite}", material.name());
            assert!(indefinite >= 5 || material.name() == "linear", "{} {indefinite}", material.name());
        }
    }
}

/// Springs: 1 along, max(0, 1 − r/|z|) across; anchors k; 1e-14. A spring of no length and of no extent is k in all
/// directions too, as the energy k/2|z|² has it.
#[test]
fn of_springs_and_anchors_is_known() {
    let mut random = Random::new(12);
    let k = 250.0;
    for radius in [0.0, 0.1, 1.0, 3.0] {
        for _ in 0..50 {
            let z = random.vector(1.5);
            let e = Element::new(1.0, &[k, radius, radius]);
            let c = Soft(Lengths("spring")).curvature(&e, &[[z.x, z.y, z.z]]);
            let b = c.block(&c.along(&[1.0]), &c.along(&[1.0]));
            let n = z.normalize();
            let along = n * n.transpose();
            let across = (1.0 - radius / z.norm()).max(0.0);
            let wanted = (along + (M3::identity() - along) * across) * k;
            let found = M3::from_fn(|r, c| b[c][r]);
            assert!((found - wanted).norm() <= 1e-13 * k, "radius {radius}: {found} {wanted}");
        }
    }
    let c = Soft(Point).curvature(&Element::new(1.0, &[k, 1.0, 2.0, 3.0]), &[[0.5, 0.1, 0.2]]);
    let b = c.block(&c.along(&[2.0]), &c.along(&[3.0]));
    assert_eq!(b, [[6.0 * k, 0.0, 0.0], [0.0, 6.0 * k, 0.0], [0.0, 0.0, 6.0 * k]]);
}

fn pack<P: Potential<3> + Clone + 'static>(
    potential: P,
    body: &RefBody,
    params: &[f64],
) -> Box<dyn supple::term::TermBatch> {
    let mut list = ElementList::<4, 3>::default();
    for (e, tet) in body.tets.iter().enumerate() {
        let corners = tet.map(|v| [body.rest[v].x, body.rest[v].y, body.rest[v].z]);
        let (gradients, volume) = tetrahedron(corners).unwrap();
        list.nodes.push(tet.map(|v| v as u32));
        list.gradients.extend(gradients);
        list.volume.push(volume);
        list.weight.push([1.0; WeightRule::COUNT]);
        list.params.extend(params);
        list.origin.push((0, e as u32));
    }
    build(&Source { potential, list }, body)
}

fn build(source: &dyn BatchSource, body: &RefBody) -> Box<dyn supple::term::TermBatch> {
    let same: Vec<u32> = (0..body.node_count() as u32).collect();
    source.build(&same, WeightRule::Bulk, 1.0)
}

/// The whole 3n×3n matrix of batches in lanes, element by element projected, 1e-9: eighteen tetrahedra (two packets and
/// a quarter), and springs and anchors on the same nodes.
#[test]
fn of_a_batch_is_assembled_right() {
    let mut random = Random::new(13);
    let exec = Exec::new(1);
    let mesh = box_mesh([3, 1, 1], V3::new(0.5, 0.4, 0.3));
    for material in RefMaterial::all(lame()) {
        let mut body = RefBody::new(&mesh, material, 1000.0);
        let n = body.node_count();
        // At most 2 of 3 nodes move far: all sorts of F, none inverted for the barrier.
        let x: Vec<V3> = body.rest.iter().map(|p| p * 0.8 + random.vector(0.06)).collect();
        for i in 0..n {
            let b = (i + 5) % n;
            let length = (x[i] - x[b]).norm() * random.uniform(0.0, 2.0);
            body.springs.push(RefSpring { a: i, b, k: random.uniform(1e3, 1e5), length });
        }
        body.anchors.push(RefAnchor { node: 3, target: V3::zeros(), k: 5e4 });
        let l = lame();
        let mut batches = vec![match material {
            RefMaterial::Linear(_) => pack(Linear, &body, &[l.mu, l.lambda]),
            RefMaterial::Arap { k } => pack(Stretch(Arap), &body, &[k]),
            RefMaterial::Corotated(_) => pack(Stretch(Corotated), &body, &[l.mu, l.lambda]),
            RefMaterial::NeoHookean(_) => pack(Stretch(NeoHookean), &body, &[l.mu, l.lambda]),
            RefMaterial::StVenantKirchhoff(_) => pack(Stretch(StVenantKirchhoff), &body, &[l.mu, l.lambda]),
            RefMaterial::More(..) => panic!("{} has no exact Hessian in the oracle", material.name()),
        }];
        let mut edges = ElementList::<2, 1>::default();
        for (i, s) in body.springs.iter().enumerate() {
            edges.push([s.a as u32, s.b as u32], &EDGE, s.k, (0, i as u32));
            edges.params.extend([s.k, s.length, s.length]);
        }
        batches.push(build(&Source { potential: Soft(Lengths("spring")), list: edges }, &body));
        let mut nodes = ElementList::<1, 1>::default();
        for (i, a) in body.anchors.iter().enumerate() {
            nodes.push([a.node as u32], &NODE, a.k, (0, i as u32));
            nodes.params.extend([a.k, a.target.x, a.target.y, a.target.z]);
        }
        batches.push(build(&Source { potential: Soft(Point), list: nodes }, &body));

        let rows: Vec<Row> = x.iter().map(|p| Row([p.x, p.y, p.z, 0.0])).collect();
        let mut found = DMatrix::<f64>::zeros(3 * n, 3 * n);
        for b in &mut batches {
            b.curvature(&rows, &exec, &mut |i, j, block| {
                let (i, j) = (i as usize, j as usize);
                for c in 0..3 {
                    for r in 0..3 {
                        found[(3 * i + r, 3 * j + c)] += block[c][r];
                        if i != j {
                            found[(3 * j + c, 3 * i + r)] += block[c][r];
                        }
                    }
                }
            });
        }
        let mut wanted = DMatrix::<f64>::zeros(3 * n, 3 * n);
        for (e, tet) in body.tets.iter().enumerate() {
            let (h, _) = clamped(&material.hessian(&body.deformation(e, &x)));
            let d = body.tet_reduction(e);
            let h = d.transpose() * (h * body.volumes[e]) * d;
            add(&mut wanted, tet, &h);
        }
        for s in &body.springs {
            let one = RefBody { springs: vec![RefSpring { a: 0, b: 1, ..*s }], ..pair(&x[s.a], &x[s.b]) };
            let eigen = SymmetricEigen::new(Matrix6::from_iterator(one.hessian(&one.rest).iter().copied()));
            let positive = Matrix6::from_diagonal(&eigen.eigenvalues.map(|e| e.max(0.0)));
            let h = eigen.eigenvectors * positive * eigen.eigenvectors.transpose();
            add(&mut wanted, &[s.a, s.b], &DMatrix::from_iterator(6, 6, h.iter().copied()));
        }
        for a in &body.anchors {
            for c in 3 * a.node..3 * a.node + 3 {
                wanted[(c, c)] += a.k;
            }
        }
        let error = (&found - &wanted).norm() / wanted.norm();
        assert!(error <= 1e-9, "{}: {error:e}", material.name());
    }
}

fn pair(a: &V3, b: &V3) -> RefBody {
    RefBody::particles(vec![*a, *b], vec![1.0; 2])
}

pub fn add(to: &mut DMatrix<f64>, nodes: &[usize], h: &DMatrix<f64>) {
    for (v, &i) in nodes.iter().enumerate() {
        for (w, &j) in nodes.iter().enumerate() {
            let mut block = to.view_mut((3 * i, 3 * j), (3, 3));
            block += h.view((3 * v, 3 * w), (3, 3));
        }
    }
}
