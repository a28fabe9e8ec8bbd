"""Do the views read what reports have? Each is played to its end while it is watched what it reads."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gpusim.reports import schema
from gpusim.reports.block import WarpThreads
from gpusim.reports.warp import WarpTotals
from gpusim.views import embed
from tests.views import real

WATCHED = Path(__file__).with_name("watched.js").read_text(encoding="utf-8")
DRAW = f"""async ([source, schema, reports]) => {{
    {WATCHED}
    const url = URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }}));
    const {{ default: widget }} = await import(url);
    const read = new Set(), unknown = new Set(), titles = [];
    for (const report of reports) {{
        const el = document.createElement("div");
        const seen = watched(report, schema, read, unknown);
        const model = {{ get: () => seen, set() {{}}, on() {{}}, off() {{}}, save_changes() {{}} }};
        document.body.append(el);
        const close = widget.render({{ model, el }});
        playAll(el);
        titles.push(el.querySelector(".gpusim .heading b").textContent);
        close();
        el.remove();
    }}
    return {{ titles, read: [...read].sort(), unknown: [...unknown].sort() }};
}}"""
# fields that no view draws: those of the stills, and what Python asks reports for
NOT_DRAWN = {
    "warp_player": {
        "WarpVariant.device",
        "WarpVariant.totals",
        *(f"WarpTotals.{field.name}" for field in dataclasses.fields(WarpTotals)),
    },
    "block_mapper": {  # the rule of `warp_rules.js` cuts any block
        "BlockVariant.device",
        "BlockVariant.warps",
        *(f"WarpThreads.{field.name}" for field in dataclasses.fields(WarpThreads)),
    },
    "schedule_explorer": {
        "ExplorationReport.deterministic",
        "ExplorationReport.kernel",
        "OutcomeReport.replay",
        "OutcomeReport.schedules",
    },
    "bank_view": {"BankAccess.array", "BankVariant.bank_bytes", "BankVariant.device"},
    "sector_view": {"SectorVariant.device"},
    "carveout_explorer": {"CarveoutVariant.device"},
    "prediction": set(),
    "roofline": set(),
    "stride_explorer": set(),
    "tile_explorer": set(),
    "memory_chart": set(),
    "occupancy_explorer": {"OccupancyVariant.says"},
    "timeline": set(),
    "happens_before": set(),
    "block_placement": set(),
    "group_map": {"GroupVariant.says"},
    "parameter_packer": {"ParameterPacking.says"},
    "launch_tree": set(),
    "limits_explorer": {  # the rules of `limits_rules.js` work them out for whatever is pushed
        "LimitsVariant.reserved",
        "LimitsVariant.free_bytes",
        "LimitsVariant.calls",
    },
    "visibility_view": {
        "VisibilityReport.reads",
        "Sight.box",
        "Sight.sees",
        "Sight.may_see",
        "Sight.certain",
        "Guard.kind",
    },
}


def fields(kind) -> set[str]:
    """`Definition.field` of everything that the report has."""
    definitions = schema.of(kind)["$defs"].items()
    return {f"{name}.{field}" for name, definition in definitions for field in definition["properties"]}


@pytest.mark.parametrize("name", embed.REPORTS)
def test_a_view_reads_only_what_the_schema_has_and_all_but_a_few_of_it(open_fragments, name):
    kind, reports = embed.REPORTS[name], real.reports()[name]
    found = open_fragments().evaluate(
        DRAW, [embed.module(name), schema.of(kind), [report.as_dict() for report in reports]]
    )
    assert found["unknown"] == []
    assert found["titles"] == [report.title for report in reports]
    assert fields(kind) - set(found["read"]) == NOT_DRAWN[name]


@pytest.mark.parametrize(
    ("asked", "unknown"),
    [
        ("report.tilte", "WarpReport.tilte"),
        ("report.variants[0].frames.at(-1).so_far.insns", "SoFar.insns"),
        ("report.variants.map(({ banks }) => banks)", "WarpVariant.banks"),
        ("report.source.first_line", None),
        ("report.compare", None),
    ],
)
def test_a_read_of_another_field_is_noticed(open_fragments, asked, unknown):
    kind, (report, *_) = embed.REPORTS["warp_player"], real.reports()["warp_player"]
    draw = f"export default {{ render({{ model }}) {{ const report = model.get(); {asked}; }} }};"
    found = open_fragments().evaluate(
        f"""async ([source, schema, report]) => {{
            {WATCHED}
            const unknown = new Set(), seen = watched(report, schema, new Set(), unknown);
            const url = URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }}));
            (await import(url)).default.render({{ model: {{ get: () => seen }} }});
            return [...unknown];
        }}""",
        [draw, schema.of(kind), report.as_dict()],
    )
    assert found == ([unknown] if unknown else [])
