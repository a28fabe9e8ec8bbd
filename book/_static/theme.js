// Light or dark? As the reader's system is, until the reader chooses; and paper is light.
(() => {
  const root = document.documentElement;
  if (root.dataset.mode && !localStorage.getItem("mode")) Object.assign(root.dataset, { mode: "auto", theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" });
  let theme;
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => (root.dataset.theme = theme));
})();
