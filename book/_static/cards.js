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
