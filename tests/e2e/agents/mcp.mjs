// An agent for tests: speaks MCP through the SDK, does what PROBE_STEPS says and writes every answer to
// PROBE_OUT. A step is [tool, arguments]; `ref:ROLE NAME` in an argument becomes the ref that the newest
// snapshot gives that element; `keep:ROLE NAME` the ref an earlier snapshot gave it.
import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'probe', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.TRACERULE_MCP_URL), {
  requestInit: { headers: { authorization: `Bearer ${process.env.TRACERULE_TOKEN}` } },
}));
const answers = [];
let snapshot = '';
const kept = new Map();
const find = wanted => {
  const [, role, name] = wanted.match(/^(\S+) ?(.*)$/);
  const line = snapshot.split('\n').find(l => new RegExp(`^\\s*- ${role}\\b`).test(l) && (!name || l.includes(JSON.stringify(name))));
  return line?.match(/\[ref=([^\]]+)\]/)?.[1];
};
const fill = value => {
  if (typeof value !== 'string') return value;
  if (value.startsWith('ref:')) { const ref = find(value.slice(4)); if (ref) kept.set(value.slice(4), ref); return ref ?? `no ref for ${value}`; }
  if (value.startsWith('keep:')) return kept.get(value.slice(5)) ?? `no ref kept for ${value}`;
  return value;
};
answers.push({ tools: (await client.listTools()).tools.map(t => ({ name: t.name, properties: Object.keys(t.inputSchema.properties ?? {}) })) });
for (const [name, args] of JSON.parse(process.env.PROBE_STEPS)) {
  const filled = Object.fromEntries(Object.entries(args).map(([k, v]) => [k, fill(v)]));
  const answer = await client.callTool({ name, arguments: filled });
  const text = answer.content.filter(c => c.type === 'text').map(c => c.text).join('\n');
  const shown = text.match(/```yaml\n([\s\S]*?)\n```/)?.[1];
  if (shown) snapshot = shown;
  // Refs seen now stay known, so that a later step can use one whose element is gone.
  for (const l of snapshot.split('\n')) { const m = l.match(/- (\S+) "([^"]*)".*\[ref=([^\]]+)\]/); if (m) kept.set(`${m[1]} ${m[2]}`, m[3]); }
  answers.push({ name, args: filled, error: answer.isError === true, text, images: answer.content.filter(c => c.type === 'image').map(c => ({ mime: c.mimeType, bytes: Buffer.from(c.data, 'base64').length })) });
}
writeFileSync(process.env.PROBE_OUT, JSON.stringify(answers));
await client.close();
