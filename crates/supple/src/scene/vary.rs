//! The constants of bodies by name, and the same bodies with one of them changed: what gradients with respect to constants are made of.
#![allow(clippy::indexing_slicing, reason = "indices of a mesh are checked where it is made")]

use super::material::Choice;
use super::{Bending, Content, Entry, Material, MaterialKind, Scene};
use crate::energy::{Fung, Lame, MooneyRivlin, Ogden};
use crate::error::BuildError;
use crate::settings::Settings;
use crate::sim::gradient::{Constant, Recipe, Varied};
use std::sync::Arc;

/// Steps of differences, relative to a constant or to how far it is from the end of its range.
const STEP: f64 = 1e-5;

/// The bodies of a scene, as they were when it was built.
pub(super) struct Blueprint {
    settings: Settings,
    bodies: Vec<Arc<Entry>>,
}

impl Scene {
    pub(super) fn blueprint(&self) -> Blueprint {
        Blueprint { settings: self.settings.clone(), bodies: self.bodies.clone() }
    }
}

/// How far a constant is changed.
fn step(name: &str, value: f64) -> f64 {
    let room = match name {
        "poisson" => (0.5 - value).min(1.0 + value),
        _ if value == 0.0 => 1.0,
        _ => value.abs(),
    };
    STEP * room
}

/// The numbers of `fung`, also a little outside of their range.
fn fung(lame: Lame, b: f64) -> [f64; 3] {
    Fung::numbers(lame, b).unwrap_or([lame.mu, b, lame.lambda - 2.0 * b * lame.mu])
}

impl Material {
    /// True if its numbers follow from the constants of small strain.
    fn follows(&self) -> bool {
        match &self.0 {
            Choice::BuiltIn { kind, lame, numbers, .. } => {
                let like = Material::from_lame(*kind, *lame);
                matches!(&like.0, Choice::BuiltIn { numbers: n, .. } if n == numbers)
            }
            _ => false,
        }
    }

    /// Its constants by name.
    pub(super) fn constants(&self) -> Vec<(String, f64)> {
        let name = |(n, v): (&str, f64)| (n.to_string(), v);
        let lame = self.lame();
        let both = [("young", lame.young()), ("poisson", lame.poisson())].map(name);
        match &self.0 {
            Choice::Fibred(f) => {
                let mut all = f.base.constants();
                all.push(name(("fibre_stiffness", f.fibres.stiffness())));
                all
            }
            Choice::Own { params, .. } => {
                let mut all = vec![name(("young", lame.young()))];
                if let Some(c) = params.first().filter(|_| self.name() == MaterialKind::Spline.name()) {
                    all.push(name(("compression", *c)));
                }
                all
            }
            Choice::BuiltIn { kind: MaterialKind::Fung, numbers, .. } => {
                let mut all = both.to_vec();
                all.push(name(("b", numbers[1])));
                all
            }
            Choice::BuiltIn { kind, numbers: n, .. } if !self.follows() => match kind {
                MaterialKind::MooneyRivlin => [("c10", n[0]), ("c01", n[1]), ("d1", n[2])].map(name).to_vec(),
                MaterialKind::Ogden => {
                    let mut all = Vec::new();
                    for p in (0..3).filter(|p| n[2 * p] != 0.0) {
                        all.push((format!("mu{}", p + 1), n[2 * p] * n[2 * p + 1]));
                        all.push((format!("alpha{}", p + 1), n[2 * p + 1]));
                    }
                    all.push(name(("kappa", n[6])));
                    all
                }
                _ => both.to_vec(),
            },
            Choice::BuiltIn { .. } => both.to_vec(),
        }
    }

    /// The same with a constant changed a little; those of a material of its own class by their share of it.
    fn varied(&self, name: &str, value: f64) -> Material {
        let (old, fibres) = (self.lame(), self.fibres());
        if let Some(fibres) = fibres {
            let base = self.base();
            return match name {
                "fibre_stiffness" => base.with_fibres(fibres.with_stiffness(value)),
                _ => base.varied(name, value).with_fibres(*fibres),
            };
        }
        let lame = match name {
            "young" => Lame::from_young(value, old.poisson()),
            "poisson" => Lame::from_young(old.young(), value),
            _ => Ok(old),
        };
        let lame = lame.unwrap_or(old);
        match &self.0 {
            Choice::Own { material, params, .. } => {
                let params = match (name, params.first()) {
                    ("compression", Some(_)) => vec![value],
                    // The whole energy is scaled ([`Varied::scaled`]); what does not follow is scaled back.
                    ("young", Some(c)) if self.name() == MaterialKind::Spline.name() => {
                        vec![c * old.young() / value]
                    }
                    _ => params.clone(),
                };
                Material(Choice::Own { material: material.clone(), params, lame })
            }
            Choice::BuiltIn { kind: MaterialKind::Fung, numbers, .. } => {
                let b = if name == "b" { value } else { numbers[1] };
                Material::with_numbers(MaterialKind::Fung, lame, &fung(lame, b))
            }
            Choice::BuiltIn { kind, numbers, .. } => {
                let mut n = *numbers;
                let p = name.chars().last().and_then(|c| c.to_digit(10)).map_or(0, |d| d as usize);
                match (*kind, name) {
                    (MaterialKind::MooneyRivlin, "c10") => n[0] = value,
                    (MaterialKind::MooneyRivlin, "c01") => n[1] = value,
                    (MaterialKind::MooneyRivlin, "d1") => n[2] = value,
                    (MaterialKind::Ogden, "kappa") => n[6] = value,
                    (MaterialKind::Ogden, _) if name.starts_with("mu") && p > 0 => {
                        n[2 * p - 2] = value / n[2 * p - 1];
                    }
                    (MaterialKind::Ogden, _) if name.starts_with("alpha") && p > 0 => {
                        let mu = n[2 * p - 2] * n[2 * p - 1];
                        (n[2 * p - 2], n[2 * p - 1]) = (mu / value, value);
                    }
                    _ => return Material::from_lame(*kind, lame),
                }
                // Damping goes by the constants of small strain.
                let lame = match kind {
                    MaterialKind::MooneyRivlin => MooneyRivlin::lame(n[0], n[1], n[2]),
                    _ => {
                        let terms: Vec<(f64, f64)> = (0..3)
                            .map(|p| (n[2 * p] * n[2 * p + 1], n[2 * p + 1]))
                            .filter(|t| t.0 != 0.0)
                            .collect();
                        Ogden::lame(&terms, n[6])
                    }
                };
                Material::with_numbers(*kind, lame.unwrap_or(old), &n)
            }
            Choice::Fibred(_) => self.clone(),
        }
    }
}

impl Entry {
    /// What the mass of a kg/m³ would be; 0 of springs.
    fn volume(&self) -> f64 {
        match &self.content {
            Content::Solid { mesh, .. } => mesh.node_masses(|_| 1.0).iter().sum(),
            Content::Cloth { mesh, cloth } => cloth.masses(mesh).iter().sum::<f64>() / cloth.density,
            Content::Springs(_) => 0.0,
        }
    }

    fn constants(&self) -> Vec<Constant> {
        let mut all: Vec<Constant> = Vec::new();
        let mut one = |name: &str, value: f64| all.push(Constant { name: name.into(), values: vec![value] });
        let mass: f64 = self.masses.iter().sum();
        match &self.content {
            Content::Solid { .. } => one("density", mass / self.volume()),
            Content::Springs(_) => one("mass", mass),
            Content::Cloth { cloth, .. } => {
                one("density", cloth.density);
                one("thickness", cloth.thickness);
                for (name, k) in [("thread_warp", cloth.threads[0]), ("thread_weft", cloth.threads[1])] {
                    if k > 0.0 {
                        one(name, k);
                    }
                }
                if let Bending::Flat(b) | Bending::Angle(b) | Bending::EitherSide(b) = cloth.bending
                    && b > 0.0
                {
                    one("bending_stiffness", b);
                }
                if let Some(k) = cloth.limit.and_then(|l| l.stiffness) {
                    one("limit_stiffness", k);
                }
                for (name, value) in cloth.material.iter().flat_map(Material::constants) {
                    one(&name, value);
                }
            }
        }
        if let Some(k) = self.limit.and_then(|l| l.stiffness) {
            one("limit_stiffness", k);
        }
        if self.damping.mass > 0.0 {
            one("damping_mass", self.damping.mass);
        }
        if self.damping.stiffness > 0.0 {
            one("damping_stiffness", self.damping.stiffness);
        }
        match &self.content {
            Content::Solid { materials, .. } => {
                for (e, m) in materials.iter().enumerate() {
                    for (name, value) in m.constants() {
                        let at = all.iter().position(|c| c.name == name).unwrap_or_else(|| {
                            all.push(Constant { name, values: vec![f64::NAN; materials.len()] });
                            all.len() - 1
                        });
                        all[at].values[e] = value;
                    }
                }
            }
            Content::Springs(list) => {
                let values = list.iter().map(|s| s.stiffness).collect();
                all.push(Constant { name: "stiffness".into(), values });
                let values = list.iter().map(|s| self.length(s)).collect();
                all.push(Constant { name: "rest_length".into(), values });
            }
            Content::Cloth { .. } => {}
        }
        all
    }

    fn length(&self, s: &super::Spring) -> f64 {
        let [p, q] = s.nodes.map(|v| self.positions[v as usize]);
        s.rest_length.unwrap_or_else(|| (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt())
    }

    /// Changes a constant by so many steps.
    fn vary(&mut self, constant: &Constant, sign: f64) {
        let name = constant.name.as_str();
        let to = |k: usize| {
            let value = constant.values[k.min(constant.values.len() - 1)];
            value + sign * step(name, value)
        };
        let share = to(0) / constant.values[0];
        let mut masses = false;
        match name {
            "density" | "mass" => masses = true,
            "damping_mass" => self.damping.mass = to(0),
            "damping_stiffness" => self.damping.stiffness = to(0),
            _ => match &mut self.content {
                Content::Solid { materials, .. } => match (name, &mut self.limit) {
                    ("limit_stiffness", Some(limit)) => limit.stiffness = Some(to(0)),
                    _ => {
                        // Elements that shared a material share the changed one.
                        for (e, m) in materials.iter_mut().enumerate() {
                            if constant.values[e].is_finite() {
                                *m = m.varied(name, to(e));
                            }
                        }
                    }
                },
                Content::Springs(list) => {
                    for (e, s) in list.iter_mut().enumerate() {
                        match name {
                            "stiffness" => s.stiffness = to(e),
                            _ => s.rest_length = Some(to(e)),
                        }
                    }
                }
                Content::Cloth { cloth, .. } => match name {
                    "thickness" => {
                        cloth.thickness = to(0);
                        masses = true;
                    }
                    "thread_warp" => cloth.threads[0] = to(0),
                    "thread_weft" => cloth.threads[1] = to(0),
                    "bending_stiffness" => {
                        if let Bending::Flat(b) | Bending::Angle(b) | Bending::EitherSide(b) =
                            &mut cloth.bending
                        {
                            *b = to(0);
                        }
                    }
                    "limit_stiffness" => {
                        if let Some(limit) = &mut cloth.limit {
                            limit.stiffness = Some(to(0));
                        }
                    }
                    _ => cloth.material = cloth.material.as_ref().map(|m| m.varied(name, to(0))),
                },
            },
        }
        if masses {
            self.masses.iter_mut().for_each(|m| *m *= share);
        }
    }

    /// The name of materials of their own class, whose energy is scaled with Young's modulus.
    fn own(&self) -> Option<&'static str> {
        let Content::Solid { materials, .. } = &self.content else { return None };
        materials.iter().map(Material::base).find_map(|m| matches!(m.0, Choice::Own { .. }).then(|| m.name()))
    }
}

impl Recipe for Blueprint {
    fn constants(&self, body: usize) -> Vec<Constant> {
        self.bodies.get(body).map(|b| b.constants()).unwrap_or_default()
    }

    fn varied(&self, body: usize, constant: &Constant, sign: f64) -> Result<Varied, BuildError> {
        let mut scene = Scene::new(self.settings.clone());
        scene.bodies = self.bodies.clone();
        let Some(entry) = scene.bodies.get_mut(body) else { return Err(BuildError::NoBody(body)) };
        let entry = Arc::make_mut(entry);
        entry.vary(constant, sign);
        let first = constant.values.iter().copied().find(|v| v.is_finite()).unwrap_or(1.0);
        let share = 1.0 + sign * step(&constant.name, first) / first;
        let scaled = entry.own().filter(|_| constant.name == "young").map(|name| (name, share));
        let steps = constant.values.iter().map(|v| step(&constant.name, *v)).collect();
        Ok(Varied { parts: scene.parts()?, steps, scaled })
    }
}
