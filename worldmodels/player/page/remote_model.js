// The page's side of the learned world in a worker: each method is a call there, and returns a promise.

/** The learned world could not be started, or failed; the text is for people. */
export class ModelError extends Error {}

export class RemoteModel {
  constructor(worker) {
    this.worker = worker;
    this.waiting = new Map();
    this.count = 0;
    worker.onmessage = ({ data: { id, result, error, lost } }) => {
      if (lost) return this.fail("The graphics processor was lost.");
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new ModelError(error));
    };
    worker.onerror = (event) => this.fail(event.message || "the worker stopped");
  }

  observe = (...values) => this.call("observe", values);
  choose = (...values) => this.call("choose", values);
  step = (...values) => this.call("step", values);
  branch = (...values) => this.call("branch", values);
  putBack = () => this.call("putBack", []);
  save = (moment) => this.call("save", [moment]);
  load = (moment) => this.call("load_moment", [moment]);
  start = (setup) => this.call("load", [setup]);

  call(name, values) {
    return new Promise((resolve, reject) => {
      if (this.failed) return reject(this.failed);
      const id = this.count++;
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, name, values });
    });
  }

  /** End the worker. */
  stop() {
    this.worker.terminate();
  }

  /** Reject what waits and what comes. */
  fail(text) {
    this.failed = new ModelError(text);
    for (const { reject } of this.waiting.values()) reject(this.failed);
    this.waiting.clear();
  }
}
