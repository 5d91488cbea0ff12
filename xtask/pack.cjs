// Packs a script of the sensor: standard input is `{wire, script}`, the constants of wire.js and what uses them;
// standard output the script in a scope of its own, without comments, with numbers in the constants' places.
const { readFileSync } = require('node:fs');
const { runInNewContext } = require('node:vm');
const { transformSync } = require('esbuild');

const { wire, script } = JSON.parse(readFileSync(0, 'utf8'));
const constants = runInNewContext(`${wire};W`);
const define = {};
// Only what is not declared is replaced, so no W stands in the script: a text is a constant of its own.
let texts = '';
for (const [name, value] of Object.entries(constants)) {
  if (typeof value === 'number') define[`W.${name}`] = String(value);
  else if (typeof value === 'object') for (const [inner, number] of Object.entries(value)) define[`W.${name}.${inner}`] = String(number);
  else if (script.includes(`W.${name}`)) {
    define[`W.${name}`] = `W_${name}`;
    texts += `const W_${name} = ${JSON.stringify(value)};`;
  }
}
const { code } = transformSync(`(() => { ${texts} ${script} })();`, { minify: true, target: 'es2022', charset: 'utf8', define });
// Constants are known by their whole names only: anything else would be found missing in the page, at the worst moment.
const rest = /(?<![\w$.])W\b(?!_).{0,40}/s.exec(code);
if (rest) {
  console.error(`error: not a constant's whole name: ${rest[0]}`);
  process.exit(1);
}
process.stdout.write(code);
