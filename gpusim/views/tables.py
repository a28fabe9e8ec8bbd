"""How do counters look? By topic for a kernel, by source line below; as text, and as HTML for a notebook.

A notebook has no style sheet of ours: colours are the page's own, or seen on light and on dark ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from gpusim.reports import topics
from gpusim.reports.launch import Advice, LaunchReport, LineReport

# topic -> heading -> the counters it shows as one cell
LINE_COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "execution": {
        "instructions": ("instructions",),
        "active lanes": ("active_lanes_per_instruction",),
        "divergent / branches": ("divergent_branches", "branches"),
    },
    "global memory": {
        "loads → sectors": ("global_load_requests", "global_load_sectors"),
        "stores → sectors": ("global_store_requests", "global_store_sectors"),
    },
    "shared memory": {
        "loads → wavefronts": ("shared_load_requests", "shared_load_wavefronts"),
        "stores → wavefronts": ("shared_store_requests", "shared_store_wavefronts"),
        "load conflicts": ("shared_load_bank_conflicts",),
        "store conflicts": ("shared_store_bank_conflicts",),
    },
    "local memory": {
        "loads → sectors": ("local_load_requests", "local_load_sectors"),
        "stores → sectors": ("local_store_requests", "local_store_sectors"),
    },
    "textures": {
        "accesses → sectors": ("texture_requests", "texture_sectors"),
        "hits": ("texture_sector_hits",),
    },
    "constant memory": {"loads → passes": ("constant_load_requests", "constant_load_passes")},
    "atomics": {
        "global → sectors": ("global_atomic_requests", "global_atomic_sectors"),
        "shared → wavefronts": ("shared_atomic_requests", "shared_atomic_wavefronts"),
    },
    "synchronisation": {"barriers": ("barriers",)},
    "caches": {
        "L1 load hits": ("l1_load_sector_hits",),
        "L2 loads → hits": ("l2_load_sectors", "l2_load_sector_hits"),
        "DRAM loads": ("dram_load_sectors",),
    },
}
# shown only where it differs from that one
NEWS = {f"global_{kind}_ideal_sectors": f"global_{kind}_sectors" for kind in ("load", "store", "atomic")}
ALWAYS = (
    "instructions",
    "active_lanes_per_instruction",
    "branches",
    "divergent_branches",
    "registers_per_thread",
    "theoretical_occupancy",
)
SPLIT = ("carveout_bytes", "l1_bytes")  # of no concern to a kernel without shared memory
LAUNCHES_SHOWN = 10
NOTHING = "no kernel was launched"
FINE = "nothing to look at: no count is higher than it need be"


def number(value: float) -> str:
    """Whole counts with thousands separated, ratios with two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def headline(kernel: LaunchReport) -> str:
    """Which launch is it? `saxpy: grid 4 × 1 × 1, block 256 × 1 × 1, H200 (independent)`."""
    grid, block = (" × ".join(map(str, extents)) for extents in (kernel.grid, kernel.block))
    many = f"{kernel.launches:,} launches, the first with " if kernel.launches > 1 else ""
    return f"{kernel.kernel}: {many}grid {grid}, block {block}, {kernel.device} ({kernel.scheduling})"


def by_topic(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The topics that have something to show, in their order."""
    order = list(topics.TOPICS)
    names = sorted(names, key=lambda name: order.index(topics.topic(name)))
    return [(topic, list(group)) for topic, group in groupby(names, topics.topic)]


def _shown(kernel: LaunchReport) -> list[str]:
    """The counters of a kernel, without those that stayed at zero or say nothing new."""
    known = [name for name in topics.in_order(caches=True) if name in kernel.counters]
    known += kernel.resources
    split_matters = kernel["shared_bytes_per_block"] or kernel.occupancy.limited_by == "shared memory"
    hidden = {name for name, other in NEWS.items() if kernel[name] == kernel[other]}
    hidden |= set() if split_matters else set(SPLIT)
    return [name for name in known if (kernel[name] or name in ALWAYS) and name not in hidden]


def _columns(kernel: LaunchReport) -> list[tuple[str, str, tuple[str, ...]]]:
    """(topic, heading, counters) of the columns that have something to say."""
    return [
        (topic, heading, names)
        for topic, headings in LINE_COLUMNS.items()
        for heading, names in headings.items()
        if any(line.counters.get(name) for line in kernel.lines for name in names)
    ]


def _cell(line: LineReport, heading: str, names: tuple[str, ...]) -> str:
    if not any(line[name] for name in names):
        return ""
    return (" → " if "→" in heading else " / ").join(number(line[name]) for name in names)


def _by_function(kernel: LaunchReport) -> Iterator[tuple[str, Iterator[LineReport]]]:
    return groupby(kernel.lines, lambda line: line.function)


def _marks(kernel: LaunchReport, line: LineReport) -> list[Advice]:
    """The pieces of advice about a line."""
    place = line.function, line.line
    return [advice for advice in kernel.advice if (advice.function, advice.line) == place]


def _mark(advice: Advice) -> str:
    return f"{advice.rule} (the worst line)" if advice.worst else advice.rule


# text -----------------------------------------------------------------------------------------------------


def counters_text(shown: Sequence[LaunchReport], launches: int) -> str:
    """The counters of a run, for a terminal: the first `LAUNCHES_SHOWN`, and how many there are."""
    return "\n".join([*map(_kernel_text, shown), *_more(shown, launches)]) or NOTHING


def _more(shown: Sequence[LaunchReport], launches: int) -> list[str]:
    """A line about the launches that are not shown, if there are any."""
    more = launches - sum(kernel.launches for kernel in shown)
    return [f"… and {more:,} more launches: they are in kernels, as_dict() and to_csv()"] if more else []


def _kernel_text(kernel: LaunchReport) -> str:
    names = _shown(kernel)
    width = max(map(len, names))
    rows = [headline(kernel), *([f"  ended by {kernel.error}"] if kernel.error else [])]
    for topic, group in by_topic(names):
        rows += [f"  {topic}", *(f"    {name:<{width}}  {number(kernel[name]):>12}" for name in group)]
    rows += _lines_text(kernel)
    if kernel.advice:
        rows += ["  look at", *(f"    {advice.text}" for advice in kernel.advice)]
    return "\n".join(rows)


def _lines_text(kernel: LaunchReport) -> Iterator[str]:
    columns = _columns(kernel)
    cells = [[_cell(line, heading, names) for _, heading, names in columns] for line in kernel.lines]
    widths = [max(len(heading), *(len(row[k]) for row in cells)) for k, (_, heading, _) in enumerate(columns)]
    groups = [(topic, list(own)) for topic, own in groupby(range(len(columns)), lambda k: columns[k][0])]
    code = max([len("source"), *(len(line.source) for line in kernel.lines)])
    first, over = 2 + 4 + 2, []
    for topic, own in groups:
        wide = sum(widths[k] + 2 for k in own) - 2
        widths[own[-1]] += max(0, len(topic) - wide)  # no column is narrower than what stands over it
        over.append(topic.ljust(max(wide, len(topic))))
    yield "  ".join([" " * (first + code), *over]).rstrip()
    headings = (heading.rjust(w) for (_, heading, _), w in zip(columns, widths, strict=True))
    yield "  ".join([f"  {'line':>4}", "source".ljust(code), *headings])
    numbers = iter(cells)
    for function, lines in _by_function(kernel):
        if function:
            yield f"  called: {function}"
        for line in lines:
            shown = (cell.rjust(w) for cell, w in zip(next(numbers), widths, strict=True))
            yield "  ".join([f"  {line.line:>4}", line.source.ljust(code), *shown]).rstrip()
            yield from (f"{'':{first}}^ {_mark(advice)}" for advice in _marks(kernel, line))


# HTML -----------------------------------------------------------------------------------------------------

LEFT = "text-align:left;padding:.1em 1em .1em 0"
RIGHT = "text-align:right;padding:.1em .2em .1em .8em;white-space:nowrap"
# JupyterLab's, the book's or the system's ground: what is scrolled beneath must not shine through
GROUND = "background:var(--jp-layout-color0,var(--pst-color-background,Canvas))"
MARK = "#d55e00"
BLAMED = f"font-weight:bold;box-shadow:inset 0 -3px {MARK}"
TOPIC_TABLE = "margin:.4em 0;width:auto"
HEADING = "text-align:right;padding:.1em .2em .1em .8em;vertical-align:bottom;white-space:normal"
NUMBER = "text-align:right;padding:.1em .8em .1em .3em;font-weight:normal"
OVER = "text-align:center;padding:.1em .5em;border-bottom:1px solid rgba(127,127,127,.6)"
CODE = "display:inline-block;width:max-content;max-width:min(26em,45vw);white-space:pre-wrap"
EXPLAINED = "text-decoration:none;border-bottom:1px dotted;cursor:help"


def counters_html(shown: Sequence[LaunchReport], launches: int) -> str:
    """The counters of a run, for a notebook: the first `LAUNCHES_SHOWN`, and how many there are."""
    if not shown:
        return f"<p>{NOTHING}</p>"
    names = {name: None for kernel in shown for name in _shown(kernel)}
    more = (f"<p>{line}</p>" for line in _more(shown, launches))
    return "".join([*map(_kernel_html, shown), *more, _glossary_html(list(names))])


def group_html(label: str, inside: str) -> str:
    """A report with its headline, which screen readers announce."""
    return (
        f'<div class="gpusim-counters" role="group" aria-label="{escape(label)}">'
        f'<p style="margin:.6em 0 .2em;font-weight:bold">{escape(label)}</p>{inside}</div>'
    )


def scrolled_html(label: str, table: str) -> str:
    """A table that may be wider than the screen: it scrolls by itself, also from the keyboard."""
    return (
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'
    )


def name_html(name: str) -> str:
    """A counter that says on hovering what it counts and what Nsight Compute calls it; breaks at `_`."""
    said = escape(f"{topics.meaning(name)} · ncu: {topics.metric(name)}")
    return f'<abbr title="{said}" style="{EXPLAINED}">{name.replace("_", "_<wbr>")}</abbr>'


def _kernel_html(kernel: LaunchReport) -> str:
    by = f"{kernel.kernel} by source line"
    look_at = '<p style="margin:.4em 0 0;font-weight:bold">look at</p>' + advice_html(kernel.advice)
    look_at = look_at if kernel.advice else ""
    ended = f"<p>ended by {escape(kernel.error)}</p>" if kernel.error else ""
    inside = (
        f'{ended}<div style="display:flex;flex-wrap:wrap;align-items:flex-start;column-gap:2em">'
        f"{''.join(_topic_html(kernel, *group) for group in by_topic(_shown(kernel)))}</div>"
        f"{scrolled_html(by, _lines_html(kernel))}{look_at}"
    )
    return group_html(headline(kernel), inside)


def _topic_html(kernel: LaunchReport, topic: str, names: Sequence[str]) -> str:
    rows = "".join(
        f'<tr><th scope="row" style="{LEFT};font-weight:normal">{name_html(name)}</th>'
        f'<td style="{RIGHT}">{number(kernel[name])}</td></tr>'
        for name in names
    )
    caption = f'<caption style="{LEFT};caption-side:top;font-weight:bold">{topic}</caption>'
    return f'<table style="{TOPIC_TABLE}">{caption}<tbody>{rows}</tbody></table>'


def _lines_html(kernel: LaunchReport) -> str:
    columns = _columns(kernel)
    over = "".join(
        f'<th scope="colgroup" colspan="{len(list(group))}" style="{OVER}">{topic}</th>'
        for topic, group in groupby(columns, lambda column: column[0])
    )
    under = "".join(f'<th scope="col" style="{HEADING}">{escape(heading)}</th>' for _, heading, _ in columns)
    stuck = f"position:sticky;left:0;{GROUND}"
    head = (
        f'<tr><td colspan="2" style="{stuck}"></td>{over}</tr>'
        f'<tr><th scope="col" style="{HEADING};{stuck};padding-right:.8em">line</th>'
        f'<th scope="col" style="{LEFT};vertical-align:bottom">source</th>{under}</tr>'
    )
    body = []
    for function, lines in _by_function(kernel):
        if function:
            span = f'colspan="{len(columns) + 2}" style="{LEFT}"'
            body.append(f'<tr><th scope="rowgroup" {span}>called: {escape(function)}</th></tr>')
        body += [_line_html(kernel, line, columns, stuck) for line in lines]
    caption = f'<caption style="{LEFT};caption-side:top;font-weight:bold">by source line</caption>'
    return (
        f'<table style="{TOPIC_TABLE};font-size:.9em">{caption}<thead>{head}</thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _line_html(kernel: LaunchReport, line: LineReport, columns: Sequence[Any], stuck: str) -> str:
    marks = _marks(kernel, line)
    blamed = {name for advice in marks for name in advice.counters}
    edge = f"border-left:4px solid {MARK};" if marks else ""
    said = "".join(f'<div style="white-space:nowrap">▲ {_mark(advice)}</div>' for advice in marks)
    cells = "".join(
        f'<td style="{RIGHT};{BLAMED if blamed & set(names) else ""}">{cell}</td>'
        for _, heading, names in columns
        for cell in [_cell(line, heading, names)]
    )
    return (
        f'<tr><th scope="row" style="{NUMBER};{edge}{stuck}">{line.line}</th>'
        f'<td style="{LEFT}"><code style="{CODE}">{escape(line.source)}</code>{said}</td>{cells}</tr>'
    )


def advice_html(advice: Sequence[Advice]) -> str:
    """What to look at; the book makes links of the chapters' names (book/_ext/chapter_links.py)."""
    items = "".join(
        f"<li>{escape(one.where + one.sentence)}; see "
        f'<span data-chapter="{one.page}">{escape(one.chapter)}</span></li>'
        for one in advice
    )
    return f'<ul style="margin-top:0">{items}</ul>' if items else f"<p>{FINE}</p>"


def _glossary_html(names: Sequence[str]) -> str:
    """On demand: what each counter counts, and the metric that `ncu` shows on a GPU."""
    items = "".join(
        f'<dt><code>{name}</code></dt><dd style="margin:0 0 .4em 1em;overflow-wrap:anywhere">'
        f"{escape(topics.meaning(name))}<br>{escape(topics.metric(name))}</dd>"
        for _, group in by_topic(names)
        for name in group
    )
    what = "What the counters mean, and their metrics in Nsight Compute"
    return f'<details><summary>{what}</summary><dl style="margin:.4em 0">{items}</dl></details>'
