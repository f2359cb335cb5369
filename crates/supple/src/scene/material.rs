//! Materials by name, and the one place that knows them all.
#![allow(
    clippy::indexing_slicing,
    reason = "weights have a place for each rule, groups the one that was found"
)]

use super::evaluate::{Fibred, Law};
use crate::energy::{
    Arap, Corotated, Fibres, FixedCorotated, Fung, Lame, Linear, MAX_PARAMS, MooneyRivlin, NeoHookean, Ogden,
    Solid, Spline, StVenantKirchhoff, StableNeoHookean, Stretch, fung,
};
use crate::error::ParameterError;
use crate::term::weight::WeightRule;
use crate::term::{BatchSource, ElementList, Source};
use std::sync::Arc;

choice! {
    /// A built-in material of solids. The formulas are in `energy/`, one file each.
    #[non_exhaustive]
    pub enum MaterialKind {
        /// Small strain, not corotated.
        Linear = "linear",
        /// As rigid as possible: the solid of projective dynamics.
        Arap = "arap",
        /// Corotated linear elasticity.
        Corotated = "corotated",
        /// Neo-Hookean: resists collapse without bound.
        NeoHookean = "neo_hookean",
        /// St. Venant–Kirchhoff.
        StVenantKirchhoff = "st_venant_kirchhoff",
        /// Stable neo-Hookean: rubber that recovers from inversion.
        StableNeoHookean = "stable_neo_hookean",
        /// Corotated with the volume itself instead of its linearisation.
        FixedCorotated = "fixed_corotated",
        /// Mooney–Rivlin rubber.
        MooneyRivlin = "mooney_rivlin",
        /// Ogden rubber, up to three terms.
        Ogden = "ogden",
        /// Fung: soft tissue that stiffens exponentially.
        Fung = "fung",
        /// Splines of the stretches, by name or by control points.
        Spline = "spline",
        /// Another material with fibres along a direction, which may contract: muscle.
        Fibre = "fibre",
    }
}

impl MaterialKind {
    /// The word used in scene files and messages.
    pub fn name(self) -> &'static str {
        self.as_str()
    }
}

/// A material with its constants.
#[derive(Clone)]
pub struct Material(pub(super) Choice);

#[derive(Clone)]
pub(super) enum Choice {
    BuiltIn { kind: MaterialKind, behind: &'static dyn OwnMaterial, lame: Lame, numbers: [f64; MAX_PARAMS] },
    Own { material: Arc<dyn OwnMaterial>, params: Vec<f64>, lame: Lame },
    Fibred(Arc<Fibred>),
}

impl Material {
    /// A built-in material with Young's modulus E > 0 in Pa and Poisson's ratio −1 < ν < ½.
    ///
    /// `fung` has its usual b = 2 and needs ν ≥ 0.4; `neo_hookean`, `fixed_corotated` and `spline` need ν ≥ 0; `spline` is the one named `rubber`; `fibre` is neo-Hookean
    /// with fibres of stiffness E along x.
    pub fn new(kind: MaterialKind, young: f64, poisson: f64) -> Result<Material, ParameterError> {
        let material = Material::from_lame(kind, Lame::from_young(young, poisson)?);
        material.check().map(|()| material)
    }
    /// A built-in material with the small-strain Lamé constants. Those with which its energy has no lower bound
    /// ([`Material::check`]) are refused where the material is used.
    pub fn from_lame(kind: MaterialKind, lame: Lame) -> Material {
        let both = &[lame.mu, lame.lambda];
        // The only `match` over materials: the law behind the name, and the numbers that it reads.
        let (behind, numbers): (&'static dyn OwnMaterial, _) = match kind {
            MaterialKind::Linear => (&Linear, numbers(both)),
            MaterialKind::Arap => (&Arap, numbers(&[2.0 * lame.mu])),
            MaterialKind::Corotated => (&Corotated, numbers(both)),
            MaterialKind::NeoHookean => (&NeoHookean, numbers(both)),
            MaterialKind::StVenantKirchhoff => (&StVenantKirchhoff, numbers(both)),
            MaterialKind::StableNeoHookean => (&StableNeoHookean, numbers(&StableNeoHookean::numbers(lame))),
            MaterialKind::FixedCorotated => (&FixedCorotated, numbers(both)),
            MaterialKind::MooneyRivlin => (&MooneyRivlin, numbers(&MooneyRivlin::numbers(lame))),
            MaterialKind::Ogden => (&Ogden, numbers(&Ogden::numbers(lame))),
            MaterialKind::Fung => {
                let b = fung::DEFAULT_B;
                let rest = [lame.mu, b, lame.lambda - 2.0 * b * lame.mu];
                (&Fung, numbers(&Fung::numbers(lame, b).unwrap_or(rest)))
            }
            MaterialKind::Spline => {
                let material = Arc::new(Spline::rubber(lame));
                return Material(Choice::Own { material, params: vec![0.0], lame });
            }
            MaterialKind::Fibre => {
                let base = Material::from_lame(MaterialKind::NeoHookean, lame);
                let along = Fibres::new([1.0, 0.0, 0.0], lame.young());
                return along.map_or_else(|_| base.clone(), |fibres| base.with_fibres(fibres));
            }
        };
        Material(Choice::BuiltIn { kind, behind, lame, numbers })
    }
    /// A built-in material with numbers of its own.
    pub(super) fn with_numbers(kind: MaterialKind, lame: Lame, own: &[f64]) -> Material {
        let mut material = Material::from_lame(kind, lame);
        if let Choice::BuiltIn { numbers: n, .. } = &mut material.0 {
            *n = numbers(own);
        }
        material
    }
    /// A built-in material by another law than that of its name.
    pub(super) fn built_in(
        kind: MaterialKind,
        behind: &'static dyn OwnMaterial,
        lame: Lame,
        own: &[f64],
    ) -> Material {
        Material(Choice::BuiltIn { kind, behind, lame, numbers: numbers(own) })
    }
    /// `arap` with a stiffness k of its own in Pa, instead of k = 2μ.
    pub fn arap_with_stiffness(stiffness: f64) -> Result<Material, ParameterError> {
        if !(stiffness.is_finite() && stiffness > 0.0) {
            return Err(ParameterError::new(
                "stiffness",
                stiffness,
                format!("the stiffness of arap must be positive and finite, not {stiffness}"),
            ));
        }
        // E = k, ν = 0.
        let lame = Lame::new(0.5 * stiffness, 0.0)?;
        Ok(Material::with_numbers(MaterialKind::Arap, lame, &[stiffness]))
    }
    /// `mooney_rivlin` with its own constants in Pa: C10, C01 ≥ 0, not both 0, and D1 > 0.
    pub fn mooney_rivlin(c10: f64, c01: f64, d1: f64) -> Result<Material, ParameterError> {
        let lame = MooneyRivlin::lame(c10, c01, d1)?;
        Ok(Material::with_numbers(MaterialKind::MooneyRivlin, lame, &[c10, c01, d1]))
    }
    /// `ogden` with one to three terms (μ_p in Pa, α_p), of the same sign each, and the bulk modulus κ > 0 in Pa.
    pub fn ogden(terms: &[(f64, f64)], kappa: f64) -> Result<Material, ParameterError> {
        let lame = Ogden::lame(terms, kappa)?;
        Ok(Material::with_numbers(MaterialKind::Ogden, lame, &Ogden::pack(terms, kappa)))
    }
    /// `fung` with b > 0 of its own. λ − 2bμ must not be negative.
    pub fn fung(lame: Lame, b: f64) -> Result<Material, ParameterError> {
        Ok(Material::with_numbers(MaterialKind::Fung, lame, &Fung::numbers(lame, b)?))
    }
    /// `spline` with curves of its own and the compression resistance κ ≥ 0 in Pa.
    pub fn spline(spline: Spline, compression: f64) -> Result<Material, ParameterError> {
        if !(compression.is_finite() && compression >= 0.0) {
            return Err(ParameterError::new(
                "compression",
                compression,
                format!("the compression of spline must be at least 0 and finite, not {compression}"),
            ));
        }
        Material::own(spline, &[compression])
    }
    /// A material of your own, with its numbers for each element of the body. Its second derivative at rest gives the
    /// stiffness for the weights.
    pub fn own<M: Solid>(material: M, params: &[f64]) -> Result<Material, ParameterError> {
        if params.len() != M::PARAMS || params.iter().any(|p| !p.is_finite()) {
            return Err(ParameterError::new(
                "params",
                params,
                format!("{} takes {} finite numbers, not {params:?}", M::NAME, M::PARAMS),
            ));
        }
        let e = crate::energy::Element::new(1.0, params);
        let h = material.hessian(&e, &[1.0; 3]);
        let lambda = h[0][1];
        let lame = Lame::new(0.5 * (h[0][0] - lambda), lambda)
            .map_err(|e| ParameterError { reason: format!("{} is not stable at rest: {e}", M::NAME), ..e })?;
        Solid::check(&material, params)?;
        Ok(Material(Choice::Own { material: Arc::new(material), params: params.to_vec(), lame }))
    }
    /// The same material with fibres in it, instead of those that it has.
    pub fn with_fibres(&self, fibres: Fibres) -> Material {
        Material(Choice::Fibred(Arc::new(Fibred { base: self.base().clone(), fibres })))
    }
    /// The material without its fibres.
    pub fn base(&self) -> &Material {
        match &self.0 {
            Choice::Fibred(f) => &f.base,
            _ => self,
        }
    }
    /// Its fibres, if it has some.
    pub fn fibres(&self) -> Option<&Fibres> {
        match &self.0 {
            Choice::Fibred(f) => Some(&f.fibres),
            _ => None,
        }
    }
    /// An error if the material cannot be used with its constants: its energy would have no lower bound.
    pub fn check(&self) -> Result<(), ParameterError> {
        match &self.base().0 {
            Choice::BuiltIn { kind: MaterialKind::Fung, lame, numbers, .. } => {
                Fung::numbers(*lame, numbers[1]).map(|_| ())
            }
            Choice::BuiltIn { behind, numbers, .. } => behind.check(behind.taken(numbers)),
            Choice::Own { material, params, .. } => material.check(params),
            Choice::Fibred(f) => f.base.check(),
        }
    }

    /// Which built-in one it is, if it is one.
    pub fn kind(&self) -> Option<MaterialKind> {
        match &self.0 {
            Choice::BuiltIn { kind, .. } => Some(*kind),
            Choice::Own { .. } => None,
            Choice::Fibred(_) => Some(MaterialKind::Fibre),
        }
    }
    /// k of `arap` in Pa.
    pub(super) fn arap_stiffness(&self) -> f64 {
        match &self.0 {
            Choice::BuiltIn { kind: MaterialKind::Arap, numbers, .. } => numbers[0],
            _ => 2.0 * self.lame().mu,
        }
    }
    /// Small-strain constants, without those of fibres.
    pub fn lame(&self) -> Lame {
        match &self.0 {
            Choice::BuiltIn { lame, .. } | Choice::Own { lame, .. } => *lame,
            Choice::Fibred(f) => f.base.lame(),
        }
    }
    /// The law behind the name, and the numbers that it reads.
    pub(super) fn law(&self) -> (&dyn Law, &[f64]) {
        match &self.0 {
            Choice::BuiltIn { behind, numbers, .. } => (behind.law(), behind.taken(numbers)),
            Choice::Own { material, params, .. } => (material.law(), params),
            Choice::Fibred(f) => (&**f, &[]),
        }
    }
    /// Its name.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Choice::BuiltIn { kind, .. } => kind.name(),
            Choice::Own { material, .. } => material.name(),
            Choice::Fibred(_) => MaterialKind::Fibre.name(),
        }
    }
}

/// Numbers, and zeros behind them.
fn numbers(some: &[f64]) -> [f64; MAX_PARAMS] {
    crate::energy::Element::new(0.0, some).param
}

/// Something that becomes a batch. Every [`Solid`] is one, ours or yours.
pub(super) trait OwnMaterial: Send + Sync {
    fn name(&self) -> &'static str;
    /// How many numbers it reads.
    fn params(&self) -> usize;
    /// Those of a list that it reads.
    fn taken<'n>(&self, numbers: &'n [f64]) -> &'n [f64] {
        numbers.get(..self.params()).unwrap_or(numbers)
    }
    fn law(&self) -> &dyn Law;
    /// See [`Solid::check`].
    fn check(&self, numbers: &[f64]) -> Result<(), ParameterError>;
    fn source(&self, list: ElementList<4, 3>) -> Box<dyn BatchSource>;
    fn source_of_ten(&self, list: ElementList<10, 3>) -> Box<dyn BatchSource>;
}

impl<M: Solid> OwnMaterial for M {
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn params(&self) -> usize {
        M::PARAMS
    }
    fn law(&self) -> &dyn Law {
        self
    }
    fn check(&self, numbers: &[f64]) -> Result<(), ParameterError> {
        Solid::check(self, numbers)
    }
    fn source(&self, list: ElementList<4, 3>) -> Box<dyn BatchSource> {
        Box::new(Source { potential: Stretch(self.clone()), list })
    }
    fn source_of_ten(&self, list: ElementList<10, 3>) -> Box<dyn BatchSource> {
        Box::new(Source { potential: Stretch(self.clone()), list })
    }
}

impl OwnMaterial for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }
    fn params(&self) -> usize {
        2
    }
    fn law(&self) -> &dyn Law {
        self
    }
    fn check(&self, _numbers: &[f64]) -> Result<(), ParameterError> {
        Ok(())
    }
    fn source(&self, list: ElementList<4, 3>) -> Box<dyn BatchSource> {
        Box::new(Source { potential: Linear, list })
    }
    fn source_of_ten(&self, list: ElementList<10, 3>) -> Box<dyn BatchSource> {
        Box::new(Source { potential: Linear, list })
    }
}

/// Elements of one material with V nodes: tetrahedra, or quadrature points of those with ten.
pub(super) struct Group<const V: usize> {
    key: GroupKey,
    pub list: ElementList<V, 3>,
}

#[derive(Clone)]
enum GroupKey {
    BuiltIn(MaterialKind, &'static dyn OwnMaterial),
    Own(Arc<dyn OwnMaterial>),
}

/// The group for a material without fibres among those there are, made if there is none.
pub(super) fn group<'a, const V: usize>(
    groups: &'a mut Vec<Group<V>>,
    material: &Material,
) -> &'a mut Group<V> {
    let key = match &material.base().0 {
        Choice::BuiltIn { kind, behind, .. } => GroupKey::BuiltIn(*kind, *behind),
        Choice::Own { material, .. } => GroupKey::Own(material.clone()),
        Choice::Fibred(f) => return group(groups, &f.base),
    };
    let same = |g: &Group<V>| match (&g.key, &key) {
        (GroupKey::BuiltIn(a, x), GroupKey::BuiltIn(b, y)) => a == b && x.name() == y.name(),
        (GroupKey::Own(a), GroupKey::Own(b)) => Arc::ptr_eq(a, b),
        _ => false,
    };
    let at = groups.iter().position(same).unwrap_or_else(|| {
        groups.push(Group { key, list: ElementList::default() });
        groups.len() - 1
    });
    &mut groups[at]
}

impl<const V: usize> Group<V> {
    /// Adds an element.
    pub fn push(
        &mut self,
        material: &Material,
        nodes: [u32; V],
        (gradients, volume): (&[[f64; 3]], f64),
        origin: (u32, u32),
    ) {
        let lame = material.lame();
        let (_, params) = material.law();
        let mut weights = WeightRule::all(lame, volume);
        match &material.0 {
            Choice::BuiltIn { kind: MaterialKind::Arap, .. } => {
                weights[WeightRule::Shear as usize] = params[0] * volume;
            }
            Choice::BuiltIn { kind: MaterialKind::StVenantKirchhoff, .. } => {
                // Its energy has a maximum where an element is flat, of curvature −(μ + λ/2): with a larger k the proximal
                // operator would hold flat elements there for good.
                let most = 0.6 * (lame.mu + 0.5 * lame.lambda) * volume;
                let robust = &mut weights[WeightRule::Robust as usize];
                *robust = robust.min(most);
            }
            _ => {}
        }
        let list = &mut self.list;
        list.nodes.push(nodes);
        list.gradients.extend(gradients);
        list.volume.push(volume);
        list.weight.push(weights);
        list.origin.push(origin);
        list.members.push(Vec::new());
        list.params.extend(params);
    }
}

impl GroupKey {
    fn material(&self) -> &dyn OwnMaterial {
        match self {
            GroupKey::BuiltIn(_, material) => *material,
            GroupKey::Own(material) => &**material,
        }
    }
}

impl Group<4> {
    /// The group as a source of a batch.
    pub fn source(self) -> Box<dyn BatchSource> {
        self.key.material().source(self.list)
    }
}

impl Group<10> {
    /// The group as a source of a batch.
    pub fn source(self) -> Box<dyn BatchSource> {
        self.key.material().source_of_ten(self.list)
    }
}
