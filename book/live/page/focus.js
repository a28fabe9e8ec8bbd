// The keyboard's place on the page: who has it keeps it, and what goes away hands it on.

/** Move what stands on the page; what has the keyboard there has it afterwards. */
export function keepFocus(move) {
  const focused = document.activeElement;
  move();
  if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
}

/** `gone` is about to go: the keyboard, if it is there, goes to the first of `others` that takes it. */
export function handOn(gone, ...others) {
  for (const other of others) if (gone?.contains(document.activeElement)) other?.focus({ preventScroll: true });
}
