// The parameter packer: which byte of a parameter buffer holds what. Parameters fly in; order, types and addresses are pushed.
import { bars, group, h, playback, select, widget } from "./controls.js";
import { packed, packedSays, tightest, wholeSays } from "./packer_rules.js";

const ROW = 16, ENDS = 2, TINTS = 6, FLIGHT = { duration: 280, easing: "ease-in-out" };

/** What stands between backticks is code. */
const coded = (text) => text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));
const declared = ({ name, type }) => type.name + (/[*&]$/.test(type.name) ? "" : " ") + name;

function draw(report) {
  let bits = report.address_bits, made = 0, parts, firsts, size, cells, drawn, cursor = 0, at = 0;
  const calm = matchMedia("(prefers-reduced-motion: reduce)"), items = [];
  const list = h("ol", { class: "parcels", "aria-label": "Parameters in the order of the kernel" });
  const event = h("p", { class: "event" }), summary = h("p", { class: "so-far" }), byte = h("p", { class: "pointed" });
  const call = h("code", {}), spoken = h("p", { class: "spoken", role: "status" });
  const sort = h("button", { type: "button", class: "plain", onclick: () => change(() => arrange(tightest(parts))) }, "Take that order");
  const map = h("div", { class: "octets", role: "slider", tabindex: 0, "aria-label": "Byte of the buffer", "aria-valuemin": 0,
    onpointerover: pointed, onpointerdown: pointed,
    onkeydown: (event) => {
      const place = drawn.indexOf(cursor), to = { ArrowLeft: place - 1, ArrowRight: place + 1, ArrowUp: place - ROW, ArrowDown: place + ROW, Home: 0, End: drawn.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      if (to in drawn) point(drawn[to]);
    } });
  const layout = ({ type }) => (bits === 64 ? type.wide : type.narrow);
  const address = (offset) => `0x${(BigInt(report.base) + BigInt(offset)).toString(16)}`;

  const player = playback({
    title: "The buffer fills, parameter by parameter",
    show(step) {
      const next = step === at + 1;
      at = step;
      event.replaceChildren(...coded(says(at)));
      for (const { element, whose, between, text } of cells.values()) {
        const there = whose < at;
        element.textContent = there ? text : "";
        element.dataset.state = !there ? "free" : text ? "held" : between ? "between" : "padding";
      }
      map.querySelectorAll(".whose").forEach((name) => (name.hidden = name.dataset.whose >= at));
      items.forEach(({ element }, place) => element.toggleAttribute("data-now", place === at - 1));
      tell();
      if (next && !calm.matches) fly(items[at - 1]);
    },
    describe: (step) => says(step).replaceAll("`", ""),
    hold: (step) => (step ? 2 : 3),
  });

  const says = (step) => (step ? packedSays(declared(items[step - 1]), parts[step - 1], firsts[step - 1], firsts[step - 1] - endOf(step - 2))
    : `The buffer begins at ${report.base}, a multiple of ${report.base_alignment}. Parameters follow in the order of the kernel.`);
  const endOf = (place) => (place < 0 ? 0 : firsts[place] + parts[place][0]);
  function fly({ id, element }) {
    const from = element.getBoundingClientRect();
    for (const { element: cell, key } of cells.values()) {
      if (!key.startsWith(`${id}:`)) continue;
      const to = cell.getBoundingClientRect();
      cell.animate([{ translate: `${from.x + from.width / 2 - to.x}px ${from.y - to.y}px`, zIndex: 1 }, { zIndex: 1 }], FLIGHT);
    }
  }
  /** Whose a byte is: the number or address in it, or that it is padding. */
  function owner(offset) {
    const whose = firsts.findIndex((_, place) => offset < endOf(place)), inside = offset - firsts[whose];
    if (inside < 0) return { whose };
    const member = layout(items[whose]).members.find((one) => inside >= one.offset && inside < one.offset + one.count * one.size);
    if (!member) return { whose, inside };
    const element = Math.floor((inside - member.offset) / member.size), number = inside - member.offset - element * member.size;
    const octets = member.octets[element] ?? member.octets[0], value = member.values[element] ?? member.values[0];
    return { whose, inside, member, element, number, octets, value, text: octets.slice(2 * number, 2 * number + 2) };
  }
  function sentence(offset) {
    const { whose, inside, member, element, number, octets, value, text } = owner(offset), item = items[whose], what = declared(item);
    if (whose >= at) return `Byte ${offset}: nothing lies here yet.`;
    if (inside === undefined) return `Byte ${offset} is padding: \`${what}\` begins at a multiple of ${parts[whose][1]}.`;
    if (!member) return `Byte ${offset} is padding inside \`${what}\`.`;
    const path = member.name + (member.count > 1 ? `[${element}]` : ""), bits = `0x${octets.match(/../g).reverse().join("")}`;
    const shown = value.startsWith("0x") ? bits : `${value} (${bits})`;
    const named = `\`${path ? `${member.type} ${item.name}${path}` : what}\` = ${shown}`;
    return `Byte ${offset} is 0x${text}: ${member.size > 1 ? `byte ${number} of the ${member.size} of ${named}, whose lowest byte comes first` : named}.`;
  }
  function pointed({ target }) {
    const cell = target.closest("[data-byte]");
    if (cell) point(Number(cell.dataset.byte));
  }
  function point(offset) {
    cursor = offset;
    tell();
  }
  function tell() {
    const text = sentence(cursor), own = owner(cursor);
    byte.replaceChildren(...coded(text));
    map.setAttribute("aria-valuenow", cursor);
    map.setAttribute("aria-valuetext", text.replaceAll("`", ""));
    const start = own.member ? cursor - own.number : cursor, end = start + (own.member?.size ?? 1);
    for (const [offset, { element }] of cells) {
      element.toggleAttribute("data-mine", offset >= start && offset < end);
      element.toggleAttribute("data-cursor", offset === cursor);
    }
  }

  /** Rows of 16 bytes; of many that one parameter fills, the first and the last. */
  function lay() {
    const line = (offset) => Math.floor(offset / ROW), rows = line(size - 1) + 1, hidden = new Map();
    parts.forEach(([bytes], place) => {
      const from = Math.ceil(firsts[place] / ROW) + ENDS, to = line(firsts[place] + bytes) - ENDS;
      if (to - from > 1) hidden.set(from, [to - from, items[place].name]);
    });
    cells = new Map();
    const found = [];
    for (let row = 0; row < rows; row++) {
      if (hidden.has(row)) {
        const [count, name] = hidden.get(row);
        found.push(h("p", { class: "folded" }, `⋮ ${count} rows more of `, h("code", {}, name)));
        row += count;
      }
      found.push(rowOf(row * ROW));
    }
    map.replaceChildren(...found);
    drawn = [...cells.keys()];
    if (!cells.has(cursor)) cursor = 0;
    map.setAttribute("aria-valuemax", size - 1);
  }
  function rowOf(start) {
    const names = new Map(), offsets = Array.from({ length: Math.min(ROW, size - start) }, (_, column) => start + column);
    const octets = offsets.map((offset) => {
      const { whose, inside, text } = owner(offset), { id, name, tint } = items[whose], own = inside !== undefined;
      const label = own ? name : "padding", span = names.get(`${whose}${own}`) ?? { label, whose, from: offset - start, count: 0 };
      span.count++;
      names.set(`${whose}${own}`, span);
      const element = h("span", { class: "octet", "data-byte": offset, "data-tint": own && tint, "data-first": inside === 0 && "" });
      cells.set(offset, { element, whose, text, between: own && !text, key: own ? `${id}:${inside}` : "" });
      return element;
    });
    return h("div", { class: "octet-row" }, h("small", { class: "address" }, h("b", {}, `+${start}`), ` ${address(start)}`), ...octets,
      ...[...names.values()].map(({ label, whose, from, count }) =>
        h("small", { class: "whose", "data-whose": whose, style: `grid-column: ${from + 1} / span ${count}` }, label)));
  }

  const sample = (state, tint, meaning) => h("li", {}, h("span", { class: "octet", "data-state": state, "data-tint": tint, "aria-hidden": "true" }), meaning);
  const inside = sample("between", 0, "padding inside a struct");

  /** Do something to the parameters; their bytes go from where they were. */
  function change(act) {
    const before = new Map([...(cells?.values() ?? [])].map(({ key, element }) => [key, [element.offsetLeft, element.offsetTop]]));
    act();
    parts = items.map((item) => [layout(item).size, layout(item).alignment]);
    ({ firsts, size } = packed(parts));
    lay();
    items.forEach((item, place) => {
      const [handle, , , remove] = item.element.children;
      handle.setAttribute("aria-label", `Move ${declared(item)}, parameter ${place + 1} of ${items.length}, with the arrow keys`);
      remove.setAttribute("aria-label", `Remove ${declared(item)}`);
      remove.disabled = items.length === 1;
    });
    inside.hidden = ![...cells.values()].some(({ between, text }) => between && !text);
    const told = wholeSays(items.map(({ name }) => name), parts, report.most_bytes);
    summary.textContent = told;
    spoken.textContent = `${items.map(declared).join(", ")}: ${told}`;
    summary.toggleAttribute("data-over", size > report.most_bytes[0]);
    sort.disabled = parts.reduce((sum, [bytes]) => sum + bytes, 0) === size;
    call.textContent = `cudaGetParameterBuffer(${Math.max(...parts.map(([, alignment]) => alignment))}, ${size})`;
    player.go(0);
    player.resize(items.length + 1);
    at = items.length; // nothing flies in: what lies there moves
    player.strip.replaceChildren(bars([0, ...firsts.map((_, place) => endOf(place))].map((end) => [end, "c"]), items.length + 1, size));
    player.go(items.length);
    if (!calm.matches) for (const { key, element } of cells.values()) {
      const [x, y] = before.get(key) ?? [];
      if (x !== undefined && (x !== element.offsetLeft || y !== element.offsetTop))
        element.animate([{ translate: `${x - element.offsetLeft}px ${y - element.offsetTop}px`, zIndex: 1 }, { zIndex: 1 }], FLIGHT);
    }
  }
  function arrange(order) {
    items.splice(0, Infinity, ...order.map((place) => items[place]));
    list.append(...items.map(({ element }) => element), more);
  }
  /** The others make room: what is dragged stays in the page, and so keeps the pointer and the focus. */
  function move(item, to) {
    const from = items.indexOf(item);
    if (to === from || !(to in items)) return;
    change(() => {
      const others = items.slice(Math.min(from, to), Math.max(from, to) + 1).filter((other) => other !== item).map(({ element }) => element);
      if (to > from) item.element.before(...others);
      else item.element.after(...others);
      items.splice(from, 1);
      items.splice(to, 0, item);
    });
  }
  function drag(item, { clientX, clientY }) {
    const from = items.indexOf(item);
    items.forEach(({ element }, to) => {
      const { left, right, top, bottom, width } = element.getBoundingClientRect(), middle = left + width / 2;
      if (to !== from && clientY >= top && clientY <= bottom && (to > from ? clientX > middle && clientX <= right : clientX < middle && clientX >= left)) move(item, to);
    });
  }
  function add({ name, type }) {
    const item = { id: made, name, type, tint: made++ % TINTS };
    const types = [...report.types.filter((one) => one.name !== type.name), type].sort((one, other) => place(one) - place(other));
    const kind = select("", types.map(({ label }) => label), (index) => change(() => (item.type = types[index])));
    kind.lastChild.selectedIndex = types.indexOf(type);
    kind.lastChild.setAttribute("aria-label", `Type of ${name}`);
    const handle = h("button", { type: "button", class: "handle", title: "Drag, or press the arrow keys",
      onpointerdown: ({ pointerId }) => handle.setPointerCapture(pointerId),
      onpointermove: (event) => handle.hasPointerCapture(event.pointerId) && drag(item, event),
      onkeydown: (event) => {
        const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        move(item, items.indexOf(item) + by);
      } }, "⠿");
    const remove = h("button", { type: "button", class: "remove", title: "Remove", onclick: () => {
      change(() => items.splice(items.indexOf(item), 1));
      item.element.remove();
      items[0].element.firstChild.focus();
    } }, "×");
    item.element = h("li", { class: "parcel" }, handle, kind, h("b", { class: "parcel-name", "data-tint": item.tint }, name), remove);
    items.push(item);
    more.before(item.element);
  }
  /** Where a type stands among those to choose from; others come last. */
  const place = ({ name }) => report.types.findIndex((one) => one.name === name) >>> 0;
  const adding = select("Add", ["a parameter", ...report.types.map(({ label }) => label)], (index) => {
    adding.lastChild.selectedIndex = 0;
    const names = items.map(({ name }) => name), number = Array.from({ length: items.length + 1 }, (_, number) => number).find((each) => !names.includes(`p${each}`));
    if (index) change(() => add({ name: `p${number}`, type: report.types[index - 1] }));
  });
  const more = h("li", { class: "more" }, adding);
  list.append(more);
  const widths = select("Addresses", ["64-bit", "32-bit"], (index) => change(() => (bits = [64, 32][index])));
  widths.lastChild.selectedIndex = bits === 64 ? 0 : 1;
  change(() => report.parameters.forEach(add));
  return {
    element: group(`Parameter packer: ${report.title}`, "parameter-packer", player.keydown,
      h("div", { class: "heading" }, h("b", {}, report.title), widths), list,
      h("div", { class: "words" }, event, summary, h("div", { class: "asks" }, call, sort), byte), map, player.element, spoken,
      h("ul", { class: "legend", "aria-label": "Legend" }, sample("padding", null, "padding"), inside, sample("free", null, "not filled yet"))),
    stop: player.stop,
  };
}

export default widget(draw);
