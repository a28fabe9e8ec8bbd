// A card that would lie below the screen's edge lies above its word, where there is more room: `--up` is how far it moves.
function place({ target }) {
  const term = target.closest?.(".term");
  if (!term) return;
  const [word, card] = term.children, header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  term.style.removeProperty("--up");
  const { top, bottom } = card.getBoundingClientRect(), [line] = word.getClientRects();
  if (bottom > innerHeight && line.top - header > innerHeight - top) term.style.setProperty("--up", `${bottom + GAP - line.top}px`);
}
const GAP = 4;
addEventListener("pointerover", place);
addEventListener("focusin", place);

// Where no pointer hovers, the first tap on a term opens its card, and the next one follows the link.
let touched, open;
addEventListener("pointerdown", ({ pointerType, target }) => {
  touched = pointerType === "touch" ? target.closest?.(".term") : null;
  open = touched?.contains(document.activeElement) && !("away" in touched.dataset);
});
addEventListener("click", (event) => {
  const term = event.target.closest?.(".term");
  if (!term || term !== touched || open || !event.target.closest("a")) return;
  event.preventDefault();
  delete term.dataset.away;
  term.querySelector("a").focus();
});

// Escape puts the card of a term away (WCAG 1.4.13), until the pointer or the focus comes to it anew.
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const term of document.querySelectorAll(".term:hover, .term:focus-within")) {
    term.dataset.away = "";
    for (const left of ["pointerleave", "focusout"]) {
      term.addEventListener(left, () => delete term.dataset.away, { once: true });
    }
  }
});
