// The rules of `gpusim.ir.parameters` and the words of `gpusim.measurements.parameter_packer`; tests/browser/test_rules.py compares.

const bytesTold = (bytes) => `${bytes.toLocaleString("en")} byte${bytes === 1 ? "" : "s"}`;

/** The first byte of each part, given as [size, alignment], and the byte behind the last. */
export function packed(parts) {
  let size = 0;
  const firsts = parts.map(([bytes, alignment]) => {
    const first = Math.ceil(size / alignment) * alignment;
    size = first + bytes;
    return first;
  });
  return { firsts, size };
}

/** The order that needs least: the widest alignment first. */
export const tightest = (parts) => parts.map((_, place) => place).sort((one, other) => parts[other][1] - parts[one][1]);

/** Why a parameter lies where it does. */
export function packedSays(what, [size, alignment], first, padding) {
  const at = (byte) => byte.toLocaleString("en");
  const lies = size === 1 ? `byte ${at(first)}` : `bytes ${at(first)} to ${at(first + size - 1)}`;
  if (alignment === 1) return `\`${what}\` may begin at any address: ${lies}.`;
  return `\`${what}\` needs an address divisible by ${alignment}: ${padding ? `${bytesTold(padding)} of padding, then` : "no padding,"} ${lies}.`;
}

/** What all need, which order needs less, and whether that is too much. */
export function wholeSays(names, parts, [first, second]) {
  const { size } = packed(parts), least = parts.reduce((sum, [bytes]) => sum + bytes, 0);
  const how = names.length <= 8 ? `In the order ${tightest(parts).map((place) => names[place]).join(", ")}` : "With the widest alignment first";
  return `${bytesTold(size)}, ${size - least || "none"} of them padding between parameters. `
    + (size === least ? "No order needs less." : `${how} it would be ${least.toLocaleString("en")}, without padding.`)
    + (size > first ? ` ${bytesTold(size)} are more than the ${first.toLocaleString("en")} of a buffer under CDP1${size > second ? ", and than" : "; CDP2 takes up to"} ${second.toLocaleString("en")}${size > second ? " under CDP2" : ""}.` : "");
}
