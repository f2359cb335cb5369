// How fast it goes: pictures per second, and seconds of the scene per second.
/** Time over which is counted, and least time between two answers, in ms. */
const SPAN = 1500, PAUSE = 400;

export class Rate {
  private shown: { at: number; time: number }[] = [];
  private told = 0;

  /** A frame of that time was drawn at a moment in ms. Its words, if it is time for them. */
  add(at: number, time: number): string | null {
    const last = this.shown.at(-1);
    // Gone back, or paused meanwhile: what was before counts no more.
    if (last && (time <= last.time || at - last.at > SPAN)) this.shown = [];
    this.shown.push({ at, time });
    while (this.shown[0].at < at - SPAN) this.shown.shift();
    const [first, count] = [this.shown[0], this.shown.length - 1];
    if (count < 2 || at - first.at < 200 || at - this.told < PAUSE) return null;
    this.told = at;
    const seconds = (at - first.at) / 1000;
    const factor = (time - first.time) / seconds;
    return `${(count / seconds).toFixed(0)} fps · ${factor < 9.95 ? factor.toFixed(2) : factor.toFixed(0)} × real time`;
  }

  /** It rests. */
  clear(): void {
    this.shown = [];
    this.told = 0;
  }
}
