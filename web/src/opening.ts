// Files of one's own and links: what only a page with its own solver has.
type Find = <T extends HTMLElement>(id: string) => T;

export function opening(find: Find, local: { open(files: Iterable<File>): Promise<void>; link(): Promise<string> }, say: (text: string) => void): void {
  document.body.classList.add("local");
  const chosen = find<HTMLInputElement>("file");
  const open = (files: Iterable<File>) => local.open(files).catch((error) => say(`The files could not be read: ${(error as Error).message}`));
  find("open").onclick = () => chosen.click();
  chosen.onchange = () => {
    if (chosen.files?.length) void open(chosen.files);
    chosen.value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) void open(event.dataTransfer.files);
  });
  find("link").onclick = async () => {
    try {
      const link = await local.link();
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link).then(() => say("The link is on the clipboard."), () => say("The link is in the address line."));
    } catch (error) {
      say(`No link: ${(error as Error).message}`);
    }
  };
}
