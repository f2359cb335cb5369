// The keyboard: one key for each action. Keys that a control understands itself are left to it.
const OWN = new Set(["INPUT", "SELECT", "TEXTAREA"]);

export function keys(actions: Record<string, () => void>): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // As everywhere else: Ctrl-Z and Ctrl-Y, or Ctrl-Shift-Z.
    const again = (event.ctrlKey || event.metaKey) && !event.altKey && (letter === "z" || letter === "y");
    if ((event.ctrlKey || event.metaKey || event.altKey) && !again) return;
    // A slider knows nothing of taking back.
    const own = OWN.has(target.tagName) && !["checkbox", again ? "range" : ""].includes(target.getAttribute("type") ?? "-");
    if (own) return;
    // A button that has the focus is pressed by the space bar.
    if (event.key === " " && (target.tagName === "BUTTON" || target.tagName === "SUMMARY" || target.tagName === "INPUT")) return;
    const action = actions[letter === "z" && event.shiftKey ? "y" : letter];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
