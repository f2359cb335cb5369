//! Shadow of the key light, a disc far away: sharp where bodies touch, soft where the shadow falls far.
use super::depth_map::DepthMap;
use super::vec3::{V3, along};

/// Texels per side of the map.
const SIZE: usize = 640;
/// Widest penumbra, texels; the map is padded by it.
const WIDEST: f32 = 15.0;
const PAD: usize = 16;
/// Tangent of the angular radius of the light.
const LIGHT_RADIUS: f32 = 0.055;
const SEARCH_TAPS: usize = 16;
const FILTER_TAPS: usize = 32;

/// The shadow map and how to ask it.
pub(crate) struct Shadow {
    map: DepthMap,
    block_side: usize,
    blocks: Vec<f32>,
    search: [[f32; 2]; SEARCH_TAPS],
    filter: [[f32; 2]; FILTER_TAPS],
}

impl Shadow {
    pub fn new(toward_light: V3, bounds: (V3, V3), points: &[V3], triangles: &[[u32; 3]]) -> Self {
        let map = DepthMap::new(toward_light, SIZE, PAD, bounds, points, triangles);
        let (block_side, blocks) = map.bound_by_block(PAD);
        Self { map, block_side, blocks, search: disc(), filter: disc() }
    }

    /// Share of the light, 0 to 1, that reaches a point of a surface with this normal.
    pub fn lit(&self, point: V3, normal: V3) -> f32 {
        // Off the surface, so that it does not shade itself between texels.
        let point = along(point, normal, 1.2 * self.map.texel);
        let [column, row, z] = self.map.place(point);
        let size = SIZE as f32;
        if !(column >= 0.0 && row >= 0.0 && column < size && row < size) {
            return 1.0;
        }
        let slope = self.map.slope(normal).min(4.0 * self.map.texel);
        let near = z + 0.5 * self.map.texel + slope;
        let block = row as usize / PAD * self.block_side + column as usize / PAD;
        if self.blocks[block] <= near {
            return 1.0;
        }

        // Mean height of what stands between here and the light gives the width of the penumbra …
        let (mut found, mut height) = (0.0, 0.0);
        for [dx, dy] in self.search {
            let depth = self.map.at(column + dx * WIDEST * 0.8, row + dy * WIDEST * 0.8);
            if depth > near + 0.5 * slope {
                found += 1.0;
                height += depth - z;
            }
        }
        if found == 0.0 {
            return self.map.lit(column, row, near);
        }
        let radius = (LIGHT_RADIUS * height / found / self.map.texel).clamp(1.3, WIDEST);
        // … over which the map is averaged. Neighbours on the same slope rise with their distance.
        let near = z + 0.5 * self.map.texel + slope * (0.7 * radius).min(4.0);
        let sum: f32 = self
            .filter
            .iter()
            .map(|[dx, dy]| self.map.lit(column + dx * radius, row + dy * radius, near))
            .sum();
        sum / FILTER_TAPS as f32
    }
}

/// Points spread evenly over the unit disc along a spiral with the golden angle.
fn disc<const N: usize>() -> [[f32; 2]; N] {
    std::array::from_fn(|k| {
        let radius = ((k as f32 + 0.5) / N as f32).sqrt();
        let (sin, cos) = (k as f32 * 2.399_963_2).sin_cos();
        [radius * cos, radius * sin]
    })
}
