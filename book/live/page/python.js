// Python in a worker, which answers one question at a time and can be ended whatever it does.

/** The reader, or this page, ended what ran. */
export class Stopped extends Error {}

export class Python {
  #worker = null;
  #waiting = null;

  /** `progress(bytes)` hears how much of `files` has come. */
  constructor(address, files, progress) {
    Object.assign(this, { address, files, progress });
  }

  get runs() {
    return this.#worker !== null;
  }

  /** Resolved when Python can run. */
  begin() {
    const worker = this.#worker = new Worker(this.address);
    worker.onmessage = ({ data }) => {
      if (worker !== this.#worker) return; // it was ended meanwhile
      if (data.loaded != null) this.progress(data.loaded);
      else if (data.failed != null) this.end(new Error(data.failed));
      else this.#waiting?.resolve(data.outputs);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (worker === this.#worker) this.end(new Error(event.message || "Python could not be started."));
    };
    return (this.ready = this.ask({ load: this.files }));
  }

  /** Whoever waits for an answer gets `why` instead; the next `begin` is a new Python, which knows nothing. */
  end(why = new Stopped()) {
    this.#worker?.terminate();
    this.#worker = null;
    this.#waiting?.reject(why);
  }

  ask(message) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(message);
    });
  }
}
