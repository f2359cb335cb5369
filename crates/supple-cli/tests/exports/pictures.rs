//! Pictures and movies of runs.
use supple_cli::export::{ColourBy, ExportError, Floor, Format, Options, exporter, exporters};
use supple_cli::picture::{Bounds, Image};

use crate::scene::{Scene, Scratch, options};

fn decode(bytes: Vec<u8>) -> Image {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let (width, height) = reader.info().size();
    let mut image = Image::new(width, height);
    reader.next_frame(image.bytes_mut()).unwrap();
    image
}

/// Pixels that are more of one channel than of another, by a quarter of the range.
fn count(image: &Image, more: usize, less: usize) -> usize {
    image.bytes().chunks(3).filter(|p| i32::from(p[more]) - i32::from(p[less]) > 64).count()
}

#[test]
fn a_sequence_shows_the_bodies_in_their_colours() {
    let scene = Scene::new();
    let scratch = Scratch::new("png");
    scene.export(Format::Png, "run", &scratch.out(), 3, &options()).unwrap();
    let images: Vec<Image> = (0..4).map(|k| decode(scratch.read(&format!("run-{k:04}.png")))).collect();
    for image in &images {
        assert_eq!((image.width(), image.height()), (121, 91));
        assert!(count(image, 0, 2) > 300, "vermilion block");
        assert!(count(image, 2, 0) > 100, "blue cube");
    }
    assert!(images[0] != images[3], "they move");
}

#[test]
fn a_given_box_and_floor_are_kept() {
    let scene = Scene::new();
    let scratch = Scratch::new("box");
    let far = Bounds { low: [-40.0; 3], high: [40.0; 3] };
    let floor = Floor::Off;
    scene
        .export(Format::Png, "far", &scratch.out(), 0, &Options { bounds: Some(far), floor, ..options() })
        .unwrap();
    scene.export(Format::Png, "near", &scratch.out(), 0, &Options { floor, ..options() }).unwrap();
    let (far, near) = (decode(scratch.read("far-0000.png")), decode(scratch.read("near-0000.png")));
    assert!(count(&far, 0, 2) < 30 && count(&near, 0, 2) > 300);
}

#[test]
fn solids_are_coloured_by_a_field() {
    let scene = Scene::new();
    let scratch = Scratch::new("field");
    let by = ColourBy { field: "stretch".into(), title: "stretch".into(), range: None };
    let coloured = Options { colour_by: Some(by.clone()), size: (320, 240), ..options() };
    scene.export(Format::Png, "run", &scratch.out(), 1, &coloured).unwrap();
    scene
        .export(Format::Png, "plain", &scratch.out(), 1, &Options { size: (320, 240), ..options() })
        .unwrap();
    let (image, plain) = (decode(scratch.read("run-0001.png")), decode(scratch.read("plain-0001.png")));
    let vermilion = |image: &Image| {
        image.bytes().chunks(3).filter(|p| p[0] > p[1].saturating_add(80) && p[1] > p[2]).count()
    };
    assert!(vermilion(&plain) > 2000, "{}", vermilion(&plain));
    assert!(vermilion(&image) < 20, "{}", vermilion(&image));
    // The first body has the low values, violet, the second the high ones, yellow.
    assert!(image.bytes().chunks(3).any(|p| p[2] > p[1].saturating_add(30) && p[0] < 120), "violet");
    assert!(count(&image, 1, 2) > 50, "yellow");

    let by = ColourBy { field: "heat".into(), ..by };
    let error = scene
        .export(Format::Gif, "heat", &scratch.out(), 0, &Options { colour_by: Some(by), ..options() })
        .unwrap_err()
        .to_string();
    assert!(error.contains("no field \"heat\" to colour by, only stretch, stress"), "{error}");
}

#[test]
fn movies_keep_the_speed_of_nature() {
    let scene = Scene::small();
    let scratch = Scratch::new("movies");
    let out = scratch.out();
    // 100 frames per second, of which a GIF takes every other: 6 of 11, 2 hundredths each.
    let fast = Options { fps: 100.0, ..options() };
    scene.export(Format::Gif, "fast", &out, 10, &fast).unwrap();
    let file = scratch.read("fast.gif");
    let mut decoder = gif::DecodeOptions::new().read_info(file.as_slice()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (121, 91));
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert_eq!(delays, [2; 6]);

    scene.export(Format::Apng, "fast", &out, 10, &options()).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(scratch.read("fast.apng"))).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 11);
    let control = reader.info().frame_control.unwrap();
    assert_eq!((control.delay_num, control.delay_den), (40, 1000));
}

#[test]
fn mp4_is_written_or_says_what_is_missing() {
    let scene = Scene::new();
    let scratch = Scratch::new("mp4");
    match exporter(Format::Mp4, "run", scene.model.clone(), &options()) {
        Ok(_) => {
            scene.export(Format::Mp4, "run", &scratch.out(), 5, &options()).unwrap();
            assert_eq!(&scratch.read("run.mp4")[4..8], b"ftyp");
        }
        Err(error) => {
            assert!(matches!(error, ExportError::Missing { .. }));
            assert_eq!(error.to_string(), "ffmpeg was not found on the PATH, and an mp4 movie needs it");
        }
    }
}

/// Exports frames of a scene that moves away along x, 0.7 m per frame, and ends at once or in peace.
fn leaving(name: &str, scratch: &Scratch, options: &Options, hurry: bool) -> Vec<String> {
    let scene = Scene::new();
    let formats = [Format::Png, Format::Gif, Format::Apng];
    let mut writers = exporters(&formats, name, &scene.model, options).unwrap();
    assert_eq!(writers.len(), 1, "all pictures are drawn once");
    for index in 0..6 {
        let mut state = scene.state(index);
        state.positions.iter_mut().for_each(|p| p[0] += 0.7 * index as f64);
        writers[0].frame(&scratch.out(), &state.frame()).unwrap();
    }
    let done = writers[0].end(&scratch.out(), &|| hurry).unwrap();
    assert_eq!(done.files.len(), 8);
    done.notes
}

#[test]
fn what_leaves_the_view_is_shown_also_by_a_run_that_was_interrupted() {
    let scratch = Scratch::new("leaving");
    let images = |name: &str| -> Vec<Image> {
        (0..6).map(|k| decode(scratch.read(&format!("{name}-{k:04}.png")))).collect()
    };
    let notes = leaving("hurry", &scratch, &options(), true);
    assert!(notes.len() == 1 && notes[0].contains("the view of the pictures changes at frame"), "{notes:?}");
    let edge = |image: &Image| {
        let (w, h) = (image.width(), image.height());
        (0..h)
            .flat_map(|y| [(0, y), (w - 1, y)])
            .filter(|&(x, y)| {
                let p = image.pixel(x, y);
                p[0] > p[2].saturating_add(64)
            })
            .count()
    };
    for image in images("hurry") {
        assert!(count(&image, 0, 2) > 60 && edge(&image) == 0, "the block is in the picture, whole");
    }
    for movie in ["gif", "apng"] {
        let file = scratch.read(&format!("hurry.{movie}"));
        let frames = if movie == "gif" {
            let mut decoder = gif::DecodeOptions::new().read_info(file.as_slice()).unwrap();
            std::iter::from_fn(|| decoder.read_next_frame().unwrap().map(|_| ())).count()
        } else {
            let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
            reader.info().animation_control().unwrap().num_frames as usize
        };
        assert_eq!(frames, 6, "{movie}");
    }

    // Not interrupted, it is seen by one camera that is fitted to the whole motion.
    let options = Options { floor: Floor::Off, ..options() };
    assert_eq!(leaving("peace", &scratch, &options, false), Vec::<String>::new());
    let scene = Scene::new();
    let mut bounds = Bounds::EMPTY;
    for index in 0..6 {
        for p in scene.state(index).positions {
            bounds.include([p[0] + 0.7 * index as f64, p[1], p[2]]);
        }
    }
    leaving("given", &scratch, &Options { bounds: Some(bounds), ..options.clone() }, true);
    assert!(images("peace") == images("given"));
    // … and one that knew where it goes is not drawn again.
    leaving("known", &scratch, &Options { expected: Some(bounds), ..options }, true);
    assert!(images("peace") == images("known"));
}
