// How a block is cut into warps: the rule of `gpusim.measurements.block_report`; tests/browser/test_warp_rules.py compares.

const LARGEST = [1024, 1024, 64];
const THREADS = 1024;
const AXES = "xyz";

/** The threads of a block in linear order, x fastest, each with its warp and lane. */
export function threadsOf([width, height, depth], lanes) {
  return Array.from({ length: width * height * depth }, (_, linear) => ({
    x: linear % width, y: Math.floor(linear / width) % height, z: Math.floor(linear / (width * height)),
    linear, warp: Math.floor(linear / lanes), lane: linear % lanes,
  }));
}

/** Why there is no block of this shape, or nothing where there is. */
export function shapeError(shape) {
  const wrong = shape.findIndex((extent, axis) => !(Number.isInteger(extent) && extent >= 1 && extent <= LARGEST[axis]));
  if (wrong >= 0) return `${AXES[wrong]} is a whole number from 1 to ${LARGEST[wrong].toLocaleString("en")}.`;
  const threads = shape.reduce((product, extent) => product * extent);
  return threads > THREADS ? `${shape.join(" × ")} are ${threads.toLocaleString("en")} threads; a block has at most ${THREADS.toLocaleString("en")}.` : "";
}

/** "200 threads: 3 waves of 64 and one of 8; 56 lanes idle." */
export function cutSentence(threads, lanes) {
  const name = lanes > 32 ? "wave" : "warp";
  const full = Math.floor(threads / lanes), rest = threads % lanes;
  const parts = [full && `${full} ${name}${full === 1 ? "" : "s"} of ${lanes}`, rest && (full ? `one of ${rest}` : `one ${name} of ${rest}`)];
  return `${threads.toLocaleString("en")} thread${threads === 1 ? "" : "s"}: ${parts.filter(Boolean).join(" and ")}; `
    + (rest ? `${lanes - rest} lane${lanes - rest === 1 ? "" : "s"} idle.` : "every lane used.");
}
