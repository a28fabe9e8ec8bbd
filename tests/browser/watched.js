// A report that tells which of its fields are read, and which reads ask for what its schema does not have.

/** `report` behind proxies: `read` collects "Definition.field", `unknown` what is asked for beyond the schema. */
function watched(report, schema, read, unknown) {
  const known = new WeakMap(); // one proxy an object: modules compare parts of reports, and use them as keys

  /** The definition that a value is of: of several alternatives, the one of its type. */
  function resolved(node, value, name) {
    if (node.$ref) return resolved(schema.$defs[node.$ref.split("/").at(-1)], value, node.$ref.split("/").at(-1));
    if (!node.anyOf) return { node, name };
    const kind = Array.isArray(value) ? "array" : typeof value;
    const options = node.anyOf.map((option) => resolved(option, value, name));
    return options.find((option) => option.node.type === kind) ?? options[0];
  }
  function follow(value, from, place) {
    if (value === null || typeof value !== "object") return value;
    if (known.has(value)) return known.get(value);
    const { node, name } = resolved(from, value, place);
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        const own = Reflect.get(target, key, receiver);
        if (typeof key === "symbol" || key === "toJSON" || key in Object.prototype) return own;
        if (Array.isArray(target)) {
          if (!/^\d+$/.test(key)) return own;
          const item = node.prefixItems?.[key] ?? node.items;
          if (item) return follow(own, item, name);
          unknown.add(`${name}[${key}]`);
          return own;
        }
        const field = node.properties[key] ?? node.additionalProperties;
        if (!field) unknown.add(`${name}.${key}`);
        else if (key in node.properties) read.add(`${name}.${key}`);
        return field ? follow(own, field, `${name}.${key}`) : own;
      },
    });
    known.set(value, proxy);
    return proxy;
  }
  return follow(report, schema, "");
}

const FEW = 4;

/** What a reader can do with a view: every step, and after each choice and at each place of a slider a few. */
function playAll(view) {
  const all = (selector) => [...view.querySelectorAll(selector)];
  const say = (control, type) => control.dispatchEvent(new Event(type, { bubbles: true }));
  const play = (steps) => {
    view.querySelector("button.first")?.click();
    for (let forward; steps-- && (forward = view.querySelector("button.step")) && !forward.disabled;) forward.click();
    view.querySelector("button.last")?.click();
  };
  const each = (selector, places, put) => all(selector).forEach((control, number) => {
    for (let place = places(control); place--;) {
      const now = all(selector)[number]; // a choice may bring other controls
      if (!now || now.disabled) return;
      put(now, place);
      play(FEW);
    }
  });
  play(Infinity);
  each("select", (box) => box.options.length, (box, place) => (box.selectedIndex = place, say(box, "change")));
  each("input[type=range]:not(.timeline input)", (box) => box.max - box.min + 1, (box, place) => (box.value = place, say(box, "input")));
  each("input[type=radio]", () => 1, (box) => box.click());
  each("input[type=checkbox]", () => 2, (box) => box.click());
  all("input[type=text]").forEach((box) => (box.value = "1"));
  each("button.check, .deeds .plain", () => 1, (button) => button.hidden || button.click());
  const boxes = all("button[data-box]").slice(0, FEW * FEW);
  boxes.forEach((one) => boxes.forEach((other) => (one.click(), other.click())));
  all("button[data-node]").slice(0, FEW * FEW).forEach((node) => node.click());
  each("button.jump", () => 1, (button) => button.hidden || button.click());
}
