"""How does a view reach a page? The same ES modules serve JupyterLab and, without a kernel, the book.

Live, anywidget loads `module(name)`. In the book, a view is a `<div>` that holds its report as JSON and a
still as text (`fragment`), and one classic script (`static_script`) draws every such div: a page opened from
`file://` may not import modules.
"""

import json
import re
from pathlib import Path

from gpusim.reports.bank import BankReport
from gpusim.reports.block import BlockReport
from gpusim.reports.carveout import CarveoutReport
from gpusim.reports.group import GroupExploration
from gpusim.reports.limits import LimitsReport
from gpusim.reports.memory import MemoryChart
from gpusim.reports.occupancy import OccupancyExploration
from gpusim.reports.order import OrderReport
from gpusim.reports.parameter_packing import ParameterPacking
from gpusim.reports.placement import PlacementExploration
from gpusim.reports.prediction import PredictionReport
from gpusim.reports.report import Titled
from gpusim.reports.roofline import RooflineReport
from gpusim.reports.schedule import ScheduleReport
from gpusim.reports.sector import SectorReport
from gpusim.reports.stride import StrideReport
from gpusim.reports.tile import TileReport
from gpusim.reports.timeline import Timeline
from gpusim.reports.tree_growth import GrowthReport
from gpusim.reports.visibility import VisibilityReport
from gpusim.reports.warp import WarpReport
from gpusim.views.code import coded

WIDGETS = Path(__file__).parent / "widgets"
# view -> what it draws
REPORTS: dict[str, type[Titled]] = {
    "warp_player": WarpReport,
    "block_mapper": BlockReport,
    "schedule_explorer": ScheduleReport,
    "bank_view": BankReport,
    "sector_view": SectorReport,
    "carveout_explorer": CarveoutReport,
    "prediction": PredictionReport,
    "tile_explorer": TileReport,
    "stride_explorer": StrideReport,
    "memory_chart": MemoryChart,
    "occupancy_explorer": OccupancyExploration,
    "roofline": RooflineReport,
    "group_map": GroupExploration,
    "timeline": Timeline,
    "happens_before": OrderReport,
    "block_placement": PlacementExploration,
    "parameter_packer": ParameterPacking,
    "launch_tree": GrowthReport,
    "limits_explorer": LimitsReport,
    "visibility_view": VisibilityReport,
}

IMPORTED = re.compile(r'^import .* from "\./(\w+)\.js";$', re.MULTILINE)

MOUNT = """\
const style = document.createElement("style");
style.textContent = css;
document.head.append(style);
function mount() {
  for (const place of document.querySelectorAll("div[data-gpusim-view]:not([data-mounted])")) {
    const el = document.createElement("div");
    place.dataset.mounted = "";
    try {
      const report = JSON.parse(place.querySelector("script").textContent);
      const model = { get: (name) => ({ report })[name], set() {}, on() {}, off() {}, save_changes() {} };
      place.append(el);
      views[place.dataset.gpusimView].render({ model, el });
      place.still = place.querySelector("pre").textContent; // a live page compares it
      place.querySelector("pre").remove();
    } catch (error) { // the still stays, and the next view has its turn
      el.remove();
      console.error(error);
      for (const part of document.querySelectorAll("[data-revealed-by]")) part.dataset.open = "";
    }
  }
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
else mount();
document.addEventListener("gpusim:mount", mount); // a live page has put new views in place
"""


def _read(file_name: str) -> str:
    return (WIDGETS / file_name).read_text(encoding="utf-8")


def _body(file_name: str) -> str:
    """A module's text without its imports; what it exports becomes plain declarations."""
    lines = _read(file_name).splitlines()
    return "\n".join(
        line.removeprefix("export ") for line in lines if not line.startswith(("import ", "export default "))
    )


def _shared(name: str) -> list[str]:
    """The modules that a view imports, and those that they import, each after what it needs."""
    found: list[str] = []
    for imported in IMPORTED.findall(_read(f"{name}.js")):
        found += [each for each in (*_shared(imported), imported) if each not in found]
    return found


def module(name: str) -> str:
    """What does anywidget load? One ES module: what views share, then the view itself."""
    bodies = (_body(f"{each}.js") for each in (*_shared(name), name))
    return "\n".join([*bodies, "export default widget(draw);\n"])


def stylesheet() -> str:
    """Which rules draw the views? One sheet, for light and dark pages."""
    return _read("views.css")


def static_script() -> str:
    """What does a page without a kernel load? One classic script that draws every view on the page."""
    views = (
        f'views["{name}"] = (() => {{\n{_body(f"{name}.js")}\nreturn widget(draw);\n}})();'
        for name in REPORTS
    )
    shared = dict.fromkeys(each for name in REPORTS for each in _shared(name))
    parts = (
        *(_body(f"{each}.js") for each in shared),
        "const views = {};",
        *views,
        f"const css = {json.dumps(stylesheet())};",
        MOUNT,
    )
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


def fragment(name: str, report: Titled, still: str, unscripted: str = "") -> str:
    """What stands in a page for a view? Its report, and the still that readers without scripts see.

    `unscripted` is an answer for them alone; the still also stands where a notebook may run no script.
    """
    data = json.dumps(report.as_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
    data = data.replace("<", "\\u003c")
    answer = f"<summary>Answer</summary><p>{coded(unscripted)}</p>"
    return (
        f'<div data-gpusim-view="{name}"><script type="application/json">{data}</script>'
        f'<pre style="overflow-x:auto">{coded(still)}</pre>'
        + (f"<noscript><details>{answer}</details></noscript>" if unscripted else "")
        + "</div>"
    )
