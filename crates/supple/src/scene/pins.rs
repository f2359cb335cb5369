//! Nodes that two pins hold: fine if both want the same, an error if not.

use super::file::Pin;
use super::parse::SceneError;

/// Which pin holds each node of each body.
pub(super) struct Holders<'a> {
    pins: &'a [Pin],
    /// Number of the pin of each node, or [`NOBODY`], body by body.
    of: Vec<Vec<usize>>,
    /// Default centre of the turns of each pin.
    centres: Vec<Option<[f64; 3]>>,
}

const NOBODY: usize = usize::MAX;

impl<'a> Holders<'a> {
    /// For bodies of so many nodes.
    pub fn new(pins: &'a [Pin], nodes: impl Iterator<Item = usize>) -> Holders<'a> {
        Holders { pins, of: nodes.map(|n| vec![NOBODY; n]).collect(), centres: vec![None; pins.len()] }
    }

    /// Notes that pin `number` holds these nodes, around `centre`; an error if another one moves one of them otherwise.
    pub fn add(
        &mut self,
        number: usize,
        body: usize,
        ids: &[u32],
        centre: [f64; 3],
    ) -> Result<(), SceneError> {
        let (Some(own), Some(at)) = (self.pins.get(number), self.centres.get_mut(number)) else {
            return Ok(());
        };
        *at = Some(centre);
        let Some(of) = self.of.get_mut(body) else { return Ok(()) };
        // Pairs of pins that have been found to agree, so that each is looked at once.
        let mut agrees = NOBODY;
        for &id in ids {
            let Some(holder) = of.get_mut(id as usize) else { continue };
            let before = std::mem::replace(holder, number);
            if before == NOBODY || before == number || before == agrees {
                continue;
            }
            // What holds other coordinates is no rival.
            let Some((other, other_centre)) = self.pins.get(before).zip(self.centres.get(before)) else {
                continue;
            };
            if other.held().iter().zip(own.held()).all(|(a, b)| !(*a && b)) {
                continue;
            }
            if !alike(other, own, *other_centre == Some(centre)) {
                let message = format!(
                    "node {id} of body `{}` is held by pin[{before}] too, with another motion",
                    own.body
                );
                let hint = "a node can follow one motion only: select it in one of the two pins".to_string();
                let key = format!("pin[{number}].select");
                return Err(SceneError { hint: Some(hint), ..SceneError::at(key, message) });
            }
            agrees = before;
        }
        Ok(())
    }
}

/// True if two pins move a node alike. Turns without a centre of their own are about that of the selection.
fn alike(a: &Pin, b: &Pin, same_centre: bool) -> bool {
    let turns = |p: &Pin| p.motion.iter().any(|k| k.rotate.is_some() && k.centre.is_none());
    a.motion == b.motion && (same_centre || !turns(a))
}
