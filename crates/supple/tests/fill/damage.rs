//! What harms a surface and must not harm its inside: holes, turned triangles, soups, shells. The measure is the volume, and which points a body covers.

use crate::shapes::{Mesh, Random, block, sphere};
use supple::mesh::fill::{FillSettings, fill};

/// Volume of the filled body against that of the undamaged one at the same size.
fn ratio(damaged: &Mesh, whole: &Mesh) -> f64 {
    let settings = FillSettings::size(0.1);
    let filled = fill(&damaged.surface(), &settings).unwrap().0.volume();
    filled / fill(&whole.surface(), &settings).unwrap().0.volume()
}

fn ball() -> Mesh {
    sphere(1.0, 20)
}

#[test]
fn missing_triangles() {
    let mut random = Random(1);
    for (share, near) in [(0.05, 0.005), (0.2, 0.03)] {
        let mut holes = ball();
        holes.triangles.retain(|_| random.next() > share);
        let off = ratio(&holes, &ball()) - 1.0;
        assert!(off.abs() < near, "{share}: {off}");
    }
}

/// A hole is closed by a surface near to a flat lid: a cap of height s = 1 − cos has the volume πs²(3 − s)/3.
#[test]
fn a_round_hole_is_closed() {
    let mut holed = ball();
    let cut = 0.35f64.cos();
    let vertices = holed.vertices.clone();
    holed.triangles.retain(|t| t.iter().any(|v| vertices[*v as usize][2] < cut));
    let s = 1.0 - cut;
    let cap = s * s * (3.0 - s) / 4.0;
    let off = ratio(&holed, &ball()) - 1.0;
    assert!(off < 0.0 && off > -2.0 * cap - 0.005, "{off} for a cap of {cap}");
}

#[test]
fn turned_triangles_are_turned_back() {
    let mut random = Random(2);
    for share in [0.1, 0.3] {
        let mut bad = ball();
        let mut count = 0;
        for t in &mut bad.triangles {
            if random.next() < share {
                t.swap(1, 2);
                count += 1;
            }
        }
        let (mesh, report) = fill(&bad.surface(), &FillSettings::size(0.1)).unwrap();
        let (whole, _) = fill(&ball().surface(), &FillSettings::size(0.1)).unwrap();
        assert_eq!(report.turned, count);
        assert_eq!(mesh.tets(), whole.tets());
    }
}

#[test]
fn a_soup_with_gaps_and_seams() {
    let off = ratio(&ball().soup(0.02), &ball()) - 1.0;
    assert!(off.abs() < 0.02, "{off}");
    // Vertices that are only copied, as at UV seams and in STL files, are welded.
    let seams = ball().soup(0.0);
    let (mesh, report) = fill(&seams.surface(), &FillSettings::size(0.1)).unwrap();
    assert_eq!((report.open_edges, report.welded), (0, seams.vertices.len() - ball().vertices.len()));
    assert!((mesh.volume() / ball().volume() - 1.0).abs() < 0.02);
}

#[test]
fn shells_overlap() {
    // The union of a ball and a block that is half sunk into it, not their sum.
    let both = ball().with(&block([0.5, -0.3, -0.3], [1.5, 0.3, 0.3]));
    let (mesh, report) = fill(&both.surface(), &FillSettings::size(0.08)).unwrap();
    let mut random = Random(5);
    let (mut inside, count) = (0, 200_000);
    for _ in 0..count {
        let p = [2.5 * random.next() - 1.0, 2.0 * random.next() - 1.0, 2.0 * random.next() - 1.0];
        let in_ball = p.iter().map(|c| c * c).sum::<f64>() < 1.0;
        let in_block = (0.5..1.5).contains(&p[0]) && p[1].abs() < 0.3 && p[2].abs() < 0.3;
        inside += usize::from(in_ball || in_block);
    }
    let union = 10.0 * inside as f64 / count as f64;
    assert!((mesh.volume() / union - 1.0).abs() < 0.03, "{} for {union}", mesh.volume());
    assert_eq!((report.shells, report.surface_volume), (2, None));
}

#[test]
fn inside_out_is_turned() {
    let (mesh, report) = fill(&ball().turned().surface(), &FillSettings::size(0.1)).unwrap();
    assert_eq!(report.shells_turned, 1);
    assert!((mesh.volume() / ball().volume() - 1.0).abs() < 0.02);
    // Open and inside out.
    let mut open = ball().turned();
    open.triangles.truncate(open.triangles.len() - 40);
    let (mesh, _) = fill(&open.surface(), &FillSettings::size(0.1)).unwrap();
    assert!((mesh.volume() / ball().volume() - 1.0).abs() < 0.05);
    // One of two shells beside each other.
    let two = ball().with(&sphere(0.5, 10).map(|p| [p[0] + 3.0, p[1], p[2]]).turned());
    let (mesh, report) = fill(&two.surface(), &FillSettings::size(0.1)).unwrap();
    assert_eq!(report.shells_turned, 1);
    assert!((mesh.volume() / (ball().volume() + sphere(0.5, 10).volume()) - 1.0).abs() < 0.03);
}

#[test]
fn copies_and_slivers_are_dropped() {
    let mut bad = ball();
    let first = bad.triangles[0];
    bad.triangles.extend([first, [first[1], first[2], first[0]], [first[0], first[0], first[1]]]);
    let (mesh, report) = fill(&bad.surface(), &FillSettings::size(0.1)).unwrap();
    assert_eq!((report.doubled, report.degenerate, report.open_edges), (2, 1, 0));
    assert!((mesh.volume() / ball().volume() - 1.0).abs() < 0.02);
}
