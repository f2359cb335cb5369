// The page: puts the solver, the stage and the controls together.
import { Vector3 } from "three";
import { Bodies } from "./bodies";
import { Charts } from "./charts";
import { legend } from "./colour";
import { Grab } from "./grab";
import { icons } from "./icons";
import { keys } from "./keys";
import { LocalSolver } from "./local";
import { NOTEBOOK, NotebookSolver } from "./notebook";
import { opening } from "./opening";
import { Panel } from "./panel";
import { Recorder } from "./record";
import { Recording } from "./recording";
import { save } from "./save";
import { SocketSolver } from "./socket";
import type { Command, Listener, Solver, State } from "./solver";
import { Stage } from "./stage";
import type { Field, Frame, Model } from "./stream";
import { notes, theme, toggle } from "./surface";
import { outcome, short } from "./words";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

function start(): void {
  const stage = new Stage(find<HTMLCanvasElement>("canvas"));
  const charts = new Charts(find);
  const recorder = new Recorder();
  const note = notes(find);
  let bodies: Bodies | null = null;
  let state: State | null = null;
  let newest: Frame | null = null;
  let lastNote = 0;
  let said = "";
  let look: "light" | "dark" = "light";

  const field = (): Field | "" => find<HTMLSelectElement>("colour").value as Field | "";
  const send = (command: Command) => solver.send(command);
  const running = () => state?.running ?? false;

  function take(frame: Frame): void {
    if (!bodies || frame.model !== bodies.model.number || frame.vertices !== bodies.model.vertices) return;
    // The picture is drawn once per display frame, of the newest.
    if (!newest) performance.mark("first-frame");
    newest = frame;
    charts.add(frame);
    say(frame);
    if (recorder.on && !recorder.add(frame)) stopRecording();
    if (recorder.on) find("kept").textContent = `recording: ${recorder.count} frames`;
    stage.invalidate();
  }

  function say(frame: Frame): void {
    const { text, good } = outcome(frame);
    const status = find("status");
    const whole = `${running() ? "" : "paused · "}${text}`;
    status.textContent = whole;
    status.classList.toggle("bad", !good);
    find("clock").textContent = `${frame.time.toFixed(2)} s · frame ${frame.frame}`;
    // Readers aloud hear of changes, not of every frame.
    const kind = `${running() ? "running" : "paused"}, ${text.split(":")[0]}`;
    if (kind !== said) find("live").textContent = said = kind;
  }

  stage.before = () => {
    if (!bodies || !newest) return;
    if (bodies.frame !== newest) bodies.update(newest);
    if (grab.holding) grab.show();
    legend(find("legend"), field(), bodies.range, short);
    if (solver.recorded) find<HTMLInputElement>("scrub").value = String(solver.recorded.at);
  };

  function show(model: Model): void {
    if (bodies) {
      stage.scene.remove(bodies.group);
      bodies.dispose();
    }
    if (recorder.on) stopRecording();
    newest = null;
    bodies = new Bodies(model);
    stage.scene.add(bodies.group);
    bodies.wire(find<HTMLInputElement>("wire").checked);
    bodies.showMarks(find<HTMLInputElement>("marks").checked);
    bodies.theme(look);
    bodies.colourBy(field());
    charts.clear();
    stage.show(model);
    if (model.scene) document.title = `${model.scene} – supple`;
  }

  function tell(next: State): void {
    state = next;
    panel.show(next);
    document.body.classList.toggle("building", next.building);
    const play = find("play");
    play.setAttribute("aria-label", next.running ? "Pause" : "Run");
    play.innerHTML = next.running ? icons.pause : icons.play;
    const scenes = find<HTMLSelectElement>("scene");
    if (scenes.options.length !== next.scenes.length) {
      scenes.replaceChildren(...next.scenes.map((s) => Object.assign(new Option(s.name, s.name), { title: s.about })));
    }
    scenes.value = next.scene;
    find<HTMLSelectElement>("speed").value = String(next.speed);
    note.fail(next.error, "Reset");
    if (next.note && next.note.number > lastNote) note.say(next.note.text);
    lastNote = next.note?.number ?? lastNote;
    if (newest) say(newest);
  }

  function stopRecording(): void {
    const count = recorder.count, file = recorder.stop();
    find("record").setAttribute("aria-pressed", "false");
    find("kept").textContent = file ? `${count} frames were kept` : "";
    if (file) save(`${bodies?.model.scene || "supple"}.glb`, file, "model/gltf-binary");
  }

  const listener: Listener = {
    model: show, frame: take, state: tell,
    refused: (reason) => note.say(reason),
    lost: (reason) => note.lost(reason),
  };
  const data = find("data").textContent!.trim();
  let solver: Solver = { send: () => {}, sceneFile: () => Promise.reject(new Error("not ready")) };
  const grab = new Grab(stage, () => bodies, { send, sceneFile: () => solver.sceneFile() }, () => (data === "" || data === NOTEBOOK) && !state?.error);
  const panel = new Panel(find, send);
  document.body.classList.toggle("report", data !== "");
  theme(find, (name) => {
    look = name;
    stage.theme(name);
    bodies?.theme(name);
    charts.draw();
  });
  toggle(find, (top, right, bottom) => stage.cover(top, right, bottom));
  for (const id of ["play", "step", "iterate", "reset"] as const) find(id).innerHTML = icons[id];

  const actions = {
    run: () => send({ type: "run", on: !running() }),
    step: () => send({ type: "step" }),
    reset: () => { charts.clear(); send({ type: "reset" }); },
    fit: () => bodies && stage.fit(bodies.box()),
    wire: () => {
      const box = find<HTMLInputElement>("wire");
      box.checked = !box.checked;
      box.dispatchEvent(new Event("change"));
    },
  };
  find("play").onclick = actions.run;
  find("step").onclick = actions.step;
  find("iterate").onclick = () => send({ type: "iterate" });
  find("reset").onclick = find("alert-button").onclick = actions.reset;
  find("fit").onclick = actions.fit;
  find("scene").onchange = () => send({ type: "scene", name: find<HTMLSelectElement>("scene").value });
  find("speed").onchange = () => {
    send({ type: "speed", factor: Number(find<HTMLSelectElement>("speed").value) });
  };
  find("colour").onchange = () => {
    bodies?.colourBy(field());
    send({ type: "colour", by: field() || null });
    stage.invalidate();
  };
  find("wire").onchange = () => { bodies?.wire(find<HTMLInputElement>("wire").checked); stage.invalidate(); };
  find("marks").onchange = () => { bodies?.showMarks(find<HTMLInputElement>("marks").checked); stage.invalidate(); };
  find("picture").onclick = async () => save(`${bodies?.model.scene || "supple"}.png`, await stage.picture(), "image/png");
  find("record").onclick = () => {
    if (recorder.on) return stopRecording();
    if (!bodies) return;
    recorder.start(bodies.model, newest);
    find("record").setAttribute("aria-pressed", "true");
  };
  find("share").onclick = async () => {
    try {
      save(`${bodies?.model.scene || "scene"}.toml`, await solver.sceneFile(), "application/toml");
    } catch (error) {
      note.say(`The scene file could not be fetched: ${(error as Error).message}`);
    }
  };
  keys({ " ": actions.run, ArrowRight: actions.step, r: actions.reset, f: actions.fit, w: actions.wire });

  if (data === NOTEBOOK) {
    solver = new NotebookSolver(listener);
  } else if (data) {
    const recording = new Recording(data, listener);
    solver = recording;
    const scrub = find<HTMLInputElement>("scrub");
    find("scrubber").hidden = false;
    scrub.max = String(recording.recorded.frames.length - 1);
    scrub.oninput = () => { send({ type: "run", on: false }); recording.recorded.show(Number(scrub.value)); };
    charts.all(recording.recorded.frames);
    // Recorded by something else: it has positions and nothing to say of the solver.
    document.body.classList.toggle("bare", recording.recorded.frames.every((f) => f.status === 0));
  } else if (document.documentElement.dataset.solver === "worker") {
    const local = new LocalSolver(listener);
    solver = local;
    opening(find, local.local, note.say);
    // Only a page from a web server can stay for times without a network.
    navigator.serviceWorker?.register("offline.js").catch(() => {});
  } else {
    solver = new SocketSolver(listener);
  }

  // For the console and for tests: where a vertex is in space and on the canvas.
  Object.assign(globalThis, { suppleView: {
    get model() { return bodies?.model ?? null; },
    get frame() { return newest; },
    get state() { return state; },
    get pictures() { return stage.pictures; },
    get solver() { return solver; },
    project(vertex: number): [number, number] | null {
      if (!newest) return null;
      const p = new Vector3().fromArray(newest.positions, 3 * vertex).project(stage.camera);
      const box = stage.canvas.getBoundingClientRect();
      return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
    },
  } });
}

try {
  start();
} catch (error) {
  notes(find).fail(`This page cannot run here: ${(error as Error).message}`, "");
}
