// Each of these asks AWAY for a file of its own name, in a worker where nothing is forbidden. `told(name)` hears of a store that opened.
function tried(way) {
  try {
    return Promise.resolve(way()).catch(() => {});
  } catch {
    return Promise.resolve();
  }
}

const within = URL.createObjectURL(new Blob(["for (const way of [fetch, (at) => import(at)]) way('AWAY/within').catch(() => {})"], { type: "text/javascript" }));
const request = new XMLHttpRequest();
const WAYS = [
  () => fetch("AWAY/fetch"),
  () => WorkerGlobalScope.prototype.fetch.call(self, "AWAY/prototype"),
  () => import("AWAY/import.js"),
  () => importScripts("AWAY/scripts.js"),
  () => importScripts(within),
  () => new Worker("AWAY/worker.js"),
  () => new Worker(within),
  () => new FontFace("x", "url(AWAY/font)").load(),
  () => new WebSocket("AWAY/socket".replace("http", "ws")),
  () => new EventSource("AWAY/events"),
  () => new WebTransport("AWAY/".replace("http:", "https:")),
  () => (request.open("GET", "AWAY/request", false), request.send()),
  () => caches.open("gpusim").then(() => told("caches")),
  () => new Promise((resolve) => Object.assign(indexedDB.open("gpusim"), { onsuccess: resolve })).then(() => told("indexedDB")),
];
Promise.all(WAYS.map(tried)).then(() => told("the end"));
