// A live page in node: live.js with all that it imports, a document of a few lines (dom.mjs), and a Python that answers as a test says.
import { newDocument } from "./dom.mjs";
import { Planner } from "./plan.mjs";

const AT = "https://course.example/book/page.html";
let pages = 0;

export const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** What a browser keeps of a page: `full` refuses what comes, as one without room does. */
export function memory(texts = {}) {
  const key = "gpusim edits /book/page.html", stored = { [key]: JSON.stringify(texts) };
  return {
    full: false,
    getItem: (name) => stored[name] ?? null,
    setItem(name, text) {
      if (this.full) throw new Error("QuotaExceededError");
      stored[name] = text;
    },
    get edits() { return JSON.parse(stored[key]); },
    set edits(texts) { stored[key] = JSON.stringify(texts); },
  };
}

/** A name as build.py gives it to the cell of that number. */
export const nameOf = (number) => String(number).padStart(12, "0");

/** A page whose cells have these texts, all in one section. `answers(run)` are the outputs of a cell, `told({control, value})` of a control; `hash` is what the address carries, `state` what the browser keeps with it; `outputs` what the page shows, null for nothing; `closed`: "Run here" is not pressed yet. */
export async function opened(texts, { answers = () => [{ kind: "shown", text: "new" }], told = () => [], hash = "", state = null, stored = memory(), hold = false, closed = false, hidden = [], puzzles = {}, outputs = {} } = {}) {
  let planner = null;
  const asked = [], editors = [], ports = [], hears = {};
  const cellOf = (number) => `<div class="cell live-cell-${number}">${hidden.includes(number) ? "" : `<div class="cell_input"></div>`}${outputs[number] === null ? "" : `<div class="cell_output">${outputs[number] ?? `page's ${number}`}</div>`}</div>`;
  const document = newDocument(`<article><section><h1>Title</h1>${texts.map((_, at) => (hidden.includes(at + 1) ? "" : cellOf(at + 1))).join("")}</section></article><script data-cells="page.json" data-bytes="9"></script>`);
  const apart = Object.values(puzzles).flatMap(([setup]) => [0, 1, 2, 3].map((part) => setup + part)), needs = (number) => (apart.includes(number) ? [] : texts.map((_, at) => at + 1).filter((each) => each <= number && !apart.includes(each)));
  const cells = Object.fromEntries(texts.map((source, at) => [at + 1, { name: nameOf(at + 1), place: at + 1, source, elsewhere: false, editor: !hidden.includes(at + 1), needs: needs(at + 1) }]));
  const places = Object.values(cells).map(({ name, place, editor }) => editor && [name, [place, place]]);
  document.querySelector("script[data-cells]").dataset.names = JSON.stringify(Object.fromEntries(places.filter(Boolean)));
  const files = { "files.json": { core: [], archives: [] }, "page.json": { cells, puzzles } };
  const frames = () => document.querySelectorAll("iframe");
  const location = { href: AT + hash, get hash() { return new URL(this.href).hash; }, pathname: "/book/page.html", search: "" };
  const reply = ({ data: { load, run, plan, told: control }, ports: [port] }) => {
    if (load) planner = new Planner();
    const outputs = run && answers(run);
    if (run && !outputs.some(({ kind }) => kind === "failed")) planner.ran(run);
    port.postMessage({ outputs: load ? [] : run ? outputs : plan ? planner.plan(plan) : told(control) });
  };
  const browser = {
    document, location, localStorage: stored, caches: undefined,
    addEventListener: (kind, hear) => (hears[kind] ??= []).push(hear), removeEventListener: (kind, hear) => hears[kind].splice(hears[kind].indexOf(hear), 1),
    history: { state, replaceState(state, _, address) { Object.assign(this, { state }); location.href = new URL(address, AT).href; } },
    navigator: { clipboard: { writeText: async (text) => (page.copied = text) } },
    fetch: async (address) => {
      const file = files[String(address).split("/").at(-1)];
      return file ? new Response(JSON.stringify(file)) : new Response("", { headers: { "content-type": "text/javascript" } });
    },
    gpusimEditor: ({ parent, text, changed, run }) => {
      const view = document.createElement("div");
      view.className = "cm-editor";
      parent.append(view);
      const editor = { text, run, view, type: (now) => changed((editor.text = now)), put: (now) => now === editor.text || editor.type(now), destroy: () => view.remove() };
      editors.push(editor);
      return editor;
    },
  };
  for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const create = document.createElement;
  document.createElement = (tag) => {
    const element = create(tag);
    if (tag !== "iframe") return element;
    return Object.assign(element, { contentWindow: { postMessage: (_, __, [port] = []) => {
      if (!port) return;
      ports.push(port);
      port.onmessage = ({ data, ports: own }) => {
        const asks = { data, ports: own };
        if (data.run) asked.push(data.run);
        if (data.told) asked.push(data.told);
        page.held ? page.held.push(() => reply(asks)) : reply(asks);
      };
    } } });
  };
  const page = {
    document, location, stored, asked, editors, held: hold ? [] : null,
    /** What waits for an answer gets it; nothing waits from then on. */
    async release() {
      const due = page.held;
      page.held = null;
      due.forEach((answer) => answer());
      await settled();
    },
    get state() { return browser.history.state; },
    get said() { return document.querySelector(".live-said").textContent; },
    cell: (number) => document.querySelector(`.live-cell-${number}`),
    below: (number) => page.cell(number).querySelector(".live-ran")?.textContent ?? "",
    press: (words, within = document) => within.querySelectorAll("button").find((each) => each.textContent === words && !each.hidden).onclick(),
    async go(fragment) {
      browser.history.state = null;
      location.href = AT + fragment;
      for (const hear of hears.hashchange) hear();
      await settled();
    },
    async begin(by = "Run here") {
      page.press(by);
      await settled();
      for (const frame of frames()) for (const hear of [...hears.message]) hear({ source: frame.contentWindow });
      await settled();
    },
    /** Another tab of the page keeps these. */
    async another(edits) {
      stored.edits = edits;
      for (const hear of hears.storage ?? []) hear({ key: "gpusim edits /book/page.html" });
      await settled();
    },
    /** The reader comes back to the page, which the browser had put to sleep. */
    async wake(persisted = true) {
      for (const hear of hears.pageshow ?? []) hear({ persisted });
      await settled();
    },
    async run(number) {
      page.press("Run", page.cell(number));
      await settled();
    },
    close: () => ports.forEach((port) => port.close()),
  };
  await import(`../../book/live/page/live.js?page=${pages++}`);
  page.invited = page.said;
  if (!closed) await page.begin();
  return page;
}
