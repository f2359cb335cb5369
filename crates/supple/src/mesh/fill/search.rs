//! One pass from a size to a body, and passes until the number of tetrahedra is right.

use super::clean::Clean;
use super::error::FillError;
use super::inside::{Placed, Shape, along, root};
use super::lattice::position;
use super::report::{FillReport, dihedral, lost_area, thicknesses};
use super::tidy::{Tidied, boundary, compact, keep, part, parts};
use super::tree::Tree;
use super::{FillSettings, Fineness, Kind, OnProgress, PartsKept, Progress, Stage, cage, fraction, stuff};
use crate::exec::Exec;
use crate::math::elementary::{cbrt, ln, pow};
use crate::mesh::{TetMesh, tet_volume};

/// How far `grow` moves the surface, in sizes.
const GROWTH: f64 = 0.4;
/// Distances beyond this, in sizes, count as this while the grown surface is sought.
const FURTHEST: f64 = 0.95;
/// Room around the shape, in sizes: so that the outermost nodes are outside.
const ROOM: f64 = 1.0;
/// Shares by which the number of tetrahedra may differ for no further pass: at first, and after some.
const CLOSE: f64 = 0.04;
const CLOSE_ENOUGH: f64 = 0.09;
const PASSES: usize = 10;
/// Passes with the lattice in the middle of the shape, and where it is after them, in sizes: no fraction that a symmetry would have.
const CENTRED: usize = 5;
const ASIDE: [f64; 3] = [0.13, 0.29, 0.41];
/// The share of an open surface that must have an inside behind it. Of a wavy sheet about a half does, of a bowl all.
const LEAST_BACKED: f64 = 0.6;
/// The least share of the size guessed from the volume that is tried: of a body that is missed there more would be far too many.
const LEAST_GUESS: f64 = 0.3;
/// What an open surface encloses, as a share of its area times the size, that is taken for nothing: shadows of its edges.
const NEARLY_NOTHING: f64 = 0.15;
/// Bytes for a node of the lattice, and for a tetrahedron of the body, while filling.
const BYTES_PER_NODE: f64 = 24.0;
const BYTES_PER_TET: f64 = 600.0;
/// Nodes that the numbers of cuts allow.
const MOST_NODES: f64 = (1u64 << 30) as f64;

/// What one pass made; positions in lattice units.
struct Built<'a> {
    placed: Placed<'a>,
    vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    tidied: Tidied,
}

/// Fills triangles; turns a surface all of which is inside out.
pub(super) fn with_inside_out(
    clean: &mut Clean,
    settings: &FillSettings,
    exec: &Exec,
    progress: OnProgress,
) -> Result<(TetMesh, FillReport), FillError> {
    if !clean.closed() {
        let shape = Shape::triangles(clean);
        let placed = Placed::new(&shape, 0.05 * clean.diagonal(), ROOM, [0.0; 3], exec);
        let count = |test: fn(f32) -> bool| placed.winding.iter().filter(|w| test(**w)).count();
        if count(|w| w < -0.5) <= 4 * count(|w| w > 0.5) {
            return fill(&shape, settings, exec, progress);
        }
        clean.turn_all();
    }
    fill(&Shape::triangles(clean), settings, exec, progress)
}

/// Volume inside, from the triangles if they are closed, from a lattice otherwise.
pub(super) fn volume(shape: &Shape, exec: &Exec) -> f64 {
    if let Shape::Triangles { clean, .. } = shape
        && clean.closed()
        && !cancels(clean)
    {
        return clean.volume();
    }
    let bounds = shape.bounds();
    let diagonal = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
    let h = diagonal / 40.0;
    let placed = Placed::new(shape, h, ROOM, [0.0; 3], exec);
    let inside = (0..placed.winding.len()).filter(|&v| placed.node_inside(v)).count();
    0.5 * inside as f64 * h * h * h
}

/// A size for a number of tetrahedra: a body has about 12.9 V/h³ of them, and `grow` and `cage` reach beyond its surface.
pub(super) fn guess(volume: f64, area: f64, tets: usize, kind: Kind) -> f64 {
    let (reach, factor) = match kind {
        Kind::Conform => (0.0, 12.9),
        Kind::Grow => (GROWTH, 12.9),
        Kind::Cage => (0.44, 12.0),
    };
    let mut h = cbrt(factor * volume / tets as f64);
    for _ in 0..20 {
        h = cbrt(factor * (volume + reach * h * area) / tets as f64);
    }
    h
}

/// The values below which 5 % and 50 % of an ascending list are.
pub(super) fn quantiles(ways: &[f64]) -> Option<[f64; 2]> {
    let at = |share: f64| ways.get((share * ways.len() as f64) as usize).copied();
    Some([at(0.05)?, at(0.5)?])
}

/// Fills a shape.
pub(super) fn fill(
    shape: &Shape,
    settings: &FillSettings,
    exec: &Exec,
    progress: OnProgress,
) -> Result<(TetMesh, FillReport), FillError> {
    let mut report = FillReport { kind: settings.kind, ..FillReport::default() };
    let bounds = shape.bounds();
    let diagonal = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
    if let Shape::Triangles { clean, .. } = shape {
        report.cleaned(clean);
    }
    if let Some(backed) = shape.backed(exec).filter(|share| *share < LEAST_BACKED)
        && let Shape::Triangles { clean, .. } = shape
    {
        let reason = format!(
            "it is open along {} edges, and only {:.0} % of it has an inside behind it; if it is a sheet, simulate it as one (`cloth`), otherwise turn its triangles to face outwards or close its holes",
            clean.open_edges,
            100.0 * backed
        );
        return Err(FillError::NoInside { reason });
    }
    let built = match settings.fineness {
        Fineness::Size(h) => {
            report.passes = 1;
            pass(shape, h, settings, exec, progress, 1)?
        }
        Fineness::Default => {
            (report.passes, report.default_size) = (1, true);
            pass(shape, diagonal / 30.0, settings, exec, progress, 1)?
        }
        Fineness::Tets(n) => {
            report.asked = Some(n);
            let (built, passes) = by_number(shape, n, settings, exec, progress)?;
            report.passes = passes;
            built
        }
    };
    if built.tets.is_empty() {
        return Err(nothing(shape, &built.placed, exec));
    }
    finish(shape, built, report, exec, progress)
}

/// Tries sizes until the number of tetrahedra is close to what is asked for.
fn by_number<'a>(
    shape: &'a Shape<'a>,
    asked: usize,
    settings: &FillSettings,
    exec: &Exec,
    progress: &mut (dyn FnMut(Progress) -> bool + Send),
) -> Result<(Built<'a>, usize), FillError> {
    let bounds = shape.bounds();
    let diagonal = (0..3).map(|c| (bounds[1][c] - bounds[0][c]).powi(2)).sum::<f64>().sqrt();
    let volume = volume(shape, exec).abs();
    let area = match shape {
        Shape::Triangles { clean, .. } => clean.area(),
        // Of a ball of that volume, and some more.
        Shape::Field { .. } => 6.0 * pow(volume, 2.0 / 3.0),
    };
    // What encloses nothing has no size for a number: one pass says why.
    let hollow = volume < 1e-9 * diagonal.powi(3);
    let mut h = match hollow {
        true => diagonal / 60.0,
        false => guess(volume, area, asked, settings.kind).clamp(1e-5 * diagonal, 0.5 * diagonal),
    };
    let mut best: Option<(f64, Built)> = None;
    let mut before: Option<(f64, f64)> = None;
    let mut passes = 0;
    let least = LEAST_GUESS * h;
    while passes < PASSES {
        passes += 1;
        let built = pass(shape, h, settings, exec, progress, passes)?;
        let ratio = built.tets.len() as f64 / asked as f64;
        let off = (ratio - 1.0).abs();
        let better = best.as_ref().is_none_or(|(least, _)| off < *least);
        // How the number falls with the size: the cube for a solid, less for thin parts and cages.
        let slope = match before.filter(|_| passes != CENTRED + 1) {
            Some((other, r)) if r > 0.0 && ratio > 0.0 && other != h => {
                (ln(ratio / r) / ln(h / other)).clamp(-4.0, -1.5)
            }
            _ => -3.0,
        };
        before = Some((h, ratio));
        if better {
            best = Some((off, built));
        }
        let too_thin = ratio < 1.0 && h <= least;
        if hollow
            || too_thin
            || off <= CLOSE
            || passes >= 3 && best.as_ref().is_some_and(|(off, _)| *off <= CLOSE_ENOUGH)
        {
            break;
        }
        h *= if ratio > 0.0 { pow(ratio, -1.0 / slope).clamp(0.4, 2.5) } else { 0.5 };
        h = h.max(least);
    }
    best.map(|(_, built)| (built, passes)).ok_or(FillError::Stopped)
}

/// Refuses a lattice that would not fit, before anything of it is allocated.
fn fits(shape: &Shape, h: f64, settings: &FillSettings) -> Result<(), FillError> {
    let cells = Placed::cells(shape.bounds(), h, ROOM + 1.0);
    let nodes = 2.0 * cells[0] * cells[1] * cells[2];
    let volume = match shape {
        Shape::Triangles { clean, .. } if clean.closed() => clean.volume().abs(),
        _ => 0.0,
    };
    let bytes = BYTES_PER_NODE * nodes + BYTES_PER_TET * 12.9 * volume / (h * h * h);
    let memory = settings.memory;
    if bytes <= memory as f64 && nodes < MOST_NODES {
        return Ok(());
    }
    let enough = h * cbrt((bytes / memory as f64).max(nodes / MOST_NODES)) * 1.05;
    Err(FillError::Memory { size: h, nodes, bytes, memory, enough })
}

/// From a size to tetrahedra without hinges.
fn pass<'a>(
    shape: &'a Shape<'a>,
    h: f64,
    settings: &FillSettings,
    exec: &Exec,
    progress: &mut (dyn FnMut(Progress) -> bool + Send),
    number: usize,
) -> Result<Built<'a>, FillError> {
    let mut tell = |stage, done| match progress(Progress { stage, pass: number, done }) {
        true => Ok(()),
        false => Err(FillError::Stopped),
    };
    fits(shape, h, settings)?;
    tell(Stage::Inside, 0.1)?;
    let room = if settings.kind == Kind::Conform { ROOM } else { ROOM + 1.0 };
    // Symmetric shapes go in leaps: after some passes the lattice leaves their middle.
    let shift = if number <= CENTRED { [0.0; 3] } else { ASIDE };
    let placed = Placed::new(shape, h, room + if number <= CENTRED { 0.0 } else { 1.0 }, shift, exec);
    tell(Stage::Tetrahedra, 0.4)?;
    let mut tidied = Tidied::default();
    let (mut vertices, mut tets) = match settings.kind {
        Kind::Conform | Kind::Grow => {
            let stuffed = stuffing(&placed, settings.kind, exec);
            (stuffed.vertices, stuffed.tets)
        }
        Kind::Cage => {
            let chosen = cage::cage(&placed, exec, &mut tidied);
            let (nodes, tets) = compact(&placed.lattice, chosen.into_iter());
            (nodes.into_iter().map(|id| position(placed.lattice.node(id))).collect(), tets)
        }
    };
    tell(Stage::Tidy, 0.6)?;
    if settings.kind != Kind::Cage {
        part(&mut vertices, &mut tets, &mut tidied);
    }
    if !tets.is_empty() {
        let stays = parts(&vertices, &tets, settings.parts == PartsKept::Largest, &mut tidied);
        keep(&mut vertices, &mut tets, &stays);
    }
    Ok(Built { placed, vertices, tets, tidied })
}

fn stuffing(placed: &Placed, kind: Kind, exec: &Exec) -> stuff::Stuffed {
    let lattice = &placed.lattice;
    let tree = if kind == Kind::Grow { placed.tree() } else { Tree::default() };
    let near = |p: [f64; 3], most: f64| tree.nearest(p, most * most).map(|(square, _)| square.sqrt());
    // Negative in the body and within its growth; a signed distance near the grown surface.
    let grown = |p: [f64; 3]| {
        let away = near(p, FURTHEST).unwrap_or(FURTHEST);
        if placed.inside(p) { -away - GROWTH } else { away - GROWTH }
    };
    let mut sign = vec![-1i8; lattice.node_count()];
    exec.for_each_chunk(&mut sign, 1024, |piece, sign| {
        for (i, sign) in sign.iter_mut().enumerate() {
            let id = 1024 * piece + i;
            let inside = placed.node_inside(id)
                || kind == Kind::Grow && near(position(lattice.node(id)), GROWTH).is_some();
            if inside {
                *sign = 1;
            }
        }
    });
    let cut = |id: usize, direction: usize| {
        let node = lattice.node(id);
        let step = super::lattice::DIRECTIONS[direction];
        let other = std::array::from_fn(|c| node[c] + step[c]);
        if kind == Kind::Conform || placed.grid.is_none() {
            return placed.cut(node, other);
        }
        let (p, q) = (position(node), position(other));
        root(|s| grown(along(p, q, s)), 1e-3)
    };
    stuff::stuff(lattice, sign, cut, exec)
}

/// Fractions, measures, and back to metres.
fn finish(
    shape: &Shape,
    built: Built,
    mut report: FillReport,
    exec: &Exec,
    progress: OnProgress,
) -> Result<(TetMesh, FillReport), FillError> {
    let Built { placed, vertices, tets, tidied } = built;
    let mut tell = |stage, done| match progress(Progress { stage, pass: report.passes, done }) {
        true => Ok(()),
        false => Err(FillError::Stopped),
    };
    let fill = match report.kind {
        Kind::Conform => Vec::new(),
        _ => {
            tell(Stage::Fractions, 0.7)?;
            let (mut fill, some) = fraction::fractions(&placed, &vertices, &tets, exec);
            let known = known_volume(shape, &placed);
            // What slips between all points still has its volume.
            if !some && known.is_none_or(|volume| volume <= 0.0) {
                return Err(nothing(shape, &placed, exec));
            }
            if let Some(volume) = known {
                fraction::balance(&mut fill, &vertices, &tets, volume / placed.h.powi(3));
            }
            fill
        }
    };
    let cube = placed.h.powi(3);
    let share = |e: usize| fill.get(e).copied().unwrap_or(1.0);
    report.volume = tets
        .iter()
        .enumerate()
        .map(|(e, t)| share(e) * cube * tet_volume(t.map(|v| vertices[v as usize])))
        .sum();
    if let Shape::Triangles { clean, .. } = shape
        && match clean.closed() {
            true => encloses_nothing(clean, &placed),
            false => report.volume < NEARLY_NOTHING * clean.area() * placed.h,
        }
    {
        return Err(nothing(shape, &placed, exec));
    }
    tell(Stage::Measure, 0.85)?;
    report.size = placed.h;
    (report.nodes, report.tets) = (vertices.len(), tets.len());
    report.dihedral = dihedral(&vertices, &tets, exec);
    report.parts = tidied.parts;
    report.parts_dropped = tidied.dropped;
    report.dropped_volume = tidied.dropped_volume;
    report.split_nodes = tidied.split;
    report.hinges_dropped = tidied.hinges;
    report.joined = tidied.added;
    if let Shape::Triangles { clean, .. } = shape {
        let ways = thicknesses(clean, exec);
        report.thickness = quantiles(&ways);
        report.thin = ways.iter().filter(|w| **w < 2.0 * placed.h).count() as f64 / ways.len().max(1) as f64;
        report.lost_area =
            lost_area(clean, |p| placed.to_lattice(p), &vertices, &boundary(&tets, vertices.len()), exec);
        report.surface_volume = known_volume(shape, &placed);
        report.volume_error = report.surface_volume.map(|volume| report.volume / volume - 1.0);
    }
    let vertices = vertices.into_iter().map(|p| placed.to_world(p)).collect();
    let mesh = TetMesh::new(vertices, tets).and_then(|mesh| mesh.with_fill(fill));
    let mesh =
        mesh.map_err(|e| FillError::NoInside { reason: format!("the result is not a valid mesh ({e})") })?;
    Ok((mesh, report))
}

/// The volume inside of a closed surface in m³. Where shells overlap, the triangles count a volume twice, and where one is inside out, against
/// it: then it is not known.
fn known_volume(shape: &Shape, placed: &Placed) -> Option<f64> {
    match shape {
        Shape::Triangles { clean, .. }
            if clean.closed() && placed.winding.iter().all(|w| *w > -0.5 && *w < 1.5) =>
        {
            Some(clean.volume())
        }
        _ => None,
    }
}

/// Whether the volume below the triangles of a closed surface cancels: those of a sheet with two sides, or of a surface that passes through
/// itself and encloses as much inside out as it does otherwise.
fn cancels(clean: &Clean) -> bool {
    clean.volume().abs() < 1e-6 * pow(clean.area(), 1.5)
}

/// Whether a closed surface is a sheet with two sides.
fn encloses_nothing(clean: &Clean, placed: &Placed) -> bool {
    cancels(clean) && placed.winding.iter().all(|w| *w < 0.5)
}

/// Why nothing is inside.
fn nothing(shape: &Shape, placed: &Placed, exec: &Exec) -> FillError {
    let largest = placed.winding.iter().fold(0.0f32, |a, b| a.max(*b));
    let Shape::Triangles { clean, .. } = shape else {
        return FillError::NoInside {
            reason: format!(
                "the function is negative at no node of a lattice of size {:.3e} m; take a smaller size, or check the sign of the function and the box",
                placed.h
            ),
        };
    };
    let reason = if !clean.closed() {
        let found = match largest > 0.5 {
            false => format!("its winding number is at most {largest:.2} (above 0.5 is inside)"),
            true => format!(
                "what lies inside of it are crumbs, smaller than a few tetrahedra of size {:.3e} m",
                placed.h
            ),
        };
        format!(
            "it is open along {} edges, and {found}; close its holes, take a smaller size if it is thin, or simulate it as a sheet (`cloth`)",
            clean.open_edges
        )
    } else if encloses_nothing(clean, placed) {
        "its triangles enclose no volume (a sheet with two sides?); simulate it as a sheet (`cloth`)".into()
    } else {
        let thick = quantiles(&thicknesses(clean, exec)).map_or(placed.h, |[_, middle]| middle);
        format!(
            "a lattice of size {:.3e} m misses it, since the body is about {thick:.3e} m thick; take a size of {:.3e} m or less, or kind `cage`",
            placed.h,
            0.5 * thick
        )
    };
    FillError::NoInside { reason }
}
