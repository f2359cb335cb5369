//! Bodies whose mesh is not what was meant, or will not move as it should.
use supple::mesh::quality::{inspect, tet_quality};
use supple::scene::Look;
use supple::scene::Program;
use supple::scene::file::{Body, Order, SceneFile};

use super::short;

/// Tetrahedra below this quality slow a solver down; as `supple mesh info` has it.
const POOR: f64 = 0.1;
/// Distance at which contact begins, as a part of the mean edge: below, steps become short long before anything is seen of it.
const THIN: f64 = 1e-3;

pub fn look(file: &SceneFile, program: &Program) -> Vec<String> {
    let x = program.simulation.positions();
    let mut all = Vec::new();
    for (table, (body, look)) in file.body.iter().zip(program.simulation.bodies().iter().zip(&program.bodies))
    {
        let at = x.get(body.first_node..body.first_node + body.nodes).unwrap_or(&[]);
        if !look.tets.is_empty() {
            all.extend(solid(table, look, at));
        } else if !look.surface.is_empty() {
            all.extend(sheet(file, table, look, at));
        }
    }
    all
}

fn solid(table: &Body, look: &Look, at: &[[f64; 3]]) -> Vec<String> {
    let name = &look.name;
    let mut all = Vec::new();
    let corner = |v: u32| at.get(v as usize).copied().unwrap_or_default();
    let moved =
        table.start.collapse.is_some() || table.start.randomise.is_some() || table.start.stretch.is_some();
    if !moved {
        let poor = look.tets.iter().filter(|t| tet_quality(t.map(corner)) < POOR).count();
        if poor > 0 {
            all.push(format!(
                "body `{name}`: {poor} of {} tetrahedra are slivers (quality below {POOR}), which makes every step slower and stiffer; \
                 `supple mesh info` shows them, `supple mesh fill` makes better ones from the surface",
                look.tets.len()
            ));
        }
    }
    // Every node on the boundary: one element from side to side.
    let mut outside = vec![false; at.len()];
    look.surface.iter().flatten().for_each(|&v| {
        if let Some(o) = outside.get_mut(v as usize) {
            *o = true;
        }
    });
    let corners_only = look.tets.iter().flatten().all(|&v| outside.get(v as usize) == Some(&true));
    let known = look.notes.iter().any(|n| n.contains("bend too little"));
    if corners_only && table.average.is_off() && table.order != Some(Order::Two) && !known {
        all.push(format!(
            "body `{name}`: it is one element thick everywhere and will bend far too little; take more `cells`, or `order = 2`"
        ));
    }
    all
}

fn sheet(file: &SceneFile, table: &Body, look: &Look, at: &[[f64; 3]]) -> Vec<String> {
    let name = &look.name;
    let mut all = Vec::new();
    let report = inspect(at, &[], &look.surface);
    let b = report.boundary;
    if let Some(path) = &table.mesh
        && table.cloth.is_none()
        && b.open_edges + b.non_manifold_edges + b.flipped_edges == 0
    {
        all.push(format!(
            "body `{name}`: {path} is a closed surface and becomes a hollow shell 1 mm thick; for a solid fill it: \
             `fill = {{ tets = 10000 }}`; if a shell is meant, say so with `cloth = {{ thickness = … }}`"
        ));
    }
    let thickness = table.cloth.as_ref().map_or(0.001, |c| c.thickness);
    let Some(edges) = report.edges else { return all };
    if let Some(collide) = &file.collide {
        let gap = thickness.max(collide.thickness);
        if gap < THIN * edges.mean {
            all.push(format!(
                "body `{name}`: contact begins {} m from it, a {}th of its cells ({} m), which is too thin to be seen in time: steps will be \
                 many and small; give it `cloth = {{ thickness = {} }}` or more, or `[collide] thickness`",
                short(gap),
                short((edges.mean / gap).round()),
                short(edges.mean),
                short(10.0 * THIN * edges.mean)
            ));
        }
    }
    if thickness > edges.mean {
        all.push(format!(
            "body `{name}`: it is {} m thick, more than its cells are wide ({} m); a sheet is thin: make it thinner, or a solid of it",
            short(thickness),
            short(edges.mean)
        ));
    }
    all
}
