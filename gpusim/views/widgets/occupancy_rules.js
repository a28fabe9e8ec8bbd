// The rules of `gpusim.devices.occupancy`, and the words of `gpusim.runtime.residency`; tests/browser/test_rules.py compares.

const down = Math.floor;
const wholeUnits = (value, unit) => Math.ceil(value / unit) * unit;
const inWords = (value, noun = "") => `${value.toLocaleString("en")}${noun && ` ${noun}${value === 1 ? "" : "s"}`}`;
const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

/** What registers each block of so many warps takes, what of all can be used so, and how many blocks that lets in. */
function registerShare(gpu, warps, asked) {
  const registers = Math.min(Math.max(asked, 1), gpu.max_registers_per_thread), capacity = gpu.registers_per_multiprocessor;
  const unit = gpu.register_allocation_unit, granularity = gpu.warp_allocation_granularity, padded = wholeUnits(warps, granularity);
  if (gpu.register_allocation_granularity === "block") {
    const each = wholeUnits(registers * gpu.warp_size * padded, unit);
    return { each, capacity, usable: capacity, blocks: down(capacity / each) };
  }
  const warp = wholeUnits(registers * gpu.warp_size, unit), fit = down(down(capacity / granularity) / warp) * granularity;
  return { each: warp * warps, capacity, usable: fit * warp, blocks: warp * padded <= gpu.registers_per_block ? down(fit / warps) : 0 };
}

/** Of each resource what a block takes, what there is, and how many blocks it lets in: null where they take nothing. */
export function sharesOf(gpu, threads, registers, shared) {
  const warps = Math.ceil(threads / gpu.warp_size), most = gpu.max_warps_per_multiprocessor, places = gpu.max_blocks_per_multiprocessor;
  const each = wholeUnits(shared + gpu.shared_bytes_reserved_per_block, gpu.shared_allocation_unit_bytes), capacity = gpu.shared_bytes_per_multiprocessor;
  return {
    "warps": { each: warps, capacity: most, usable: most, blocks: threads > gpu.max_threads_per_block ? 0 : down(most / warps) },
    "blocks": { each: 1, capacity: places, usable: places, blocks: places },
    "shared memory": { each, capacity, usable: capacity, blocks: each ? (shared > gpu.shared_bytes_per_block_optin ? 0 : down(capacity / each)) : null },
    "registers": registerShare(gpu, warps, registers),
  };
}

export const blocksOf = (shares) => Math.min(...Object.values(shares).map(({ blocks }) => blocks ?? Infinity));

/** How much a block may ask of a resource that is to let so many blocks in; null where it never does. */
function mostFor(gpu, resource, warps, blocks) {
  if (resource === "warps") return Math.min(down(gpu.max_warps_per_multiprocessor / blocks), down(gpu.max_threads_per_block / gpu.warp_size)) || null;
  if (resource === "shared memory") {
    const unit = gpu.shared_allocation_unit_bytes;
    const room = down(down(gpu.shared_bytes_per_multiprocessor / blocks) / unit) * unit - gpu.shared_bytes_reserved_per_block;
    return room < 0 ? null : Math.min(room, gpu.shared_bytes_per_block_optin);
  }
  for (let registers = gpu.max_registers_per_thread; registers; registers--) if (registerShare(gpu, warps, registers).blocks >= blocks) return registers;
  return null;
}

/** The resources that let no more in, and two sentences: what is resident, and what one block more needs. */
export function occupancyOf(gpu, threads, registers, shared) {
  const shares = sharesOf(gpu, threads, registers, shared), blocks = blocksOf(shares), { each: warps, capacity } = shares.warps;
  const limiting = Object.keys(shares).filter((name) => shares[name].blocks === blocks);
  const held = `${inWords(blocks, "block")}, ${blocks * warps} of ${capacity} warps.`;
  if (limiting.includes("blocks")) {
    return { shares, blocks, warps: blocks * warps, limiting, held,
      why: `A multiprocessor takes no more than ${blocks} blocks: ${blocks * warps === capacity ? "it is full" : "only larger ones bring more warps"}.` };
  }
  let width = warps;
  const needs = limiting.map((name) => {
    const most = mostFor(gpu, name, name === "registers" ? width : warps, blocks + 1);
    if (most === null) return null;
    if (name === "warps") return `blocks of at most ${inWords((width = most) * gpu.warp_size, "thread")}`;
    const [asked, unit] = name === "registers" ? [registers, "registers per thread"] : [shared, "bytes of shared memory per block"];
    return most < asked ? `at most ${inWords(most)} ${unit} (${inWords(asked - most)} fewer)` : "";
  });
  const names = listed(limiting), more = needs.includes(null) ? "does not fit, however little it asks for" : `needs ${listed(needs.filter(Boolean))}`;
  return { shares, blocks, warps: blocks * warps, limiting, held,
    why: `${names[0].toUpperCase()}${names.slice(1)} ${names === "shared memory" ? "lets" : "let"} no more in: one block more ${more}.` };
}
