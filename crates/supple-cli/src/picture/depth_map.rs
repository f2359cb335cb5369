//! How far the scene reaches towards a light far away, on a square grid of texels across the light.
use super::soup::{GLASS, Soup, TWO_SIDED};
use super::vec3::{V3, add, along, dot, frame, scale, sub};

/// For each texel the greatest coordinate along `axis` (towards the light) of the surfaces over it.
pub(crate) struct DepthMap {
    axis: V3,
    u: V3,
    v: V3,
    low: [f32; 2],
    /// Width of a texel.
    pub texel: f32,
    /// Texels per side.
    pub size: usize,
    inverse_texel: f32,
    depth: Vec<f32>,
}

impl DepthMap {
    /// Draws triangles into a map that covers the box with `pad` texels around it.
    pub fn new(axis: V3, size: usize, pad: usize, (low, high): (V3, V3), soup: &Soup) -> Self {
        let (u, v) = frame(axis);
        let middle = scale(add(low, high), 0.5);
        let half = scale(sub(high, low), 0.5);
        let reach = |w: V3| w[0].abs() * half[0] + w[1].abs() * half[1] + w[2].abs() * half[2];
        // Rounded up to steps of 2^(1/4), and the corner to whole texels: the texels stay where they are while a
        // body moves a little, and shadows do not shimmer.
        let extent = reach(u).max(reach(v)).max(1e-6);
        let extent = (4.0 * extent.log2()).ceil().mul_add(0.25, 0.0).exp2();
        let texel = 2.0 * extent / (size - 2 * pad) as f32;
        let corner = |w: V3| ((dot(w, middle) - 0.5 * size as f32 * texel) / texel).floor() * texel;
        let mut map = Self {
            axis,
            u,
            v,
            low: [corner(u), corner(v)],
            texel,
            inverse_texel: 1.0 / texel,
            size,
            depth: vec![f32::NEG_INFINITY; size * size],
        };
        let placed: Vec<V3> = soup.points.iter().map(|p| map.place(*p)).collect();
        let solid = soup.triangles.iter().zip(&soup.flags).filter(|(_, flags)| *flags & GLASS == 0);
        for ([a, b, c], flags) in solid {
            let corners = [placed[*a as usize], placed[*b as usize], placed[*c as usize]];
            map.draw(corners, flags & TWO_SIDED != 0);
        }
        map
    }

    /// Column and row in texels, and the coordinate along the axis.
    #[inline]
    pub fn place(&self, point: V3) -> V3 {
        [
            (dot(self.u, point) - self.low[0]) * self.inverse_texel,
            (dot(self.v, point) - self.low[1]) * self.inverse_texel,
            dot(self.axis, point),
        ]
    }

    /// Position in the map and slope of the coordinate along the axis over a plane with this normal, per texel.
    pub fn slope(&self, normal: V3) -> f32 {
        let along_axis = dot(normal, self.axis).abs().max(0.05);
        self.texel * (1.0 - along_axis * along_axis).max(0.0).sqrt() / along_axis
    }

    /// Of a closed surface only what faces the light: the rest lies below it.
    fn draw(&mut self, [a, b, c]: [V3; 3], two_sided: bool) {
        let (e1, e2) = (sub(b, a), sub(c, a));
        let area = e1[0] * e2[1] - e1[1] * e2[0];
        if area.abs() < 1e-12 || (area < 0.0 && !two_sided) {
            return;
        }
        // Texel centres lie at k + ½; conversion to integers cuts towards zero.
        let size = self.size as f32;
        let range = |x: f32, y: f32, z: f32| {
            let (low, high) = (x.min(y).min(z) + 0.5, x.max(y).max(z) - 0.5);
            if low >= size || high < 0.0 {
                None
            } else {
                Some((low.max(0.0) as i32, high.min(size - 1.0) as i32))
            }
        };
        let Some((x0, x1)) = range(a[0], b[0], c[0]) else { return };
        let Some((y0, y1)) = range(a[1], b[1], c[1]) else { return };
        if x0 > x1 || y0 > y1 {
            return;
        }
        let inverse = 1.0 / area;
        let (s_x, s_y) = (e2[1] * inverse, -e2[0] * inverse);
        let (t_x, t_y) = (-e1[1] * inverse, e1[0] * inverse);
        // A hair of overlap closes the seams that rounding would leave.
        const SEAM: f32 = -1e-4;
        for row in y0..=y1 {
            let dy = row as f32 + 0.5 - a[1];
            let start = row as usize * self.size;
            let line = &mut self.depth[start + x0 as usize..=start + x1 as usize];
            for (column, texel) in line.iter_mut().enumerate() {
                let dx = (x0 + column as i32) as f32 + 0.5 - a[0];
                let s = dx * s_x + dy * s_y;
                let t = dx * t_x + dy * t_y;
                if s >= SEAM && t >= SEAM && s + t <= 1.0 - SEAM {
                    let depth = a[2] + s * e1[2] + t * e2[2];
                    *texel = texel.max(depth);
                }
            }
        }
    }

    /// Depth of the texel that holds a point; nothing is over what lies outside.
    #[inline]
    pub fn at(&self, column: f32, row: f32) -> f32 {
        let size = self.size as f32;
        if column >= 0.0 && row >= 0.0 && column < size && row < size {
            self.depth[row as i32 as usize * self.size + column as i32 as usize]
        } else {
            f32::NEG_INFINITY
        }
    }

    /// Share of light, between the four nearest texels, for a point with coordinate `z` along the axis.
    #[inline]
    pub fn lit(&self, column: f32, row: f32, z: f32) -> f32 {
        let (x, y) = (column - 0.5, row - 0.5);
        let limit = self.size as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 1.0;
        }
        let (column, row) = (x as i32, y as i32);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let at = row as usize * self.size + column as usize;
        let upper = &self.depth[at..at + 2];
        let below = &self.depth[at + self.size..at + self.size + 2];
        let open = |depth: f32| if depth > z { 0.0_f32 } else { 1.0 };
        let (a, b) = (open(upper[0]), open(below[0]));
        let a = a + fx * (open(upper[1]) - a);
        let b = b + fx * (open(below[1]) - b);
        a + fy * (b - a)
    }

    /// For each of these block sizes, each a multiple of the one before: greatest depth in blocks of so many texels and
    /// their neighbours, which bounds anything within a block's width. Row by row; also the blocks per side.
    pub fn bounds_by_block<const N: usize>(&self, blocks: [usize; N]) -> [(usize, Vec<f32>); N] {
        let (mut width, mut side, mut own) = (1, self.size, self.depth.clone());
        blocks.map(|block| {
            (side, own) = greatest(side, &own, block / width);
            width = block;
            (side, widened(side, &own))
        })
    }

    /// A point moved towards the light.
    #[inline]
    pub fn toward(&self, point: V3, distance: f32) -> V3 {
        along(point, self.axis, distance)
    }
}

/// Greatest value in blocks of `factor` × `factor`.
fn greatest(side: usize, values: &[f32], factor: usize) -> (usize, Vec<f32>) {
    let coarse = side.div_ceil(factor);
    let mut out = vec![f32::NEG_INFINITY; coarse * coarse];
    for (row, line) in values.chunks_exact(side).enumerate() {
        let start = row / factor * coarse;
        for (slot, texels) in out[start..start + coarse].iter_mut().zip(line.chunks(factor)) {
            *slot = texels.iter().fold(*slot, |m, t| m.max(*t));
        }
    }
    (coarse, out)
}

/// Greatest value among each and its eight neighbours.
fn widened(side: usize, values: &[f32]) -> Vec<f32> {
    let mut out = values.to_vec();
    for row in 0..side {
        for column in 0..side {
            let slot = &mut out[row * side + column];
            for r in row.saturating_sub(1)..(row + 2).min(side) {
                for c in column.saturating_sub(1)..(column + 2).min(side) {
                    *slot = slot.max(values[r * side + c]);
                }
            }
        }
    }
    out
}
