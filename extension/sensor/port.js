// @ts-check
"use strict";

/**
 * What carries messages to the hub. `onmessage` and `ondisconnect` are set by the link.
 * @typedef {{post(message: object): void, close(): void, onmessage: (message: any) => void, ondisconnect: () => void}} Transport
 *
 * What differs between the extension and a page that embeds the recorder.
 * `connect` gives a new transport, or null when the hub is gone for good; `shadow` an element's shadow
 * root, closed ones too where the browser tells; `typed` says that typed arrays survive the transport;
 * `leave` keeps what a document that goes away could not get acknowledged; `gated` says that the browser puts
 * the sensor into tabs that are not recorded, too: nothing is read or said until the hub says that this one is.
 * `frameId` gives the browser's number of an element's frame where it tells, `beyond` the sensor in another window.
 * @typedef {{connect(): Transport | null, shadow(element: Element): ShadowRoot | null, typed: boolean, gated?: boolean, leave?(token: string, words: object): void, onstop?(): void, frameId?(element: Element): number, beyond?(view: Window): any}} Platform
 *
 * @typedef {{seq: number, t0: number, strings: string[], ops: Int32Array | number[]}} Batch
 */

/** Ms since the epoch, comparable between frames and with the hub. */
function createClock() {
  let origin = performance.timeOrigin;
  const now = () => {
    const elapsed = performance.now();
    const wall = Date.now();
    // The wall clock is set and machines sleep: what others call now wins.
    if (Math.abs(origin + elapsed - wall) > 50) origin = wall - elapsed;
    return origin + elapsed;
  };
  return {
    now,
    /** @param {Event} event */
    of(event) {
      const t = now();
      const at = origin + event.timeStamp;
      return event.timeStamp > 0 && at <= t + 1 ? at : t;
    },
  };
}

/**
 * The stream of operations, cut into batches that carry their own strings.
 * @param {{now(): number}} clock
 * @param {(text: string) => string} scrub takes secrets out of a string
 * @param {(batch: {t0: number, strings: string[], ops: number[]}) => void} deliver
 * @param {() => void} complete called before a flush by the timer, to write what is due
 */
function createStream(clock, scrub, deliver, complete) {
  const LIMIT = 2000;
  const DELAY_MS = 50;
  /** Longer texts are cut: messages between page and hub have their limits. */
  const LONGEST = 1 << 20;
  /** A batch with so many characters is sent. */
  const FULL = 4 << 20;
  /** @type {number[]} */
  let ops = [];
  /** @type {string[]} */
  let strings = [];
  /** @type {Map<string, number>} */
  let index = new Map();
  let t0 = 0;
  let time = NaN;
  let due = NaN;
  let count = 0;
  let size = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {string} text */
  function string(text) {
    let clean = scrub(text);
    if (clean.length > LONGEST) clean = `${clean.slice(0, LONGEST)}…`;
    let at = index.get(clean);
    if (at === undefined) {
      size += clean.length;
      at = strings.length;
      strings.push(clean);
      index.set(clean, at);
    }
    return at;
  }

  /** Says when what follows happened. @param {number} t */
  function at(t) {
    due = t;
  }

  /** Writes one operation; its strings must have been taken since the last. @param {number[]} values */
  function op(...values) {
    if (ops.length === 0) {
      t0 = Number.isNaN(due) ? clock.now() : due;
      time = NaN;
      due = t0;
    }
    if (!Number.isNaN(due)) {
      const tenths = Math.max(-1e9, Math.min(1e9, Math.round((due - t0) * 10)));
      if (tenths !== time) ops.push(W.TIME, tenths);
      time = tenths;
      due = NaN;
    }
    for (let i = 0; i < values.length; i++) ops.push(values[i]);
    count += 1;
    if (count >= LIMIT || size >= FULL) flush();
    else schedule();
  }

  function schedule() {
    timer ??= setTimeout(() => {
      timer = undefined;
      complete();
      flush();
    }, DELAY_MS);
  }

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    if (ops.length === 0) return;
    const batch = { t0, strings, ops };
    ops = [];
    strings = [];
    index = new Map();
    count = 0;
    size = 0;
    deliver(batch);
  }

  function stop() {
    clearTimeout(timer);
    timer = undefined;
  }

  return { string, at, op, schedule, flush, stop };
}

/**
 * The connection to the hub: batches are kept until acknowledged, and sent again after a reconnection.
 * @param {Platform} platform
 * @param {(next: number) => object} hello
 * @param {(command: any) => void} onCommand
 * @param {() => void} onGone the hub will never come back
 * @param {() => void} onTaken this document is being recorded
 * @param {(yours: any, written: {strings: string[]}[]) => void} prepare before that: what the hub asks for, and what was written in the meantime
 */
function createLink(platform, hello, onCommand, onGone, onTaken, prepare) {
  /** @type {Transport | null} */
  let transport = null;
  /** @type {Batch[]} */
  let unacked = [];
  let next = 0;
  let wait = 50;
  let stopped = false;
  let taken = !platform.gated;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Connects now if there is no connection. Returns whether there is one. */
  function connect() {
    if (stopped) return false;
    if (transport) return true;
    clearTimeout(timer);
    timer = undefined;
    /** @type {Transport | null} */
    let fresh = null;
    try {
      fresh = platform.connect();
    } catch {
      // An invalidated context throws: the extension was reloaded or removed.
    }
    if (!fresh) {
      stop();
      onGone();
      return false;
    }
    const mine = fresh;
    mine.onmessage = (message) => {
      if (transport !== mine) return;
      wait = 50;
      if (typeof message?.ack === "number") {
        const keep = unacked.findIndex((batch) => batch.seq > message.ack);
        unacked = keep < 0 ? [] : unacked.slice(keep);
      }
      if (message?.yours && !taken) {
        taken = true;
        prepare(message.yours, unacked);
        greet();
        onTaken();
      }
      if (message?.command) onCommand(message.command);
    };
    mine.ondisconnect = () => {
      if (transport === mine) lost();
    };
    transport = mine;
    if (taken) greet();
    return transport !== null;
  }

  /** Says who this is, and what has not been acknowledged yet. */
  function greet() {
    send({ hello: hello(unacked.length ? unacked[0].seq : next) });
    for (const batch of [...unacked]) send({ batch });
  }

  /** Connects anew: a page back from the cache is not told that its port was closed. */
  function renew() {
    const last = transport;
    transport = null;
    last?.close();
    connect();
  }

  function lost() {
    transport = null;
    if (stopped || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      connect();
    }, wait);
    wait = Math.min(2000, wait * 2);
  }

  /** @param {object} message */
  function send(message) {
    if (!transport) return;
    try {
      transport.post(message);
    } catch {
      lost();
    }
  }

  /** @param {{t0: number, strings: string[], ops: number[]}} batch */
  function deliver({ t0, strings, ops }) {
    if (stopped) return;
    const batch = { seq: next, t0, strings, ops: platform.typed ? Int32Array.from(ops) : ops };
    next += 1;
    unacked.push(batch);
    if (taken) send({ batch });
  }

  /** The document goes away: what nobody has acknowledged yet is left where the hub finds it. */
  function leave() {
    if (stopped || !taken || unacked.length === 0 || !platform.leave) return;
    const greeting = /** @type {{doc: string}} */ (hello(unacked[0].seq));
    platform.leave(greeting.doc, { hello: greeting, batches: unacked.map((batch) => ({ ...batch, ops: Array.from(batch.ops) })) });
  }

  function stop() {
    stopped = true;
    clearTimeout(timer);
    const last = transport;
    transport = null;
    last?.close();
  }

  return { connect, renew, send, deliver, leave, stop };
}

/**
 * Starts a frame's sensor. Returns how to stop it, or null where there is no document to look at.
 * @param {Platform} platform
 */
function startSensor(platform) {
  const doc = document;
  const view = window;
  const token = crypto.getRandomValues(new Uint32Array(4)).reduce((all, n) => all + n.toString(36).padStart(7, "0"), "");
  const clock = createClock();
  const secrets = createSecrets(doc);
  let running = true;
  /** Asked of frames while they are still being read, which goes on in slices. */
  const QUIET = new Set(["place", "child", "tie"]);

  /** @param {number} next */
  const hello = (next) => ({
    doc: token,
    t: clock.now(),
    top: view === view.top,
    url: secrets.scrub(view.location.href),
    viewport: { width: view.innerWidth, height: view.innerHeight, dpr: view.devicePixelRatio },
    next_seq: next,
  });
  const link = createLink(platform, hello, (command) => void obey(command), stop, begin, prepare);
  const stream = createStream(clock, secrets.scrub, link.deliver, () => nodes.complete(false));
  const nodes = createNodes(doc, { clock, secrets, stream, shadow: platform.shadow });
  createSheets(doc, { nodes, stream });
  const stage = createStage(doc, { nodes, stream, tell: (message) => link.send(message) });
  const input = createInput(doc, { clock, secrets, stream, nodes, stage, link, hover: createHover(doc, clock) });
  const hands = createHands(doc, { nodes, secrets, stream });
  const frames = createFrames(view, token, { nodes, frameId: platform.frameId, beyond: platform.beyond });

  /** The person's selectors come into force, also for what was written before anybody knew of them. @param {any} yours @param {{strings: string[]}[]} written */
  function prepare(yours, written) {
    const region = secrets.configure(yours === true ? {} : yours);
    if (!nodes.started()) return;
    /** @type {Set<string>} */
    const said = region ? nodes.mask(region) : new Set();
    /** @param {string} text */
    const again = (text) => {
      if (said.has(text)) return W.MASK;
      if (text.startsWith('{"t":')) {
        try {
          const fact = JSON.parse(text);
          if (input.hush(fact)) return secrets.scrub(JSON.stringify(fact));
        } catch {
          // No fact after all.
        }
      }
      return secrets.scrub(text);
    };
    for (const batch of written) batch.strings = batch.strings.map(again);
  }

  /** Listens, again after the page has opened its document anew. */
  function listen() {
    input.listen();
    nodes.hooks.onReset = listen;
  }

  /** Reads the document, unless the person's first input had it read already. */
  function begin() {
    // A document that was opened anew meanwhile has forgotten its listeners.
    listen();
    if (!nodes.started()) nodes.start();
    input.state();
  }

  /** Everything the page did so far is in the stream after this. */
  function flush() {
    nodes.complete();
    stream.flush();
  }

  /** @param {any} command */
  async function obey(command) {
    if (!running) return;
    /** @type {any} */
    let answer;
    try {
      answer = await perform(command);
    } catch (error) {
      answer = { ok: false, code: "browser", message: `The page refused: ${error instanceof Error ? error.message : error}` };
    }
    if (!running) return;
    if (!QUIET.has(command.ask)) flush();
    link.send({ reply: { id: command.id, ...answer } });
    if (command.ask === "stop") stop();
  }

  /** @param {any} command */
  function perform(command) {
    if (!QUIET.has(command.ask)) flush();
    switch (command.ask) {
      case "place": return frames.place();
      case "child": return frames.find(command);
      case "tie": return frames.tie(command);
      case "measure": return hands.measure();
      case "secrets": return hands.secrets();
      case "locate": return hands.locate(command.node, command.at);
      case "act": return hands.act(command.node, command.what);
      case "select_all": return hands.selectAll(command.node);
      case "focus": return hands.focus(command.node);
      case "choose": return hands.choose(command.node, command.values);
      case "upload": return hands.upload(command.node, command.files);
      case "frames": return drawn(view);
      case "jitter": return stage.jitter(command.shifts);
      case "colors": return stage.colors(command.filter);
      case "popup": return stage.popup(command.popup, command.texts);
      case "pick": return stage.pick();
      case "pick_cancel": return stage.pickCancel();
      case "pause": case "resume":
        input.pause(command.ask === "pause");
        return {};
      case "stop": return stage.restore();
      default: return { ok: false, code: "browser", message: `This page's sensor does not know "${command.ask}": reload the page.` };
    }
  }

  function stop() {
    if (!running) return;
    running = false;
    input.stop();
    stage.restore();
    nodes.stop();
    stream.stop();
    link.stop();
    platform.onstop?.();
  }

  // Listening comes first: nothing the page does may go unseen.
  listen();
  link.connect();
  if (!platform.gated) begin();
  return { document: doc, stop, flush, pause: input.pause, tie: (/** @type {Element} */ element, /** @type {string} */ child) => running && (nodes.tie(element, child), true) };
}

/** Two frames drawn, or 100 ms where the page does not draw. @param {Window} view */
function drawn(view) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({}), 100);
    view.requestAnimationFrame(() => view.requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve({});
    }));
  });
}
