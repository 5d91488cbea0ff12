// @ts-check
// The in-page recorder. The build puts the sensor's files before this one, in the same module.

/**
 * @typedef {object} Options
 * @property {string | URL} [base] Where `worker.js`, `hub.js` and `hub_bg.wasm` lie; beside this module if absent.
 *   Must be of the page's own origin.
 *
 * @typedef {object} Events
 * @property {(step: any) => void} step A step was opened or changed: the same `seq` may come again.
 * @property {(error: Error) => void} error The recording goes on, but something was lost.
 */

/** @type {Recorder | null} */
let current = null;

/**
 * Starts to record this document. Resolves when recording has begun.
 * @param {Options} [options]
 * @returns {Promise<Recorder>}
 */
export async function start(options = {}) {
  if (current) throw new Error("Tracerule already records this page: stop that recorder first.");
  const recorder = new Recorder(new URL(".", new URL(options.base ?? "./", import.meta.url)));
  current = recorder;
  try {
    await recorder.ready;
  } catch (error) {
    recorder.end();
    throw error;
  }
  return recorder;
}

/** A recording of one document. */
export class Recorder {
  #worker;
  #sensor;
  #stopped = false;
  /** @type {any[]} */
  #steps = [];
  #asked = 0;
  /** @type {Map<number, {resolve(value: any): void, reject(error: Error): void}>} */
  #answers = new Map();
  /** @type {{step: Set<Events["step"]>, error: Set<Events["error"]>}} */
  #listeners = { step: new Set(), error: new Set() };
  /** @type {(error: Error) => void} */
  #fail = () => {};
  paused = false;

  /** Use `start`. @param {URL} base */
  constructor(base) {
    this.#worker = new Worker(new URL("worker.js", base));
    /** @type {Transport} */
    const transport = {
      post: (message) => this.#worker.postMessage({ sensor: message }),
      close() {},
      onmessage() {},
      ondisconnect() {},
    };
    /** @type {() => void} */
    let began = () => {};
    this.ready = new Promise((resolve, reject) => {
      began = () => resolve(undefined);
      this.#fail = reject;
    });
    this.#worker.onmessage = ({ data }) => {
      if (data.sensor) transport.onmessage(data.sensor);
      else if (data.step) this.#step(data.step);
      else if (data.answer) this.#answer(data.answer);
      else if (data.ready) began();
      else this.#broken(data.failed ?? data.error);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#broken(event.message || `${new URL("worker.js", base)} could not be loaded`);
    };
    this.#sensor = startSensor({
      connect: () => (this.#stopped ? null : transport),
      shadow: (element) => element.shadowRoot,
      typed: true,
    });
    this.#sensor.equip({ sealed, createMeasure, createSheets });
  }

  /**
   * Listens. Returns how to stop listening.
   * @template {keyof Events} T
   * @param {T} type @param {Events[T]} listener
   */
  on(type, listener) {
    const listeners = /** @type {Set<any>} */ (this.#listeners[type]);
    if (!listeners) throw new TypeError(`Tracerule has no event "${type}": there are "step" and "error".`);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** The steps so far; the last may still grow. */
  get steps() {
    return [...this.#steps];
  }

  /** Input from now on makes no steps. */
  pause() {
    this.paused = true;
    this.#sensor.pause(true);
  }

  /** Input makes steps again. */
  resume() {
    this.paused = false;
    this.#sensor.pause(false);
  }

  /** What is recorded so far, as a `.trace.zip`. @returns {Promise<Blob>} */
  async trace() {
    return this.#zip("trace");
  }

  /** Ends the recording. @returns {Promise<Blob>} the `.trace.zip` */
  async stop() {
    if (this.#stopped) throw new Error("This recording is over already.");
    const blob = await this.#zip("stop");
    this.end();
    return blob;
  }

  /** Gives up, without a trace. */
  end() {
    this.#stopped = true;
    this.#sensor.stop();
    this.#worker.terminate();
    for (const { reject } of this.#answers.values()) reject(new Error("The recording was ended."));
    this.#answers.clear();
    if (current === this) current = null;
  }

  /** @param {"trace" | "stop"} ask */
  async #zip(ask) {
    if (this.#stopped) throw new Error("This recording is over already.");
    this.#sensor.flush();
    const id = ++this.#asked;
    const bytes = await new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.#worker.postMessage({ ask, id });
    });
    return new Blob([bytes], { type: "application/zip" });
  }

  /** @param {any} step */
  #step(step) {
    const at = this.#steps.findIndex((known) => known.seq === step.seq);
    if (at < 0) this.#steps.push(step);
    else this.#steps[at] = step;
    for (const listener of this.#listeners.step) listener(step);
  }

  /** @param {{id: number, value?: any, error?: string}} answer */
  #answer({ id, value, error }) {
    const waiting = this.#answers.get(id);
    this.#answers.delete(id);
    if (error) waiting?.reject(new Error(error));
    else waiting?.resolve(value);
  }

  /** @param {string} message */
  #broken(message) {
    const error = new Error(`Tracerule: ${message}`);
    this.#fail(error);
    for (const listener of this.#listeners.error) listener(error);
  }
}
