//! Strain that is averaged over patches of tetrahedra.
//!
//! Tetrahedra of order 1 are too stiff in bending, and lock where ν nears ½. Here a body's energy is parted in two: each element keeps a
//! share s of the stiffness against a change of shape, and hardly any against a change of volume; each patch has the rest at its mean
//! deformation gradient F̄ = Σ V_e F_e/ΣV_e, which is as linear in the nodes as F is. Both parts are the material with other constants (of
//! `neo_hookean`: `energy/parted.rs`), so a body under uniform strain has the energy that it had, and every proximal operator is exact.
//!
//! At small strain elements keep sμ and λ′ = −[`KEPT`]·sμ; −⅔sμ would be no bulk modulus at all, and a body of few elements would have
//! motions without energy (the special conformal ones, u = 2(a·x)x − |x|²a). Laws that are not bounded below with λ < 0 keep λ′ = 0.
//!
//! The mean over a patch does not see bending within it, elements see too much of it; near corners where the stress is singular elements are
//! far too stiff. s is where these errors balance (docs/elements.md).
//!
//! Elements of order 2 bend as they should and only keep their volume too often, at each quadrature point: each is a patch of its own, and
//! nearly all of the shear stiffness stays where it was.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::Material;
use super::material::Choice;
use crate::energy::{Lame, NeoHookeanPart};
use crate::math::quadratic::quadratic;
use crate::math::tet::tetrahedron;
use crate::mesh::{MOST_NODES, TetMesh};

/// Share of the shear stiffness that quadrature points of order 2 keep: all but what gives the patch's part of the material a μ.
const ORDER_TWO: f64 = 0.99;
/// −λ′ of elements over their μ, below ⅔.
const KEPT: f64 = 0.55;

/// How the strain of a solid is averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// The share s of shear stiffness that elements of order 1 keep, in (0, 1). Default 0.1.
    pub share: f64,
}

impl Default for Average {
    fn default() -> Self {
        Average { share: 0.1 }
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
    pub fn check(&self) -> Result<(), String> {
        if self.share > 0.0 && self.share < 1.0 {
            return Ok(());
        }
        Err(format!("the elements' share must lie between 0 and 1, not {}", self.share))
    }

    /// Parts materials, one for each element; the error says which cannot be.
    pub(super) fn split(&self, materials: &[Material], order: usize) -> Result<Parted, (usize, String)> {
        let share = if order == 2 { ORDER_TWO } else { self.share };
        let mut parted = Parted { class: Vec::with_capacity(materials.len()), parts: Vec::new() };
        let mut kinds: Vec<&Material> = Vec::new();
        for (e, m) in materials.iter().enumerate() {
            let found = kinds.iter().rposition(|k| k.is_same(m));
            let class = match found {
                Some(class) => class,
                None => {
                    parted.parts.push(m.parted(share).map_err(|reason| (e, reason))?);
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
    fn parted(&self, share: f64) -> Result<(Material, Material), String> {
        use super::MaterialKind as Kind;
        let lame = self.lame();
        let kind = match &self.base().0 {
            Choice::BuiltIn { kind, .. } => Some(*kind),
            _ => None,
        };
        let low = match kind {
            Some(Kind::FixedCorotated | Kind::Fung) => 0.0,
            _ => -KEPT * lame.mu,
        };
        let own = Lame { mu: share * lame.mu, lambda: share * low.min(lame.lambda) };
        let rest = Lame { mu: lame.mu - own.mu, lambda: lame.lambda - own.lambda };
        let both = |kind, a: &[f64], b: &[f64]| {
            (Material::with_numbers(kind, own, a), Material::with_numbers(kind, rest, b))
        };
        let parts = match &self.base().0 {
            Choice::Own { .. } | Choice::Fibred(_) => {
                return Err(format!("{} cannot be parted: averaging is for built-in laws", self.name()));
            }
            Choice::BuiltIn { kind, numbers: n, .. } => {
                let scaled = |s: f64| n.map(|a| s * a);
                let (a, b) = (scaled(share), scaled(1.0 - share));
                let (bulk, kept) = (lame.bulk(), own.bulk());
                match kind {
                    Kind::Arap => both(*kind, &a[..1], &b[..1]),
                    Kind::MooneyRivlin => {
                        both(*kind, &[a[0], a[1], 0.5 * kept], &[b[0], b[1], 0.5 * (bulk - kept)])
                    }
                    Kind::Ogden => {
                        let terms = |s: &[f64], kappa: f64| [s[0], n[1], s[2], n[3], s[4], n[5], kappa];
                        both(*kind, &terms(&a, kept), &terms(&b, bulk - kept))
                    }
                    Kind::NeoHookean => {
                        let volume = -1.5 * own.lambda;
                        let part = |l: Lame, lambda: f64, beta: f64| {
                            Material::built_in(*kind, &NeoHookeanPart, l, &[l.mu, lambda, beta])
                        };
                        (part(own, 0.0, -volume), part(rest, lame.lambda, volume))
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
