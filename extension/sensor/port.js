// @ts-check
"use strict";

/**
 * What carries messages to the hub. `onmessage` and `ondisconnect` are set by the link.
 * @typedef {{post(message: object): void, close(): void, onmessage: (message: any) => void, ondisconnect: () => void}} Transport
 *
 * What differs between the extension and a page that embeds the recorder.
 * `connect` gives a new transport, or null when the hub is gone for good; `shadow` an element's shadow
 * root, closed ones too where the browser tells (`passing`: unlikely ones may wait); `typed` says that typed arrays survive the transport;
 * `leave` keeps what a document that goes away could not get acknowledged; `gated` says that the browser puts
 * the sensor into tabs that are not recorded, too: nothing is read or said until the hub says that this one is.
 * `frameId` gives the browser's number of an element's frame where it tells, `beyond` the sensor in another window.
 * @typedef {{connect(): Transport | null, shadow(element: Element, passing?: boolean): ShadowRoot | null, typed: boolean, gated?: boolean, leave?(token: string, words: object): void, onstop?(): void, frameId?(element: Element): number, beyond?(view: Window): any}} Platform
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
    return tenths(origin + elapsed);
  };
  // Browsers count no finer, and a sum's last digits would only be noise to keep.
  const tenths = (/** @type {number} */ ms) => Math.round(ms * 10) / 10;
  return {
    now,
    /** @param {Event} event */
    of(event) {
      const t = now();
      const at = tenths(origin + event.timeStamp);
      return event.timeStamp > 0 && at <= t + 1 ? at : t;
    },
  };
}

/**
 * The stream of operations, cut into batches that carry their own strings.
 * @param {{now(): number}} clock
 * @param {(text: string) => string} scrub takes secrets out of a string
 * @param {(batch: {t0: number, strings: string[], ops: Int32Array}) => void} deliver
 * @param {() => void} complete called before a flush by the timer, to write what is due
 */
function createStream(clock, scrub, deliver, complete) {
  /** A batch is closed once it has so many integers. */
  const LIMIT = 16_384;
  const DELAY_MS = 50;
  /** Longer texts are cut: messages between page and hub have their limits. */
  const LONGEST = 1 << 20;
  /** A batch with so many characters is sent. */
  const FULL = 4 << 20;
  /** How long a person's input may wait for what follows it. */
  const SOON_MS = 16;
  /** Longer strings seldom come twice in a batch. */
  const SHORT = 48;
  let ops = new Int32Array(LIMIT + 16);
  let length = 0;
  /** @type {string[]} */
  let strings = [];
  /** @type {Map<string, number>} */
  let index = new Map();
  let t0 = 0;
  let time = NaN;
  let due = NaN;
  let size = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let hurried = false;

  /** A name or value, which may come again. @param {string} text */
  function string(text) {
    if (text.length > SHORT) return once(text);
    let at = index.get(text);
    if (at === undefined) index.set(text, (at = once(text)));
    return at;
  }

  /** A string of which the next is likely to differ. @param {string} text */
  function once(text) {
    let clean = scrub(text);
    if (clean.length > LONGEST) clean = `${clean.slice(0, LONGEST)}…`;
    size += clean.length;
    return strings.push(clean) - 1;
  }

  /** Says when what follows happened. @param {number} t */
  function at(t) {
    due = t;
  }

  /**
   * Writes one operation; its strings must have been taken since the last. Without a list of operands, which would
   * be an array for each.
   * @param {number} code @param {number} [a] @param {number} [b] @param {number} [c] @param {number} [d] @param {number} [e] @param {number} [f]
   */
  function op(code, a, b, c, d, e, f) {
    if (length === 0) {
      t0 = Number.isNaN(due) ? clock.now() : due;
      time = NaN;
      due = t0;
    }
    if (!Number.isNaN(due)) {
      const tenths = Math.max(-1e9, Math.min(1e9, Math.round((due - t0) * 10)));
      if (tenths !== time) {
        ops[length++] = W.TIME;
        ops[length++] = time = tenths;
      }
      due = NaN;
    }
    ops[length++] = code;
    if (a !== undefined) ops[length++] = a;
    if (b !== undefined) ops[length++] = b;
    if (c !== undefined) ops[length++] = c;
    if (d !== undefined) ops[length++] = d;
    if (e !== undefined) ops[length++] = e;
    if (f !== undefined) ops[length++] = f;
    if (length >= LIMIT || size >= FULL) flush();
    else if (timer === undefined) schedule();
  }

  function schedule() {
    timer ??= setTimeout(late, DELAY_MS);
  }

  /** As `schedule`, for what a person did. */
  function soon() {
    if (hurried) return;
    hurried = true;
    clearTimeout(timer);
    timer = setTimeout(late, SOON_MS);
  }

  function late() {
    timer = undefined;
    hurried = false;
    complete();
    flush();
  }

  function flush() {
    if (timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      hurried = false;
    }
    if (length === 0) return;
    const batch = { t0, strings, ops: ops.slice(0, length) };
    length = 0;
    strings = [];
    index = new Map();
    size = 0;
    deliver(batch);
  }

  function stop() {
    clearTimeout(timer);
    timer = undefined;
  }

  return { string, once, at, op, schedule, soon, flush, stop };
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
    for (const batch of [...unacked]) send({ batch: packed(batch) });
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

  /** As it crosses: one string is cloned in a fraction of the time that its pieces take. @param {Batch} batch */
  function packed({ seq, t0, strings, ops }) {
    const lengths = platform.typed ? new Int32Array(strings.length) : /** @type {number[]} */ ([]);
    for (let i = 0; i < strings.length; i++) lengths[i] = strings[i].length;
    return { seq, t0, text: strings.join(""), lengths, ops };
  }

  /** @param {{t0: number, strings: string[], ops: Int32Array}} batch */
  function deliver({ t0, strings, ops }) {
    if (stopped) return;
    const batch = { seq: next, t0, strings, ops: platform.typed ? ops : Array.from(ops) };
    next += 1;
    unacked.push(batch);
    if (taken) send({ batch: packed(batch) });
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
  /** What went wrong here, told once. @type {Set<string>} */
  const faults = new Set();
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
  const stream = createStream(clock, secrets.scrub, link.deliver, () => complete(false));
  const nodes = createNodes(doc, { clock, secrets, stream, shadow: platform.shadow });
  const stage = createStage(doc, { nodes, stream, tell: (message) => link.send(message) });
  const input = createInput(doc, { clock, secrets, stream, nodes, stage, link, hover: createHover(doc, clock), stumbled });
  /** What layout alone knows, see measure.js. @type {ReturnType<typeof createMeasure> | undefined} */
  let measure;
  /** What acts, see hands.js. @type {ReturnType<typeof createHands> | undefined} */
  let hands;
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
    complete();
    stream.flush();
  }

  /** A fault of ours is told, and holds back neither what is written already nor an answer. @param {boolean} [whole] */
  function complete(whole) {
    try {
      nodes.complete(whole);
    } catch (error) {
      stumbled(error);
    }
  }

  /** Tells of a fault of ours, once. @param {unknown} error */
  function stumbled(error) {
    const fault = secrets.scrub(`${error}`).slice(0, 300);
    if (faults.size >= 10 || faults.has(fault)) return;
    faults.add(fault);
    link.send({ fault });
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
      case "measure": return here(measure).measure();
      case "secrets": return here(measure).secrets();
      case "rest": return here(measure).rest();
      case "locate": return here(hands).locate(command.node, command.at);
      case "act": return here(hands).act(command.node, command.what);
      case "select_all": return here(hands).selectAll(command.node);
      case "focus": return here(hands).focus(command.node);
      case "choose": return here(hands).choose(command.node, command.values);
      case "upload": return here(hands).upload(command.node, command.files);
      case "frames": return drawn(view, 100).then(() => ({}));
      case "jitter": return stage.full.jitter(command.shifts);
      case "colors": return stage.full.colors(command.filter);
      case "popup": return stage.full.popup(command.popup, command.texts);
      case "pick": return stage.full.pick();
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
  /**
   * Takes in what is put into the frame later.
   * @param {{createMeasure?: typeof createMeasure, createSheets?: typeof createSheets, sealed?: typeof sealed, createHands?: typeof createHands, createStaging?: typeof createStaging}} made
   */
  function equip(made) {
    if (made.createSheets && made.createMeasure && !measure) {
      measure = made.createMeasure(doc, { nodes, secrets, stream, drawn });
      made.createSheets(doc, { nodes, stream });
      if (nodes.started()) nodes.stir();
    }
    if (made.sealed) secrets.equip(made.sealed);
    if (made.createHands) hands ??= made.createHands(doc, { nodes, secrets });
    if (made.createStaging) stage.equip(made.createStaging);
  }

  /** @template T @param {T | undefined} made */
  function here(made) {
    if (!made) throw new Error("a part of the recorder is not in this page yet: try again");
    return made;
  }

  return { document: doc, stop, flush, pause: input.pause, equip, tie: (/** @type {Element} */ element, /** @type {string} */ child) => running && (nodes.tie(element, child), true) };
}

/** Whether two frames are drawn within so many ms: not every page draws. @param {Window} view @param {number} ms @returns {Promise<boolean>} */
function drawn(view, ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    view.requestAnimationFrame(() => view.requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(true);
    }));
  });
}
