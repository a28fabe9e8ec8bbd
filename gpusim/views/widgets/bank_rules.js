// The rule of `gpusim.measurements.banks` for loads of a warp of 32 lanes from 32 banks; tests/browser/test_rules.py compares.

export const BANKS = 32, BANK_WORD = 4;

/**
 * The phases of a load. `addresses` has the first byte of each lane's access, null for an idle lane; `width` is bytes per lane.
 * Of each phase: its lanes, the queue of every bank (word → the lanes that want it), and the wavefronts that takes.
 */
export function bankPhases(addresses, width) {
  const words = Math.max(1, width / BANK_WORD), phases = [];
  const agree = (partner) => addresses.every((address, lane) => {
    const other = addresses[lane ^ partner];
    return address == null || other == null || address === other;
  });
  const size = words === 1 ? 32 : ((agree(1) || agree(2) ? 2 : 1) * 32) / words;
  for (let first = 0; first < 32; first += size) {
    const queues = Array.from({ length: BANKS }, () => new Map());
    const lanes = [];
    addresses.slice(first, first + size).forEach((address, index) => {
      if (address == null) return;
      lanes.push(first + index);
      for (let k = 0; k < words; k++) {
        const word = Math.floor(address / BANK_WORD) + k, queue = queues[word % BANKS];
        queue.set(word, [...(queue.get(word) ?? []), first + index]);
      }
    });
    if (lanes.length) phases.push({ lanes, queues, wavefronts: Math.max(...queues.map((queue) => queue.size)) });
  }
  return phases;
}
