// How far is the reader? Each card of a chapter says how many of its predictions are answered, as they remember.
function progress() {
  for (const card of document.querySelectorAll("[data-predictions]")) {
    const names = card.dataset.predictions.split(" "), { pathname } = new URL(card.href);
    const answered = names.filter((name) => {
      try {
        const { end, tries } = JSON.parse(localStorage.getItem(`gpusim prediction ${pathname} ${name}`)) ?? {};
        return end && tries; // what the page only showed was not answered
      } catch {
        return false; // a page may be refused a memory
      }
    }).length;
    card.parentElement.querySelector(".answered")?.remove();
    if (!answered) continue;
    const mark = Object.assign(document.createElement("p"), { className: "answered" });
    mark.textContent = `${answered === names.length ? "✓ " : ""}${answered} of ${names.length} answered`;
    card.parentElement.querySelector(".sd-card-footer").append(mark);
  }
}
addEventListener("pageshow", progress); // and when the reader comes back from a chapter
