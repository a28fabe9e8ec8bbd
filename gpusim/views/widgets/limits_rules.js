// The rules of `gpusim.devices.launch_limits` and `gpusim.measurements.limits`; tests/browser/test_rules.py compares.

const LAUNCH_BYTES = 4096, MOST_LEVELS = 24;
/** What is set before anybody calls cudaDeviceSetLimit, in the order of these calls. */
export const DEFAULTS = { heap_bytes: 8 << 20, stack_bytes: 1024, pending_launches: 2048, synchronization_depth: 2 };
const SET = { heap_bytes: "MallocHeapSize", stack_bytes: "StackSize", pending_launches: "DevRuntimePendingLaunchCount", synchronization_depth: "DevRuntimeSyncDepth" };
const DEEP = "cudaErrorLaunchMaxDepthExceeded", FULL = "cudaErrorLaunchPendingCountExceeded", INVALID = "cudaErrorInvalidValue";
const written = (number) => number.toLocaleString("en");
const total = (rows) => rows.reduce((sum, [, bytes]) => sum + bytes, 0);

/** What is kept of the memory: [name, bytes] of each row. */
function reserved(gpu, given, cdp) {
  const stacks = gpu.resident_threads * given.stack_bytes;
  return [["error correction", gpu.ecc_bytes], ["heap", given.heap_bytes], ["stacks of running threads", stacks],
    ["pending launches", given.pending_launches * LAUNCH_BYTES],
    ["levels that wait", cdp === 1 ? given.synchronization_depth * (gpu.on_chip_bytes + stacks) : 0]];
}

/** What comes of what is asked of a device: rows [name, bytes, how], the bytes left, calls [call, error, why]. */
export function workedOut(gpu, asked, sentences) {
  const { cdp, depth, launches } = asked, calls = [];
  const says = (name, numbers = {}) => sentences[name].replace(/\{(\w+)\}/g, (_, place) => written(numbers[place]));
  let given = DEFAULTS;
  for (const [name, limit] of Object.entries(SET)) {
    const value = asked[name], levels = name === "synchronization_depth", wanted = { ...given, [name]: value }, bytes = total(reserved(gpu, wanted, cdp));
    const [error, why] = levels && cdp > 1 ? ["cudaErrorUnsupportedLimit", "no levels"] : value > gpu.memory_bytes ? [INVALID, "beyond"]
      : levels && value > MOST_LEVELS ? [INVALID, "too deep"] : bytes > gpu.memory_bytes ? ["cudaErrorMemoryAllocation", "no room"] : ["", "set"];
    calls.push([`cudaDeviceSetLimit(cudaLimit${limit}, ${written(value)})`, error, says(why, { reserved: bytes, memory: gpu.memory_bytes })]);
    if (!error) given = wanted;
  }
  const pending = given.pending_launches, virtual = cdp === 1 ? Math.floor(given.heap_bytes / LAUNCH_BYTES) : 0;
  const room = Math.max(pending + virtual - 1, 0), deepest = cdp === 1 ? Math.min(room, MOST_LEVELS) : room;
  const error = depth <= deepest ? "" : cdp === 1 && deepest === MOST_LEVELS ? DEEP : FULL;
  const nested = says(error ? "deepest" : "nested", { depth, deepest });
  calls.push(["child<<<…>>>()", error, nested]);
  const many = `child<<<…>>>(), ${written(launches)} ${launches === 1 ? "time" : "times"}`;
  const begins = depth <= deepest + 1; // the last parent, which launches so many and waits
  if (begins && error) calls.push([many, error, nested]);
  else if (begins) {
    const pool = Math.min(launches, Math.max(pending - depth, 0)), heap = Math.min(launches - pool, room + 1 - Math.max(depth, pending));
    const refused = launches - pool - heap;
    calls.push([many, refused ? FULL : "", says(refused ? "refused" : heap ? "in heap" : "pool", { pool, heap, refused })]);
  }
  const levels = given.synchronization_depth;
  if (begins) calls.push(["cudaDeviceSynchronize()", ...(cdp > 1 ? ["not compiled", says("not compiled")]
    : [depth > levels ? DEEP : "", levels ? says("waits", { last: levels - 1 }) : says("none waits")])]);
  const numbers = { threads: gpu.resident_threads, stack: given.stack_bytes, pending, levels: cdp === 1 ? levels : 0, chip: gpu.on_chip_bytes };
  const rows = reserved(gpu, given, cdp);
  return { reserved: rows.map(([name, bytes]) => [name, bytes, says(name, numbers)]), free_bytes: gpu.memory_bytes - total(rows), calls };
}
