// Files of one's own, chosen or dropped; and links to what a page with its own solver shows.
import type { Solver } from "./solver";

type Find = <T extends HTMLElement>(id: string) => T;

export function opening(find: Find, solver: Solver, say: (text: string) => void): void {
  if (solver.open) {
    document.body.classList.add("files");
    const chosen = find<HTMLInputElement>("file");
    const open = (files: Iterable<File>) =>
      solver.open!([...files]).catch((error) => say(`The files could not be opened: ${(error as Error).message}`));
    find("open").onclick = () => chosen.click();
    chosen.onchange = () => {
      if (chosen.files?.length) void open(chosen.files);
      chosen.value = "";
    };
    const over = (on: boolean) => document.body.classList.toggle("drop", on);
    addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
    addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      if (event.dataTransfer?.files.length) void open(event.dataTransfer.files);
    });
  }
  if (!solver.link) return;
  document.body.classList.add("local");
  find("link").onclick = async () => {
    try {
      const link = await solver.link!();
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link).then(() => say("The link is on the clipboard."), () => say("The link is in the address line."));
    } catch (error) {
      say(`No link: ${(error as Error).message}`);
    }
  };
}
