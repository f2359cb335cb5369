// The keyboard: space, right arrow, R, F, W. Keys that a control understands itself are left to it.
const OWN = new Set(["INPUT", "SELECT", "TEXTAREA"]);

export function keys(actions: Record<string, () => void>): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (OWN.has(target.tagName) && target.getAttribute("type") !== "checkbox") return;
    // A button that has the focus is pressed by the space bar.
    if (event.key === " " && (target.tagName === "BUTTON" || target.tagName === "SUMMARY" || target.tagName === "INPUT")) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
