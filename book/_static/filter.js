// Which rows of a long table, or entries of the glossary, are meant? A field above them hides those without all of the words that are typed, in the
// singular or plural. A word that no row has is taken for those nearest to it (words.js), and the field says so. Where
// nothing is near, the search of the whole course may know more. Words of a matrix's headings leave their columns.
/** The entries of a glossary: terms of one meaning, and the meaning. */
const entries = (list) => [...list.querySelectorAll(":scope > dd")].map((meaning) => {
  const entry = [meaning];
  while (entry[0].previousElementSibling?.matches("dt")) entry.unshift(entry[0].previousElementSibling);
  return entry;
});
for (const place of document.querySelectorAll("[data-filter], dl.glossary")) {
  const list = place.matches("dl"), find = place.dataset.filter ?? "Find a term", letters = list && place.previousElementSibling?.matches(".jumps") ? place.previousElementSibling : place;
  const rows = list ? entries(place) : [...place.querySelectorAll("tbody tr:not(:has(th[scope=rowgroup]))")].map((row) => [row]);
  const field = Object.assign(document.createElement("input"), { type: "search", placeholder: find });
  field.setAttribute("aria-label", find);
  const found = Object.assign(document.createElement("output"), { className: "found" });
  const box = Object.assign(document.createElement("div"), { className: "filter" });
  box.append(field, found);
  letters.before(box);
  const texts = new Map(rows.map((row) => {
    const [first] = row, group = first.parentElement.querySelector("th[scope=rowgroup]")?.textContent ?? "";
    const words = first.dataset.words ?? (list ? row : [...first.cells]).map((cell) => cell.textContent).join(" ");
    return [row, `${group} ${words}`.toLowerCase()];
  }));
  const columns = place.matches(".matrix") ? [...place.querySelectorAll("thead th")] : [];
  const heads = (word) => columns.filter((head) => head.textContent.toLowerCase().split(/\s+/).includes(word));
  const leave = (kept) => {
    const away = new Set(columns.filter((head) => kept.length && !kept.includes(head)).map((head) => head.cellIndex));
    for (const row of columns.length ? [columns[0].parentElement, ...rows.flat()] : []) {
      for (const cell of row.cells) cell.hidden = away.has(cell.cellIndex);
    }
  };
  let known; // the table's words, and how many rows have each
  const nearest = (word) => {
    if (!known) {
      known = new Map();
      for (const text of texts.values()) for (const each of new Set(WORDS.within(text))) known.set(each, (known.get(each) ?? 0) + 1);
    }
    return WORDS.nearest(word, known);
  };
  const forms = (word) => [word.replace(/(?<=[a-z]{3})s$/, ""), ...WORDS.others(word)];
  const some = (forms) => [...texts.values()].some((text) => forms.some((form) => text.includes(form)));
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = columns.filter((head) => words.some((word) => heads(word).includes(head)));
    leave(kept);
    const asked = words.filter((word) => !heads(word).length).map((word) => {
      const typed = forms(word), meant = some(typed) ? [] : nearest(word);
      return { word, meant, forms: meant.length ? meant : typed };
    });
    const without = (text) => !asked.every(({ forms }) => forms.some((form) => text.includes(form)));
    for (const [row, text] of texts) for (const part of row) part.hidden = without(text);
    for (const body of place.querySelectorAll("tbody")) {
      body.hidden = [...body.rows].every((row) => row.hidden || row.querySelector("th[scope=rowgroup]"));
    }
    const left = rows.filter(([first]) => !first.hidden).length, misspelt = asked.filter(({ meant }) => meant.length);
    const instead = misspelt.map(({ word, meant }) => `“${meant.join("” or “")}” for “${word}”`).join(", ");
    const of = kept.length ? `, of ${kept.map((head) => head.textContent).join(" and ")}` : "";
    found.textContent = words.length && left ? `${left} of ${rows.length}${of}${instead && `, with ${instead}`}` : "";
    if (asked.length && !left) {
      const elsewhere = Object.assign(document.createElement("a"), { textContent: "search the course" });
      elsewhere.href = `${document.documentElement.dataset.content_root ?? ""}search.html?q=${encodeURIComponent(field.value)}`;
      found.append(`None of ${rows.length} fits: `, elsewhere);
    }
    // from within a long table, the rows that are left lie above the screen
    if (asked.length && place.getBoundingClientRect().top < box.getBoundingClientRect().bottom - 1) place.scrollIntoView();
  };
  field.addEventListener("input", filter);
  filter(); // what a browser kept in the field, when the reader comes back
}
