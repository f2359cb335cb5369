// Colours of a field, and their legend.

const RED = [0.2702, 0.2718, -1.2476, -4.5971, 13.3192, -7.0367];
const GREEN = [0.0492, 1.2564, -1.0441, 2.24, -2.3273, 0.7352];
const BLUE = [0.3587, 1.5328, -5.457, 12.5016, -15.909, 7.1417];
const TITLES: Record<string, string> = { stretch: "largest stretch", stress: "von Mises stress, Pa", velocity: "speed, m/s" };

function polynomial(k: number[], t: number): number {
  let sum = 0;
  for (let i = k.length - 1; i >= 0; i--) sum = sum * t + k[i];
  return Math.min(Math.max(sum, 0), 1);
}

/** From violet over green to yellow, ever lighter, as in the pictures that `supple run` draws; sRGB. */
export function ramp(t: number): [number, number, number] {
  if (Number.isNaN(t)) return [0.5, 0.5, 0.5];
  const u = Math.min(Math.max(t, 0), 1);
  return [polynomial(RED, u), polynomial(GREEN, u), polynomial(BLUE, u)];
}

export function linear(srgb: number): number {
  return srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4;
}

const STEPS = 255;
const TABLE = Float32Array.from({ length: 3 * (STEPS + 1) }, (_, i) => linear(ramp(Math.floor(i / 3) / STEPS)[i % 3]));

/** Writes the light of a value between low and high. */
export function paint(value: number, low: number, high: number, out: Float32Array, at: number): void {
  const t = (value - low) / (high > low ? high - low : 1);
  const k = 3 * (t > 0 ? (t < 1 ? Math.round(t * STEPS) : STEPS) : 0);
  const known = !Number.isNaN(value);
  for (let c = 0; c < 3; c++) out[at + c] = known ? TABLE[k + c] : 0.2;
}

/** The range of colours: it grows at once and shrinks slowly, so that the legend is calm. */
export class Range {
  low = NaN;
  high = NaN;

  add(values: Float32Array): void {
    let low = Infinity, high = -Infinity;
    for (const v of values) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (!(low <= high)) return;
    const follow = (old: number, now: number, grows: boolean) => (grows || Number.isNaN(old) ? now : old + 0.03 * (now - old));
    this.low = follow(this.low, low, low < this.low);
    this.high = follow(this.high, high, high > this.high);
  }
}

/** Shows the legend of a field, or none. */
export function legend(element: HTMLElement, field: string, range: Range, words: (v: number) => string): void {
  element.hidden = field === "" || Number.isNaN(range.low);
  if (element.hidden) return;
  const part = (selector: string) => element.querySelector<HTMLElement>(selector)!;
  part("figcaption").textContent = TITLES[field];
  part(".low").textContent = words(range.low);
  part(".high").textContent = words(range.high);
  const bar = part(".ramp");
  if (!bar.style.backgroundImage) {
    const stops = Array.from({ length: 17 }, (_, i) => `rgb(${ramp(i / 16).map((c) => Math.round(255 * c)).join(" ")})`);
    bar.style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
  }
}
