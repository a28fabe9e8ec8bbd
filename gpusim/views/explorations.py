"""How do the outcomes of many schedules look? One row an outcome, the most frequent first."""

from __future__ import annotations

from html import escape

from gpusim.reports.exploration import ExplorationReport, OutcomeReport

OUTCOMES_SHOWN = 6


def _exploration_headline(report: ExplorationReport) -> str:
    outcomes = len(report.outcomes)
    tried = f"{report.schedules} schedule{'' if report.schedules == 1 else 's'} tried"
    ending = f"the same outcome in {tried}" if outcomes == 1 else f"{outcomes} different outcomes in {tried}"
    return f"{report.kernel}: {ending}, {report.device} ({report.scheduling})"


def _tried(outcome: OutcomeReport, shown: int = 4) -> str:
    """`friendly, serial, seed 0, …`."""
    names = [str(s) if isinstance(s, str) else f"seed {s}" for s in outcome.schedules[:shown]]
    return ", ".join(names) + (", …" if outcome.count > shown else "")


def exploration_text(report: ExplorationReport) -> str:
    """The outcomes of a launch under many schedules, for a terminal."""
    rows = [_exploration_headline(report)]
    for number, outcome in enumerate(report.outcomes[:OUTCOMES_SHOWN], start=1):
        rows.append(f"  {number}. {outcome.count} × {outcome.description}")
        rows.append(f"     {outcome.replay}  # {_tried(outcome)}")
    return "\n".join([*rows, *(f"  {note}" for note in (_more(report), _beside(report)) if note)])


def _beside(report: ExplorationReport) -> str:
    """`not …: what the friendly order gave`, where outcomes are told by what is different in them."""
    if not any(outcome.differences for outcome in report.outcomes):
        return ""
    usual = next(one for one in report.outcomes if not one.differences and one.error is None)
    first = usual.schedules[0]
    return f"not …: what {f'the {first} order' if isinstance(first, str) else f'seed {first}'} gave"


def _more(report: ExplorationReport) -> str:
    more = len(report.outcomes) - OUTCOMES_SHOWN
    return f"… and {more} more outcomes" if more > 0 else ""


def exploration_html(report: ExplorationReport) -> str:
    """The outcomes of a launch under many schedules, for a notebook."""
    left = ' style="text-align:left;padding-right:1.5em"'
    rows = "".join(
        f"<tr><td>{outcome.count} ×</td><td{left}>{escape(outcome.description)}</td>"
        f'<td style="text-align:left;white-space:nowrap">{escape(_tried(outcome, 2))}</td></tr>'
        for outcome in report.outcomes[:OUTCOMES_SHOWN]
    )
    for note in filter(None, (_more(report), _beside(report))):
        rows += f'<tr><td></td><td{left} colspan="2">{note}</td></tr>'
    head = "".join(f'<th scope="col"{left}>{heading}</th>' for heading in ("times", "outcome", "schedules"))
    headline, replay = escape(_exploration_headline(report)), ""
    if len(report.outcomes) > 1:
        last = report.outcomes[:OUTCOMES_SHOWN][-1]
        replay = f"<p>Replay the last one shown: <code>{escape(last.replay)}</code></p>"
    return (
        f'<div class="gpusim-counters" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="{headline}"><table><caption>{headline}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{replay}</div>"
    )
