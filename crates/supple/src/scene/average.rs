//! Strain that is averaged over patches of tetrahedra.
//!
//! Tetrahedra of order 1 are too stiff in bending, and lock where ν nears ½. Here a body's energy is parted in two: each element keeps a
//! share s of the stiffness against a change of shape, and hardly any against a change of volume; each patch has the rest at its mean
//! deformation gradient F̄ = Σ V_e F_e/ΣV_e, which is as linear in the nodes as F is. Both parts are the material with other constants (of
//! `neo_hookean`: `energy/parted.rs`), so a body under uniform strain has the energy that it had, and every proximal operator is exact.
//!
//! At small strain elements keep sμ and λ′ = −0.55sμ; −⅔sμ would be no bulk modulus at all, and a body of few elements would have
//! motions without energy (the special conformal ones, u = 2(a·x)x − |x|²a). Laws that are not bounded below with λ < 0 keep λ′ = 0.
//!
//! The mean over a patch does not see bending within it, elements see too much of it; near corners where the stress is singular elements are
//! far too stiff. s is where these errors balance in bodies of four cells and more; where all bending is within one or two patches it is another
//! ([`Average::thin`], docs/elements.md).
//!
//! Elements of order 2 bend as they should and only keep their volume too often, at each quadrature point: each is a patch of its own, and
//! nearly all of the shear stiffness stays where it was.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::Material;
use super::material::Choice;
use crate::energy::{Lame, NeoHookeanPart};
use crate::error::ParameterError;
use crate::math::quadratic::quadratic;
use crate::math::tet::tetrahedron;
use crate::mesh::{MOST_NODES, TetMesh};
use serde::{Deserialize, Serialize};

/// Share of the shear stiffness that quadrature points of order 2 keep: all but what gives the patch's part of the material a μ.
const ORDER_TWO: f64 = 0.99;

/// How the strain of a solid is averaged. Default: for bodies of four cells and more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// The share s of shear stiffness that elements of order 1 keep, in (0, 1).
    pub share: f64,
    /// True: s is a share of Young's modulus, elements keep s(1 + ν) of the shear stiffness.
    pub young: bool,
    /// λ′/μ of what elements of order 1 and 2 keep at small strain, above −⅔: how much of its stiffness against a change of volume.
    pub lambda: [f64; 2],
}

impl Default for Average {
    fn default() -> Self {
        Average { share: 0.1, young: false, lambda: [-0.55; 2] }
    }
}

impl Average {
    /// For bodies that bend and are one or two cells thick, whose patches see little of bending. Elements of order 1 keep 0.31 of Young's modulus, which balances how
    /// much too stiff they are in bending; those of order 2 keep the volume of a material of ν = 0.4, at which they do not lock.
    pub fn thin() -> Average {
        Average { share: 0.31, young: true, lambda: [0.0, 4.0] }
    }
}

/// A scene file's word for it: true, or `"thin"` for bodies of one or two cells that bend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected true, false or \"thin\"")]
pub enum Averaging {
    /// Whether it is averaged.
    Whether(bool),
    /// How.
    Named(AverageName),
}

/// A way to average by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AverageName {
    /// [`Average::thin`].
    Thin,
}

impl Default for Averaging {
    fn default() -> Self {
        Averaging::Whether(false)
    }
}

impl Averaging {
    /// True if it is not averaged.
    pub fn is_off(&self) -> bool {
        *self == Averaging::Whether(false)
    }
    /// How, if at all.
    pub fn average(self) -> Option<Average> {
        match self {
            Averaging::Whether(on) => on.then(Average::default),
            Averaging::Named(AverageName::Thin) => Some(Average::thin()),
        }
    }
}

/// A patch as an element of up to ten nodes.
pub(super) struct Patch {
    /// Its nodes; those that are missing to ten repeat the first, with no gradient.
    pub nodes: [u32; MOST_NODES],
    /// g_v of F̄ for v ≥ 1.
    pub gradients: [[f64; 3]; MOST_NODES - 1],
    /// Volume in m³, fill fractions counted.
    pub volume: f64,
    /// Its elements and their shares of the volume.
    pub members: Vec<(u32, f64)>,
}

/// A patch and the part of the material that it has.
pub(super) struct Of<'a> {
    pub material: &'a Material,
    pub patch: Patch,
}

/// The materials of a body, parted.
pub(super) struct Parted {
    /// Which of them each element has.
    class: Vec<u32>,
    /// Those of elements, with fibres, and of patches.
    parts: Vec<(Material, Material)>,
}

impl Average {
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), ParameterError> {
        let most = if self.young { 2.0 / 3.0 } else { 1.0 };
        if !(self.share > 0.0 && self.share < most) {
            return Err(ParameterError::new(
                "share",
                self.share,
                format!("the elements' share must lie between 0 and {most:.3}, not {}", self.share),
            ));
        }
        match self.lambda.iter().find(|l| !(**l > -2.0 / 3.0 && l.is_finite())) {
            Some(l) => Err(ParameterError::new(
                "lambda",
                l,
                format!("the elements' lambda over mu must be above -2/3, not {l}"),
            )),
            None => Ok(()),
        }
    }

    /// Parts materials, one for each element; the error says which cannot be.
    pub(super) fn split(
        &self,
        materials: &[Material],
        order: usize,
    ) -> Result<Parted, (usize, ParameterError)> {
        let kept = self.lambda[usize::from(order == 2)];
        let share = |m: &Material| {
            let Lame { mu, lambda } = m.lame();
            match (order, self.young) {
                (2, _) => ORDER_TWO,
                (_, true) => self.share * (1.0 + 0.5 * lambda / (lambda + mu)),
                (_, false) => self.share,
            }
        };
        let mut parted = Parted { class: Vec::with_capacity(materials.len()), parts: Vec::new() };
        let mut kinds: Vec<&Material> = Vec::new();
        for (e, m) in materials.iter().enumerate() {
            let found = kinds.iter().rposition(|k| k.is_same(m));
            let class = match found {
                Some(class) => class,
                None => {
                    parted.parts.push(m.parted(share(m), kept).map_err(|reason| (e, reason))?);
                    kinds.push(m);
                    kinds.len() - 1
                }
            };
            parted.class.push(class as u32);
        }
        Ok(parted)
    }
}

impl Parted {
    /// The part of an element's material that it keeps.
    pub fn own(&self, element: usize) -> &Material {
        &self.parts[self.class[element] as usize].0
    }

    /// The patches of a mesh.
    pub fn patches<'a>(&'a self, mesh: &'a TetMesh) -> impl Iterator<Item = Of<'a>> {
        let class = |members: &[u32]| self.class[members[0] as usize] as usize;
        let members = match mesh.order() {
            1 => mesh.patches(&self.class),
            _ => (0..mesh.tets().len() as u32).map(|e| vec![e]).collect(),
        };
        members.into_iter().filter_map(move |members| {
            let patch = if mesh.order() == 1 { patch(mesh, &members) } else { element(mesh, members[0]) };
            Some(Of { material: &self.parts[class(&members)].1, patch: patch? })
        })
    }
}

/// The mean gradient of an element of order 2.
fn element(mesh: &TetMesh, e: u32) -> Option<Patch> {
    let nodes = mesh.ten_nodes(e as usize)?;
    let points = quadratic(nodes.map(|v| mesh.vertices()[v as usize])).ok()?;
    let volume: f64 = points.iter().map(|p| p.1).sum();
    let mut gradients = [[0.0; 3]; MOST_NODES - 1];
    for (g, v) in &points {
        for (row, g) in gradients.iter_mut().zip(g) {
            (0..3).for_each(|c| row[c] += v / volume * g[c]);
        }
    }
    Some(Patch { nodes, gradients, volume: volume * mesh.fill_of(e as usize), members: vec![(e, 1.0)] })
}

/// The mean gradient of some elements; none if they have too many nodes or no volume, which the mesh excludes.
fn patch(mesh: &TetMesh, members: &[u32]) -> Option<Patch> {
    let mut nodes: Vec<u32> = Vec::new();
    let mut g = [[0.0; 3]; MOST_NODES];
    let (mut volume, mut volumes) = (0.0, Vec::new());
    for &e in members {
        let t = mesh.tets()[e as usize];
        let (of, v) = tetrahedron(t.map(|v| mesh.vertices()[v as usize])).ok()?;
        let v = v * mesh.fill_of(e as usize);
        for (corner, node) in t.into_iter().enumerate() {
            let at = nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
                nodes.push(node);
                nodes.len() - 1
            });
            let row = g.get_mut(at)?;
            for c in 0..3 {
                row[c] += v * if corner == 0 { -(of[0][c] + of[1][c] + of[2][c]) } else { of[corner - 1][c] };
            }
        }
        volume += v;
        volumes.push((e, v));
    }
    let first = *nodes.first()?;
    nodes.resize(MOST_NODES, first);
    Some(Patch {
        nodes: nodes.try_into().ok()?,
        gradients: std::array::from_fn(|r| g[r + 1].map(|a| a / volume)),
        volume,
        members: volumes.into_iter().map(|(e, v)| (e, v / volume)).collect(),
    })
}

impl Material {
    /// True for the same law with the same numbers and fibres.
    fn is_same(&self, o: &Material) -> bool {
        match (&self.0, &o.0) {
            (Choice::BuiltIn { kind, numbers, .. }, Choice::BuiltIn { kind: other, numbers: others, .. }) => {
                kind == other && numbers == others
            }
            (Choice::Own { material, params, .. }, Choice::Own { material: m, params: p, .. }) => {
                std::sync::Arc::ptr_eq(material, m) && params == p
            }
            (Choice::Fibred(a), Choice::Fibred(b)) => std::sync::Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The part that elements keep and the part of patches, whose sum is the material.
    fn parted(&self, share: f64, kept: f64) -> Result<(Material, Material), ParameterError> {
        use super::MaterialKind as Kind;
        let lame = self.lame();
        let kind = match &self.base().0 {
            Choice::BuiltIn { kind, .. } => Some(*kind),
            _ => None,
        };
        let low = match kind {
            Some(Kind::FixedCorotated | Kind::Fung) => kept.max(0.0) * lame.mu,
            _ => kept * lame.mu,
        };
        let own = Lame { mu: share * lame.mu, lambda: share * low.min(lame.lambda) };
        let rest = Lame { mu: lame.mu - own.mu, lambda: lame.lambda - own.lambda };
        let both = |kind, a: &[f64], b: &[f64]| {
            (Material::with_numbers(kind, own, a), Material::with_numbers(kind, rest, b))
        };
        let parts = match &self.base().0 {
            Choice::Own { .. } | Choice::Fibred(_) => {
                return Err(ParameterError::new(
                    "material",
                    self.name(),
                    format!("{} cannot be parted: averaging is for built-in laws", self.name()),
                ));
            }
            Choice::BuiltIn { kind, numbers: n, .. } => {
                let scaled = |s: f64| n.map(|a| s * a);
                let (a, b) = (scaled(share), scaled(1.0 - share));
                let (bulk, own_bulk) = (lame.bulk(), own.bulk());
                match kind {
                    Kind::Arap => both(*kind, &a[..1], &b[..1]),
                    Kind::MooneyRivlin => {
                        both(*kind, &[a[0], a[1], 0.5 * own_bulk], &[b[0], b[1], 0.5 * (bulk - own_bulk)])
                    }
                    Kind::Ogden => {
                        let terms = |s: &[f64], kappa: f64| [s[0], n[1], s[2], n[3], s[4], n[5], kappa];
                        both(*kind, &terms(&a, own_bulk), &terms(&b, bulk - own_bulk))
                    }
                    Kind::NeoHookean => {
                        // λ′ < 0 is had by the power of J that stays bounded below.
                        let log = own.lambda.max(0.0);
                        let volume = -1.5 * own.lambda.min(0.0);
                        let part = |l: Lame, lambda: f64, beta: f64| {
                            Material::built_in(*kind, &NeoHookeanPart, l, &[l.mu, lambda, beta])
                        };
                        (part(own, log, -volume), part(rest, lame.lambda - log, volume))
                    }
                    Kind::Fung => both(*kind, &[a[0], n[1], 0.0], &[b[0], n[1], n[2]]),
                    _ => (Material::from_lame(*kind, own), Material::from_lame(*kind, rest)),
                }
            }
        };
        Ok(match self.fibres() {
            None => parts,
            Some(fibres) => (parts.0.with_fibres(*fibres), parts.1),
        })
    }
}
