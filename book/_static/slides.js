// Slides: a chapter's figures, widgets, tables and questions, one at a time and as large as the screen. `#slides` at the
// end of the address begins, `#slides-3` at the third. Each stays where it is in the page and all else is hidden: a widget
// keeps what was done to it, and what waits for an answer in the page waits there still.
(() => {
  const ADDRESS = /^#slides(?:-(\d+))?$/;
  const DRAWN = "[data-gpusim-view], figure, table, svg", SHOWN = `.cell_output .text_html:has(${DRAWN})`;
  const NARROWEST = { kernel: 760, view: 704, figure: 704, table: 640 }, SMALLEST = 0.75; // CSS pixels a line; of the page's size
  const PAPER = { width: 1040, height: 620 }; // A4 on its side, without margins and heading
  const root = document.documentElement;
  let slides = [], now = -1, pointed = false; // by mouse or finger, since the last key that is not a clicker's

  function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }
  function button(label, sign, press) {
    const made = make("button", { type: "button", title: label, "aria-label": label }, sign);
    made.addEventListener("click", press);
    return made;
  }
  const title = make("h1", { tabindex: -1 }), count = make("span", { "aria-hidden": "true" }), spoken = make("span", { class: "spoken", role: "status" });
  const bar = make("div", { class: "slides-bar" }, title, spoken, button("Previous slide", "←", () => show(now - 1)), count,
    button("Next slide", "→", () => show(now + 1)), button("Leave the slides", "✕", () => leave()));

  const precedes = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  const isKernel = (code) => /@cuda\.jit|__global__/.test(code.textContent);
  const isChosen = (tab) => !tab || tab.previousElementSibling.previousElementSibling.checked; // of the two languages

  /** What there is to show: an output with the heading above it, and of a question or a puzzle its kernel. */
  function found() {
    const all = (selector) => [...document.querySelectorAll(`.bd-article ${selector}`)];
    const headings = all(":is(h1, h2, h3)"), kernels = all(".cell_input .highlight").filter((code) => isKernel(code) && isChosen(code.closest(".sd-tab-content")));
    const isOpen = (output) => [...output.querySelectorAll(DRAWN)].some((drawn) => !drawn.closest("details"));
    return all(SHOWN).filter(isOpen).map((output) => {
      const heading = headings.findLast((each) => precedes(each, output));
      const names = [...output.querySelectorAll(".prediction .heading code")].map((code) => /\w+/.exec(code.textContent)?.[0] ?? "?");
      const earlier = output.querySelector(".prediction, .puzzle-reply") ? kernels.filter((code) => precedes(code, output)) : [];
      const named = earlier.findLast((code) => names.some((name) => new RegExp(`(def|void)\\s+${name}\\(`).test(code.textContent)));
      return { output, heading, kernel: named ?? earlier.findLast((code) => precedes(heading, code)) };
    });
  }

  /** Put a frame around a slide, where it is; all else is hidden while the page has `data-slides`. */
  function frame({ output, heading, kernel }) {
    const inside = make("div", { class: "slide-inside" }), framed = make("div", { class: "slide" }, inside);
    framed.dataset.title = heading.textContent.replace(/#$/, "").trim();
    output.before(framed);
    inside.append(...(kernel ? [kernel.cloneNode(true)] : []), output);
    for (let each = framed.parentElement; each; each = each.parentElement) each.dataset.slidePath = "";
    return framed;
  }
  function unframe() {
    for (const framed of document.querySelectorAll(".slide")) framed.replaceWith(framed.firstChild.lastChild);
    for (const each of document.querySelectorAll("[data-slide-path]")) delete each.dataset.slidePath;
  }

  /** The largest size at which all of it is seen, by halves: lines break elsewhere at each. */
  function fit(framed, width, height) {
    const inside = framed.firstChild, wide = [...inside.querySelectorAll('[role="region"], :scope > .highlight > pre')];
    const kind = inside.children.length > 1 ? "kernel" : inside.querySelector(".gpusim") ? "view" : inside.querySelector("figure") ? "figure" : "table";
    let low = SMALLEST, high = Math.max(1, width / NARROWEST[kind]);
    Object.assign(framed.style, { paddingTop: "", maxWidth: `${width + 64}px` }); // 2rem at each side
    for (let tries = 0; tries < 8; tries++) {
      const zoom = (inside.style.zoom = tries ? (low + high) / 2 : high);
      const fits = framed.getBoundingClientRect().height <= height && wide.every((each) => each.scrollWidth <= each.clientWidth + 1);
      [low, high] = fits ? [zoom, high] : [low, zoom];
    }
    inside.style.zoom = low;
    framed.style.paddingTop = `${Math.max(12, (height - framed.getBoundingClientRect().height) / 3)}px`;
  }
  const fitScreen = () => now >= 0 && fit(document.querySelector(".slide"), document.body.clientWidth - 64, innerHeight - bar.offsetHeight - 24);
  const grown = new ResizeObserver(() => root.scrollHeight > innerHeight + 1 && fitScreen()); // an answer, a list unfolded

  function show(to) {
    now = Math.max(0, Math.min(slides.length - 1, to));
    unframe();
    root.dataset.slides = "";
    const framed = frame(slides[now]);
    title.textContent = framed.dataset.title;
    count.textContent = `${now + 1} / ${slides.length}`;
    spoken.textContent = `Slide ${now + 1} of ${slides.length}`;
    history.replaceState(null, "", `#slides-${now + 1}`);
    fitScreen();
    grown.disconnect();
    grown.observe(framed);
    scrollTo(0, 0);
    if (!bar.contains(document.activeElement)) title.focus({ preventScroll: true });
  }
  function leave(address = location.pathname + location.search) {
    let place = slides[now].output; // what is hidden yet is where its question is answered
    now = -1;
    grown.disconnect();
    unframe();
    delete root.dataset.slides;
    bar.remove();
    history.replaceState(null, "", address);
    for (let each = place; each; each = each.parentElement) if (each.matches(".revealed:not([data-open])")) place = each;
    place.scrollIntoView({ block: "center" });
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
  }
  function follow() {
    const asked = ADDRESS.exec(location.hash), to = (asked?.[1] ?? 1) - 1;
    if (!asked) return now >= 0 && leave(location.href);
    if (now < 0) slides = found();
    if (!slides.length || (to === now && now >= 0)) return;
    document.querySelector("main").prepend(bar);
    show(to);
  }

  /** Has what the focus is on its own use for this key? */
  const isTaken = (key, at) => key.startsWith("Page") ? !pointed && at.matches("textarea, select, [contenteditable], input[type=range]")
    : at.matches("textarea, select, [contenteditable], input, .lane") || (key === " " && at.matches("button, summary, a"));
  const KEYS = { PageDown: 1, ArrowRight: 1, " ": 1, PageUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  function press(event) {
    const { key, target } = event;
    if (now < 0 || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (key !== "Escape" && (!KEYS[key] || isTaken(key, target))) return;
    event.preventDefault();
    if (key === "Escape") leave();
    else show(now + KEYS[key]);
  }
  // Page keys, which a presenter's clicker sends, and Escape work whatever was clicked; of the others a view takes its own first.
  const isEarly = ({ key, target }) => /^(Page|Escape)/.test(key) || Boolean(target.closest?.(".prediction"));

  addEventListener("DOMContentLoaded", () => {
    if (document.querySelector(".bd-article :is([data-gpusim-view], figure)")) document.querySelector(".article-header-buttons")
      ?.prepend(make("a", { class: "btn btn-sm", href: "#slides", title: "Show as slides", "aria-label": "Show as slides" }, "▷"));
    addEventListener("pointerdown", () => (pointed = true), true);
    addEventListener("keydown", (event) => {
      if (isEarly(event)) press(event);
      if (!event.key.startsWith("Page")) pointed = false;
    }, true);
    addEventListener("keydown", (event) => isEarly(event) || press(event));
    addEventListener("hashchange", follow);
    addEventListener("resize", fitScreen);
    addEventListener("beforeprint", () => now >= 0 && (unframe(), slides.map(frame).forEach((framed) => fit(framed, PAPER.width, PAPER.height))));
    addEventListener("afterprint", () => now >= 0 && show(now));
    follow();
  });
})();
