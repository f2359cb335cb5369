//! The colour of what a sample sees.
use super::camera::View;
use super::floor::Floor;
use super::palette::to_linear;
use super::scene::Look;
use super::screen::Screen;
use super::shadow::Shadow;
use super::sky::Sky;
use super::soup::{PAINTED, Soup, TWO_SIDED};
use super::vec3::{V3, add, along, cross, dot, mix, scale, smoothstep, sub, times, unit};

/// Light of the key lamp, a little warm, and of the sky, a little cool; together about one on a level surface.
const KEY: V3 = [1.02, 0.965, 0.88];
const SKY_LIGHT: V3 = [0.40, 0.435, 0.50];
/// Light that comes back from the floor to what faces down.
const BOUNCE: f32 = 0.20;
/// Light from beside the camera, so that no side is dead.
const FILL: f32 = 0.07;

/// Share of the key light at a point of a surface.
pub(crate) struct KnownShadow {
    point: V3,
    normal: V3,
    lit: f32,
}

/// All that is needed to colour a point.
pub(crate) struct Shader<'a> {
    pub view: &'a View,
    pub soup: &'a Soup,
    pub screen: &'a Screen,
    pub shadow: Option<&'a Shadow>,
    pub sky: Option<&'a Sky>,
    pub floor: Option<&'a Floor>,
    pub key: V3,
    top: V3,
    bottom: V3,
    floor_colour: V3,
    grid: bool,
    dark: bool,
    height: f32,
    /// Change of a ray from a pixel to the next, to the right and below.
    pixel_right: V3,
    pixel_below: V3,
}

impl<'a> Shader<'a> {
    pub fn new(
        view: &'a View,
        soup: &'a Soup,
        screen: &'a Screen,
        shadow: Option<&'a Shadow>,
        sky: Option<&'a Sky>,
        floor: Option<&'a Floor>,
        key: V3,
        look: &Look,
    ) -> Self {
        let floor_colour = to_linear(look.floor);
        Self {
            view,
            soup,
            screen,
            shadow,
            sky,
            floor,
            key,
            top: look.top,
            bottom: look.bottom,
            floor_colour,
            grid: look.grid,
            dark: floor_colour[1] < 0.25,
            height: 2.0 * view.middle[1],
            pixel_right: scale(view.right, 1.0 / view.focal),
            pixel_below: scale(view.up, -1.0 / view.focal),
        }
    }

    /// The background at a row.
    pub fn background(&self, y: f32) -> V3 {
        let t = (y / self.height.max(1.0)).clamp(0.0, 1.0);
        to_linear(mix(self.top, self.bottom, smoothstep(0.0, 0.85, t)))
    }

    /// The floor at a point of the picture, over its background.
    pub fn floor(&self, x: f32, y: f32, background: V3) -> V3 {
        let Some(floor) = self.floor else { return background };
        let ray = self.view.turn(self.view.ray(x, y));
        let (at, step) = floor.hit(self.view.eye, ray, self.pixel_right, self.pixel_below);
        let presence = floor.presence(at);
        if presence <= 0.0 {
            return background;
        }
        let lit = self.shadow.map_or(1.0, |s| s.on_floor(at));
        let open = self.sky.map_or(1.0, |s| s.on_floor(at[0], at[2]));
        // In full light the floor has exactly the colour that was asked for.
        const KEY_SHARE: f32 = 0.52;
        let tint = mix(scale(SKY_LIGHT, 1.0 / SKY_LIGHT[1]), [1.0; 3], lit);
        let light = along([KEY_SHARE * lit; 3], tint, (1.0 - KEY_SHARE) * open);
        let mut colour = times(self.floor_colour, light);
        if self.grid {
            let line = floor.grid(at, step);
            colour = scale(colour, if self.dark { 1.0 + 0.45 * line } else { 1.0 - 0.17 * line });
        }
        mix(background, colour, presence)
    }

    /// Triangle `source` at a point of the picture. `known` is the shadow found for another triangle in this pixel.
    pub fn triangle(&self, source: u32, x: f32, y: f32, known: &mut Option<KnownShadow>) -> V3 {
        let source = source as usize;
        let [a, b, c] = self.soup.triangles[source];
        let (a, b, c) = (a as usize, b as usize, c as usize);
        let pick = |values: &[V3]| [values[a], values[b], values[c]];
        let seen = pick(&self.screen.seen);
        let ray = self.view.ray(x, y);
        let planes = [cross(seen[1], seen[2]), cross(seen[2], seen[0]), cross(seen[0], seen[1])];
        let share = shares(&planes, ray);

        let blend = |values: [V3; 3]| {
            add(add(scale(values[0], share[0]), scale(values[1], share[1])), scale(values[2], share[2]))
        };
        let corners = pick(&self.soup.points);
        let point = blend(corners);
        let mut albedo = blend(pick(&self.soup.colours));
        if self.soup.flags[source] & PAINTED != 0 {
            albedo = self.painted(albedo, pick(&self.soup.places), &planes, ray, share);
        }
        let mut normal = unit(blend(self.soup.normals[source]));
        let toward_eye = unit(sub(self.view.eye, point));

        // Which side is seen is a matter of the face, not of the smoothed normal.
        let face = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let flags = self.soup.flags[source];
        let back = flags & TWO_SIDED != 0 && dot(face, toward_eye) < 0.0;
        if back {
            normal = scale(normal, -1.0);
            albedo = scale(albedo, 0.82);
        }
        let mut facing = dot(normal, toward_eye);
        if facing < 0.02 {
            normal = unit(along(normal, toward_eye, 0.02 - facing));
            facing = 0.02;
        }
        let open = self.sky.map_or(0.5 + 0.5 * normal[1], |sky| {
            let corners = sky.corners[source];
            (0..3).map(|k| share[k] * corners[k][usize::from(back)]).sum()
        });

        let cosine = dot(normal, self.key);
        let lit = if cosine > 0.0 { self.lit(point, normal, known) } else { 0.0 };
        let key = scale(KEY, cosine.max(0.0) * lit);
        // Less comes back from the floor the nearer it is: the body itself shades it.
        let nearness = self.floor.map_or(0.5, |f| smoothstep(-0.02, 0.22, point[1] - f.height));
        let below = BOUNCE * (0.5 - 0.5 * normal[1]) * (0.25 + 0.75 * nearness);
        let bounce = scale(mix([1.0; 3], self.floor_colour, 0.5), below);
        let fill = scale(SKY_LIGHT, FILL * facing + 0.10);
        let diffuse = add(add(key, scale(SKY_LIGHT, open)), add(bounce, fill));
        if flags & 7 != 0 {
            let line = self.wire(&planes, ray, share, flags);
            albedo = scale(albedo, 1.0 - 0.62 * line);
        }
        let mut colour = times(albedo, diffuse);

        // A broad highlight, and a rim where the surface turns away.
        let half = unit(add(self.key, toward_eye));
        let highlight = dot(normal, half).max(0.0).powi(44) * 0.20 * lit * smoothstep(0.0, 0.2, cosine);
        colour = along(colour, KEY, highlight);
        let away = 1.0 - facing;
        let rim = away * away * away * away * (0.10 + 0.42 * open) * 0.55;
        colour = along(colour, SKY_LIGHT, rim);
        shoulder(colour)
    }

    /// Share of the key light, taken from a neighbour on the same smooth surface in the same pixel if there is one:
    /// meshes are often finer than the picture.
    fn lit(&self, point: V3, normal: V3, known: &mut Option<KnownShadow>) -> f32 {
        let Some(shadow) = self.shadow else { return 1.0 };
        if let Some(near) = known {
            let between = sub(point, near.point);
            let pixels = dot(between, between).sqrt() * self.view.focal;
            if pixels < 2.0 && dot(normal, near.normal) > 0.97 {
                return near.lit;
            }
        }
        let lit = shadow.on_body(point, normal);
        *known = Some(KnownShadow { point, normal, lit });
        lit
    }

    /// The colour in a pattern: every other field is lighter.
    fn painted(&self, albedo: V3, places: [V3; 3], planes: &[V3; 3], ray: V3, share: [f32; 3]) -> V3 {
        let at =
            |s: [f32; 3]| add(add(scale(places[0], s[0]), scale(places[1], s[1])), scale(places[2], s[2]));
        let pixel = 1.0 / self.view.focal;
        let here = at(share);
        let right = sub(at(shares(planes, add(ray, [pixel, 0.0, 0.0]))), here);
        let below = sub(at(shares(planes, add(ray, [0.0, -pixel, 0.0]))), here);
        // Along each axis −1 or 1 from field to field, with a slope of one pixel between.
        let wave = |k: usize| {
            let width = right[k].hypot(below[k]).max(1e-6);
            let part = here[k] - here[k].floor();
            let side = if here[k].floor().rem_euclid(2.0) < 0.5 { 1.0 } else { -1.0 };
            // Fields narrower than some pixels melt into their mean.
            side * (2.0 * part.min(1.0 - part) / width).min(1.0) * smoothstep(1.0, 0.4, width)
        };
        let field = wave(0) * wave(1) * wave(2);
        let light = mix(albedo, [0.9; 3], 0.62);
        mix(albedo, light, 0.5 + 0.5 * field)
    }

    /// How much an edge covers the pixel, 0 to 1.
    fn wire(&self, planes: &[V3; 3], ray: V3, share: [f32; 3], flags: u8) -> f32 {
        const HALF_WIDTH: f32 = 0.42;
        let pixel = 1.0 / self.view.focal;
        let right = shares(planes, add(ray, [pixel, 0.0, 0.0]));
        let below = shares(planes, add(ray, [0.0, -pixel, 0.0]));
        let mut line = 0.0_f32;
        for k in 0..3 {
            if flags >> k & 1 == 1 {
                let gradient = (right[k] - share[k]).hypot(below[k] - share[k]).max(1e-9);
                // Where elements are but a few pixels wide, their edges would cover everything.
                let room = smoothstep(2.0, 9.0, 1.0 / gradient);
                line = line.max((HALF_WIDTH + 0.5 - share[k] / gradient).clamp(0.0, 1.0) * room);
            }
        }
        line
    }
}

/// Barycentric coordinates of the point where a ray from the eye meets the triangle: the volumes that the ray spans
/// with each pair of corners.
#[inline]
fn shares(planes: &[V3; 3], ray: V3) -> [f32; 3] {
    let volumes = [dot(planes[0], ray), dot(planes[1], ray), dot(planes[2], ray)];
    let sum = volumes[0] + volumes[1] + volumes[2];
    if sum.abs() < 1e-30 {
        return [1.0 / 3.0; 3];
    }
    let part = |v: f32| (v / sum).clamp(0.0, 1.0);
    let inside = [part(volumes[0]), part(volumes[1]), part(volumes[2])];
    scale(inside, 1.0 / (inside[0] + inside[1] + inside[2]))
}

/// Keeps what is well lit as it is and bends the brightest to below one.
#[inline]
fn shoulder(colour: V3) -> V3 {
    const KNEE: f32 = 0.72;
    let bend = |x: f32| {
        if x <= KNEE { x } else { KNEE + (1.0 - KNEE) * (1.0 - (-(x - KNEE) / (1.0 - KNEE)).exp()) }
    };
    [bend(colour[0]), bend(colour[1]), bend(colour[2])]
}
