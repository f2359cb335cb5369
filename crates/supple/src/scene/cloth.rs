//! What a sheet is made of, and the terms that it becomes.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::terms::{Terms, Where};
use super::{Material, MaterialKind};
use crate::energy::plane::plane_stress;
use crate::error::{BuildError, ParameterError};
use crate::math::triangle::{bend, stands_on, triangle};
use crate::mesh::TriMesh;

/// The key of a scene file that is wrong, and why.
pub(super) type Wrong = (String, String);

/// Which strains a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Stretches in every direction: the singular values of F.
    #[default]
    Stretches,
    /// Stretches along warp and weft: the lengths of the columns of F, as in Fig. 4 of the paper.
    Threads,
}

/// Least and greatest stretch that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Least and greatest stretch: 0 ≤ least ≤ 1 ≤ greatest.
    pub range: [f64; 2],
    /// Of which strains: `stretches` (default) or `threads`.
    #[serde(default)]
    pub along: Along,
    /// A stiffness in Pa makes the limit soft, as projective dynamics has it; without one it is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

impl Limit {
    /// True if it becomes one term with the material of a sheet: both are functions of the stretches.
    pub(super) fn joins_a_material(&self) -> bool {
        self.along == Along::Stretches && self.stiffness.is_none()
    }
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), ParameterError> {
        let [least, most] = self.range;
        if !((0.0..=1.0).contains(&least) && most >= 1.0 && most.is_finite()) {
            let message = format!("a strain limit goes from 0…1 to 1 or more, not from {least} to {most}");
            return Err(ParameterError::new("range", self.range, message));
        }
        match self.stiffness {
            Some(k) if !(k.is_finite() && k > 0.0) => {
                let message = format!("the stiffness of a limit must be positive and finite, not {k}");
                Err(ParameterError::new("stiffness", k, message))
            }
            _ => Ok(()),
        }
    }
}

/// How a sheet resists bending.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Bending {
    /// Not at all.
    None,
    /// As a plate of its material and thickness: Et³/(12(1 − ν²)) N·m, and its rest angles; not at all without a material.
    #[default]
    Plate,
    /// With a stiffness in N·m towards being flat: quadratic in the positions, as long as lengths stay (Bergou et al. 2006).
    Flat(f64),
    /// With a stiffness in N·m towards the angles of the rest shape.
    Angle(f64),
    /// … folded to either side: a crease that is pushed through stays there.
    EitherSide(f64),
}

/// What a sheet is made of.
#[derive(Clone)]
pub struct Cloth {
    /// The membrane: `arap`, `corotated`, `st_venant_kirchhoff` or `neo_hookean`, in plane stress. None leaves limits and
    /// threads alone.
    pub material: Option<Material>,
    /// Thickness in m, > 0.
    pub thickness: f64,
    /// Mass per volume in kg/m³, > 0.
    pub density: f64,
    /// Direction of the warp in space, at rest. Where there are threads, or limits along them, it must not stand on a triangle.
    pub warp: [f64; 3],
    /// More stiffness in Pa along warp and along weft.
    pub threads: [f64; 2],
    /// Strain limit.
    pub limit: Option<Limit>,
    /// Resistance to bending.
    pub bending: Bending,
}

impl Cloth {
    /// A sheet of a material with a thickness in m and a density in kg/m³; bends as a plate.
    pub fn new(material: Material, thickness: f64, density: f64) -> Cloth {
        Cloth {
            material: Some(material),
            thickness,
            density,
            warp: [1.0, 0.0, 0.0],
            threads: [0.0; 2],
            limit: None,
            bending: Bending::Plate,
        }
    }

    /// An error where something is wrong with it on this mesh.
    pub(super) fn check(&self, mesh: &TriMesh) -> Result<(), Wrong> {
        let wrong = |key: &str, message: String| Err((key.to_string(), message));
        for (what, value) in [("thickness", self.thickness), ("density", self.density)] {
            if !(value.is_finite() && value > 0.0) {
                let message = format!("the {what} must be positive and finite, not {value}");
                return wrong(&format!("cloth.{what}"), message);
            }
        }
        self.membrane().map_err(|e| ("material.kind".to_string(), e))?;
        if let Some(Err(e)) = self.material.as_ref().map(Material::check) {
            return wrong("material", e.reason);
        }
        if self.threads.iter().any(|k| !(k.is_finite() && *k >= 0.0)) {
            let message = format!("stiffness along threads must be zero or positive, not {:?}", self.threads);
            return wrong("cloth.threads", message);
        }
        if self.warp.iter().any(|c| !c.is_finite()) || self.warp == [0.0; 3] {
            return wrong("cloth.warp", format!("the warp {:?} is no direction", self.warp));
        }
        if let Bending::Flat(b) | Bending::Angle(b) | Bending::EitherSide(b) = self.bending
            && !(b.is_finite() && b >= 0.0)
        {
            let message = format!("the stiffness of bending must be zero or positive, not {b}");
            return wrong("cloth.bending.stiffness", message);
        }
        if let Some(limit) = &self.limit {
            limit.check().map_err(|e| (format!("cloth.limit.{}", e.name), e.reason))?;
        }
        if self.material.is_none() && self.limit.is_none() && self.threads == [0.0; 2] {
            return wrong("cloth", "a sheet needs a material, a strain limit or threads".into());
        }
        match self.across(mesh) {
            Some(triangle) => wrong(
                "cloth.warp",
                format!(
                    "the warp {:?} stands on triangle {triangle}: threads run within the sheet",
                    self.warp
                ),
            ),
            None => Ok(()),
        }
    }

    /// A triangle on which the warp stands, where threads run along it.
    fn across(&self, mesh: &TriMesh) -> Option<usize> {
        let counts = self.threads != [0.0; 2] || self.limit.is_some_and(|l| l.along == Along::Threads);
        let stands = |t: &[u32; 3]| stands_on(t.map(|v| mesh.vertices()[v as usize]), self.warp);
        if counts { mesh.triangles().iter().position(stands) } else { None }
    }

    /// An error if the material is none that sheets take.
    fn membrane(&self) -> Result<(), String> {
        if let Some(m) = &self.material
            && !matches!(
                m.kind(),
                Some(
                    MaterialKind::Arap
                        | MaterialKind::Corotated
                        | MaterialKind::StVenantKirchhoff
                        | MaterialKind::NeoHookean
                )
            )
        {
            return Err(format!(
                "`{}` is a material of solids: sheets take `arap`, `corotated`, `st_venant_kirchhoff` and `neo_hookean`",
                m.name()
            ));
        }
        Ok(())
    }

    /// Mass of each node in kg: a third of that of each of its triangles.
    pub(super) fn masses(&self, mesh: &TriMesh) -> Vec<f64> {
        let mut masses = vec![0.0; mesh.vertices().len()];
        for t in mesh.triangles() {
            let area = triangle(t.map(|v| mesh.vertices()[v as usize]), self.warp).map_or(0.0, |(_, a)| a);
            for &v in t {
                masses[v as usize] += self.density * self.thickness * area / 3.0;
            }
        }
        masses
    }

    /// Adds its terms.
    pub(super) fn terms(&self, mesh: &TriMesh, at: &Where<'_>, terms: &mut Terms) -> Result<(), BuildError> {
        for (e, t) in mesh.triangles().iter().enumerate() {
            let (g, area) = triangle(t.map(|v| mesh.vertices()[v as usize]), self.warp)
                .map_err(|reason| at.wrong(e, reason.to_string()))?;
            let volume = area * self.thickness;
            let place = at.element(t, e);
            if let Some(m) = &self.material {
                terms.membrane(m, self.limit.as_ref(), place, g, volume, at);
                terms.sheet_strain_rate(m, place, (g, volume), at);
            }
            for d in 0..2 {
                terms.thread(self.threads[d] * volume, place, [[g[0][d]], [g[1][d]]]);
            }
            // A limit that is part of the membrane's term is there already.
            if let Some(limit) =
                self.limit.as_ref().filter(|l| self.material.is_none() || !l.joins_a_material())
            {
                terms.sheet_limit(limit, place, g, volume, at);
            }
        }
        self.bend(mesh, at, terms)
    }

    /// Adds what resists bending.
    fn bend(&self, mesh: &TriMesh, at: &Where<'_>, terms: &mut Terms) -> Result<(), BuildError> {
        let lame = self.material.as_ref().map(Material::lame);
        let (stiffness, flat) = match (self.bending, lame) {
            (Bending::None, _) | (Bending::Plate, None) => return Ok(()),
            // Et³/(12(1 − ν²)) = (2μ + λ̄)t³/12.
            (Bending::Plate, Some(l)) => {
                ((2.0 * l.mu + plane_stress(l)) * self.thickness.powi(3) / 12.0, false)
            }
            (Bending::Flat(b), _) => (b, true),
            (Bending::Angle(b) | Bending::EitherSide(b), _) => (b, false),
        };
        if stiffness == 0.0 {
            return Ok(());
        }
        let poisson = lame.map_or(0.0, |l| l.poisson());
        let place = |v: u32| mesh.vertices()[v as usize];
        for (e, (t, across)) in mesh.triangles().iter().zip(mesh.across()).enumerate() {
            let corners = t.map(place);
            let (flat_g, area) =
                triangle(corners, self.warp).map_err(|reason| at.wrong(e, reason.to_string()))?;
            // Every triangle has an area: only overflow leaves no weights, only a lone triangle none that count.
            let Some(g) = bend(corners, across.map(|v| v.map(place)), poisson) else { continue };
            if g.iter().flatten().all(|g| *g == 0.0) {
                continue;
            }
            // Where there is no neighbour a corner stands in, with no weight.
            let nodes: [u32; 6] =
                std::array::from_fn(|v| if v < 3 { t[v] } else { across[v - 3].unwrap_or(t[0]) });
            let mut rest = [[0.0; 3]; 3];
            for (v, g) in nodes.iter().zip(g) {
                for (column, g) in rest.iter_mut().zip(g) {
                    for c in 0..3 {
                        column[c] += g * (place(*v)[c] - corners[0][c]);
                    }
                }
            }
            let size = rest.iter().flatten().map(|c| c * c).sum::<f64>().sqrt();
            let curved = !flat && size * area.sqrt() > 1e-9;
            let g = [g[1], g[2], g[3], g[4], g[5]];
            let place = at.element(&nodes, e);
            match self.bending {
                _ if !curved => terms.bend(stiffness * area, place, g, None),
                Bending::EitherSide(_) => terms.bend(stiffness * area, place, g, Some(rest)),
                _ => terms.sided(stiffness * area, place, (g, flat_g), rest, corners),
            }
        }
        Ok(())
    }
}
