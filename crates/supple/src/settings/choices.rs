//! The choices among settings: each is a word in scene files, JSON and Python, and a value here.

choice! {
    /// How a step's velocities come from its positions; docs/time.md says what each costs and damps.
    pub enum Integrator: BackwardEuler {
        /// First order; damps a vibration of angular frequency ω by the ratio ωΔt/2.
        BackwardEuler = "backward_euler",
        /// The backward differentiation formula of second order; damps by (ωΔt)³/4. It starts with a step of backward Euler, and takes
        /// one after an impact.
        Bdf2 = "bdf2",
    }
}

choice! {
    /// Who minimises a step's problem (5).
    #[non_exhaustive]
    pub enum Method: Auto {
        /// The alternating direction method of multipliers, Algorithm 1 of the paper; takes every term.
        Admm = "admm",
        /// Projective dynamics, eqs. (27)–(29) of the paper; takes springs, anchors and `arap` only.
        Projective = "projective",
        /// Position-based dynamics: constraints projected one after the other. A baseline for comparisons: stiffness depends on
        /// the number of iterations.
        Position = "position",
        /// L-BFGS whose first Hessian is the matrix of ADMM, factored once.
        QuasiNewton = "quasi_newton",
        /// Newton's method with projected Hessians, factored in each iteration: the reference for accuracy.
        Newton = "newton",
        /// Lagged Newton where the problem is smooth, ADMM where it is not or where an element is inverted.
        Auto = "auto",
    }
}

choice! {
    /// Acceleration of ADMM.
    #[non_exhaustive]
    pub enum Acceleration: Anderson {
        /// As published.
        None = "none",
        /// Anderson acceleration on Dx + u, safeguarded.
        Anderson = "anderson",
        /// Over-relaxation by the factor `relaxation`.
        OverRelaxation = "over_relaxation",
        /// Chebyshev's semi-iterative method for the spectral radius `spectral_radius`.
        Chebyshev = "chebyshev",
    }
}

choice! {
    /// The first Hessian of `quasi_newton`.
    pub enum FirstHessian: Matrix {
        /// The matrix of ADMM, factored once.
        Matrix = "matrix",
        /// A multiple of the identity, as in textbooks and in Fig. 2 of the paper.
        Identity = "identity",
    }
}

choice! {
    /// How contact with obstacles is carried where bodies do not touch each other; where they may, contact is by a potential.
    #[non_exhaustive]
    pub enum ContactMethod: Delassus {
        /// Signorini's and Coulomb's law by Gauss–Seidel on the Delassus operator, exactly. All methods but `position` have it.
        #[serde(alias = "potential")]
        Delassus = "delassus",
        /// A term per node that takes it out of obstacles, as in the paper. `admm` only.
        Local = "local",
        /// Uzawa's method with conjugate gradients on the factored matrix, without friction. `admm` only.
        Uzawa = "uzawa",
        /// Gauss–Seidel over nodes instead of the factored matrix, without friction. `admm` only.
        Nodal = "nodal",
    }
}

choice! {
    /// The order in which `position` projects constraints.
    pub enum Sweep: GaussSeidel {
        /// One after the other, each seeing what those before it did.
        GaussSeidel = "gauss_seidel",
        /// All at once, averaged, together with inertia.
        Jacobi = "jacobi",
    }
}

choice! {
    /// Where a step's iteration starts.
    pub enum Start: Best {
        /// At x̃, where the body would go without elastic forces; as published.
        Inertia = "inertia",
        /// At the lowest objective among x̃, x, x + Δt v, that plus gravity as far as it acted in the last step, and that plus
        /// the last acceleration.
        Best = "best",
    }
}
