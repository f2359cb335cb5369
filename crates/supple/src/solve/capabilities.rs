//! Which method takes which terms, contacts and links. Every refusal comes from here, and names what takes it instead.
//!
//! That ways to contact other than `delassus` are for `admm` alone is a matter of settings: `Settings::validate` says it.

use crate::contact::Obstacle;
use crate::error::BuildError;
use crate::settings::{ContactMethod, FirstHessian, Method, SolveSettings};
use crate::term::{TermBatch, TermSet};

/// The terms that a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Every term, hard constraints too.
    All,
    /// Those with an energy.
    Soft,
    /// Those whose energy is the distance to a set: `arap`, springs, anchors, soft limits.
    Distances,
}

/// What a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Terms.
    pub terms: Terms,
    /// Contact with obstacles.
    pub obstacles: bool,
    /// Contact of bodies with each other.
    pub bodies: bool,
    /// Sliding constraints, attachments and stitches.
    pub links: bool,
    /// Its steps can be differentiated: it minimises (5).
    pub derivatives: bool,
}

/// The methods in the order in which a message offers them.
const OFFERED: [Method; 6] =
    [Method::Auto, Method::Admm, Method::Newton, Method::QuasiNewton, Method::Projective, Method::Position];

/// What a method takes. All of them take pins, also along some axes only.
pub const fn of(method: Method) -> Capabilities {
    let (terms, [obstacles, bodies, links, derivatives]) = match method {
        Method::Auto => (Terms::All, [true, true, true, true]),
        Method::Admm => (Terms::All, [true, false, true, true]),
        Method::Newton => (Terms::Soft, [true, true, true, true]),
        Method::QuasiNewton => (Terms::Soft, [true, false, true, true]),
        Method::Projective => (Terms::Distances, [true, false, false, true]),
        Method::Position => (Terms::Soft, [false, false, false, false]),
    };
    Capabilities { terms, obstacles, bodies, links, derivatives }
}

/// What a way to contact takes besides obstacles without friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactCapabilities {
    /// Friction of obstacles.
    pub friction: bool,
    /// Bodies that touch each other, for which it stands aside, and links.
    pub bodies_and_links: bool,
}

/// What a way to contact takes.
pub const fn of_contact(way: ContactMethod) -> ContactCapabilities {
    let (friction, bodies_and_links) = match way {
        ContactMethod::Delassus => (true, true),
        ContactMethod::Local => (true, false),
        ContactMethod::Uzawa | ContactMethod::Nodal => (false, false),
    };
    ContactCapabilities { friction, bodies_and_links }
}

/// What a scene asks of a method.
pub struct Demands<'a> {
    /// Its terms.
    pub terms: &'a TermSet,
    /// Names of its bodies.
    pub names: Vec<&'a str>,
    /// Its obstacles.
    pub obstacles: &'a [Obstacle],
    /// True if bodies may touch each other.
    pub bodies: bool,
    /// What its first link is, and whose.
    pub link: Option<(&'a str, u32)>,
}

impl Demands<'_> {
    /// ` of body …`, where a batch comes from one.
    fn of_body(&self, batch: &dyn TermBatch) -> String {
        let name = batch.origin(0).and_then(|(body, _)| self.names.get(body as usize));
        name.map_or(String::new(), |name| format!(" of body `{name}`"))
    }
}

/// The methods with a capability, as a message offers them.
fn offer(has: impl Fn(&Capabilities) -> bool) -> String {
    let names: Vec<String> =
        OFFERED.iter().filter(|m| has(&of(**m))).map(|m| format!("`{}`", m.as_str())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn refuse(name: &'static str, reason: String) -> Result<(), BuildError> {
    Err(BuildError::Setting { name, reason })
}

/// That the settings' method takes all that a scene asks for.
pub fn check(settings: &SolveSettings, scene: &Demands<'_>) -> Result<(), BuildError> {
    let method = settings.method;
    let capable = of(method);
    // A multiple of the identity is no metric in which contacts could be solved.
    let identity = method == Method::QuasiNewton && settings.first_hessian == FirstHessian::Identity;
    let (setting, what) = match identity {
        true => ("solve.first_hessian", "`quasi_newton` with the `identity`".to_string()),
        false => ("solve.method", format!("`{method}`")),
    };
    if (scene.bodies || !scene.obstacles.is_empty()) && (identity || !capable.obstacles) {
        let of = scene
            .obstacles
            .first()
            .map_or("contact between bodies".into(), |o| format!("the obstacle `{}`", o.name));
        let offer = offer(|c| c.obstacles && (c.bodies || !scene.bodies));
        return refuse(setting, format!("{what} cannot take {of}: use {offer}"));
    }
    if scene.bodies && !capable.bodies {
        let offer = offer(|c| c.bodies);
        return refuse("solve.method", format!("`{method}` cannot take contact between bodies: use {offer}"));
    }
    if scene.bodies
        && let Some(b) = scene.terms.batches().iter().find(|b| b.hard().is_some())
    {
        let reason = format!(
            "contact between bodies and the hard `{}` elements{} cannot be solved together: make these soft, or leave out `collide`",
            b.name(),
            scene.of_body(b.as_ref())
        );
        return refuse("collide", reason);
    }
    let takes = |b: &dyn TermBatch| match capable.terms {
        Terms::All => true,
        Terms::Soft => b.hard().is_none(),
        Terms::Distances => b.projective(),
    };
    if let Some(b) = scene.terms.batches().iter().find(|b| !takes(b.as_ref())) {
        let instead = match capable.terms {
            Terms::Distances => "it takes `arap`, springs, anchors and soft limits".into(),
            _ => format!("they are hard constraints, use {}", offer(|c| c.terms == Terms::All)),
        };
        let (name, of) = (b.name(), scene.of_body(b.as_ref()));
        return refuse(
            "solve.method",
            format!("`{method}` cannot take the `{name}` elements{of}: {instead}"),
        );
    }
    if let Some((kind, body)) = scene.link.filter(|_| identity || !capable.links) {
        let body = scene.names.get(body as usize).unwrap_or(&"");
        let offer = offer(|c| c.links);
        return refuse(setting, format!("{what} cannot take the {kind} of body `{body}`: use {offer}"));
    }
    check_contact(settings.contact, scene)
}

/// That the way to contact takes what may touch.
fn check_contact(way: ContactMethod, scene: &Demands<'_>) -> Result<(), BuildError> {
    let capable = of_contact(way);
    let rough = scene.obstacles.iter().find(|o| o.friction > 0.0);
    let what = if capable.bodies_and_links {
        None
    } else if scene.bodies {
        Some("contact between bodies".into())
    } else {
        scene.link.map(|(kind, _)| format!("`{kind}`"))
    };
    let friction = || match (capable.friction, rough) {
        (false, Some(o)) => Some(format!("the friction of obstacle `{}`", o.name)),
        _ => None,
    };
    match what.or_else(friction) {
        Some(what) => {
            refuse("solve.contact", format!("`{}` cannot take {what}: use `delassus`", way.as_str()))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_name_those_that_are_able() {
        assert_eq!(offer(|c| c.obstacles), "`auto`, `admm`, `newton`, `quasi_newton` or `projective`");
        assert_eq!(offer(|c| c.links), "`auto`, `admm`, `newton` or `quasi_newton`");
        assert_eq!(offer(|c| c.bodies), "`auto` or `newton`");
        assert_eq!(offer(|c| c.terms == Terms::All), "`auto` or `admm`");
    }
}
