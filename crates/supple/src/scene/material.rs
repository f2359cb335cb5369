//! Materials by name, and the one place that knows them all.

use super::evaluate::Law;
use crate::energy::{
    Arap, Corotated, Lame, Linear, NeoHookean, Potential, Solid, StVenantKirchhoff, Stretch,
};
use crate::term::weight::WeightRule;
use crate::term::{BatchSource, ElementList, Source};
use std::sync::Arc;

/// A built-in material of solids. The formulas are in `energy/`, one file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MaterialKind {
    /// Small strain, not corotated.
    Linear,
    /// As rigid as possible: the solid of projective dynamics.
    Arap,
    /// Corotated linear elasticity.
    Corotated,
    /// Neo-Hookean: resists collapse without bound.
    NeoHookean,
    /// St. Venant–Kirchhoff.
    StVenantKirchhoff,
}

impl MaterialKind {
    /// All of them.
    pub const ALL: [MaterialKind; 5] = [
        MaterialKind::Linear,
        MaterialKind::Arap,
        MaterialKind::Corotated,
        MaterialKind::NeoHookean,
        MaterialKind::StVenantKirchhoff,
    ];

    /// The word used in scene files and messages.
    pub fn name(self) -> &'static str {
        match self {
            MaterialKind::Linear => "linear",
            MaterialKind::Arap => "arap",
            MaterialKind::Corotated => "corotated",
            MaterialKind::NeoHookean => "neo_hookean",
            MaterialKind::StVenantKirchhoff => "st_venant_kirchhoff",
        }
    }
}

/// A material with its constants.
#[derive(Clone)]
pub struct Material(pub(super) Choice);

#[derive(Clone)]
pub(super) enum Choice {
    BuiltIn { kind: MaterialKind, lame: Lame, arap_stiffness: Option<f64> },
    Own { material: Arc<dyn OwnMaterial>, params: Vec<f64>, lame: Lame },
}

impl Material {
    /// A built-in material with Young's modulus E > 0 in Pa and Poisson's ratio −1 < ν < ½.
    pub fn new(kind: MaterialKind, young: f64, poisson: f64) -> Result<Material, String> {
        Ok(Material::from_lame(kind, Lame::from_young(young, poisson)?))
    }
    /// A built-in material with the small-strain Lamé constants.
    pub fn from_lame(kind: MaterialKind, lame: Lame) -> Material {
        Material(Choice::BuiltIn { kind, lame, arap_stiffness: None })
    }
    /// `arap` with a stiffness k of its own in Pa, instead of k = 2μ.
    pub fn arap_with_stiffness(stiffness: f64) -> Result<Material, String> {
        if !(stiffness.is_finite() && stiffness > 0.0) {
            return Err(format!("the stiffness of arap must be positive and finite, not {stiffness}"));
        }
        // E = k, ν = 0.
        let lame = Lame::new(0.5 * stiffness, 0.0)?;
        Ok(Material(Choice::BuiltIn { kind: MaterialKind::Arap, lame, arap_stiffness: Some(stiffness) }))
    }
    /// A material of your own, with its numbers for each element of the body. Its second derivative at rest gives the
    /// stiffness for the weights.
    pub fn own<M: Solid>(material: M, params: &[f64]) -> Result<Material, String> {
        if params.len() != M::PARAMS || params.iter().any(|p| !p.is_finite()) {
            return Err(format!("{} takes {} finite numbers, not {params:?}", M::NAME, M::PARAMS));
        }
        let e = crate::energy::Element::new(1.0, params);
        let h = material.hessian(&e, &[1.0; 3]);
        let lambda = h[0][1];
        let lame = Lame::new(0.5 * (h[0][0] - lambda), lambda)
            .map_err(|e| format!("{} is not stable at rest: {e}", M::NAME))?;
        Ok(Material(Choice::Own { material: Arc::new(material), params: params.to_vec(), lame }))
    }

    /// Which built-in one it is, if it is one.
    pub fn kind(&self) -> Option<MaterialKind> {
        match &self.0 {
            Choice::BuiltIn { kind, .. } => Some(*kind),
            Choice::Own { .. } => None,
        }
    }
    /// k of `arap` in Pa.
    pub(super) fn arap_stiffness(&self) -> f64 {
        match &self.0 {
            Choice::BuiltIn { arap_stiffness: Some(k), .. } => *k,
            _ => 2.0 * self.lame().mu,
        }
    }
    /// Small-strain constants.
    pub fn lame(&self) -> Lame {
        match &self.0 {
            Choice::BuiltIn { lame, .. } | Choice::Own { lame, .. } => *lame,
        }
    }
    /// The law behind the name, and the numbers that it reads.
    pub(super) fn law(&self) -> (&dyn Law, Vec<f64>) {
        match &self.0 {
            Choice::BuiltIn { kind: MaterialKind::Arap, lame, arap_stiffness } => {
                (&Arap, vec![arap_stiffness.unwrap_or(2.0 * lame.mu)])
            }
            Choice::BuiltIn { kind, lame, .. } => {
                let law: &dyn Law = match kind {
                    MaterialKind::Linear => &Linear,
                    MaterialKind::Arap => &Arap,
                    MaterialKind::Corotated => &Corotated,
                    MaterialKind::NeoHookean => &NeoHookean,
                    MaterialKind::StVenantKirchhoff => &StVenantKirchhoff,
                };
                (law, vec![lame.mu, lame.lambda])
            }
            Choice::Own { material, params, .. } => (material.law(), params.clone()),
        }
    }
    /// Its name.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Choice::BuiltIn { kind, .. } => kind.name(),
            Choice::Own { material, .. } => material.name(),
        }
    }
}

/// Something outside of this library that becomes a batch. Every [`Solid`] is one.
pub(super) trait OwnMaterial: Send + Sync {
    fn name(&self) -> &'static str;
    fn law(&self) -> &dyn Law;
    fn source(&self, list: ElementList<4, 3>) -> Box<dyn BatchSource>;
}

impl<M: Solid> OwnMaterial for M {
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn law(&self) -> &dyn Law {
        self
    }
    fn source(&self, list: ElementList<4, 3>) -> Box<dyn BatchSource> {
        Box::new(Source { potential: Stretch(self.clone()), list })
    }
}

/// Tetrahedra of one material.
pub(super) struct Group {
    key: GroupKey,
    pub list: ElementList<4, 3>,
}

#[derive(Clone)]
enum GroupKey {
    BuiltIn(MaterialKind),
    Own(Arc<dyn OwnMaterial>),
}

/// The group for a material among those there are, made if there is none.
pub(super) fn group<'a>(groups: &'a mut Vec<Group>, material: &Material) -> &'a mut Group {
    let key = match &material.0 {
        Choice::BuiltIn { kind, .. } => GroupKey::BuiltIn(*kind),
        Choice::Own { material, .. } => GroupKey::Own(material.clone()),
    };
    let same = |g: &Group| match (&g.key, &key) {
        (GroupKey::BuiltIn(a), GroupKey::BuiltIn(b)) => a == b,
        (GroupKey::Own(a), GroupKey::Own(b)) => Arc::ptr_eq(a, b),
        _ => false,
    };
    let at = groups.iter().position(same).unwrap_or_else(|| {
        groups.push(Group { key, list: ElementList::default() });
        groups.len() - 1
    });
    &mut groups[at]
}

impl Group {
    /// Adds a tetrahedron.
    pub fn push(
        &mut self,
        material: &Material,
        nodes: [u32; 4],
        (gradients, volume): ([[f64; 3]; 3], f64),
        origin: (u32, u32),
    ) {
        let lame = material.lame();
        let list = &mut self.list;
        list.nodes.push(nodes);
        list.gradients.extend(gradients);
        list.volume.push(volume);
        list.weight.push(WeightRule::all(lame, volume));
        list.origin.push(origin);
        match &material.0 {
            Choice::BuiltIn { kind: MaterialKind::Arap, arap_stiffness, .. } => {
                let k = arap_stiffness.unwrap_or(2.0 * lame.mu);
                list.params.push(k);
                if let Some(weights) = list.weight.last_mut() {
                    weights[WeightRule::Shear as usize] = k * volume;
                }
            }
            Choice::BuiltIn { kind, .. } => {
                list.params.extend([lame.mu, lame.lambda]);
                if let (MaterialKind::StVenantKirchhoff, Some(weights)) = (kind, list.weight.last_mut()) {
                    // Its energy has a maximum where an element is flat, of curvature −(μ + λ/2): with a larger k the proximal
                    // operator would hold flat elements there for good.
                    let most = 0.6 * (lame.mu + 0.5 * lame.lambda) * volume;
                    let robust = &mut weights[WeightRule::Robust as usize];
                    *robust = robust.min(most);
                }
            }
            Choice::Own { params, .. } => list.params.extend(params),
        }
    }

    /// The group as a source of a batch: the only `match` over materials.
    pub fn source(self) -> Box<dyn BatchSource> {
        fn make<P: Potential<3> + Clone>(potential: P, list: ElementList<4, 3>) -> Box<dyn BatchSource> {
            Box::new(Source { potential, list })
        }
        let list = self.list;
        match self.key {
            GroupKey::BuiltIn(MaterialKind::Linear) => make(Linear, list),
            GroupKey::BuiltIn(MaterialKind::Arap) => make(Stretch(Arap), list),
            GroupKey::BuiltIn(MaterialKind::Corotated) => make(Stretch(Corotated), list),
            GroupKey::BuiltIn(MaterialKind::NeoHookean) => make(Stretch(NeoHookean), list),
            GroupKey::BuiltIn(MaterialKind::StVenantKirchhoff) => make(Stretch(StVenantKirchhoff), list),
            GroupKey::Own(m) => m.source(list),
        }
    }
}
