// The rule of the visibility view: what each read sees when some guards are removed (gpusim.reports.visibility).
const writes = ({ kind }) => kind === "write" || kind === "atomic";

/** Of each box, the earlier ones that come before it. */
export function before(boxes, removed) {
  const found = [];
  for (const { after } of boxes) {
    const all = new Set();
    for (const { box, guard = -1 } of after) if (!removed.has(guard)) [box, ...found[box]].forEach((each) => all.add(each));
    found.push(all);
  }
  return found;
}

/** Of each read: the writes that it sees, those that nothing orders with it, and whether it is certain of its value. */
export function sights(boxes, removed) {
  const earlier = before(boxes, removed), found = new Map();
  boxes.forEach(({ kind, cell }, read) => {
    if (kind !== "read" && kind !== "atomic") return;
    const others = [...boxes.keys()].filter((box) => box !== read && boxes[box].cell === cell && writes(boxes[box]));
    const known = others.filter((box) => earlier[read].has(box));
    const atomics = (box) => kind === "atomic" && boxes[box].kind === "atomic";
    const sees = known.filter((one) => !known.some((two) => earlier[two].has(one)));
    const may = others.filter((box) => !earlier[read].has(box) && !earlier[box].has(read) && !atomics(box));
    const certain = !may.length && (sees.length < 2 || sees.every((box) => boxes[box].kind === "atomic"));
    found.set(read, { sees, may, certain });
  });
  return found;
}
