// Messages, light and dark, and the panel that opens and closes.
type Find = <T extends HTMLElement>(id: string) => T;

/** Shows what went wrong: for good, for a while, or as long as there is no connection. */
export function notes(find: Find) {
  const alert = find("alert"), text = alert.querySelector("p")!, button = find("alert-button"), line = find("note");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failed: string | null = null, lost: string | null = null;
  const show = () => {
    const message = lost ?? failed;
    alert.hidden = message === null;
    text.textContent = message ?? "";
    button.hidden = lost !== null || !button.textContent;
  };
  return {
    /** The simulation cannot go on. */
    fail(message: string | null, way: string) { failed = message; button.textContent = way; show(); },
    /** No connection. */
    lost(message: string | null) { lost = message; show(); },
    /** Something was refused. */
    say(message: string) {
      line.textContent = message;
      line.hidden = false;
      clearTimeout(timer);
      timer = setTimeout(() => (line.hidden = true), 6000);
    },
  };
}

/** Light or dark as the system says, or as the button does. */
export function theme(find: Find, changed: (name: "light" | "dark") => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const now = () => (root.dataset.theme as "light" | "dark" | undefined) ?? (system.matches ? "dark" : "light");
  const apply = () => changed(now());
  system.addEventListener("change", apply);
  find("theme").onclick = () => { root.dataset.theme = now() === "dark" ? "light" : "dark"; apply(); };
  apply();
}

/** Opens and closes the panel; on a narrow screen it starts closed, and lies above everything. */
export function toggle(find: Find, covers: (top: number, right: number, bottom: number) => void): void {
  const button = find("more"), panel = find("panel"), narrow = matchMedia("(max-width: 46rem)");
  const cover = () => {
    const right = panel.hidden || narrow.matches ? 0 : panel.offsetWidth + 20;
    covers(find("top").offsetHeight + 20, right, find("bottom").offsetHeight + 20);
  };
  const set = (open: boolean) => {
    panel.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    cover();
  };
  set(!narrow.matches);
  addEventListener("resize", cover);
  // A legend that appears, a status in two lines, values that need more room.
  const seen = new ResizeObserver(cover);
  for (const id of ["top", "bottom", "panel"]) seen.observe(find(id));
  button.onclick = () => set(panel.hidden !== false);
}
