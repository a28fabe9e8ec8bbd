// Who is in which group, and what collectives give: the rule of `gpusim.measurements.groups`; tests/browser/test_rules.py compares.

export const range = (size) => Array.from({ length: size }, (_, number) => number);
const maskOf = (threads, lanes) => threads.reduce((mask, t) => mask | (1n << BigInt(t % lanes)), 0n);
const ofLanes = (threads, number, groups, lanes, more) => ({ threads, size: threads.length, number, groups, mask: maskOf(threads, lanes), lanes, ...more });

/** `size` neighbouring ranks each; the size of a tile is fixed, unless lanes came as they were. */
function tiles({ threads, size: whole, coalesced }, size, lanes) {
  const groups = Math.ceil(whole / size);
  return range(Math.ceil(threads.length / size)).map((number) => {
    const found = ofLanes(threads.slice(number * size, (number + 1) * size), number, groups, lanes, { coalesced });
    return coalesced ? found : { ...found, size, mask: size > lanes ? 0n : found.mask };
  });
}

/** By condition, the false ones first; by label, in the order of their first threads. */
function parted({ threads }, binary, picked, lanes) {
  const labels = new Set(binary ? [0, 1] : threads.map((t) => picked[t]));
  const parts = [...labels].map((label) => threads.filter((t) => picked[t] === label)).filter(({ length }) => length);
  return parts.map((part, number) => ofLanes(part, number, parts.length, lanes, { coalesced: true }));
}

/** The block, the groups that it is cut into, and those that these are cut into; `picked`: each thread's condition or label. */
export function levelsOf({ threads, lanes, kind, tile, inner, picked }) {
  const block = { threads: range(threads), size: threads, number: 0, groups: 1, mask: 0n, lanes };
  const loose = kind === "coalesced", partition = kind === "binary" || kind === "labeled";
  const first = loose
    ? range(Math.ceil(threads / lanes)).map((warp) => block.threads.slice(warp * lanes, (warp + 1) * lanes).filter((t) => picked[t]))
      .filter(({ length }) => length).map((some) => ofLanes(some, 0, 1, lanes, { coalesced: true }))
    : tiles(block, partition ? Math.min(tile, lanes) : tile, lanes);
  const second = partition ? first.flatMap((group) => parted(group, kind === "binary", picked, lanes))
    : inner && inner < (loose ? lanes : tile) ? first.flatMap((group) => tiles(group, inner, lanes)) : [];
  return [[block], first, second].filter((level, place) => place < 2 || level.length);
}

/** Why CUDA has no such collective for a group, or does not say what it gives; else nothing. */
export function refusal({ threads, size, lanes, coalesced }, what, by) {
  if (threads.length < size) return `The tile counts on ${size} threads, but the block ends after ${threads.length} of them: `
    + (size > lanes ? "they wait for ever." : "what they get is undefined.");
  if (size > lanes && /shfl|ballot/.test(what)) return `A tile of several warps has no ${what}: no mask names its threads.`;
  if (what !== "shfl_xor") return "";
  return coalesced ? "A coalesced group has no shfl_xor." : by >= size ? `Rank ${by} is not in a tile of ${size}: what rank 0 gets is undefined.` : "";
}

/** What a collective does step by step: of each step the `values` by rank, `from` which rank one came, a mark, and a sentence. */
export function stepsOf(group, what, by, given, holds) {
  const { size, lanes, number, groups } = group, wide = size > lanes, last = size - 1, width = Math.min(size, lanes), high = width - 1;
  const ranks = range(group.threads.length), lane = (rank) => rank % width, total = Math.ceil(Math.log2(width)), steps = [];
  const unit = wide ? "lane" : "rank", span = (from, to) => (from === to ? `${unit} ${from}` : `${unit}s ${from}–${to}`);
  const step = (says, mark = () => "", parts = []) => steps.push({ says, values, from, marks: ranks.map(mark), parts });
  let values = group.threads.map((t) => given[t]), from = [], parts;
  /** Each value comes `origin(rank)` ranks from where it is, or is added; none where there is no such rank. */
  const move = (origin, add) => {
    const had = values;
    from = ranks.map((rank) => origin(rank) ?? -1);
    values = ranks.map((rank) => (from[rank] < 0 ? had[rank] : had[from[rank]] + (add ? had[rank] : 0)));
  };
  const refused = refusal(group, what, by);
  step(refused || { sync: "All run on their own.", ballot: "Is its number even? Each is asked.", reduce: "Each brings its number; all will get the sum.",
    inclusive_scan: "Each brings its number; each will get the sum up to its own." }[what] || "Each brings its number, for another to get.");
  if (refused) return steps;
  if (what === "shfl_down") {
    move((rank) => (rank + by < size ? rank + by : -1));
    step(`Each gets what the rank ${by} further on had; where there is none, it keeps its own.`);
  } else if (what === "shfl_xor") {
    move((rank) => rank ^ by);
    step(`Rank r gets what rank r ^ ${by} had: 0 and ${by} swap, and so on.`);
  } else if (what === "ballot") {
    values = group.threads.map((t) => holds[t]);
    step("Each answers: 1 for yes, 0 for no.");
    const word = ranks.reduce((found, rank) => found | (BigInt(values[rank]) << BigInt(rank)), 0n);
    step(`Bit r is the answer of rank r: every rank gets 0x${word.toString(16)}.`);
  } else if (what === "sync") {
    const late = last && (number % 2 || groups === 1);
    step(late ? `All others wait for rank ${last}${wide ? ", which is in another warp" : ""}.` : "All are there and go on; they wait for no other group.",
      (rank) => (!late ? "done" : rank < last ? "waits" : ""));
    step(`${late ? `Rank ${last} arrives, and all go on` : "The others follow"}. Each sees what its group wrote before.`, () => "done");
  } else if (what === "reduce") {
    for (let now = 1; now <= total; now++) {
      const half = 2 ** (total - now), adds = Math.min(half, width - half);
      move((rank) => (lane(rank) < adds ? rank + half : -1), true);
      step(`Step ${now} of ${total}: ${wide ? "in each warp " : ""}${span(0, adds - 1)} add${adds > 1 ? "" : "s"} what ${span(half, half + adds - 1)} ${adds > 1 ? "have" : "has"}.`,
        (rank) => (lane(rank) >= half ? "spent" : ""));
    }
    move((rank) => (lane(rank) ? rank - lane(rank) : -1));
    step(wide ? "Lane 0 of each warp hands its sum to all lanes." : `Rank 0 hands the sum, ${values[0]}, to all.`);
  } else {
    for (let now = 1, far = 1; now <= total; now++, far *= 2) {
      move((rank) => (lane(rank) >= far ? rank - far : -1), true);
      step(`Step ${now} of ${total}: ${wide ? "in each warp " : ""}${span(far, high)} add${far < high ? "" : "s"} what ${far > 1 ? `stands ${far} ${unit}s before` : `the ${unit} before has`}.`);
    }
  }
  if (wide && /reduce|scan/.test(what)) {
    const all = what === "reduce", sum = (some) => some.reduce((one, other) => one + other, 0);
    from = [];
    parts = range(size / lanes).map((warp) => values[warp * lanes + high]);
    step(`Shuffles end at the warp: lane ${high} of each writes its warp's sum to shared memory.`, (rank) => (lane(rank) === high ? "writes" : ""), parts);
    values = ranks.map((rank) => (all ? sum(parts) : values[rank] + sum(parts.slice(0, Math.floor(rank / lanes)))));
    step(`All ${size} meet at the tile's barrier; then each adds the sums ${all ? "of all warps" : "of the warps before its own"}.`, undefined, parts);
  }
  return steps;
}
