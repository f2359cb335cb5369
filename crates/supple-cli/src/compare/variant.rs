//! Methods by name.
use supple::{Acceleration, ContactMethod, FirstHessian, Method, SolveSettings, Sweep, WeightRule};

/// A method with all its settings.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in tables and legends.
    pub name: String,
    /// Its settings; start, tolerance, iterations and threads are those of the race.
    pub solve: SolveSettings,
}

/// The names that [`Variant::named`] knows, and what they stand for.
pub const NAMES: &[(&str, &str)] = &[
    ("admm", "ADMM with its defaults: Anderson acceleration, dual variables from the stress"),
    ("admm-published", "ADMM as in the paper: from u = 0, not accelerated"),
    ("admm-anderson", "admm-published with Anderson acceleration"),
    ("admm-relaxed", "admm-published with over-relaxation"),
    ("admm-chebyshev", "admm-published with Chebyshev's method"),
    ("admm-local", "admm with a term of contact per node, as in the paper"),
    ("admm-uzawa", "admm with contact by Uzawa's method and conjugate gradients"),
    ("admm-nodal", "admm with contact by Gauss–Seidel over nodes"),
    ("projective", "projective dynamics"),
    ("position", "position-based dynamics, one constraint after the other"),
    ("position-jacobi", "position-based dynamics, all constraints at once"),
    ("quasi_newton", "L-BFGS on the prefactored matrix"),
    ("lbfgs", "L-BFGS without a matrix, history 10, as in the paper's Fig. 2"),
    ("newton", "projected Newton"),
    ("auto", "lagged Newton, or ADMM where that cannot be"),
];

impl Variant {
    /// The method of a name.
    pub fn named(name: &str) -> Option<Variant> {
        let of = |method: Method| SolveSettings { method, ..SolveSettings::default() };
        let published =
            |acceleration: Acceleration| SolveSettings { acceleration, ..SolveSettings::published() };
        let touching = |contact: ContactMethod| SolveSettings { contact, ..of(Method::Admm) };
        let solve = match name {
            "admm" => of(Method::Admm),
            "admm-published" => SolveSettings::published(),
            "admm-anderson" => published(Acceleration::Anderson),
            "admm-relaxed" => published(Acceleration::OverRelaxation),
            "admm-chebyshev" => published(Acceleration::Chebyshev),
            "admm-local" => touching(ContactMethod::Local),
            "admm-uzawa" => touching(ContactMethod::Uzawa),
            "admm-nodal" => touching(ContactMethod::Nodal),
            "projective" => of(Method::Projective),
            "position" => SolveSettings { sweep: Sweep::GaussSeidel, ..of(Method::Position) },
            "position-jacobi" => SolveSettings { sweep: Sweep::Jacobi, ..of(Method::Position) },
            "quasi_newton" => of(Method::QuasiNewton),
            "lbfgs" => SolveSettings {
                first_hessian: FirstHessian::Identity,
                history: 10,
                ..of(Method::QuasiNewton)
            },
            "newton" => of(Method::Newton),
            "auto" => of(Method::Auto),
            _ => return None,
        };
        Some(Variant { name: name.to_string(), solve })
    }

    /// ADMM as published, with weights w² = scale·k by a rule.
    pub fn weighted(name: String, rule: WeightRule, scale: f64) -> Variant {
        let solve = SolveSettings { weight_rule: rule, weight_scale: scale, ..SolveSettings::published() };
        Variant { name, solve }
    }

    /// Newton to rounding: what the others are measured by.
    pub(super) fn reference() -> Variant {
        let solve = SolveSettings {
            method: Method::Newton,
            tolerance: 1e-14,
            iterations: 300,
            ..SolveSettings::default()
        };
        Variant { name: "newton".into(), solve }
    }
}
