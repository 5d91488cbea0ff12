// Packs a script of the sensor: standard input is `{wire, script}`, the constants of wire.js and what uses them;
// standard output the script in a scope of its own, without comments, with numbers in the constants' places.
const { readFileSync } = require('node:fs');
const { runInNewContext } = require('node:vm');
const { transformSync } = require('esbuild');

const { wire, script } = JSON.parse(readFileSync(0, 'utf8'));
const constants = runInNewContext(`${wire};W`);
const define = {};
const texts = {};
for (const [name, value] of Object.entries(constants)) {
  if (typeof value === 'number') define[`W.${name}`] = String(value);
  else if (typeof value === 'object') for (const [inner, number] of Object.entries(value)) define[`W.${name}.${inner}`] = String(number);
  else if (script.includes(`W.${name}`)) texts[name] = value;
}
const { code } = transformSync(`(() => { const W = ${JSON.stringify(texts)}; ${script} })();`, { minify: true, target: 'es2022', charset: 'utf8', define });
process.stdout.write(code);
