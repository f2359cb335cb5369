// Keeps the page for times without a network. The files of one version belong together: a new version is fetched as a whole before it counts.
const VERSION = "supple-VERSION";
const FILES = ["./", "index.html", "supple.wasm"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES.map((f) => new Request(f, { cache: "reload" })))).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  const old = (names) => names.filter((n) => n.startsWith("supple-") && n !== VERSION).map((n) => caches.delete(n));
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(VERSION).then((cache) => cache.match(event.request, { ignoreSearch: true })).then((kept) => kept ?? fetch(event.request)));
});
