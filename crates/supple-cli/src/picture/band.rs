//! Visibility in a band of rows: which triangle each sample of each pixel sees.
use super::screen::ScreenTriangle;

/// No triangle: the background.
pub(crate) const SKY: u32 = u32::MAX;
/// No triangle: the floor.
pub(crate) const FLOOR: u32 = u32::MAX - 1;

/// Offsets of the samples in a pixel: no two share a row or a column, so that edges near the axes are smooth too.
pub(crate) fn pattern<const S: usize>() -> [[f32; 2]; S] {
    let rows: &[u8] = match S {
        4 => &[1, 3, 0, 2],
        8 => &[3, 6, 1, 4, 7, 2, 5, 0],
        _ => &[0],
    };
    std::array::from_fn(|k| {
        let row = rows.get(k).copied().unwrap_or(0);
        [(k as f32 + 0.5) / S as f32, (f32::from(row) + 0.5) / S as f32]
    })
}

/// One over the distance of the floor, linear in the picture: `at_origin + dx·x + dy·y`; none where not positive.
#[derive(Clone, Copy)]
pub(crate) struct FloorDepth {
    pub at_origin: f32,
    pub dx: f32,
    pub dy: f32,
}

/// What the samples of a band see.
#[derive(Default)]
pub(crate) struct Band<const S: usize> {
    width: usize,
    top: usize,
    nearest: Vec<Samples<S>>,
}

#[derive(Clone, Copy)]
struct Samples<const S: usize> {
    inverse_z: [f32; S],
    source: [u32; S],
}

impl<const S: usize> Band<S> {
    /// Empties the band: background and floor.
    pub fn clear(&mut self, width: usize, top: usize, rows: usize, floor: Option<FloorDepth>) {
        self.width = width;
        self.top = top;
        self.nearest.clear();
        let empty = Samples { inverse_z: [0.0; S], source: [SKY; S] };
        self.nearest.resize(width * rows, empty);
        let Some(floor) = floor else { return };
        let offsets = pattern::<S>();
        for (k, samples) in self.nearest.iter_mut().enumerate() {
            let (x, y) = ((k % width) as f32, (top + k / width) as f32);
            for s in 0..S {
                let depth = floor.at_origin + floor.dx * (x + offsets[s][0]) + floor.dy * (y + offsets[s][1]);
                if depth > 0.0 {
                    samples.inverse_z[s] = depth;
                    samples.source[s] = FLOOR;
                }
            }
        }
    }

    /// What the samples of one pixel see.
    #[inline]
    pub fn sources(&self, row: usize, column: usize) -> &[u32; S] {
        &self.nearest[row * self.width + column].source
    }

    /// Draws one triangle. Edge functions in double precision are exact, see [`super::screen`].
    pub fn draw(&mut self, t: &ScreenTriangle) {
        let rows = self.nearest.len() / self.width.max(1);
        let least = |c: [f32; 3]| c[0].min(c[1]).min(c[2]).floor();
        let most = |c: [f32; 3]| c[0].max(c[1]).max(c[2]).floor();
        let x0 = least(t.x).max(0.0);
        let x1 = most(t.x).min(self.width as f32 - 1.0);
        let y0 = least(t.y).max(self.top as f32);
        let y1 = most(t.y).min((self.top + rows) as f32 - 1.0);
        if !(x0 <= x1 && y0 <= y1) {
            return;
        }
        let (x0, x1, y0, y1) = (x0 as usize, x1 as usize, y0 as usize, y1 as usize);

        let px = t.x.map(f64::from);
        let py = t.y.map(f64::from);
        // Edge k lies opposite corner k: w_k = a_k x + b_k y + c_k, positive inside.
        let mut edge = [[0.0_f64; 3]; 3];
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (a, b) = (py[j] - py[i], px[i] - px[j]);
            edge[k] = [a, b, -(a * px[i] + b * py[i])];
        }
        let area = edge[0][0] * px[0] + edge[0][1] * py[0] + edge[0][2];
        let inverse_area = 1.0 / area;
        let weigh =
            |m: usize| (0..3).map(|k| edge[k][m] * f64::from(t.inverse_z[k])).sum::<f64>() * inverse_area;
        let (zx, zy, zc) = (weigh(0), weigh(1), weigh(2));

        let offsets = pattern::<S>().map(|o| o.map(f64::from));
        let at_sample: [[f64; S]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|s| edge[k][0] * offsets[s][0] + edge[k][1] * offsets[s][1])
        });
        let z_at_sample: [f32; S] = std::array::from_fn(|s| (zx * offsets[s][0] + zy * offsets[s][1]) as f32);

        for y in y0..=y1 {
            let start: [f64; 3] =
                std::array::from_fn(|k| edge[k][0] * x0 as f64 + edge[k][1] * y as f64 + edge[k][2]);
            let z_row = zx * x0 as f64 + zy * y as f64 + zc;
            let line = (y - self.top) * self.width;
            for (step, samples) in self.nearest[line + x0..=line + x1].iter_mut().enumerate() {
                let step = step as f64;
                let w: [f64; 3] = std::array::from_fn(|k| start[k] + edge[k][0] * step);
                let z = (z_row + zx * step) as f32;
                for s in 0..S {
                    let inside = w[0] + at_sample[0][s] >= 0.0
                        && w[1] + at_sample[1][s] >= 0.0
                        && w[2] + at_sample[2][s] >= 0.0;
                    let depth = z + z_at_sample[s];
                    if inside && depth > samples.inverse_z[s] {
                        samples.inverse_z[s] = depth;
                        samples.source[s] = t.source;
                    }
                }
            }
        }
    }
}
