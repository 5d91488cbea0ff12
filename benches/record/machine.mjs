// What a thread has cost, as the system counts it. Wall-clock figures drift with whatever else the machine does.
import { readFileSync, readdirSync } from 'node:fs';

/** Whether this system tells the CPU time of single threads (Linux does, where scheduler statistics are on). */
export const counts = (() => {
  try { return /^\d+ \d+ \d+/.test(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8')); } catch { return false; }
})();

/** CPU time of a thread so far, ms. */
export function thread(pid, tid = pid) {
  return Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** CPU time of all threads of a process so far, ms; ended ones are not counted. */
export function whole(pid) {
  let sum = 0;
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    try { sum += thread(pid, tid); } catch { /* it ended meanwhile */ }
  }
  return sum;
}

/** The browser's processes that show pages or run extensions. */
export function renderers(profile) {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return line.includes('--type=renderer') && line.includes(profile);
    } catch { return false; }
  });
}

/** The renderer in which `burn` (which must keep a thread busy for a while) runs; workers have threads of their own. */
export async function owner(profile, burn) {
  const before = new Map(renderers(profile).map(pid => [pid, whole(pid)]));
  await burn();
  let best = [0, 0];
  for (const pid of renderers(profile)) {
    const spent = whole(pid) - (before.get(pid) ?? whole(pid));
    if (spent > best[1]) best = [pid, spent];
  }
  if (best[1] < 20) throw new Error(`no renderer of ${profile} was busy: ${JSON.stringify([...before])}`);
  return best[0];
}
