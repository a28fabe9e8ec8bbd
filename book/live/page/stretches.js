// Where do two lists differ? What they have in common stands opposite itself.

/** How long is the longest common part of what begins at each pair of places? */
function commonLengths(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const longer = Math.max(lengths[i + 1][j], lengths[i][j + 1]);
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : longer;
    }
  return lengths;
}

/**
 * The stretches that differ, between those of the longest common part: [from, to, start, end], of one and the other.
 */
export function stretches(before, after) {
  const lengths = commonLengths(before, after), found = [];
  const isEnd = (i, j) => i >= before.length && j >= after.length;
  const isSame = (i, j) => i < before.length && j < after.length && before[i] === after[j];
  const isGone = (i, j) => j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1]);
  let i = 0, j = 0;
  while (!isEnd(i, j)) {
    const [from, start] = [i, j];
    while (!isEnd(i, j) && !isSame(i, j)) isGone(i, j) ? i++ : j++;
    if (i > from || j > start) found.push([from, i, start, j]);
    while (isSame(i, j)) i++, j++;
  }
  return found;
}

/** The lines between those with which both begin, and those with which both end. */
export function within(before, after) {
  let from = 0, last = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from++;
  while (last < shorter - from && before.at(-1 - last) === after.at(-1 - last)) last++;
  return [before, after].map((lines) => lines.slice(from, lines.length - last));
}

/** Pairs of lines that are `plain` the same; what is on one side only is null on the other. */
export function opposite(before, after, plain) {
  const isAlike = before.length === after.length && before.every((line, at) => plain(line) === plain(after[at]));
  if (isAlike) return before.map((line, at) => [line, after[at]]);
  const [one, other] = [before, after].map((lines) => lines.map(plain)), pairs = [];
  const end = [one.length, one.length, other.length, other.length];
  let i = 0, j = 0;
  for (const [from, to, start, stop] of [...stretches(one, other), end]) {
    while (i < from) pairs.push([before[i++], after[j++]]);
    for (; i < to || j < stop; i++, j++) pairs.push([i < to ? before[i] : null, j < stop ? after[j] : null]);
    [i, j] = [to, stop];
  }
  return pairs;
}
