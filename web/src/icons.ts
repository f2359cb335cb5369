// Small pictures on buttons; their names are the buttons' labels.
const icon = (path: string) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;

export const icons = {
  play: icon("M7 4.5v15l12.5-7.5z"),
  pause: icon("M6.5 5h3.8v14H6.5zM13.7 5h3.8v14h-3.8z"),
  step: icon("M5 5v14l9.5-7zM16 5h3v14h-3z"),
  iterate: icon("M4 12a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0M10.5 11h6.2l-2.4-2.6 1.5-1.4 5 5-5 5-1.5-1.4 2.4-2.6h-6.2z"),
  reset: icon("M12 5a7 7 0 1 1-6.7 9h2.2a5 5 0 1 0 1-5.6L11 11H4.5V4.5l2.6 2.5A7 7 0 0 1 12 5z"),
};
