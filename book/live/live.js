// A live page: "Run here" turns its Python cells into editors, and what they give is replaced in place.
// Nothing is loaded before the click; edits stay in this browser, and go into a link when the reader asks.
(() => {
  "use strict";
  const own = document.currentScript, base = new URL(".", own.src).href;
  if (!/^https?:$/.test(location.protocol)) return; // a file may start no worker

  const ACTIVE = 'script:not([type="application/json"]), iframe, frame, object, embed, link, meta, base, form, template, animate, set';
  const kept = `gpusim edits ${location.pathname}`;
  const h = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  /** Edits, {number of a cell: its text}; whatever else stands there is none. */
  const read = (text) => {
    try {
      return Object.fromEntries(Object.entries(JSON.parse(text)).filter(([, edit]) => typeof edit === "string"));
    } catch {
      return {};
    }
  };
  const stored = () => {
    try {
      return read(localStorage.getItem(kept));
    } catch {
      return {}; // a page may be refused a memory
    }
  };
  /** Keep one edit, or forget it; another tab may have kept others meanwhile. */
  const store = (number, text) => {
    try {
      localStorage.setItem(kept, JSON.stringify({ ...stored(), [number]: text }));
    } catch { /* the edits live as long as the page */ }
  };
  /** The edits that a link carries; the fragment never leaves the browser. */
  const linked = () => {
    const [, code] = /^#edit=(.+)$/.exec(location.hash) ?? [];
    try {
      return code ? read(new TextDecoder().decode(Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0)))) : {};
    } catch {
      return {};
    }
  };
  const link = (edits) => {
    const bytes = new TextEncoder().encode(JSON.stringify(edits));
    const code = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    return `${location.href.split("#")[0]}#edit=${code}`;
  };

  const said = h("span", { className: "live-said" });
  said.setAttribute("role", "status");
  const bar = h("progress", { max: 1, value: 0, hidden: true });
  const start = h("button", { type: "button", className: "live-start", onclick: () => open().catch(failed) }, "Run here");
  const stop = h("button", { type: "button", hidden: true, onclick: () => halt("Stopped. Cells run again from the first when you run one.") }, "Stop");
  const terms = h("a", { href: `${base}licences.txt` }, "What is loaded, and under which licences");
  const panel = h("div", { className: "live-bar" }, start, stop, bar, said, terms);
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", "Run the cells of this page");

  // `done`: the sources of the cells that have run, in order; `tried`: the puzzles that know the page's own kernel
  let cells = {}, puzzles = {}, order = [], files = null, edits = {}, worker = null, ready = null, waiting = null, busy = false;
  let done = [], tried = new Set(), inPage = []; // `inPage`: `order` without puzzles, whose cells no other needs
  const editors = {}, moved = new Map(), size = +own.dataset.bytes;

  const place = (number) => document.querySelector(`.live-cell-${number}`);
  const source = (number) => edits[number] ?? cells[number];
  const failed = (error) => {
    said.textContent = `${error.message ?? error} Reload the page to try again.`;
    stop.hidden = bar.hidden = true;
  };
  const json = async (name) => {
    const response = await fetch(`${base}${name}`);
    if (!response.ok) throw new Error(`${name} did not come: ${response.status} ${response.statusText}.`);
    return response.json();
  };

  /** A worker with Python in it; `ready` when it can run. */
  function begin() {
    [done, tried] = [[], new Set()];
    moved.clear();
    worker = new Worker(`${base}worker.js`);
    bar.hidden = false;
    ready = new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      worker.onmessage = ({ data }) => {
        if (data.loaded != null) {
          bar.value = data.loaded / size;
          said.textContent = data.loaded < size ? `Loading Python: ${megabytes(data.loaded)} of ${megabytes(size)}` : "Starting Python …";
        } else if (data.failed != null) waiting?.reject(new Error(data.failed));
        else waiting?.resolve(data.outputs);
      };
      worker.onerror = (event) => waiting?.reject(new Error(event.message || "Python could not be started."));
    }).then(() => {
      bar.hidden = true;
      said.textContent = "Ready. Change a cell and run it: Shift and Enter.";
    });
    ready.catch(() => { // whoever waits for it says why; the next run begins anew
      worker?.terminate();
      worker = null;
    });
    worker.postMessage({ load: files });
  }

  function halt(words) {
    worker?.terminate();
    worker = null;
    waiting?.reject(new Error("stopped"));
    stop.hidden = bar.hidden = true;
    said.textContent = words;
  }

  const answered = (message) => new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage(message);
  });
  const asked = (number, text = source(number)) => answered({ run: { number, source: text } });

  /** The last cell of the section that a cell stands in: what it changes is shown there. */
  function lastOf(number) {
    const section = place(number)?.closest("section");
    const within = inPage.filter((each) => each >= number && section?.contains(place(each)));
    return within.at(-1) ?? number;
  }

  /** Run these; whether all came to their end. An error in the cell `number`, or where nobody sees it, is the end. */
  async function inOrder(numbers, number, before = () => {}) {
    for (const each of numbers) {
      before(each);
      const outputs = await asked(each), error = outputs.find(({ kind }) => kind === "failed");
      show(each, outputs, error && each !== number); // a question stays where a later cell fails
      if (error && !place(each)) throw new Error(`Cell ${order.indexOf(each) + 1}, which prepares the page, ends with ${error.text}.`);
      if (error && each === number) return false;
    }
    return true;
  }

  /** A puzzle needs no other cell. The page's own kernel runs before the first one of the reader. */
  async function solve(number) {
    const [setup, , check] = puzzles[number];
    said.textContent = "Running your kernel …";
    if (!tried.has(number)) for (const each of [setup, number, check]) await asked(each, cells[each]);
    tried.add(number);
    return inOrder([number, check], number);
  }

  async function follow(number) {
    const last = lastOf(number), stale = inPage.findIndex((each, at) => done[at] !== source(each));
    const first = Math.min(stale < 0 ? inPage.length : stale, inPage.indexOf(number));
    done.length = first;
    const numbers = inPage.slice(first, inPage.indexOf(last) + 1);
    return inOrder(numbers, number, (each) => {
      done.push(source(each));
      said.textContent = `Running cell ${inPage.indexOf(each) + 1} of ${inPage.indexOf(last) + 1} …`;
    });
  }

  /** Let Python do something, and nothing else meanwhile. */
  async function alone(work) {
    if (busy) return;
    busy = true;
    if (!worker) begin();
    stop.hidden = false;
    try {
      await ready;
      await work();
    } catch (error) {
      if (error.message !== "stopped") failed(error);
    } finally {
      waiting = null;
      busy = false;
      stop.hidden = bar.hidden = true;
    }
    const [next] = moved; // a control that moved meanwhile
    if (next && worker) tell(...next);
  }

  const run = (number) => alone(async () => {
    const began = performance.now(), whole = await (number in puzzles ? solve : follow)(number);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const veiled = place(number)?.closest("section")?.querySelector(".revealed:not([data-open])") ? " Answer the question there to see all of it." : "";
    said.textContent = whole
      ? `Ran in ${seconds} s. What stands below is of your kernel; numbers in the text are of the page's.${number in puzzles ? "" : veiled}`
      : `Ran in ${seconds} s, up to the error in your cell: what stands below it is as it was.`;
  });

  /** The reader moved a control of a playground: what changes in turn is drawn again. The newest value of each counts. */
  function tell(control, value) {
    if (!worker) return void (said.textContent = "Run the cell again: its controls ended with Stop.");
    moved.set(control, value);
    return alone(async () => {
      for (const [each, now] of moved) {
        moved.delete(each);
        for (const [number, html] of await answered({ told: { control: each, value: now } })) document.querySelector(`[data-control="${number}"]`)?.replaceWith(harmless(html));
      }
      document.dispatchEvent(new Event("gpusim:mount"));
    });
  }

  /** HTML that a cell made, which a link may have brought: nothing in it runs. A view's report is JSON, which does not. */
  function harmless(html) {
    const { content } = h("template", { innerHTML: html });
    for (const element of content.querySelectorAll("*")) {
      if (element.matches(ACTIVE)) element.remove();
      for (const { name, value } of [...element.attributes]) if (/^on/i.test(name) || /^[\s\0-\x20]*(javascript|vbscript|data:text)/i.test(value)) element.removeAttribute(name);
    }
    return content;
  }

  for (const kind of ["input", "change"])
    document.addEventListener(kind, ({ target }) => {
      const control = target.closest?.("[data-control]");
      if (!control || !target.matches("input, select") || (kind === "input") === (target.type === "text")) return;
      if (target.nextElementSibling?.matches("output")) target.nextElementSibling.textContent = target.value;
      tell(+control.dataset.control, target.type === "checkbox" ? String(target.checked) : target.value);
    });

  /** The text of a playground becomes an editor, too. */
  function editText(area) {
    const control = +area.closest("[data-control]").dataset.control;
    area.hidden = true;
    gpusimEditor({ parent: area.parentElement, text: area.value, label: area.ariaLabel, changed: (text) => tell(control, text), run: () => {} });
  }

  /** Put what a cell gave where its output stood. */
  function show(number, outputs, beside = false) {
    const cell = place(number);
    if (!cell) return; // hidden cells have no place
    cell.classList.remove("live-stale");
    cell.querySelector(".live-beside")?.remove();
    if (beside) return void cell.append(h("pre", { className: "live-error live-beside" }, outputs.at(-1).text));
    const elsewhere = outputs.find(({ kind }) => kind === "elsewhere");
    cell.querySelector(".live-note")?.remove();
    if (elsewhere) return void cell.append(h("p", { className: "live-note" }, elsewhere.text));
    let output = cell.querySelector(":scope > .cell_output, :scope > details .cell_output");
    if (!output && !outputs.length) return;
    if (!output) cell.append(output = h("div", { className: "cell_output docutils container" }));
    output.replaceChildren(...outputs.map(({ kind, text, html }) => {
      if (!html) return h("pre", { className: kind === "failed" ? "live-error" : "live-text" }, text);
      const box = h("div", { className: "output text_html" });
      box.append(harmless(html));
      return box;
    }));
    for (const area of output.querySelectorAll(".gpusim-editor textarea")) editText(area);
    document.dispatchEvent(new Event("gpusim:mount"));
  }

  /** A cell of Python becomes an editor, with what can be done with it. */
  function edit(number) {
    const input = place(number)?.querySelector(".cell_input");
    if (!input || place(number).classList.contains("tag_puzzle-answer")) return;
    if (cells[number].startsWith("%%cuda")) {
      input.append(h("p", { className: "live-note" }, "CUDA C++ runs in JupyterLab; a browser cannot compile it."));
      return;
    }
    const box = h("div", { className: "live-editor highlight" }), at = order.indexOf(number) + 1;
    const tools = h("div", { className: "live-tools" });
    const reset = h("button", { type: "button", hidden: true, onclick: () => editors[number].put(cells[number]) }, "Reset");
    const share = h("button", { type: "button", hidden: true, onclick: () => copy(link({ [number]: source(number) })) }, "Copy a link to it");
    const changed = (text) => {
      if (text === cells[number]) delete edits[number];
      else edits[number] = text;
      store(number, edits[number]);
      for (const each of puzzles[number] ?? [number]) place(each)?.classList.add("live-stale");
      reset.hidden = share.hidden = !(number in edits);
    };
    input.hidden = true;
    input.before(box);
    editors[number] = gpusimEditor({ parent: box, text: source(number), label: `Cell ${at}, Python`, changed, run: () => run(number) });
    tools.append(h("button", { type: "button", onclick: () => run(number) }, "Run"), reset, share);
    box.append(tools);
    reset.hidden = share.hidden = !(number in edits);
  }

  async function copy(address) {
    try {
      await navigator.clipboard.writeText(address);
      said.textContent = "The link is copied: it carries your cell, and nothing was sent.";
    } catch {
      history.replaceState(null, "", address);
      said.textContent = "The address of this page now carries your cell: copy it.";
    }
  }

  async function open() {
    start.hidden = true;
    said.textContent = "Loading the editor …";
    const loads = h("script", { src: `${base}editor.js` });
    const editor = new Promise((resolve, reject) => Object.assign(loads, { onload: resolve, onerror: () => reject(new Error("The editor did not come.")) }));
    document.head.append(loads);
    files = await json("files.json");
    ({ cells, puzzles } = await json(own.dataset.cells));
    await editor;
    order = Object.keys(cells).map(Number).sort((a, b) => a - b);
    const apart = new Set(Object.values(puzzles).flatMap(([setup, , check]) => order.slice(order.indexOf(setup), order.indexOf(check) + 2)));
    inPage = order.filter((each) => !apart.has(each));
    edits = { ...stored(), ...linked() };
    panel.classList.add("live-on");
    order.forEach(edit);
    for (const number of Object.keys(edits)) if (!(number in editors)) delete edits[number]; // a cell that nobody sees is nobody's to change
    begin();
    stop.hidden = false;
    await ready.catch((error) => {
      if (error.message !== "stopped") throw error;
    });
    stop.hidden = !busy;
  }

  const carried = Object.keys(linked()).length ? "This link carries somebody's change of a cell. " : "";
  said.textContent = `${carried}Change this page's kernels and run them, in your browser. Loads ${megabytes(size)}, once.`;
  document.querySelector("article h1")?.after(panel);
})();
