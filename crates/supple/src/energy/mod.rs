//! Energies: pure functions of an element's local coordinates, and their proximal operators.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | traits: [`Potential`] (all that the solver needs), [`Isotropic`] (a function of stretches), [`Manifold`] |
//! | `lame.rs` | elastic constants: Young and Poisson ↔ Lamé |
//! | `stretch.rs` | [`Stretch`]: an isotropic material becomes a potential; Hessian from stretches |
//! | `curvature.rs` | [`Curvature`]: second derivatives without their negative part, for Newton's method |
//! | `second.rs` | … with it, for those who look |
//! | `minimise.rs` | the proximal operator of any isotropic material, for those without one of their own |
//! | `membrane.rs` | [`Membrane`]: an isotropic law of sheets becomes a potential of triangles |
//! | `limited.rs` | [`Limited`]: … with a strain limit |
//! | `plane.rs` `plane_neo_hookean.rs` | … those laws: `arap`, `corotated`, `st_venant_kirchhoff`; `neo_hookean`, in plane stress |
//! | `within.rs` | … and their minimisers with stretches in a range |
//! | `project.rs` | [`Soft`]: the projective-dynamics energy (26) of a set; [`Hard`]: the constraint (38); the sets |
//! | `sided.rs` | … the set of bending towards a curved rest shape on its own side |
//! | `fibre.rs` | [`Fibres`]: stiffness along one direction, and muscles |
//! | `general.rs` | the proximal operator of any energy of F, in nine dimensions |
//! | `lagged.rs` | drag and strain-rate damping: numbers taken at the start of each step |
//! | `lagged_sheet.rs` | … strain-rate damping of membranes |
//! | `check.rs` | checkers of derivatives and proximal operators, for tests of materials |
//! | `search.rs` | … from many starts, for elements whose objective may have several minima |
//! | `linear.rs` `arap.rs` `corotated.rs` `neo_hookean.rs` `st_venant_kirchhoff.rs` `fixed_corotated.rs` `stable_neo_hookean.rs` `fung.rs` `mooney_rivlin.rs` `ogden.rs` `spline.rs` | one material each |
//! | `parted.rs` | [`NeoHookeanPart`]: parts of a neo-Hookean material, for averaged strain |
//! | `isochoric.rs` | what Mooney–Rivlin and Ogden share |
//! | `spline_curve.rs` | [`Curve`]: a function by control points |
//!
//! To add a material: one file with an `impl Isotropic`, one line here, one variant in `scene/material.rs`, one
//! line in `tests/materials.rs`. A material of your own needs none of these: see `examples/own_material.rs`.

pub mod arap;
pub mod check;
pub mod corotated;
pub mod curvature;
pub mod fibre;
pub mod fixed_corotated;
pub mod fung;
pub mod general;
mod isochoric;
pub mod lagged;
pub mod lagged_sheet;
pub mod lame;
pub mod limited;
pub mod linear;
pub mod membrane;
pub mod minimise;
pub mod mooney_rivlin;
pub mod neo_hookean;
pub mod ogden;
pub mod parted;
pub mod plane;
mod plane_neo_hookean;
pub mod project;
pub mod search;
pub mod second;
pub mod sided;
pub mod spline;
mod spline_curve;
pub mod st_venant_kirchhoff;
pub mod stable_neo_hookean;
pub mod stretch;
mod within;

pub use arap::Arap;
pub use corotated::Corotated;
pub use curvature::Curvature;
pub use fibre::Fibres;
pub use fixed_corotated::FixedCorotated;
pub use fung::Fung;
pub use lame::Lame;
pub use limited::Limited;
pub use linear::Linear;
pub use membrane::Membrane;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use ogden::Ogden;
pub use parted::NeoHookeanPart;
pub use project::{Hard, Soft};
pub use second::Second;
pub use spline::Spline;
pub use spline_curve::Curve;
pub use st_venant_kirchhoff::StVenantKirchhoff;
pub use stable_neo_hookean::StableNeoHookean;
pub use stretch::Stretch;

use crate::math::real::Real;
use crate::math::small::{Local, Mat3, minus, norm2};

/// Most numbers that one element's material may have.
pub const MAX_PARAMS: usize = 14;

/// What a potential knows of the element it is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Element<R> {
    /// k = w²/V, the stiffness of the quadratic in the proximal operator (34), in Pa for solids.
    pub k: R,
    /// The material's numbers for this element; those beyond [`Potential::PARAMS`] are zero.
    pub param: [R; MAX_PARAMS],
}

impl<R: Real> Element<R> {
    /// The element in one lane.
    #[inline(always)]
    pub fn lane(&self, i: usize) -> Element<f64> {
        let mut e = Element { k: self.k.lane(i), param: [0.0; MAX_PARAMS] };
        for p in 0..MAX_PARAMS {
            e.param[p] = self.param[p].lane(i);
        }
        e
    }
}

impl Element<f64> {
    /// An element with these numbers and k.
    pub fn new(k: f64, numbers: &[f64]) -> Element<f64> {
        let mut param = [0.0; MAX_PARAMS];
        for (p, a) in param.iter_mut().zip(numbers) {
            *p = *a;
        }
        Element { k, param }
    }
    /// The same element in every lane.
    #[inline(always)]
    pub fn splat<R: Real>(&self) -> Element<R> {
        let mut e = Element { k: R::splat(self.k), param: [R::zero(); MAX_PARAMS] };
        for p in 0..MAX_PARAMS {
            e.param[p] = R::splat(self.param[p]);
        }
        e
    }
}

/// Which stretches an energy is defined for. Energies are functions of signed stretches
/// (F = U diag(σ) Vᵀ, det U = det V = +1, σ1 ≥ σ2 ≥ |σ3|).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Finite for every σ, inverted elements included; the proximal operator may return σ3 < 0.
    Signed,
    /// The formula is finite everywhere but does not see a reflection; the proximal operator keeps σ ≥ 0.
    NonNegative,
    /// Infinite unless σ > 0.
    Barrier,
}

/// All that the solver needs of an energy: its density Ψ as a function of the 3×D local coordinates.
///
/// The energy of an element is U(z) = V·Ψ(z), eq. (33); elements without a volume have V = 1.
pub trait Potential<const D: usize>: Send + Sync + 'static {
    /// How many numbers per element it reads.
    const PARAMS: usize;
    /// True for a constraint: no energy where it holds, infinite where it does not (38). Only ADMM takes these.
    const HARD: bool = false;
    /// True for a term that stands beside the material of its element: limits, damping.
    const BESIDE: bool = false;
    /// True for a term that dissipates: its numbers are taken at the start of each step, by [`Potential::lag`].
    const LAGGED: bool = false;
    /// True if Ψ(z) = k/2‖z‖², so that its Hessian is that of its weight by every rule.
    const QUADRATIC: bool = false;
    /// Name for messages.
    fn name(&self) -> &'static str;
    /// Where the energy is defined.
    fn domain(&self) -> Domain;
    /// Ψ(z), +∞ outside of the domain of a barrier energy; and ∂Ψ/∂z, unspecified (but finite) there.
    fn energy_and_stress<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> (R, Local<R, D>);
    /// Eq. (24)/(34): the minimiser of Ψ(z) + k/2‖z − y‖². `warm` is the element's own number, kept between
    /// the iterations of a step and set to [`Potential::cold`] before the first.
    fn prox<R: Real>(&self, e: &Element<R>, y: &Local<R, D>, warm: &mut R) -> Local<R, D>;
    /// Of a constraint: the point nearest to z where it holds.
    #[inline(always)]
    fn nearest<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> Local<R, D> {
        self.prox(e, z, &mut R::zero())
    }
    /// Of a constraint: the squared distance of z from where it holds.
    #[inline(always)]
    fn off<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> R {
        norm2(&minus(z, &self.nearest(e, z)))
    }
    /// What `warm` is before the first iteration.
    fn cold(&self, _e: &Element<f64>) -> f64 {
        0.0
    }
    /// Takes the numbers of a lagged term at the local coordinates of the last state; `rate` is 1/Δt.
    #[inline(always)]
    fn lag<R: Real>(&self, _e: &mut Element<R>, _z: &Local<R, D>, _rate: R) {}
    /// ∂²Ψ/∂z² without its negative part, at a z of finite energy. Unless a potential knows better, that of the quadratic
    /// k/2‖z‖² of its weight: then Newton's method is quasi-Newton in these terms.
    #[inline(always)]
    fn curvature<R: Real>(&self, e: &Element<R>, _z: &Local<R, D>) -> Curvature<R, D> {
        Curvature::uniform(e.k)
    }
    /// ∂²Ψ/∂z² with its negative part, at a z of finite energy: entry `[d][c]` is the derivative of ∂Ψ/∂z by coordinate c of column d. By differences of
    /// fourth order, 1e-11 of its size where Ψ is smooth, unless a potential has a formula.
    fn second(&self, e: &Element<f64>, z: &Local<f64, D>) -> Second<D> {
        second::differences(|z| self.stress(e, z), z)
    }
    /// True if the energy is convex in z: inverted elements then mean nothing to it.
    fn convex(&self) -> bool {
        false
    }
    /// True if the energy is k/2·dist(z, C)² (26), so that projective dynamics takes it: the proximal operator with k = 0 is the
    /// projection.
    fn projective(&self) -> bool {
        false
    }
    /// Ψ(z) alone.
    #[inline(always)]
    fn energy<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> R {
        self.energy_and_stress(e, z).0
    }
    /// ∂Ψ/∂z alone.
    #[inline(always)]
    fn stress<R: Real>(&self, e: &Element<R>, z: &Local<R, D>) -> Local<R, D> {
        self.energy_and_stress(e, z).1
    }
}

/// An isotropic material: a function of the D principal stretches.
///
/// Density and its derivatives are enough; the rest has defaults that materials override for speed.
pub trait Isotropic<const D: usize>: Clone + Send + Sync + 'static {
    /// How many numbers per element it reads.
    const PARAMS: usize;
    /// Where the energy is defined.
    const DOMAIN: Domain;
    /// Name for messages.
    const NAME: &'static str;
    /// See [`Potential::projective`]; then Ψ is a sum over the stretches, and k is the first number.
    const PROJECTIVE: bool = false;
    /// Ψ(σ), for σ in the domain.
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; D]) -> R;
    /// ∂Ψ/∂σ.
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; D]) -> [R; D];
    /// ∂²Ψ/∂σ².
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; D]) -> [[R; D]; D];
    /// The minimiser of Ψ(σ) + k/2|σ − σ̃|² over the domain.
    #[inline(always)]
    fn prox<R: Real>(&self, e: &Element<R>, s: &[R; D], _warm: &mut R) -> [R; D] {
        minimise::prox_lanes(self, e, s)
    }
    /// The minimiser with every stretch between two numbers, the least of which is not negative; for strain limits.
    #[inline(always)]
    fn prox_within<R: Real>(&self, e: &Element<R>, s: &[R; D], range: [R; 2], warm: &mut R) -> [R; D] {
        within::any(self, e, s, range, warm)
    }
    /// What `warm` is before the first iteration.
    fn cold(&self, _e: &Element<f64>) -> f64 {
        0.0
    }
}

/// An isotropic material of solids, where it has faster ways than through the stretches.
pub trait Solid: Isotropic<3> {
    /// Ψ(F) and P(F) = ∂Ψ/∂F.
    #[inline(always)]
    fn energy_and_stress_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>) -> (R, Mat3<R>) {
        stretch::energy_and_stress(self, e, f)
    }
    /// Eq. (34).
    #[inline(always)]
    fn prox_at<R: Real>(&self, e: &Element<R>, f: &Mat3<R>, warm: &mut R) -> Mat3<R> {
        stretch::prox(self, e, f, warm)
    }
    /// An error if the energy with these numbers has no lower bound: then a step has no solution, and a body may collapse or blow up
    /// without end.
    fn check(&self, _numbers: &[f64]) -> Result<(), String> {
        Ok(())
    }
}

/// A set of local coordinates, and the nearest point on it.
pub trait Manifold<const D: usize>: Send + Sync + 'static {
    /// How many numbers per element it reads; they stand behind the stiffness in [`Element::param`].
    const PARAMS: usize;
    /// Name for messages.
    fn name(&self) -> &'static str;
    /// ∂²/∂z² of ½dist(z, C)² without its negative part; the identity bounds it for every set.
    #[inline(always)]
    fn curvature<R: Real>(&self, _shape: &[R], _z: &Local<R, D>) -> Curvature<R, D> {
        Curvature::uniform(R::one())
    }
    /// True if the set is convex.
    const CONVEX: bool = false;
    /// True if the set is z = 0.
    const ORIGIN: bool = false;
    /// The point of the set nearest to y; `shape` are the set's numbers.
    fn project<R: Real>(&self, shape: &[R], y: &Local<R, D>) -> Local<R, D>;
}
