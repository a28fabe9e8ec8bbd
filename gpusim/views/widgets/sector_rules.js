// The rule of `gpusim.measurements.coalescing` since compute capability 2.0; tests/browser/test_rules.py compares.

export const SECTOR = 32;

/** The sectors that move for a request, by their first bytes, with the lanes of each. `wants` has [lane, first byte]. */
export function sectorsOf(wants, width) {
  const sectors = new Map();
  for (const [lane, byte] of wants) {
    for (let first = Math.floor(byte / SECTOR) * SECTOR; first < byte + width; first += SECTOR) {
      sectors.set(first, [...(sectors.get(first) ?? []), lane]);
    }
  }
  return new Map([...sectors].sort(([a], [b]) => a - b));
}
