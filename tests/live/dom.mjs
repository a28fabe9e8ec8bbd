// As much of a browser's document as a live page's scripts use, for node.

const PART = /^(\w+)?((?:[.#][\w-]+|\[[^\]]+\]|:(?:not|has)\(.+\))*)$/;

/** `textarea`, `.a.b`, `#c`, `[data-d]`, `[data-d="e"]`, `:not(.f)`, `:has(.g)`: does an element match? */
function isOne(element, simple) {
  const [, tag, rest] = PART.exec(simple) ?? [null, null, null];
  if (rest == null) throw new Error(`dom.mjs knows no ${simple}`);
  return (!tag || element.tag === tag) && (rest.match(/[.#][\w-]+|\[[^\]]+\]|:\w+\([^)]+\)/g) ?? []).every((each) => {
    if (each[0] === ".") return element.classList.contains(each.slice(1));
    if (each[0] === "#") return element.id === each.slice(1);
    if (each.startsWith(":not")) return !isOne(element, each.slice(5, -1));
    if (each[0] === ":") return element.querySelector(each.slice(5, -1)) !== null;
    const [, name, value] = /^\[([\w-]+)(?:="([^"]*)")?\]$/.exec(each);
    return value === undefined ? element.getAttribute(name) != null : element.getAttribute(name) === value;
  });
}

/** Does it match `a b > c`, the last part itself, `:scope` being `scope`? */
function isAt(element, path, scope) {
  const parts = path.trim().split(/\s+/);
  const back = (at, place) => {
    if (place < 0) return true;
    const child = parts[place] === ">", wanted = parts[child ? place - 1 : place], next = (child ? place - 1 : place) - 1;
    for (let each = at.parentElement; each; each = each.parentElement) {
      if ((wanted === ":scope" ? each === scope : isOne(each, wanted)) && back(each, next)) return true;
      if (child) return false;
    }
    return false;
  };
  return isOne(element, parts.at(-1)) && back(element, parts.length - 2);
}

const camel = (name) => name.slice(5).replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const dashed = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export class Element {
  childNodes = [];
  parentElement = null;
  dataset = {};
  #given = {}; // attributes of other names
  id = "";
  hidden = false;
  #classes = new Set();

  constructor(tag) {
    this.tag = tag;
    this.tabIndex = -1;
    const classes = this.#classes;
    this.classList = {
      contains: (name) => classes.has(name), add: (...names) => names.forEach((name) => classes.add(name)), remove: (...names) => names.forEach((name) => classes.delete(name)),
      toggle: (name, on = !classes.has(name)) => void (on ? classes.add(name) : classes.delete(name)),
    };
  }

  get className() { return [...this.#classes].join(" "); }
  set className(names) { this.#classes.clear(); this.classList.add(...names.split(/\s+/).filter(Boolean)); }
  get children() { return this.childNodes.filter((each) => each instanceof Element); }
  get textContent() { return this.childNodes.map((each) => (each instanceof Element ? each.textContent : each)).join(""); }
  set textContent(text) { this.replaceChildren(text); }
  set innerHTML(html) { (this.content = new Element("fragment")).append(...parsed(html)); }
  get nextElementSibling() { const all = this.parentElement.children; return all[all.indexOf(this) + 1] ?? null; }
  get attributes() { return [...Object.entries(this.#given), ...Object.entries(this.dataset).map(([name, value]) => [dashed(name), value])].map(([name, value]) => ({ name, value })); }
  get outerHTML() { return `<${this.tag}${this.attributes.map(({ name, value }) => ` ${name}="${value}"`).join("")}>${this.childNodes.map((each) => each.outerHTML ?? each).join("")}</${this.tag}>`; }
  get rows() { return this.querySelectorAll("tr"); }
  get cells() { return this.children; }
  get open() { return this.getAttribute("open") != null; }

  setAttribute(name, value) { name === "class" ? (this.className = value) : name.startsWith("data-") ? (this.dataset[camel(name)] = value) : (this.#given[name] = String(value)); }
  getAttribute(name) { return (name.startsWith("data-") ? this.dataset[camel(name)] : (this.#given[name] ?? (name === "class" ? this.className : undefined))) ?? null; }
  toggleAttribute(name, on) { on ? this.setAttribute(name, "") : this.removeAttribute(name); }
  removeAttribute(name) { delete this.#given[name]; delete this.dataset[camel(name)]; }

  #put(at, nodes) {
    const all = nodes.flatMap((each) => (each.tag === "fragment" ? [...each.childNodes] : [each]));
    for (const each of all) if (each instanceof Element) each.remove();
    this.childNodes.splice(at(), 0, ...all);
    for (const each of all) if (each instanceof Element) each.parentElement = this;
  }

  append(...nodes) { this.#put(() => this.childNodes.length, nodes); }
  prepend(...nodes) { this.#put(() => 0, nodes); }
  replaceChildren(...nodes) { for (const each of this.children) each.parentElement = null; this.childNodes = []; this.append(...nodes); }
  before(...nodes) { const parent = this.parentElement; parent.#put(() => parent.childNodes.indexOf(this), nodes); }
  after(...nodes) { const parent = this.parentElement; parent.#put(() => parent.childNodes.indexOf(this) + 1, nodes); }
  replaceWith(...nodes) { this.before(...nodes); this.remove(); }
  remove() {
    if (!this.parentElement) return;
    this.parentElement.childNodes.splice(this.parentElement.childNodes.indexOf(this), 1);
    this.parentElement = null;
  }

  within() { return this.children.flatMap((each) => [each, ...each.within()]); }
  matches(selector) { return selector.split(",").some((path) => isAt(this, path, null)); }
  querySelectorAll(selector) { return this.within().filter((each) => selector === "*" || selector.split(",").some((path) => isAt(each, path, this))); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) { for (let each = this; each; each = each.parentElement) if (each.matches(selector)) return each; return null; }
  contains(other) { return other === this || this.within().includes(other); }
  cloneNode() {
    const copy = Object.assign(new Element(this.tag), { className: this.className });
    Object.assign(copy.dataset, this.dataset);
    copy.append(...this.childNodes.map((each) => (each instanceof Element ? each.cloneNode() : each)));
    return copy;
  }
  addEventListener() {}
  scrollIntoView() {}
  focus() { document.activeElement = this; }
}

/** The nodes of HTML without surprises: each tag is closed. */
export function parsed(html) {
  const root = new Element("fragment"), open = [root];
  for (const [, end, tag, attributes, text] of html.matchAll(/<(\/?)(\w+)([^>]*)>|([^<]+)/g)) {
    if (text) open.at(-1).append(text);
    else if (end) Object.assign(open.at(-1), tag === "textarea" && { value: open.at(-1).textContent }), open.pop();
    else {
      const element = new Element(tag);
      for (const [, name, quoted, bare] of attributes.matchAll(/([\w-]+)(?:="([^"]*)"|=([^\s"]+))?/g)) element.setAttribute(name, quoted ?? bare ?? "");
      open.at(-1).append(element);
      if (tag !== "input") open.push(element);
    }
  }
  return [...root.childNodes];
}

/** A document with this HTML as its body; what is dispatched reaches those that listen, and `fire(kind, target)` is what a reader does. */
export function newDocument(html) {
  const hears = new EventTarget(), root = new Element("html"), head = new Element("head"), body = new Element("body");
  body.append(...parsed(html));
  root.append(head, body);
  return {
    head, body, activeElement: body, createElement: (tag) => new Element(tag),
    getElementById: (id) => root.querySelector(`[id="${id}"]`),
    querySelector: (selector) => root.querySelector(selector), querySelectorAll: (selector) => root.querySelectorAll(selector),
    addEventListener: (...how) => hears.addEventListener(...how), dispatchEvent: (event) => hears.dispatchEvent(event),
    fire: (kind, target) => hears.dispatchEvent(Object.defineProperty(new Event(kind), "target", { value: target })),
  };
}
