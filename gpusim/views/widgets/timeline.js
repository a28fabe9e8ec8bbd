// The timeline: warps against clocks, what each scheduler issues, and what the others wait for.
import { group, h, widget } from "./controls.js";

function draw(report) {
  return { element: group(`Timeline: ${report.title}`, "timeline-view", null, h("div", { class: "heading" }, h("b", {}, report.title))), stop() {} };
}

export default widget(draw);
