// In a live page's own text: its scripts may be gone, for a browser or a proxy keeps a page longer than the site keeps its edition.
addEventListener("error", ({ target }) => {
  if (!target.dataset?.cells) return;
  const words = document.createElement("p");
  words.className = "live-bar";
  words.setAttribute("role", "status");
  words.textContent = "What runs this page's cells did not come: the site may have a newer edition. Reload the page.";
  document.querySelector("article h1")?.after(words);
}, true);
