//! What is written reads back.
#![allow(clippy::unwrap_used)]
mod common;

use supple_cli::export::ExportError;
use supple_cli::export::apng::{ApngWriter, write_apng};
use supple_cli::export::gif::write_gif;
use supple_cli::export::obj::write_obj;
use supple_cli::export::png::write_png;
use supple_cli::export::quantise::{MAX_COLOURS, Palette};
use supple_cli::picture::{Camera, Colour, Drawable, Image, Scene3, render};

/// A red ball that falls to the floor.
fn frames(count: u32) -> Vec<Image> {
    let camera = Camera { eye: [0.0, 2.0, 9.0], target: [0.0, 0.5, 0.0], up: [0.0, 1.0, 0.0], fov: 0.6 };
    (0..count)
        .map(|k| {
            let height = 1.5 - 1.5 * f64::from(k) / f64::from(count.max(2) - 1);
            let ball = common::sphere([0.0, height, 0.0], 0.7, 24, [0.8, 0.1, 0.1]);
            let scene = Scene3 { meshes: vec![ball], floor: Some(-0.7), ..Scene3::default() };
            let mut image = Image::default();
            render(&scene, &camera, 161, 91, &mut image);
            image
        })
        .collect()
}

#[test]
fn png_decodes_to_the_same_pixels() {
    let image = frames(1).remove(0);
    let mut file = Vec::new();
    write_png(&mut file, &image).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (161, 91));
    assert_eq!(bytes, image.bytes());
}

#[test]
fn apng_decodes_to_the_same_pixels() {
    let mut movie = frames(4);
    movie.insert(2, movie[1].clone()); // nothing changes
    let mut file = Vec::new();
    write_apng(&mut file, &movie, 25.0).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
    let mut canvas = vec![0; 161 * 91 * 3];
    for frame in &movie {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let control = reader.info().frame_control.unwrap();
        assert_eq!((control.delay_num, control.delay_den), (40, 1000));
        let (x, y) = (control.x_offset as usize, control.y_offset as usize);
        let row = info.width as usize * 3;
        for (k, line) in bytes.chunks(row).take(info.height as usize).enumerate() {
            let at = ((y + k) * 161 + x) * 3;
            canvas[at..at + row].copy_from_slice(line);
        }
        assert_eq!(canvas, frame.bytes());
    }
}

#[test]
fn gif_decodes_to_nearly_the_same_pixels() {
    let mut movie = frames(6);
    movie.insert(3, movie[2].clone());
    let mut file = Vec::new();
    write_gif(&mut file, &movie, 30.0).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(file.as_slice()).unwrap();
    let colours = decoder.global_palette().unwrap().to_vec();
    let mut canvas = vec![0_u8; 161 * 91 * 3];
    let mut delays = Vec::new();
    for image in &movie {
        let frame = decoder.read_next_frame().unwrap().unwrap();
        delays.push(frame.delay);
        for (k, &index) in frame.buffer.iter().enumerate() {
            let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
            if Some(index) != frame.transparent {
                let at = ((y + usize::from(frame.top)) * 161 + x + usize::from(frame.left)) * 3;
                canvas[at..at + 3].copy_from_slice(&colours[usize::from(index) * 3..][..3]);
            }
        }
        // Dithered colours scatter around the true ones: the mean error is small and there is no drift.
        let errors = || canvas.iter().zip(image.bytes()).map(|(a, b)| i64::from(*a) - i64::from(*b));
        let count = canvas.len() as i64;
        assert!(errors().map(i64::abs).sum::<i64>() < 3 * count, "mean error of three levels");
        assert!(errors().sum::<i64>().abs() < count / 2, "no drift");
    }
    assert!(decoder.read_next_frame().unwrap().is_none(), "no more frames");
    assert_eq!(delays, [3, 4, 3, 3, 4, 3, 3], "thirty per second on the mean");
}

#[test]
fn a_palette_holds_few_colours_exactly() {
    let mut image = Image::new(16, 4);
    for (k, byte) in image.bytes_mut().iter_mut().enumerate() {
        *byte = [0, 90, 200][k / 3 % 3];
    }
    let mut palette = Palette::new([&image]);
    assert_eq!(palette.colours(), [[0; 3], [90; 3], [200; 3]]);
    let indices = palette.dither(&image);
    assert!(indices.iter().enumerate().all(|(k, &index)| usize::from(index) == k % 3));
    assert!(Palette::new(&frames(2)).colours().len() <= MAX_COLOURS);
}

#[test]
fn movies_refuse_what_they_cannot_hold() {
    let mut sink = Vec::new();
    let sizes = [Image::new(4, 4), Image::new(5, 4)];
    for outcome in [
        write_gif(&mut sink, &[], 25.0),
        write_apng(&mut Vec::new(), &[], 25.0),
        write_png(&mut Vec::new(), &Image::new(0, 3)),
        write_gif(&mut Vec::new(), &sizes, 25.0),
        write_apng(&mut Vec::new(), &sizes, 25.0),
    ] {
        assert!(matches!(outcome, Err(ExportError::Frames(_))), "{outcome:?}");
    }
    let empty = ApngWriter::new(std::io::Cursor::new(Vec::new()), 4, 4, 25.0).unwrap();
    assert!(matches!(empty.finish(), Err(ExportError::Frames(_))), "there is no frame");
    // Odd rates are clamped, not refused.
    for rate in [0.0, -1.0, 1e9, f64::NAN, f64::INFINITY] {
        write_gif(&mut Vec::new(), &sizes[..1], rate).unwrap();
        write_apng(&mut Vec::new(), &sizes[..1], rate).unwrap();
    }
}

#[test]
fn obj_holds_all_meshes() {
    let a = Drawable {
        positions: vec![[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0 / 3.0, 0.0], [f64::NAN; 3]],
        triangles: vec![[0, 1, 2], [0, 1, 3], [0, 1, 9]],
        ..Drawable::default()
    };
    let b = Drawable { colour: Colour::PerVertex(vec![[1.0, 0.5, 0.0]]), ..a.clone() };
    let mut file = Vec::new();
    write_obj(&mut file, &[a, b]).unwrap();
    let text = String::from_utf8(file).unwrap();
    let expected = "o body0\nv 0.1 0 0\nv 1 0 0\nv 0 0.3333333333333333 0\nv 0 0 0\nf 1 2 3\n\
                    o body1\nv 0.1 0 0 1 0.5 0\nv 1 0 0 0.5 0.5 0.5\nv 0 0.3333333333333333 0 0.5 0.5 0.5\n\
                    v 0 0 0 0.5 0.5 0.5\nf 5 6 7\n";
    assert_eq!(text, expected);
}
