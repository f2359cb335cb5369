//! What a step says about its contacts.

report! {
    /// What a step says about its contacts and links; part of [`StepReport`](crate::StepReport).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ContactReport {
        /// Contacts that bear a force.
        contacts: usize, last;
        /// Contacts that were looked at.
        candidates: usize, last;
        /// Largest depth at the end of the step in m, measured anew: of a node inside an obstacle or another solid, or of the shorter end
        /// of an edge that passes through a triangle.
        max_penetration: f64, max;
        /// max_c s_c|λ_c − project(λ_c − y_c/s_c)| in m: how far contacts are from the law of Signorini and Coulomb. 0 exactly when
        /// it holds.
        contact_residual: f64, max;
        /// How far contact forces leave their friction cones, relative to the largest normal force.
        cone_violation: f64, max;
        /// Sweeps over the contacts, all iterations.
        sweeps: usize, sum;
        /// Bodies whose step was shortened because they would have passed through an obstacle, a body or themselves.
        islands_shortened: usize, sum;
        /// Nodes that were held back at the end of the step so that nothing passes through anything; they catch up later.
        held: usize, last;
        /// The largest way that they, or pins, lack, in m.
        held_way: f64, last;
        /// Smallest distance between bodies that touch each other, or obstacles, in m; infinite if none do, or contact is by rows.
        gap: f64, last;
        /// Largest d̂ − d of a pair that touches in m: how far they are nearer than without force.
        contact_offset: f64, last;
        /// Largest way in m that a contact gave in this step while it sticks; 0 at rest.
        stick_slip: f64, max;
        /// Lists of what may touch that were made in this step.
        detections: usize, sum;
        /// Largest distance of a linked node from where it should be, in m.
        link_gap: f64, max;
        /// Links that broke at the end of this step.
        links_broken: usize, sum;
    }
}

impl Default for ContactReport {
    /// Nothing touches anything.
    fn default() -> ContactReport {
        ContactReport {
            contacts: 0,
            candidates: 0,
            max_penetration: 0.0,
            contact_residual: 0.0,
            cone_violation: 0.0,
            sweeps: 0,
            islands_shortened: 0,
            held: 0,
            held_way: 0.0,
            gap: f64::INFINITY,
            contact_offset: 0.0,
            stick_slip: 0.0,
            detections: 0,
            link_gap: 0.0,
            links_broken: 0,
        }
    }
}
