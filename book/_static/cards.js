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
