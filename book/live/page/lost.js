// In a page's own text: its scripts may be gone, for a browser or a proxy keeps a page longer than the site keeps its
// edition; and a page that is opened as a file has none.
// Its own element says where the site begins (`data-root`) and what a file cannot do (`data-lacks`).
{
  const { root: up, lacks } = document.currentScript.dataset;
  const made = (name, given, ...words) => {
    const element = Object.assign(document.createElement(name), given);
    element.append(...words);
    return element;
  };
  const root = new URL(up, location.href).href, address = `http://localhost:8000/${location.href.slice(root.length)}`;
  const published = document.querySelector('link[rel="canonical"]')?.getAttribute("href");
  const web = () => (published ? made("a", { href: published }, "read the book on the web") : "read the book on the web");
  const serve = () => ["run ", made("code", {}, "python3 -m http.server"), ` in the folder ${decodeURIComponent(new URL(root).pathname)}, and open `, made("a", { href: address }, address), ", or ", web(), "."];
  const say = (...words) => {
    const bar = made("p", { className: "live-bar" }, ...words);
    bar.setAttribute("role", "status");
    const title = document.querySelector("article h1") ?? document.querySelector("h1"); // above the article is one for print
    if (title) title.after(bar);
    else document.body.prepend(bar); // a notebook has none
  };
  if (location.protocol === "file:") {
    say(`Opened as a file, this page cannot ${lacks}: `, ...serve());
    for (const lab of document.querySelectorAll(".live-lab")) lab.replaceChildren("The lab opens in your browser where this page does not come from a file: ", ...serve());
    for (const link of document.querySelectorAll(".live-served")) link.replaceWith(...link.childNodes); // it would open a blank page
  } else
    addEventListener("error", ({ target }) => {
      if (target.dataset?.cells) say("What runs this page's cells did not come: the site may have a newer edition. Reload the page.");
    }, true);
}
