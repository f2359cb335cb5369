//! Decompositions and proximal operators, one by one.
use std::hint::black_box;

use serde::Serialize;
use supple::energy::check::Random;
use supple::energy::{
    Arap, Corotated, Element, FixedCorotated, Fung, Lame, Linear, MooneyRivlin, NeoHookean, Ogden, Potential,
    Spline, StVenantKirchhoff, StableNeoHookean, Stretch,
};
use supple::math::lane::{Kernel, dispatch};
use supple::math::polar::polar;
use supple::math::real::{BLOCK, Block, Real};
use supple::math::small::{Mat3, compose};
use supple::math::svd::svd;

use super::machine::fastest;

/// One kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Micro {
    /// What it does.
    pub name: String,
    /// Nanoseconds per element, one thread.
    pub ns: f64,
    /// Cycles per element.
    pub cycles: f64,
}

/// Nine blocks per packet of matrices.
type Packets = Vec<[Block; 9]>;

/// Moderately deformed matrices: stretches of 0.6 to 1.6.
fn matrices(packets: usize) -> Packets {
    let mut random = Random(42);
    let mut out = vec![[Block::default(); 9]; packets];
    for p in &mut out {
        for l in 0..BLOCK {
            let s = [random.between(0.6, 1.6), random.between(0.6, 1.6), random.between(0.6, 1.6)];
            let f = compose(&random.rotation(), s, &random.rotation());
            for q in 0..9 {
                p[q].0[l] = f[q / 3][q % 3];
            }
        }
    }
    out
}

/// What is done with each matrix.
trait Task: Copy {
    fn apply<R: Real>(self, f: &Mat3<R>) -> Mat3<R>;
}

struct Each<'a, T> {
    task: T,
    data: &'a Packets,
    out: &'a mut Packets,
}

impl<T: Task> Kernel for Each<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<R: Real>(self) {
        for (p, o) in self.data.iter().zip(self.out) {
            for lane in (0..BLOCK).step_by(R::LANES) {
                let mut f = [[R::zero(); 3]; 3];
                for q in 0..9 {
                    f[q / 3][q % 3] = R::load(&p[q], lane);
                }
                let z = self.task.apply(&f);
                for q in 0..9 {
                    z[q / 3][q % 3].store(&mut o[q], lane);
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct DoSvd;
impl Task for DoSvd {
    #[inline(always)]
    fn apply<R: Real>(self, f: &Mat3<R>) -> Mat3<R> {
        let d = svd(f);
        // Something of U, σ and V each, so that none is left out.
        [d.u[0], d.s, d.v[1]]
    }
}
#[derive(Clone, Copy)]
struct DoPolar;
impl Task for DoPolar {
    #[inline(always)]
    fn apply<R: Real>(self, f: &Mat3<R>) -> Mat3<R> {
        polar(f).r
    }
}
struct DoProx<'a, P>(&'a P, Element<f64>);
impl<P> Clone for DoProx<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for DoProx<'_, P> {}
impl<P: Potential<3>> Task for DoProx<'_, P> {
    #[inline(always)]
    fn apply<R: Real>(self, f: &Mat3<R>) -> Mat3<R> {
        let mut warm = R::splat(self.0.cold(&self.1));
        self.0.prox(&self.1.splat(), f, &mut warm)
    }
}
#[derive(Clone, Copy)]
struct DoStress<P>(P, Element<f64>);
impl<P: Potential<3> + Copy> Task for DoStress<P> {
    #[inline(always)]
    fn apply<R: Real>(self, f: &Mat3<R>) -> Mat3<R> {
        let e = self.1.splat();
        let mut p = self.0.stress(&e, f);
        p[0][0] += self.0.energy(&e, f);
        p
    }
}

/// Measures all of them on one thread.
pub fn measure(ghz: f64, quick: bool) -> Vec<Micro> {
    let data = matrices(256);
    let mut out = data.clone();
    let repeats = if quick { 40 } else { 400 };
    let elements = (data.len() * BLOCK) as f64;
    let mut all = Vec::new();
    let mut time = |name: &str, run: &mut dyn FnMut(&Packets, &mut Packets)| {
        let ns = 1e9 * fastest(repeats, || run(black_box(&data), &mut out)) / elements;
        all.push(Micro { name: name.to_string(), ns, cycles: ns * ghz });
    };
    macro_rules! task {
        ($name:expr, $task:expr) => {
            time($name, &mut |data, out| dispatch(Each { task: $task, data, out }));
        };
    }
    let Ok(lame) = Lame::from_young(1.0, 0.3) else { return Vec::new() };
    let e = Element::new(lame.bulk(), &[lame.mu, lame.lambda]);
    task!("signed SVD", DoSvd);
    task!("polar rotation", DoPolar);
    task!("prox linear", DoProx(&Linear, e));
    task!("prox arap", DoProx(&Stretch(Arap), e));
    task!("prox corotated", DoProx(&Stretch(Corotated), e));
    task!("prox neo_hookean", DoProx(&Stretch(NeoHookean), e));
    task!("prox st_venant_kirchhoff", DoProx(&Stretch(StVenantKirchhoff), e));
    let with = |numbers: &[f64]| Element::new(lame.bulk(), numbers);
    task!(
        "prox stable_neo_hookean",
        DoProx(&Stretch(StableNeoHookean), with(&StableNeoHookean::numbers(lame)))
    );
    task!("prox fixed_corotated", DoProx(&Stretch(FixedCorotated), e));
    task!("prox mooney_rivlin", DoProx(&Stretch(MooneyRivlin), with(&MooneyRivlin::numbers(lame))));
    task!("prox ogden", DoProx(&Stretch(Ogden), with(&Ogden::numbers(lame))));
    task!("prox fung", DoProx(&Stretch(Fung), with(&[lame.mu, 2.0, lame.lambda])));
    let spline = Stretch(Spline::rubber(lame));
    task!("prox spline", DoProx(&spline, with(&[0.0])));
    task!("energy + stress neo_hookean", DoStress(Stretch(NeoHookean), e));
    task!("energy + stress corotated", DoStress(Stretch(Corotated), e));
    all
}
