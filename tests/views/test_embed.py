"""What reaches a page: a div with a report and a still, a module for JupyterLab, one script for the book."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import gpusim
from gpusim.views import embed
from tests.views import handmade


def report_in(html: str):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html).group(1))


def fragment(still: str = "", **changes):
    """A carve-out explorer in a page, with other values than its report has."""
    return embed.fragment("carveout_explorer", replace(gpusim.explore_carveouts(["K40"]), **changes), still)


def test_the_report_survives_the_page():
    report = handmade.warp_report(32, 64)
    assert report_in(embed.fragment("warp_player", report, "still")) == report.as_dict()


def test_keys_are_sorted_so_that_equal_reports_give_equal_pages():
    one, other = {"b": "1", "a": "2"}, {"a": "2", "b": "1"}
    assert fragment(sentences=one) == fragment(sentences=other)


def test_source_cannot_close_the_script_that_holds_it():
    html = fragment("if a < b: </pre>", sentences={"source": "</script><b>", "comment": "<!--"})
    data, still = html.split("</script>")
    assert "<" not in data.split('json">')[1]
    assert "if a &lt; b: &lt;/pre&gt;" in still


def test_without_a_script_what_stands_between_backticks_is_code():
    html = embed.fragment("warp_player", handmade.warp_report(), "Predict `a < b`", "`a`, for `b` is 1.")
    assert "Predict <code>a &lt; b</code></pre>" in html
    assert "<p><code>a</code>, for <code>b</code> is 1.</p>" in html


def test_a_page_has_no_ids_that_two_views_could_share():
    assert " id=" not in embed.fragment("warp_player", handmade.warp_report(), "")


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="Out of range float"):
        fragment(sentences={"ratio": float("nan")})


@pytest.mark.parametrize("name", embed.REPORTS)
def test_a_module_stands_alone(name):
    module = embed.module(name)
    assert not re.search(r"^import ", module, re.MULTILINE)
    assert re.findall(r"^export .*", module, re.MULTILINE) == ["export default widget(draw);"]


def test_the_script_is_a_classic_one():
    assert not re.search(r"^(import|export) ", embed.static_script(), re.MULTILINE)
