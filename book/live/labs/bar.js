// What does a student need beside the notebook? The way back and on, the file to hand in, a fresh copy.

const { labs, book } = JSON.parse(document.getElementById("labs").textContent);
const path = new URLSearchParams(location.search).get("path") ?? "";
const at = labs.findIndex(({ name }) => path === `${name}.ipynb` || path.startsWith(`${name}-kept-`));
const lab = labs[at];
const wide = (text) => `<span class="lab-bar-wide">${text}</span>`;
const open = (file) => `index.html?path=${encodeURIComponent(file)}`;

const chapter = () =>
  book ? `<a href="../${book}/${lab.name}.html" target="_blank" rel="noopener">Chapter${wide(`: ${lab.chapter}`)}</a>` : "";
const next = () => {
  const { name, number } = labs[at + 1] ?? {};
  return name ? `<a href="${open(`${name}.ipynb`)}">Next: Lab ${number}</a>` : "";
};
const more = () => `
  <h2>Your work is saved</h2>
  <p>by itself, every ten seconds, and with Ctrl+S: in this browser, on this computer. Other browsers do not have it, and
  clearing this site's data deletes it. Download a copy now and then.</p>
  <h2>Hand in</h2>
  <p>Choose <em>Kernel → Restart Kernel and Run All Cells</em>. The last cell tells the points so far. Then press
  <em>Download to hand in</em>: you get <code>${lab.name}.ipynb</code>. Hand in this file, under this name, in the way your
  course says.</p>
  <h2>A cell that never ends</h2>
  <p><em>Kernel → Restart Kernel</em> ends it. What you wrote stays; run the cells from the top again. (A browser cannot
  interrupt one cell.)</p>
  <h2>Start again</h2>
  <p><button type="button" data-do="fresh">Fresh copy</button> What you have is kept under another name, and the lab opens as
  it was published.</p>
  <p data-kept></p>
  <h2>Go on at another computer</h2>
  <p>Download the lab here. There, open <a href="../tree/index.html">Your files</a>, press <em>Upload</em>, choose the
  file, and answer <em>Overwrite</em>.</p>`;

const bar = document.createElement("nav");
bar.id = "lab-bar";
bar.setAttribute("aria-label", "Labs");
bar.innerHTML = `<a href="../index.html">All labs</a>`;
if (lab) {
  bar.innerHTML += `${chapter()} ${next()}
    <span class="lab-bar-end"><button type="button" data-do="download" aria-label="Download to hand in">Download${wide(" to hand in")}</button>
    <details><summary>Help</summary><div class="lab-bar-more">${more()}</div></details></span>`;
}
document.body.prepend(bar);

/** The open notebook, once it is read. */
async function notebook() {
  while (!window.jupyterapp?.shell?.currentWidget?.context) await new Promise((then) => setTimeout(then, 100));
  const { context } = window.jupyterapp.shell.currentWidget;
  await context.ready;
  return context;
}

/** What is on the page now, saved or not, as the file that the course asks for. */
async function download() {
  const context = await notebook();
  const problem = await context.save().then(() => "", (error) => error.message);
  const text = `${JSON.stringify(context.model.toJSON(), null, 1)}\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
  link.download = `${lab.name}.ipynb`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  if (problem) window.alert(`Your browser did not keep your last changes (${problem}). The file that you get now has them: keep it.`);
}

const files = async () => {
  const { content } = await window.jupyterapp.serviceManager.contents.get("", { content: true });
  return content.map(({ name }) => name);
};

/** Keep a copy, see that it is there, and only then let go of the notebook: what is published appears again. */
async function fresh() {
  const context = await notebook();
  const { contents } = window.jupyterapp.serviceManager;
  await context.save();
  const taken = await files();
  let count = 1;
  while (taken.includes(`${lab.name}-kept-${count}.ipynb`)) count += 1;
  const kept = `${lab.name}-kept-${count}.ipynb`;
  // not what is open: that may be an earlier copy
  const { content } = await contents.get(`${lab.name}.ipynb`, { content: true });
  await contents.save(kept, { type: "notebook", format: "json", content });
  const written = await contents.get(kept, { content: true });
  if (JSON.stringify(written.content) !== JSON.stringify(content)) throw new Error(`${kept} was not written`);
  await contents.delete(`${lab.name}.ipynb`);
  location.assign(open(`${lab.name}.ipynb`));
}

async function listKept() {
  await notebook();
  const begins = `${lab.name}-kept-`;
  const kept = (await files()).filter((name) => name.startsWith(begins) && /^\d+\.ipynb$/.test(name.slice(begins.length)));
  bar.querySelector("[data-kept]").innerHTML = kept.length
    ? `Kept: ${kept.map((name) => `<a href="${open(name)}">${name.slice(0, -".ipynb".length)}</a>`).join(", ")}`
    : "";
}

const ACTIONS = { download, fresh };
for (const button of bar.querySelectorAll("[data-do]")) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await ACTIONS[button.dataset.do]();
    } catch (error) {
      window.alert(`That did not work, and nothing of yours is gone: ${error.message}`);
    } finally {
      button.disabled = false;
    }
  });
}
const details = bar.querySelector("details");
details?.addEventListener("toggle", () => details.open && listKept());
document.addEventListener("pointerdown", ({ target }) => {
  if (details && !details.contains(target)) details.open = false;
});
bar.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && details) details.open = false;
  event.stopPropagation(); // the notebook takes keys as commands
});
// what was typed in the last seconds goes along
bar.addEventListener("click", async (event) => {
  const link = event.target.closest("a:not([target])");
  const context = window.jupyterapp?.shell?.currentWidget?.context;
  if (!link || !context?.model.dirty) return;
  event.preventDefault();
  const problem = await context.save().then(() => "", (error) => error.message);
  const question = `Your browser did not keep your last changes (${problem}). Leave without them? To keep them, press Cancel, then Download.`;
  if (!problem || window.confirm(question)) location.assign(link.href);
});
