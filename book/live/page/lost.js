// In a live page's own text: its scripts may be gone, for a browser or a proxy keeps a page longer than the site keeps its edition; and a page that is opened as a file has none.
addEventListener("error", ({ target }) => {
  if (!target.dataset?.cells) return;
  const made = (name, ...words) => {
    const element = document.createElement(name);
    element.append(...words);
    return element;
  };
  const isFile = location.protocol === "file:", root = new URL("../../", target.src).href;
  const serve = () => [made("code", "python3 -m http.server"), ` in the folder ${decodeURIComponent(new URL(root).pathname)}, and open http://localhost:8000/${location.href.slice(root.length)}, or read the book on the web.`];
  const words = isFile ? ["Opened as a file, this page cannot run its cells: run ", ...serve()] : ["What runs this page's cells did not come: the site may have a newer edition. Reload the page."];
  const bar = made("p", ...words);
  bar.className = "live-bar";
  bar.setAttribute("role", "status");
  document.querySelector("article h1")?.after(bar);
  for (const lab of isFile ? document.querySelectorAll(".live-lab") : []) lab.replaceChildren("The lab opens in your browser where this page does not come from a file: run ", ...serve());
}, true);
