// Which rows of a long table are meant? A field above it hides those without all of the words that are typed, in the
// singular or plural. A word that no row has is taken for those nearest to it (words.js), and the field says so. Where
// nothing is near, the search of the whole course may know more. Words of a matrix's headings leave their columns.
for (const place of document.querySelectorAll("[data-filter]")) {
  const rows = [...place.querySelectorAll("tbody tr:not(:has(th[scope=rowgroup]))")];
  const field = Object.assign(document.createElement("input"), { type: "search", placeholder: place.dataset.filter });
  field.setAttribute("aria-label", place.dataset.filter);
  const found = Object.assign(document.createElement("output"), { className: "found" });
  const box = Object.assign(document.createElement("div"), { className: "filter" });
  box.append(field, found);
  place.before(box);
  const texts = new Map(rows.map((row) => {
    const group = row.parentElement.querySelector("th[scope=rowgroup]")?.textContent ?? "";
    return [row, `${group} ${row.dataset.words ?? [...row.cells].map((cell) => cell.textContent).join(" ")}`.toLowerCase()];
  }));
  const columns = place.matches(".matrix") ? [...place.querySelectorAll("thead th")] : [];
  const heads = (word) => columns.filter((head) => head.textContent.toLowerCase().split(/\s+/).includes(word));
  const leave = (kept) => {
    const away = new Set(columns.filter((head) => kept.length && !kept.includes(head)).map((head) => head.cellIndex));
    for (const row of [columns[0]?.parentElement ?? [], rows].flat()) {
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
    for (const [row, text] of texts) row.hidden = !asked.every(({ forms }) => forms.some((form) => text.includes(form)));
    for (const body of place.querySelectorAll("tbody")) {
      body.hidden = [...body.rows].every((row) => row.hidden || row.querySelector("th[scope=rowgroup]"));
    }
    const left = rows.filter((row) => !row.hidden).length, misspelt = asked.filter(({ meant }) => meant.length);
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
