//! Materials with typical constants.
//!
//! Real materials vary by a factor of two and more with make, temperature, rate and strain: each preset is one number out of a range.
//! Where a source is named, the numbers beside it were found there; where none could be confirmed, they are called typical. Rubber and wet tissue are all but incompressible (ν about 0.4999); their presets
//! have ν = 0.49, since linear tetrahedra lock above.

use super::{Material, MaterialKind};
use crate::energy::Lame;
use crate::error::ParameterError;

/// A material with typical constants.
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
        source: "three terms after Ogden 1972 (mu = 0.63, 0.0012, −0.01 MPa; alpha = 1.3, 5, −2), with ν = 0.49 within 0.07 MPa of the \
                 data of Treloar 1944 up to four times the length, within 0.13 MPa up to 4.8 times; softer beyond, since the volume grows \
                 (3.0 MPa at 7 times, measured 4.1); density: typical value",
    },
    Preset {
        name: "silicone",
        about: "silicone rubber (PDMS, Sylgard 184 cured at 25 °C)",
        kind: MaterialKind::StableNeoHookean,
        young: 1.32e6,
        poisson: 0.49,
        density: 1030.0,
        source: "Johnston, McCluskey, Tan, Tracey 2014: 1.32 to 2.97 MPa, cured at 25 to 200 °C, softer if colder; other tests differ by far \
                 more (Varner, Cohen 2024); density: typical value",
    },
    Preset {
        name: "gelatine",
        about: "a firm gelatine gel",
        kind: MaterialKind::StableNeoHookean,
        young: 2e4,
        poisson: 0.49,
        density: 1030.0,
        source: "Nguyen, Zhou, Robert, Shamdasani, Xie 2014: shear modulus 4.2 kPa with 5 % gelatine, 8.1 kPa with 6 %, and Young's modulus is \
                 three times that; density: typical value",
    },
    Preset {
        name: "foam",
        about: "flexible polyurethane foam with open cells, 30 kg/m³",
        kind: MaterialKind::StableNeoHookean,
        young: 3.1e4,
        poisson: 0.33,
        density: 30.0,
        source: "Gibson, Ashby 1997: E = E_s(ρ/ρ_s)² of open cells; E_s = 50 MPa, ρ_s = 1200 kg/m³ and ν: typical values",
    },
    Preset {
        name: "muscle",
        about: "skeletal muscle at rest, alike in all directions",
        kind: MaterialKind::StableNeoHookean,
        young: 7e3,
        poisson: 0.49,
        density: 1055.0,
        source: "typical value; by orders of magnitude more in tension than in indentation (McKee, Last, Russell, Murphy 2011); density: Ward, \
                 Lieber 2005, 1055 ± 6 kg/m³",
    },
    Preset {
        name: "fat",
        about: "adipose tissue",
        kind: MaterialKind::StableNeoHookean,
        young: 3.25e3,
        poisson: 0.49,
        density: 950.0,
        source: "typical value; 3.0 ± 1.2 kPa for fat and glands in \"In vivo measurement of breast tissues stiffness using a light aspiration \
                 device\"; density: ICRU Report 44",
    },
    Preset {
        name: "cotton",
        about: "cotton fibre",
        kind: MaterialKind::Corotated,
        young: 7.6e9,
        poisson: 0.3,
        density: 1520.0,
        source: "Morton, Hearle 2008, table 13.1: initial modulus 5.0 N/tex (3.9 to 7.3 by variety) times the density; density and ν: typical \
                 values. Woven cloth is softer by its crimp",
    },
    Preset {
        name: "silk",
        about: "silk fibre",
        kind: MaterialKind::Corotated,
        young: 9.8e9,
        poisson: 0.3,
        density: 1340.0,
        source: "Morton, Hearle 2008, table 13.1: initial modulus 7.3 N/tex times the density; density and ν: typical values. Woven cloth is \
                 softer by its crimp",
    },
    Preset {
        name: "paper",
        about: "office paper, alike in all directions",
        kind: MaterialKind::Corotated,
        young: 3e9,
        poisson: 0.3,
        density: 800.0,
        source: "Ashby, Materials and the Environment: 3 to 8.9 GPa and 480 to 860 kg/m³, newsprint to kraft paper; ν: typical value",
    },
];

impl Preset {
    /// The preset of this name.
    pub fn find(name: &str) -> Result<&'static Preset, ParameterError> {
        PRESETS.iter().find(|p| p.name == name).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            let reason = format!("there is no preset `{name}`; there are {}", names.join(", "));
            ParameterError::new("preset", name, reason)
        })
    }
    /// Its material.
    pub fn material(&self) -> Result<Material, ParameterError> {
        if self.name == "rubber" {
            // The terms of the source; the bulk modulus follows from the Poisson's ratio.
            let kappa = Lame::from_young(self.young, self.poisson)?.bulk();
            return Material::ogden(&RUBBER, kappa);
        }
        Material::new(self.kind, self.young, self.poisson)
    }
}

/// (μ_p in Pa, α_p) of rubber.
const RUBBER: [(f64, f64); 3] = [(0.63e6, 1.3), (1.2e3, 5.0), (-1e4, -2.0)];

impl Material {
    /// A material with typical constants, and its density in kg/m³.
    pub fn preset(name: &str) -> Result<(Material, f64), ParameterError> {
        let preset = Preset::find(name)?;
        Ok((preset.material()?, preset.density))
    }
}
