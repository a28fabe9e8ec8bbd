// The rule of `gpusim.timing.placement` for blocks that take their own time, whoever is beside them; tests/browser/test_rules.py compares.

/** [multiprocessor, start, end] of each block: the next one goes to the multiprocessor with most room, of equals to the lowest number. */
export function placed(times, multiprocessors, resident) {
  const there = Array(multiprocessors).fill(0);
  let running = [], at = 0;
  return times.map((time) => {
    if (running.length === multiprocessors * resident) {
      at = Math.min(...running.map(([, , end]) => end));
      running = running.filter(([index, , end]) => end > at || (there[index]--, false));
    }
    const least = there.indexOf(Math.min(...there)), stay = [least, at, at + time];
    there[least]++;
    running.push(stay);
    return stay;
  });
}

/** From when on places are free for which no block is left, and which part of multiprocessors and places is free from then on. */
export function tailOf(stays, multiprocessors, resident) {
  const most = (numbers) => numbers.reduce((a, b) => Math.max(a, b), 0), started = most(stays.map(([, start]) => start)), end = most(stays.map((stay) => stay[2]));
  const running = stays.filter((stay) => stay[2] > started), full = running.length === multiprocessors * resident;
  const tail = full ? Math.min(...running.map((stay) => stay[2])) : started, whole = multiprocessors * (end - tail), until = {};
  for (const [index, , over] of running) until[index] = Math.max(until[index] ?? tail, over);
  const free = (ends, most) => (whole && ends.length ? 1 - ends.reduce((sum, each) => sum + each - tail, 0) / most : 0);
  return { end, tail, idle: free(Object.values(until), whole), empty: free(running.map((stay) => stay[2]), whole * resident) };
}
