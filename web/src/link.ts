// A scene in the part of an address after #, which no server sees: deflated, in the letters of base64 that addresses may have.

/** Letters of a link, and bytes of the scene in it: both are checked, since anyone can write a link. */
const LONGEST = 32_000, LARGEST = 256 << 10;
const MARK = "scene=";

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("it is too large");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The fragment of a scene. */
export async function pack(scene: string): Promise<string> {
  const bytes = new TextEncoder().encode(scene);
  if (bytes.length > LARGEST) throw new Error("the scene is too large for a link");
  const small = await through(bytes, new CompressionStream("deflate-raw"), LARGEST);
  let binary = "";
  for (const byte of small) binary += String.fromCharCode(byte);
  const text = MARK + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (text.length > LONGEST) throw new Error("the scene is too large for a link");
  return text;
}

/** The scene of a fragment; null if it has none. */
export async function unpack(fragment: string): Promise<string | null> {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(MARK)) return null;
  if (text.length > LONGEST) throw new Error("it is too long");
  const letters = text.slice(MARK.length);
  if (!/^[\w-]+$/.test(letters)) throw new Error("it has letters that none of ours has");
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const scene = await through(bytes, new DecompressionStream("deflate-raw"), LARGEST);
  return new TextDecoder("utf-8", { fatal: true }).decode(scene);
}
