// Python in a worker, which answers one question at a time and can be ended whatever it does.
import { load, script } from "./files.js";
import { h } from "./outputs.js";

/** The reader, or this page, ended what ran. */
export class Stopped extends Error {}

const LONGEST_MS = 10_000;

/** The frame in which Python lives: without an origin, so that it reaches nothing of the site. */
function room(address) {
  return new Promise((resolve, reject) => {
    const frame = h("iframe", { sandbox: "allow-scripts", src: address, hidden: true, title: "Python" });
    const late = () => (frame.remove(), reject(new Error(`${address} did not come, or this browser gives Python no place: reload the page.`)));
    let waiting = 0;
    frame.onload = () => (waiting = setTimeout(late, LONGEST_MS)); // a refusal, too, is a page that loads
    addEventListener("message", function hears({ source }) {
      if (source !== frame.contentWindow) return;
      removeEventListener("message", hears);
      frame.onload = null;
      clearTimeout(waiting);
      resolve(source);
    });
    document.body.append(frame);
  });
}

export class Python {
  #port = null;
  #waiting = () => {};
  #loading = null;
  #asks = 0; // questions without an answer

  /**
   * `beside(name)`: the address of a file beside this one; `progress(bytes)` hears how much of `files` has come,
   * `lost(error)` that Python ended while nobody asked.
   */
  constructor(beside, files, progress, lost) {
    Object.assign(this, { beside, files, progress, lost });
  }

  get runs() {
    return this.#port !== null;
  }

  /** Resolved when Python can run: it is `loaded` then. */
  begin() {
    this.loaded = false;
    const { port1: port, port2: other } = new MessageChannel();
    this.#port = port;
    this.#loading = new AbortController();
    port.onmessage = ({ data }) => this.#broke(data); // of its room; a question's answer has a port of its own
    this.ready = new Promise((resolve, reject) => {
      this.#waiting = reject;
      this.#load(other, this.#loading.signal).then(resolve, (error) => (port === this.#port && this.end(error), reject(error)));
    });
    return this.ready.then(() => (this.loaded = true));
  }

  /** Of an ended Python nothing is heard: its ports are closed. */
  #broke({ failed }) {
    if (failed == null) return;
    const error = new Error(`${failed} Run a cell to try again.`), idle = !this.#asks;
    this.end(error);
    if (idle) this.lost(error);
  }

  /** One frame for all workers; one that did not come is asked for again. */
  #room() {
    return (this.room ??= room(this.beside("python.html")).catch((error) => {
      this.room = null;
      throw error;
    }));
  }

  async #load(other, signal) {
    const { core, archives } = this.files, base = this.beside("../");
    const [place, worker, files] = await Promise.all([
      this.#room(), script(this.beside("worker.js")), load(base, [...core, ...archives], this.progress, signal),
    ]);
    if (signal.aborted) return;
    this.place = place;
    place.postMessage(worker, "*", [other]); // a frame without an origin has no other name
    await this.ask({ load: { core: files.slice(0, core.length), archives: files.slice(core.length) } }, files.map(({ content }) => content.buffer));
  }

  /** Whoever waits for an answer gets `why` instead; the next `begin` is a new Python, which knows nothing. */
  end(why = new Stopped()) {
    this.#loading?.abort();
    this.place?.postMessage(null, "*");
    this.#port?.close();
    this.#port = null;
    this.#waiting(why);
  }

  /**
   * The answer comes over a port that this question alone has: what a cell posts to the page, or what comes late, is
   * none. A cell that takes over its worker answers for Python until Stop: with outputs, which is all that a cell can
   * give.
   */
  ask(message, moved = []) {
    const { port1: own, port2: answers } = new MessageChannel();
    this.#asks++;
    return new Promise((resolve, reject) => {
      this.#waiting = reject;
      own.onmessage = ({ data }) => {
        this.#broke(data); // and is no answer
        resolve(data.outputs);
      };
      this.#port.postMessage(message, [answers, ...moved]);
    }).finally(() => (this.#asks--, own.close()));
  }
}
