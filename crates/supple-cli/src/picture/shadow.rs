//! Shadow of the key light, a disc far away: sharp where bodies touch, soft where the shadow falls far.
use super::depth_map::DepthMap;
use super::soup::Soup;
use super::vec3::{V3, along};

/// Texels per side of the map.
const SIZE: usize = 640;
/// Widest penumbra, texels; the map is padded by it.
const WIDEST: f32 = 15.0;
const PAD: usize = 16;
const NEARBY: usize = 4;
/// Tangent of the angular radius of the light.
const LIGHT_RADIUS: f32 = 0.055;
const SEARCH_TAPS: usize = 16;
const FILTER_TAPS: usize = 28;

/// The shadow map and how to ask it.
pub(crate) struct Shadow {
    map: DepthMap,
    /// Bounds of the map within [`NEARBY`] and within [`PAD`] texels.
    nearby: (usize, Vec<f32>),
    around: (usize, Vec<f32>),
    /// Column, row, and the height, in texels, from which something there is before the light.
    search: [[f32; 3]; SEARCH_TAPS],
    filter: [[f32; 2]; FILTER_TAPS],
}

impl Shadow {
    pub fn new(toward_light: V3, bounds: (V3, V3), soup: &Soup) -> Self {
        let map = DepthMap::new(toward_light, SIZE, PAD, bounds, soup);
        let [nearby, around] = map.bounds_by_block([NEARBY, PAD]);
        let search = disc::<SEARCH_TAPS>().map(|[x, y]| {
            let reach = WIDEST;
            [x * reach, y * reach, x.hypot(y) * reach / LIGHT_RADIUS]
        });
        Self { map, nearby, around, search, filter: disc() }
    }

    /// Share of the light, 0 to 1, that reaches a point of a surface that is itself in the map.
    pub fn on_body(&self, point: V3, normal: V3) -> f32 {
        // Off the surface, and with room for its slope, so that it does not shade itself between texels.
        let point = along(point, normal, 1.2 * self.map.texel);
        let slope = self.map.slope(normal).min(4.0 * self.map.texel);
        self.lit(point, 0.5 * self.map.texel + slope, 4.0 * slope)
    }

    /// Share of the light that reaches a point of the floor.
    pub fn on_floor(&self, point: V3) -> f32 {
        self.lit(point, 0.0, 0.0)
    }

    /// `bias`: what is higher by less casts no shadow; `wide_bias`: the same, for what is a few texels away.
    fn lit(&self, point: V3, bias: f32, wide_bias: f32) -> f32 {
        let [column, row, z] = self.map.place(point);
        let size = SIZE as f32;
        if !(column >= 0.0 && row >= 0.0 && column < size && row < size) {
            return 1.0;
        }
        // Seen from here the light fills a cone: the farther aside something is, the higher it must be to matter.
        let texel = self.map.texel;
        let bound = |(side, bounds): &(usize, Vec<f32>), block: usize| {
            bounds[row as i32 as usize / block * side + column as i32 as usize / block]
        };
        let far_matters = bound(&self.around, PAD) > z + texel * NEARBY as f32 / LIGHT_RADIUS;
        if !far_matters && bound(&self.nearby, NEARBY) <= z + bias.max(wide_bias) {
            return 1.0;
        }

        // Mean height of what stands between here and the light gives the width of the penumbra …
        let (mut found, mut height) = (0, 0.0);
        if far_matters {
            for [dx, dy, least] in self.search {
                let above = self.map.at(column + dx, row + dy) - z;
                if above > bias + least * texel {
                    found += 1;
                    height += above;
                }
            }
        }
        if found == SEARCH_TAPS {
            return 0.0;
        }
        let height = match found {
            // Something thin slipped between the taps. (On a body it would rather be the body itself.)
            0 if far_matters && bias == 0.0 => 0.7 * (bound(&self.around, PAD) - z),
            0 => 0.0,
            _ => height / found as f32,
        };
        let radius = (LIGHT_RADIUS * height / texel).min(WIDEST);
        if radius < 1.3 {
            let tap = |dx: f32, dy: f32| self.map.lit(column + dx, row + dy, z + bias);
            return 0.25 * (tap(-0.7, -0.3) + tap(0.3, -0.7) + tap(0.7, 0.3) + tap(-0.3, 0.7));
        }
        // … over which the map is averaged.
        let near = z + if radius > 2.5 { bias.max(wide_bias) } else { bias };
        let mut sum = 0.0;
        for [dx, dy] in self.filter {
            sum += self.map.lit(column + dx * radius, row + dy * radius, near);
        }
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
