// @ts-check
"use strict";

// Put into a frame once something is typed into a secret field there.

/**
 * PBKDF2 with HMAC-SHA-256, one block, hexadecimal. Web Crypto is not there on pages over http, and answers later.
 * @param {string} text @param {string} salt hexadecimal
 */
function sealed(text, salt) {
  const K = new Int32Array(64);
  const START = new Int32Array(8);
  for (let n = 2, found = 0; found < 64; n++) {
    let prime = true;
    for (let d = 2; prime && d * d <= n; d++) prime = n % d !== 0;
    if (!prime) continue;
    if (found < 8) START[found] = (Math.sqrt(n) % 1) * 2 ** 32;
    K[found++] = (Math.cbrt(n) % 1) * 2 ** 32;
  }
  const w = new Int32Array(64);
  const turn = (/** @type {number} */ x, /** @type {number} */ by) => (x >>> by) | (x << (32 - by));

  /** One block of 16 words. @param {Int32Array} state @param {ArrayLike<number>} block */
  function compress(state, block) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = block[i];
      else {
        const a = w[i - 15];
        const b = w[i - 2];
        w[i] = (w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10))) | 0;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    return Int32Array.of(state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e, state[5] + f, state[6] + g, state[7] + h);
  }

  /** @param {Int32Array} state @param {Uint8Array} bytes @param {number} before bytes in the state already */
  function hash(state, bytes, before) {
    const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
    padded.set(bytes);
    padded[bytes.length] = 128;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 4, (before + bytes.length) * 8);
    for (let at = 0; at < padded.length; at += 64) {
      state = compress(state, Array.from({ length: 16 }, (_, i) => view.getInt32(at + 4 * i)));
    }
    return state;
  }

  /** @param {Int32Array} words */
  const bytesOf = (words) => {
    const view = new DataView(new ArrayBuffer(32));
    words.forEach((word, i) => view.setInt32(4 * i, word));
    return new Uint8Array(view.buffer);
  };
  let key = new TextEncoder().encode(text);
  if (key.length > 64) key = bytesOf(hash(START, key, 0));
  /** @param {number} pad */
  const keyed = (pad) => compress(START, Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((word, j) => (word << 8) | ((key[4 * i + j] ?? 0) ^ pad), 0)));
  const inner = keyed(0x36);
  const outer = keyed(0x5c);
  const block = new Int32Array(16);
  /** @param {Int32Array} words */
  const again = (words) => {
    block.fill(0);
    block.set(words);
    block[8] = -(2 ** 31);
    block[15] = 96 * 8;
    return block;
  };
  const salted = Uint8Array.from([...(salt.match(/../g) ?? []).map((pair) => parseInt(pair, 16)), 0, 0, 0, 1]);
  let u = compress(outer, again(hash(inner, salted, 64)));
  const out = Int32Array.from(u);
  for (let round = 1; round < W.HASH_ROUNDS; round++) {
    u = compress(outer, again(compress(inner, again(u))));
    for (let i = 0; i < 8; i++) out[i] ^= u[i];
  }
  return [...bytesOf(out)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
