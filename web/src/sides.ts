// The same scene by a second method, on the right; and which is which.
import { Bodies } from "./bodies";
import type { Range } from "./colour";
import type { State } from "./solver";
import type { Stage } from "./stage";
import type { Frame, Model } from "./stream";
import { outcome, short } from "./words";

/** Methods as people call them. */
const NAMES: Record<string, string> = {
  admm: "ADMM", admm_published: "ADMM as published", quasi_newton: "quasi-Newton", newton: "Newton", position: "position-based",
};

export class Sides {
  bodies: Bodies | null = null;
  frame: Frame | null = null;
  private names = ["", ""];
  /** The newest frame of each side: names may come after it, and bodies know it only once it is drawn. */
  private newest: (Frame | null)[] = [null, null];

  constructor(private readonly find: <T extends HTMLElement>(id: string) => T, private readonly stage: Stage) {}

  /** A frame of the second method; it is drawn from the first one on. */
  take(frame: Frame, first: Bodies): void {
    if (this.bodies?.model !== first.model) this.show(first);
    this.frame = this.newest[1] = frame;
    this.say(1, frame);
  }

  first(frame: Frame): void {
    this.newest[0] = frame;
    if (this.bodies) this.say(0, frame);
  }

  private show(first: Bodies): void {
    this.clear();
    const made = new Bodies(first.model as Model);
    this.bodies = made;
    // As the first is shown.
    made.wire(this.find<HTMLInputElement>("wire").checked);
    made.showMarks(this.find<HTMLInputElement>("marks").checked);
    made.colourBy(this.find<HTMLSelectElement>("colour").value as "");
    this.stage.scene.add(made.group);
    this.stage.split([first.group, made.group]);
    this.find("sides").hidden = false;
    this.place(this.top);
    if (this.newest[0]) this.say(0, this.newest[0]);
  }

  /** What is drawn, before a picture: with the colours of the first side. */
  update(range: Range): void {
    if (this.bodies && this.frame && this.bodies.frame !== this.frame) this.bodies.update(this.frame, range);
  }

  tell(state: State): void {
    const name = (word: string) => NAMES[word] ?? word;
    this.names = [name(state.values?.method ?? ""), name(state.beside ?? "")];
    if (state.beside === null) this.clear();
    else if (this.bodies) this.newest.forEach((frame, side) => frame && this.say(side, frame));
  }

  private say(side: number, frame: Frame): void {
    const label = this.find(`side-${side}`), known = frame.status !== 0 && frame.iteration === 0;
    label.textContent = `${this.names[side]}\n${outcome(frame).text}${known ? ` · ${short(frame.ms)} ms` : ""}`;
  }

  private top = 0;

  /** Puts the names above what they belong to. */
  place(top: number): void {
    this.top = top;
    for (const side of [0, 1]) {
      const { left, width } = this.stage.half(side);
      Object.assign(this.find(`side-${side}`).style, { top: `${top - 8}px`, left: `${left + width / 2}px`, maxWidth: `${width - 16}px` });
    }
  }

  /** No more. */
  clear(): void {
    if (this.bodies) {
      this.stage.scene.remove(this.bodies.group);
      this.bodies.dispose();
      this.stage.split([]);
    }
    this.bodies = this.frame = this.newest[1] = null;
    this.find("sides").hidden = true;
  }
}
