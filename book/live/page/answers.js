// Is a question's answer another one than the page's? Then it is a question of its own, and what explains the page's is
// not said of it.
const REPORT = /(<div data-gpusim-view="prediction"><script type="application\/json">)([^<]*)(?=<\/script>)/g, OF = "the page’s kernel";

/** What a report says; nothing where it is none: a cell may show anybody's HTML. */
function read(json) {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** The outputs of a cell, of which the page has the `published` reports, as JSON, in order. */
export function ofThePage(outputs, published) {
  const solutions = new Map(published.map(read).map(({ id, solution }) => [id, solution]));
  const told = (whole, before, json) => {
    const report = read(json), solution = solutions.get(report.id);
    if (solution === undefined || solution === report.solution) return whole;
    const id = `${report.id}:${encodeURIComponent(report.solution)}`; // what is before the colon it opens (prediction.js)
    return before + JSON.stringify({ ...report, id, ...(report.why && { why_of: OF }) }).replaceAll("<", "\\u003c");
  };
  return outputs.map((output) => (output.html ? { ...output, html: output.html.replace(REPORT, told) } : output));
}

/** The reports of the questions among these nodes, as JSON. */
export const questions = (nodes) => (nodes ?? []).flatMap((node) =>
  [...(node.querySelectorAll?.('[data-gpusim-view="prediction"] > script') ?? [])].map(({ textContent }) => textContent));
