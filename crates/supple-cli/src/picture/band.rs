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

impl FloorDepth {
    #[inline]
    fn at(&self, x: f32, y: f32) -> f32 {
        self.at_origin + self.dx * x + self.dy * y
    }
}

/// What the samples of a band see.
#[derive(Default)]
pub(crate) struct Band<const S: usize> {
    /// First column that is kept, and how many: those that triangles touch.
    left: usize,
    width: usize,
    top: usize,
    floor: Option<FloorDepth>,
    nearest: Vec<Samples<S>>,
}

#[derive(Clone, Copy)]
struct Samples<const S: usize> {
    inverse_z: [f32; S],
    source: [u32; S],
}

impl<const S: usize> Band<S> {
    /// Empties the band, background and floor, and keeps the columns from `left` on, `width` of them.
    pub fn clear(&mut self, left: usize, width: usize, top: usize, rows: usize, floor: Option<FloorDepth>) {
        (self.left, self.width, self.top, self.floor) = (left, width, top, floor);
        self.nearest.clear();
        let empty = Samples { inverse_z: [0.0; S], source: [SKY; S] };
        self.nearest.resize(width * rows, empty);
        let Some(floor) = floor else { return };
        let offsets = pattern::<S>();
        for (k, samples) in self.nearest.iter_mut().enumerate() {
            let (x, y) = ((left + k % width) as f32, (top + k / width) as f32);
            for s in 0..S {
                let depth = floor.at(x + offsets[s][0], y + offsets[s][1]);
                if depth > 0.0 {
                    samples.inverse_z[s] = depth;
                    samples.source[s] = FLOOR;
                }
            }
        }
    }

    /// What the samples of one pixel see.
    #[inline]
    pub fn sources(&self, row: usize, column: usize) -> [u32; S] {
        let kept = column.wrapping_sub(self.left);
        if kept < self.width {
            return self.nearest[row * self.width + kept].source;
        }
        let Some(floor) = self.floor else { return [SKY; S] };
        // The floor is a half of the picture: a pixel whose corners see it sees it all over.
        let (x, y) = (column as f32, (self.top + row) as f32);
        let corners =
            [floor.at(x, y), floor.at(x + 1.0, y), floor.at(x, y + 1.0), floor.at(x + 1.0, y + 1.0)];
        if corners.iter().all(|d| *d > 0.0) {
            return [FLOOR; S];
        }
        if corners.iter().all(|d| *d <= 0.0) {
            return [SKY; S];
        }
        pattern::<S>().map(|[dx, dy]| if floor.at(x + dx, y + dy) > 0.0 { FLOOR } else { SKY })
    }

    /// Draws one triangle. Edge functions in double precision are exact, see [`super::screen`].
    pub fn draw(&mut self, t: &ScreenTriangle) {
        let rows = self.nearest.len() / self.width.max(1);
        let least = |c: [f32; 3]| c[0].min(c[1]).min(c[2]).floor();
        let most = |c: [f32; 3]| c[0].max(c[1]).max(c[2]).floor();
        let x0 = least(t.x).max(self.left as f32);
        let x1 = most(t.x).min((self.left + self.width) as f32 - 1.0);
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
            let (first, last) = (line + x0 - self.left, line + x1 - self.left);
            for (step, samples) in self.nearest[first..=last].iter_mut().enumerate() {
                // One sample in four, another from pixel to pixel.
                let glass = (x0 + step + y) % 4;
                let step = step as f64;
                let w: [f64; 3] = std::array::from_fn(|k| start[k] + edge[k][0] * step);
                let z = (z_row + zx * step) as f32;
                for s in 0..S {
                    let inside = w[0] + at_sample[0][s] >= 0.0
                        && w[1] + at_sample[1][s] >= 0.0
                        && w[2] + at_sample[2][s] >= 0.0;
                    let depth = z + z_at_sample[s];
                    let seen = !t.glass || (s + glass) % 4 == 0;
                    if inside && seen && depth > samples.inverse_z[s] {
                        samples.inverse_z[s] = depth;
                        samples.source[s] = t.source;
                    }
                }
            }
        }
    }
}
