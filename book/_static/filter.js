// Which rows of a long table are meant? A field above it hides those without all of the words that are typed, in the
// singular or plural. Where none is left, the search of the whole course may know more, and what is misspelt.
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
    return [row, `${group} ${row.dataset.words ?? row.textContent}`.toLowerCase()];
  }));
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const stems = words.map((word) => word.replace(/(?<=[a-z]{3})s$/, ""));
    for (const [row, text] of texts) row.hidden = !stems.every((stem) => text.includes(stem));
    for (const body of place.querySelectorAll("tbody")) {
      body.hidden = [...body.rows].every((row) => row.hidden || row.querySelector("th[scope=rowgroup]"));
    }
    const left = rows.filter((row) => !row.hidden).length;
    found.textContent = words.length ? `${left} of ${rows.length}` : "";
    if (words.length && !left) {
      const elsewhere = Object.assign(document.createElement("a"), { textContent: "search the course" });
      elsewhere.href = `${document.documentElement.dataset.content_root ?? ""}search.html?q=${encodeURIComponent(field.value)}`;
      found.append(": ", elsewhere);
    }
    // from within a long table, the rows that are left lie above the screen
    if (words.length && place.getBoundingClientRect().top < box.getBoundingClientRect().bottom - 1) place.scrollIntoView();
  };
  field.addEventListener("input", filter);
  filter(); // what a browser kept in the field, when the reader comes back
}
