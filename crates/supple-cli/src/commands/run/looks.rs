//! From where the scene file wants to be seen, and which frames it wants to be written.
use supple::scene::Program;
use supple::scene::file::{Output, Quality};

use crate::export::Options;
use crate::picture::Camera;

/// Where the camera is, and how large and smooth pictures are.
pub fn aim(options: &mut Options, output: &Output, program: &Program) {
    options.camera = output.camera.map(|c| Camera {
        eye: c.position,
        target: c.target,
        up: [0.0, 1.0, 0.0],
        fov: c.fov.to_radians(),
    });
    options.follow =
        output.follow.as_ref().and_then(|name| program.bodies.iter().position(|b| b.name == *name));
    options.orbit = output.orbit.unwrap_or(0.0).to_radians();
    if let Some([width, height]) = output.size {
        options.size = (width, height);
    }
    options.look.samples = match output.quality.unwrap_or_default() {
        Quality::Draft => 1,
        Quality::Good => 4,
        Quality::Best => 8,
    };
}

/// Every how many-th frame is written.
pub fn every(output: &Output) -> u64 {
    output.every.unwrap_or(1).max(1)
}

/// True for a frame that is to be written.
pub fn wanted(output: &Output, frame: u64) -> bool {
    let start = output.start.unwrap_or(0);
    frame >= start
        && output.end.is_none_or(|end| frame <= end)
        && (frame - start).is_multiple_of(every(output))
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn frames_are_chosen() {
        let chosen = |every, start, end| {
            let output = Output { every, start, end, ..Output::default() };
            (0..12).filter(|&f| wanted(&output, f)).collect::<Vec<u64>>()
        };
        assert_eq!(chosen(None, None, None), (0..12).collect::<Vec<u64>>());
        assert_eq!(chosen(Some(4), None, None), [0, 4, 8]);
        assert_eq!(chosen(Some(3), Some(2), Some(9)), [2, 5, 8]);
    }
}
