"""What does the search read of a page's HTML? What a reader sees, with nothing of a tag."""

from __future__ import annotations

from pathlib import Path

import pytest

EXT = Path(__file__).resolve().parent.parent / "book" / "_ext"


@pytest.fixture
def read(monkeypatch):
    monkeypatch.syspath_prepend(EXT)
    from sections import read

    return read


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ('<p style="margin:0">Error: a race.</p><p>Two.</p>', ["Error: a race.", "Two."]),
        ('<ol><li id="source-22">source 004</li><li>three</li></ol>', ["source 004", "three"]),
        ('one<br class="wide">two<br/>three', ["one", "two", "three"]),
        ('<li\n  data-name="of two lines"\n>3. A kernel</li>', ["3. A kernel"]),
        ('<a title="1 > 0"\nhref="x">one</a> line', ["one line"]),
        ("<table><tr><td>a</td>\n<td>b</td></tr><tr><td>c</td></tr></table>", ["a · b", "c"]),
        ("<p>Solved.</p><table><tr><th>1</th></tr></table>", ["Solved.", "1"]),
        ("<pre>if i &lt; n:\n    x[i] = 1</pre>", ["if i < n:", "x[i] = 1"]),
        ("<picture>seen</picture>", ["seen"]),
        ("1 < 2, and 3 > 2", ["1 < 2, and 3 > 2"]),
    ],
)
def test_of_a_tag_nothing_is_left(read, html, lines):
    assert read(html).split("\n") == lines
