// Sliders and choices: what a person moves becomes a command, what the solver says moves them.
import type { BodyValues, Command, State } from "./solver";
import { short } from "./words";

interface Slider {
  key: string;
  /** From the place of the slider to the value, and back. */
  value: (place: number) => number;
  place: (value: number) => number;
  words: (value: number) => string;
}

const power = (place: number) => Number((10 ** place).toPrecision(3));
const same = (v: number) => v;

const SLIDERS: Slider[] = [
  { key: "young", value: power, place: Math.log10, words: (v) => `${short(v)} Pa` },
  { key: "poisson", value: same, place: same, words: short },
  { key: "stiffness", value: power, place: Math.log10, words: (v) => `${short(v)} N/m` },
  { key: "gravity", value: same, place: same, words: (v) => `${short(v)} m/s²` },
  { key: "friction", value: same, place: same, words: short },
  { key: "wind", value: same, place: same, words: (v) => `${short(v)} m/s` },
  { key: "muscle", value: same, place: same, words: (v) => `${Math.round(100 * v)} %` },
  { key: "damping", value: same, place: same, words: (v) => `${short(v)} /s` },
  { key: "iterations", value: (p) => Math.round(10 ** p), place: Math.log10, words: short },
  { key: "tolerance", value: power, place: Math.log10, words: short },
  { key: "weight_scale", value: power, place: Math.log10, words: short },
];

export class Panel {
  private state: State | null = null;
  /** Sliders that a person is moving: what the solver says does not move them. */
  private readonly held = new Set<string>();
  private readonly waiting = new Map<string, Command & { type: "set" }>();

  constructor(private readonly find: <T extends HTMLElement>(id: string) => T, private readonly send: (c: Command) => void) {
    for (const slider of SLIDERS) {
      const input = this.input(slider.key);
      input.addEventListener("input", () => this.moved(slider, Number(input.value)));
      for (const end of ["change", "blur"]) input.addEventListener(end, () => this.held.delete(slider.key));
    }
    for (const key of ["method", "weight_rule"]) {
      const choice = this.find<HTMLSelectElement>(key);
      choice.addEventListener("change", () => this.send({ type: "set", key, value: choice.value }));
    }
    for (const key of ["undo", "redo"] as const) this.find(key).addEventListener("click", () => this.send({ type: key }));
    this.find("beside").addEventListener("change", () => this.send({ type: "beside", with: this.find<HTMLSelectElement>("beside").value || null }));
    this.find("body").addEventListener("change", () => this.state && this.show(this.state));
  }

  private input(key: string): HTMLInputElement {
    return this.find<HTMLInputElement>(key);
  }

  private get body(): string {
    return this.find<HTMLSelectElement>("body").value;
  }

  private moved(slider: Slider, place: number): void {
    const value = slider.value(place);
    this.tell(slider, value);
    const gravity = this.state?.values?.gravity ?? [0, 0, 0];
    const command: Command & { type: "set" } = { type: "set", key: slider.key, value: slider.key === "gravity" ? [gravity[0], value, gravity[2]] : value };
    if (["young", "poisson", "stiffness"].includes(slider.key) && this.body !== "") command.body = this.body;
    // One move of a slider is taken back at once, however many values it passes.
    if (this.held.has(slider.key)) command.more = true;
    this.held.add(slider.key);
    // At most one command per picture and slider; the first of a move counts as its start.
    if (this.waiting.get(slider.key)?.more === undefined && this.waiting.has(slider.key)) delete command.more;

    if (this.waiting.size === 0) requestAnimationFrame(() => this.flush());
    this.waiting.set(slider.key, command);
  }

  private flush(): void {
    for (const command of this.waiting.values()) this.send(command);
    this.waiting.clear();
  }

  private tell(slider: Slider, value: number): void {
    this.say(slider.key, slider.words(value));
  }

  private say(key: string, words: string): void {
    const output = document.querySelector(`output[for="${key}"]`);
    if (output) output.textContent = words;
    this.input(key).setAttribute("aria-valuetext", words);
  }

  /** Moves everything to where the solver says it is. */
  show(state: State): void {
    this.state = state;
    const values = state.values;
    if (!values) return;
    this.list(values.bodies);
    const bodies = values.bodies.filter((b) => this.body === "" || b.name === this.body);
    const first = (key: "young" | "poisson" | "stiffness") => bodies.find((b) => b[key] !== null)?.[key] ?? null;
    const now: Record<string, number | null> = {
      young: first("young"), poisson: first("poisson"), stiffness: first("stiffness"), gravity: values.gravity[1],
      friction: values.friction, wind: values.wind, muscle: values.muscle,
      damping: values.damping, iterations: values.iterations, tolerance: Math.max(values.tolerance, 1e-10), weight_scale: values.weight_scale,
    };
    for (const slider of SLIDERS) {
      const value = now[slider.key], input = this.input(slider.key);
      input.closest("label")!.hidden = value === null;
      if (value === null || this.held.has(slider.key)) continue;
      input.value = String(slider.place(value));
      this.tell(slider, value);
    }
    if (values.scripted && !this.held.has("muscle")) this.say("muscle", "as the scene says");
    for (const key of ["undo", "redo"] as const) {
      const button = this.find<HTMLButtonElement>(key), what = state[key];
      button.disabled = what === null;
      button.title = what === null ? "" : `${key === "undo" ? "Take back" : "Do again"}: ${what.replaceAll("_", " ")}`;
    }
    this.find<HTMLSelectElement>("beside").value = state.beside ?? "";
    this.find<HTMLSelectElement>("method").value = values.method;
    this.find<HTMLSelectElement>("weight_rule").value = values.weight_rule;
    this.find("size").textContent = `${state.nodes} nodes, ${state.elements} elements, ${state.threads} thread${state.threads === 1 ? "" : "s"}`;
  }

  private list(bodies: BodyValues[]): void {
    const select = this.find<HTMLSelectElement>("body");
    const wanted = ["", ...bodies.map((b) => b.name)];
    if (wanted.join("\n") === [...select.options].map((o) => o.value).join("\n")) return;
    const option = (b: BodyValues | null) => new Option(b ? b.name : "all bodies", b?.name ?? "");
    select.replaceChildren(option(null), ...bodies.map(option));
  }
}
