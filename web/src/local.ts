// The solver in a worker of this page: no server, and nothing leaves the browser.
import { pack, unpack } from "./link";
import type { Command, Listener, Solver, State } from "./solver";
import { decode } from "./stream";
import type { FromWorker, Opening, ToWorker } from "./worker";

/** Memory for a scene of one's own, and for one that came by a link, in MB. */
const OWN = 3072, FOREIGN = 512;
const MESHES = /\.(obj|ply|stl|gltf|glb)$/i;
/** Bytes of a file that is dropped. */
const LARGEST = 128 << 20;

export class LocalSolver implements Solver {
  private worker: Worker | null = null;
  private module: WebAssembly.Module | null = null;
  /** What a new worker opens: what was opened last. */
  private opened: Opening = { type: "built_in", name: null };
  private readonly files = new Map<string, Uint8Array>();
  private colour: Command | null = null;
  private state: State | null = null;
  private readonly asked = new Map<number, (text: string) => void>();
  private questions = 0;

  constructor(private readonly listener: Listener) {
    void this.begin();
    document.addEventListener("visibilitychange", () => this.post({ type: "rest", on: document.hidden }));
  }

  private async begin(): Promise<void> {
    try {
      this.module = await load(new URL("supple.wasm", document.baseURI));
    } catch (error) {
      this.listener.lost(`The solver could not be loaded: ${(error as Error).message}`);
      return;
    }
    this.start();
    try {
      const shared = await unpack(location.hash);
      if (shared !== null) this.post({ type: "text", name: "shared", text: shared, megabytes: FOREIGN });
    } catch (error) {
      this.listener.refused(`The link has no scene: ${(error as Error).message}`);
    }
  }

  /** A new worker, with what the last one had. */
  private start(): void {
    const code = document.getElementById("worker")!.textContent!;
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker?.terminate();
    const worker = new Worker(address);
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.worker === worker && this.take(event.data);
    worker.onerror = (event) => this.broken(event.message);
    this.post({ type: "start", module: this.module! });
    for (const [name, bytes] of this.files) this.post({ type: "file", name, bytes });
    this.post(this.opened);
    if (this.colour) this.send(this.colour);
  }

  private post(mail: ToWorker): void {
    this.worker?.postMessage(mail);
  }

  private take(said: FromWorker): void {
    switch (said.type) {
      case "binary": {
        this.post({ type: "taken" });
        const message = decode(said.bytes);
        if (message.kind === "model") this.listener.model(message);
        else this.listener.frame(message);
        break;
      }
      case "state":
        this.state = JSON.parse(said.text);
        this.listener.state(this.state!);
        break;
      case "opened": this.opened = said.mail; break;
      case "refused": this.listener.refused(said.reason); break;
      case "scene":
        this.asked.get(said.number)?.(said.text);
        this.asked.delete(said.number);
        break;
      case "broken": this.broken(said.reason); break;
    }
  }

  private broken(reason: string): void {
    this.worker?.terminate();
    this.worker = null;
    const error = `the solver failed: this is a bug in supple; reset to continue (${reason})`;
    if (this.state) this.listener.state({ ...this.state, running: false, error });
    else this.listener.lost(error);
  }

  send(command: Command): void {
    if (command.type === "colour") this.colour = command;
    if (!this.worker) {
      if (this.module && command.type === "reset") this.start();
      return;
    }
    this.post({ type: "command", command });
    // The session knows the scene that it began with, too; a new worker would not.
    if (command.type === "scene" && command.name !== this.state?.scenes[0]?.name) this.opened = { type: "built_in", name: command.name };
  }

  sceneFile(): Promise<string> {
    if (!this.worker) return Promise.reject(new Error("the solver broke down"));
    return new Promise((done) => {
      this.asked.set(++this.questions, done);
      this.post({ type: "scene", number: this.questions });
    });
  }

  async link(): Promise<string> {
    const text = await this.sceneFile();
    if (/^\s*(mesh|file)\s*=/m.test(text)) throw new Error("a scene that names files cannot be a link: share the files themselves");
    return `${location.href.split("#")[0]}#${await pack(text)}`;
  }

  /** Files from the person's disk: a scene with what it names, or one surface. They stay in this page. */
  async open(files: File[]): Promise<void> {
    const scenes = files.filter((f) => /\.toml$/i.test(f.name)), surfaces = files.filter((f) => MESHES.test(f.name));
    if (scenes.length > 1) return this.listener.refused("One scene at a time.");
    const large = files.find((f) => f.size > LARGEST);
    if (large) return this.listener.refused(`${large.name} is larger than ${LARGEST >> 20} MB.`);
    if (!scenes.length && surfaces.length !== 1) {
      return this.listener.refused("Drop a scene (.toml, with the meshes that it names) or one surface (.obj, .ply, .stl, .gltf, .glb).");
    }
    for (const file of files) {
      if (file === scenes[0]) continue;
      const bytes = new Uint8Array(await file.arrayBuffer());
      this.files.set(file.name, bytes);
      this.post({ type: "file", name: file.name, bytes });
    }
    const opening: Opening = scenes.length
      ? { type: "text", name: scenes[0].name.replace(/\.toml$/i, ""), text: await scenes[0].text(), megabytes: OWN }
      : { type: "surface", name: surfaces[0].name };
    if (!this.worker && this.module) this.start();
    this.post(opening);
  }
}

/** Compiles while it arrives, where the server says what it is; else afterwards. */
async function load(address: URL): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  if (answer.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}
