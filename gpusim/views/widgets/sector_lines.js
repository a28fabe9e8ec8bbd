// What the views of sectors share: lanes above, memory below cut into sectors, and a line from each lane to what it wants.
import { capital, h, ranges, svg } from "./controls.js";
import { SECTOR } from "./sector_rules.js";

const NEAR = 8 * SECTOR, WHOLE = 4096, BREAK = 1.5 * SECTOR, TICKS = 8;
export const byteRange = (first, length) => `bytes ${first.toLocaleString("en")}${length > 1 ? `–${(first + length - 1).toLocaleString("en")}` : ""}`;

/** Where a byte stands, from 0 to 1: a strip of `bytes` bytes, with a tick every so many. */
export const evenScale = (first, bytes) => ({
  at: (byte) => (byte - first) / bytes,
  breaks: [],
  ticks: Array.from({ length: TICKS }, (_, tick) => first + (tick * bytes) / TICKS),
});

/** A strip for these sectors, given by their first bytes: as it is while it is short, else with breaks where nothing is touched. */
export function brokenScale(sectors) {
  const first = Math.floor(sectors[0] / 128) * 128, end = sectors.at(-1) + SECTOR;
  if (end - first <= WHOLE) return evenScale(first, Math.ceil((end - first) / 256) * 256);
  const parts = [];
  for (const sector of sectors) {
    const last = parts.at(-1);
    if (last && sector - last.end <= NEAR) last.end = sector + SECTOR;
    else parts.push({ begin: sector, end: sector + SECTOR, place: 0 });
  }
  parts.slice(1).forEach((part, index) => (part.place = parts[index].place + parts[index].end - parts[index].begin + BREAK));
  const last = parts.at(-1), all = last.place + last.end - last.begin;
  const every = Math.ceil(parts.length / TICKS);
  return {
    at(byte) {
      const part = parts.findLast(({ begin }) => begin <= byte) ?? parts[0];
      return (part.place + byte - part.begin) / all;
    },
    breaks: parts.slice(1).map(({ place }) => (place - BREAK / 2) / all),
    ticks: parts.filter((_, index) => index % every === 0).map(({ begin }) => begin),
  };
}

/**
 * The picture. `show` takes the number of lanes, what they want as [lane, first byte], its width, the scale, `sectors`: first byte →
 * ["now", "before" or "no": when it moves, how often so far], what each lane does: "c" served now, "d" before, "s" later, and a name.
 */
export function sectorLines() {
  const top = h("div", { class: "lane-row", "aria-hidden": "true" });
  const lines = svg("svg", { class: "lane-lines", viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" });
  const strip = h("div", { class: "byte-strip", role: "img" }), ticks = h("div", { class: "byte-ticks", "aria-hidden": "true" });
  const boxes = new Map(), paths = [];
  const percent = (part) => `${100 * part}%`;

  return {
    element: h("div", { class: "sector-lines" }, top, lines, strip, ticks),
    strip,
    show({ lanes, wants, width, scale, sectors, states, name }) {
      if (top.children.length !== lanes) {
        top.replaceChildren(...Array.from({ length: lanes }, (_, lane) => h("span", { class: "lane" }, h("span", {}, `${lane}`))));
        paths.splice(0, Infinity, ...Array.from({ length: lanes }, () => svg("path", {})));
        lines.replaceChildren(...paths);
      }
      const wanted = new Map();
      for (const [lane, byte] of wants) wanted.set(byte, [...(wanted.get(byte) ?? []), lane]);
      [...top.children].forEach((cell, lane) => (cell.dataset.state = states[lane]));
      paths.forEach((path) => path.removeAttribute("data-state"));
      for (const [lane, byte] of wants) {
        paths[lane].setAttribute("d", `M${(1000 * (lane + 0.5)) / lanes} 0L${1000 * scale.at(byte + width / 2)} 100`);
        paths[lane].dataset.state = states[lane];
      }
      for (const [first, { element }] of boxes) if (!sectors.has(first)) element.remove(), boxes.delete(first);
      for (const [first, [moved, often]] of sectors) {
        if (!boxes.has(first)) {
          const element = h("div", { class: "strip-sector" });
          strip.append(element);
          boxes.set(first, { element });
        }
        const { element } = boxes.get(first);
        element.style.left = percent(scale.at(first));
        element.style.width = percent(scale.at(first + SECTOR - 1e-6) - scale.at(first));
        element.dataset.moved = moved;
        element.title = `${capital(byteRange(first, SECTOR))}: ${moved === "no" ? "not moved" : often > 1 ? `moved ${often} times` : "moved"}`;
        const words = [];
        for (const [byte, who] of [...wanted].sort(([a], [b]) => a - b)) {
          const [from, to] = [Math.max(byte, first), Math.min(byte + width, first + SECTOR)];
          if (from >= to) continue;
          const served = ["c", "d", "s"].find((state) => who.some((lane) => states[lane] === state));
          words.push(h("span", { "data-state": served, style: `left: ${percent((from - first) / SECTOR)}; width: ${percent((to - from) / SECTOR)}`,
            title: `${capital(byteRange(byte, width))}: lane${who.length > 1 ? "s" : ""} ${ranges(who)}` }));
        }
        element.replaceChildren(...words, ...(often > 1 ? [h("small", {}, `${often}×`)] : []));
      }
      for (const old of strip.querySelectorAll(".break")) old.remove();
      strip.append(...scale.breaks.map((at) => h("i", { class: "break", style: `left: ${percent(at)}` }, "⋯")));
      strip.setAttribute("aria-label", name);
      ticks.replaceChildren(...scale.ticks.map((byte, index) => h("span", { style: `left: ${percent(scale.at(byte))}` }, (index ? "" : "byte ") + byte.toLocaleString("en"))));
    },
  };
}
