//! How the scene file wants bodies and obstacles to look.
use supple::scene::file::{self, LabelText, ObstacleLook, SceneFile};

use crate::export::{Model, Pattern};

/// Gives colours, patterns and labels to the bodies of a model, and colours and glass to its obstacles.
pub fn dress(model: &mut Model, file: &SceneFile) {
    let mut obstacles = Vec::new();
    let mut tables = file.body.iter();
    for (number, body) in model.bodies.iter_mut().enumerate() {
        if body.obstacle {
            obstacles.push(number);
        } else if let Some(table) = tables.next() {
            body.colour = table.colour.as_ref().and_then(|c| c.rgb()).unwrap_or(body.colour);
            // Where a detailed surface is shown there is no sheet.
            body.sheet = body.sheet.map(|_| table.cloth.as_ref().map_or(0.0, |c| c.thickness));
            body.pattern = match table.pattern {
                None | Some(file::Pattern::Plain) => Pattern::Plain,
                Some(file::Pattern::Stripes) => Pattern::Stripes,
                Some(file::Pattern::Checker) => Pattern::Checker,
                Some(file::Pattern::Fibres) => Pattern::Fibres,
            };
            let coloured = |r: &file::Region| Some((r.select.clone(), r.colour.as_ref()?.rgb()?));
            body.parts = table.region.iter().filter_map(coloured).collect();
            body.label = match &table.label {
                Some(LabelText::Text(text)) => Some(text.clone()),
                Some(LabelText::Name(true)) => Some(body.name.clone()),
                Some(LabelText::Name(false)) | None => None,
            };
        }
    }
    for number in obstacles {
        let Some(body) = model.bodies.get_mut(number) else { continue };
        let named = |(i, o): &(usize, &supple::scene::ObstacleTable)| match &o.name {
            Some(name) => *name == body.name,
            None => format!("obstacle{i}") == body.name,
        };
        let Some((_, table)) = file.obstacle.iter().enumerate().find(named) else { continue };
        body.colour = table.colour.as_ref().and_then(|c| c.rgb()).unwrap_or(body.colour);
        body.glass = table.look == Some(ObstacleLook::Glass);
        if table.look == Some(ObstacleLook::Hidden) {
            body.surface.clear();
            body.edges.clear();
        }
    }
}
