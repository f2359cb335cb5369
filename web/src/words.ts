// Numbers and outcomes in words.
import type { Frame } from "./stream";

/** What a frame came to, as a person says it. */
export function outcome(frame: Frame): { text: string; good: boolean } {
  const { iterations, limit, status } = frame;
  const count = `${iterations} iteration${iterations === 1 ? "" : "s"}`;
  const of = limit > 0 && iterations <= limit ? `${iterations} of ${limit} iterations` : count;
  const tail = frame.inverted > 0 ? `; ${frame.inverted} element${frame.inverted === 1 ? "" : "s"} inside out` : "";
  if (frame.iteration > 0) {
    return { text: `iteration ${frame.iteration} of a step, residual ${short(frame.residual)}`, good: true };
  }
  switch (status) {
    case 0: return { text: "at the start", good: true };
    case 1: return { text: `converged: ${count}${tail}`, good: frame.inverted === 0 };
    case 2: return { text: `not converged: ${of}${tail}`, good: false };
    case 3: return { text: `not converged: out of time after ${count}${tail}`, good: false };
    case 4: return { text: `not converged: no progress after ${count}${tail}`, good: false };
    case 5: return { text: `diverged after ${count}${tail}`, good: false };
    case 7: return { text: `constraints cannot hold: ${count}${tail}`, good: false };
    default: return { text: `stopped after ${count}${tail}`, good: false };
  }
}

/** A number with three digits: 0.123, 12.3, 1.2e6. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}
