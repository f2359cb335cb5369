//! From millions of colours to a few hundred.
//!
//! The palette comes from a histogram, split where its spread is greatest and then settled by a few rounds of
//! nearest means. Pixels between two colours of the palette are dithered by a fixed pattern: what does not move does
//! not flicker, and compresses.
use crate::picture::Image;

/// Colours at most; one index of 256 stays free for "unchanged".
pub const MAX_COLOURS: usize = 255;

/// Red, green, blue; green counts most to the eye.
const WEIGHTS: [f32; 3] = [3.0, 4.0, 2.0];

/// Up to [`MAX_COLOURS`] colours and a table to find the nearest.
pub struct Palette {
    colours: Vec<[u8; 3]>,
    /// Index by the upper seven bits of each channel; `UNKNOWN` until asked for.
    nearest: Vec<u16>,
}

const UNKNOWN: u16 = u16::MAX;

struct Bin {
    colour: [f32; 3],
    weight: f32,
}

impl Palette {
    /// Colours that serve all these pictures. For a long movie a few frames spread over it are enough.
    pub fn new<'a>(images: impl IntoIterator<Item = &'a Image>) -> Self {
        let bins = histogram(images);
        let mut colours = settle(&bins, split(&bins));
        if colours.is_empty() {
            colours.push([0; 3]);
        }
        Self { colours, nearest: vec![UNKNOWN; 1 << 21] }
    }

    /// The colours.
    pub fn colours(&self) -> &[[u8; 3]] {
        &self.colours
    }

    /// Index of the nearest colour.
    pub fn nearest(&mut self, colour: [u8; 3]) -> u8 {
        let [r, g, b] = colour.map(|c| usize::from(c >> 1));
        let slot = &mut self.nearest[r << 14 | g << 7 | b];
        if *slot == UNKNOWN {
            // The middle of the cell stands for all that is in it.
            let middle = colour.map(|c| f32::from(c & !1) + 0.5);
            *slot = closest(&self.colours, middle) as u16;
        }
        *slot as u8
    }

    /// One index per pixel of the picture.
    pub fn dither(&mut self, image: &Image) -> Vec<u8> {
        let width = image.width() as usize;
        let mut indices = Vec::with_capacity(image.bytes().len() / 3);
        for (k, pixel) in image.bytes().chunks_exact(3).enumerate() {
            let colour = [pixel[0], pixel[1], pixel[2]];
            let first = self.nearest(colour);
            let a = self.colours[usize::from(first)];
            // The colour on the other side of this pixel's, as far away again.
            let beyond = [0, 1, 2].map(|c| (2 * i32::from(colour[c]) - i32::from(a[c])).clamp(0, 255) as u8);
            let second = self.nearest(beyond);
            let b = self.colours[usize::from(second)];
            indices.push(if threshold(k % width, k / width) < share(colour, a, b) { second } else { first });
        }
        indices
    }
}

/// How far `colour` lies on the way from `a` to `b`; zero if they are too different to stand side by side.
fn share(colour: [u8; 3], a: [u8; 3], b: [u8; 3]) -> f32 {
    const TOO_FAR: f32 = 45.0;
    let (mut along, mut length) = (0.0, 0.0);
    for c in 0..3 {
        let step = f32::from(b[c]) - f32::from(a[c]);
        along += WEIGHTS[c] * step * (f32::from(colour[c]) - f32::from(a[c]));
        length += WEIGHTS[c] * step * step;
    }
    if length == 0.0 || length > WEIGHTS[1] * TOO_FAR * TOO_FAR { 0.0 } else { along / length }
}

/// Bayer's 8×8 pattern: between 0 and 1, each of 64 levels once.
fn threshold(x: usize, y: usize) -> f32 {
    let mut level = 0;
    for bit in 0..3 {
        let (i, j) = (x >> bit & 1, y >> bit & 1);
        level |= (2 * (i ^ j) + j) << (2 * (2 - bit));
    }
    (level as f32 + 0.5) / 64.0
}

/// Mean colour and weight in cells of 4×4×4 levels. The weight grows more slowly than the number of pixels, lest the
/// background take the whole palette.
fn histogram<'a>(images: impl IntoIterator<Item = &'a Image>) -> Vec<Bin> {
    let mut cells = vec![[0_u64; 4]; 1 << 18];
    for image in images {
        for pixel in image.bytes().chunks_exact(3) {
            let at = pixel.iter().fold(0, |at, c| at << 6 | usize::from(c >> 2));
            let cell = &mut cells[at];
            for c in 0..3 {
                cell[c] += u64::from(pixel[c]);
            }
            cell[3] += 1;
        }
    }
    cells
        .iter()
        .filter(|cell| cell[3] > 0)
        .map(|cell| {
            let count = cell[3] as f32;
            Bin { colour: [0, 1, 2].map(|c| cell[c] as f32 / count), weight: count.powf(0.6) }
        })
        .collect()
}

/// Splits the group of greatest spread, at its mean, along its widest channel, until there are enough.
fn split(bins: &[Bin]) -> Vec<[f32; 3]> {
    let mut groups: Vec<(Vec<&Bin>, Spread)> = Vec::new();
    if !bins.is_empty() {
        let all: Vec<&Bin> = bins.iter().collect();
        let spread = Spread::of(&all);
        groups.push((all, spread));
    }
    while groups.len() < MAX_COLOURS {
        let widest = (0..groups.len()).max_by(|&a, &b| groups[a].1.size.total_cmp(&groups[b].1.size));
        let Some(widest) = widest.filter(|&g| groups[g].1.size > 0.0) else { break };
        let (group, spread) = groups.swap_remove(widest);
        let (low, high): (Vec<&Bin>, Vec<&Bin>) =
            group.into_iter().partition(|bin| bin.colour[spread.channel] <= spread.mean[spread.channel]);
        for half in [low, high] {
            if !half.is_empty() {
                let mut half_spread = Spread::of(&half);
                if half.len() == 1 {
                    half_spread.size = 0.0;
                }
                groups.push((half, half_spread));
            }
        }
    }
    groups.iter().map(|(_, spread)| spread.mean).collect()
}

struct Spread {
    mean: [f32; 3],
    channel: usize,
    /// Weighted variance of the widest channel; zero if there is nothing to split.
    size: f32,
}

impl Spread {
    fn of(bins: &[&Bin]) -> Self {
        let total: f32 = bins.iter().map(|b| b.weight).sum();
        let mean = [0, 1, 2].map(|c| bins.iter().map(|b| b.weight * b.colour[c]).sum::<f32>() / total);
        let spread = [0, 1, 2].map(|c| {
            WEIGHTS[c] * bins.iter().map(|b| b.weight * (b.colour[c] - mean[c]).powi(2)).sum::<f32>()
        });
        let channel = (0..3).max_by(|&a, &b| spread[a].total_cmp(&spread[b])).unwrap_or(0);
        // Below this the rounding of the mean decides, and a split may come out empty.
        let size = if spread[channel] > 1e-3 * total { spread[channel] } else { 0.0 };
        Self { mean, channel, size }
    }
}

/// Moves each colour to the mean of the bins nearest to it, a few times.
fn settle(bins: &[Bin], start: Vec<[f32; 3]>) -> Vec<[u8; 3]> {
    let mut colours = start;
    for _ in 0..3 {
        let mut sums = vec![[0.0_f32; 4]; colours.len()];
        for bin in bins {
            let sum = &mut sums[closest_mean(&colours, bin.colour)];
            for c in 0..3 {
                sum[c] += bin.weight * bin.colour[c];
            }
            sum[3] += bin.weight;
        }
        for (colour, sum) in colours.iter_mut().zip(&sums) {
            if sum[3] > 0.0 {
                *colour = [0, 1, 2].map(|c| sum[c] / sum[3]);
            }
        }
    }
    let mut rounded: Vec<[u8; 3]> =
        colours.iter().map(|colour| colour.map(|c| (c + 0.5).clamp(0.0, 255.0) as u8)).collect();
    rounded.sort_unstable();
    rounded.dedup();
    rounded
}

fn closest(colours: &[[u8; 3]], to: [f32; 3]) -> usize {
    least(colours.iter().map(|c| difference(c.map(f32::from), to)))
}

fn closest_mean(colours: &[[f32; 3]], to: [f32; 3]) -> usize {
    least(colours.iter().map(|c| difference(*c, to)))
}

fn difference(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|c| WEIGHTS[c] * (a[c] - b[c]) * (a[c] - b[c])).sum()
}

fn least(values: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::INFINITY);
    for (k, value) in values.enumerate() {
        if value < best.1 {
            best = (k, value);
        }
    }
    best.0
}
