//! Materials with published constants.
//!
//! Real materials vary by a factor of two and more with make, temperature, rate and strain: each preset is one number out
//! of its source, with the range beside it. Rubber and wet tissue are all but incompressible (ν about 0.4999); their presets
//! have ν = 0.49, since linear tetrahedra lock above.

use super::{Material, MaterialKind};
use crate::energy::Lame;

/// A material with published constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name in scene files.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Which law.
    pub kind: MaterialKind,
    /// Young's modulus of small strain in Pa.
    pub young: f64,
    /// Poisson's ratio of small strain.
    pub poisson: f64,
    /// Mass per volume in kg/m³.
    pub density: f64,
    /// Where the numbers are from, and their range.
    pub source: &'static str,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "rubber",
        about: "natural rubber, vulcanised, without filler",
        kind: MaterialKind::Ogden,
        // μ = ½Σμ_pα_p = 0.4225 MPa.
        young: 1.259e6,
        poisson: 0.49,
        density: 930.0,
        source: "Ogden 1972, three terms fitted to the data of Treloar 1944 (mu = 0.63, 0.0012, −0.01 MPa; alpha = 1.3, 5, −2); \
                 density: Polymer Data Handbook 1999. Young's modulus of rubbers: 1 to 5 MPa",
    },
    Preset {
        name: "silicone",
        about: "silicone rubber (PDMS, Sylgard 184 cured at 25 °C)",
        kind: MaterialKind::StableNeoHookean,
        young: 1.32e6,
        poisson: 0.49,
        density: 1030.0,
        source: "Johnston, McCluskey, Tan, Tracey 2014: 1.32 MPa cured at 25 °C to 2.97 MPa at 200 °C; density: maker's data sheet",
    },
    Preset {
        name: "gelatine",
        about: "a firm gelatine gel",
        kind: MaterialKind::StableNeoHookean,
        young: 2e4,
        poisson: 0.49,
        density: 1030.0,
        source: "Hall, Bilgen, Insana, Krouskop 1997, gels of tissue phantoms: about 10 to 100 kPa by concentration",
    },
    Preset {
        name: "foam",
        about: "flexible polyurethane foam with open cells, 30 kg/m³",
        kind: MaterialKind::StableNeoHookean,
        young: 3.1e4,
        poisson: 0.33,
        density: 30.0,
        source: "Gibson, Ashby 1997: E = E_s(ρ/ρ_s)² with E_s = 50 MPa, ρ_s = 1200 kg/m³, and ν = 1/3, of open cells",
    },
    Preset {
        name: "muscle",
        about: "skeletal muscle at rest, alike in all directions",
        kind: MaterialKind::StableNeoHookean,
        young: 7e3,
        poisson: 0.49,
        density: 1056.0,
        source: "McKee, Last, Russell, Murphy 2011, indentation: 7 kPa; in tension along the fibres up to 480 kPa; density: Ward, \
                 Lieber 2005",
    },
    Preset {
        name: "fat",
        about: "adipose tissue",
        kind: MaterialKind::StableNeoHookean,
        young: 3.25e3,
        poisson: 0.49,
        density: 950.0,
        source: "Samani, Zubovits, Plewes 2007: 3.25 ± 0.91 kPa; density: ICRU Report 44, 1989",
    },
    Preset {
        name: "cotton",
        about: "cotton fibre",
        kind: MaterialKind::Corotated,
        young: 7.6e9,
        poisson: 0.3,
        density: 1520.0,
        source: "Morton, Hearle 2008: initial modulus 5 N/tex (2 to 8 by variety) times the density; ν assumed. Woven cloth is softer by \
                 its crimp",
    },
    Preset {
        name: "silk",
        about: "silk fibre",
        kind: MaterialKind::Corotated,
        young: 9.8e9,
        poisson: 0.3,
        density: 1340.0,
        source: "Morton, Hearle 2008: initial modulus 7.3 N/tex times the density; ν assumed. Woven cloth is softer by its crimp",
    },
    Preset {
        name: "paper",
        about: "office paper, alike in all directions",
        kind: MaterialKind::Corotated,
        young: 3e9,
        poisson: 0.3,
        density: 800.0,
        source: "Alava, Niskanen 2006: 1 to 9 GPa by direction and make",
    },
];

impl Preset {
    /// The preset of this name.
    pub fn find(name: &str) -> Result<&'static Preset, String> {
        PRESETS.iter().find(|p| p.name == name).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            format!("there is no preset `{name}`; there are {}", names.join(", "))
        })
    }
    /// Its material.
    pub fn material(&self) -> Result<Material, String> {
        if self.name == "rubber" {
            // The terms of the source; the bulk modulus follows from the Poisson's ratio.
            let kappa = Lame::from_young(self.young, self.poisson)?.bulk();
            return Material::ogden(&RUBBER, kappa);
        }
        Material::new(self.kind, self.young, self.poisson)
    }
}

/// (μ_p in Pa, α_p) of Ogden 1972.
const RUBBER: [(f64, f64); 3] = [(0.63e6, 1.3), (1.2e3, 5.0), (-1e4, -2.0)];

impl Material {
    /// A material with published constants, and its density in kg/m³.
    pub fn preset(name: &str) -> Result<(Material, f64), String> {
        let preset = Preset::find(name)?;
        Ok((preset.material()?, preset.density))
    }
}
