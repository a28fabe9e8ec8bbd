"""Which tables are blocks on a phone, and what do they say? A page of a few tables stands for the book."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpusim

EXT = Path(__file__).resolve().parent.parent / "book" / "_ext"
PAGE = """# Tables

| | here | on a GPU |
|---|---|---|
| **Python** | `from gpusim import cuda`, or the program as it is | `from numba import cuda` |
| **C++** | | `nvcc program.cu` |

| stride | sectors |
|---|---|
| 1 | 4 |

```{{raw}} html
{sentences}
{numbers}
```
"""
MADE = {
    "sentences": gpusim.table(
        [("`late_store`", "`if a_b < 3:`", "a race between lanes 0 and 32, and on the H200 the same")],
        ("Kernel", "Tool", "Verdict here, and there"),
    )._repr_html_(),
    "numbers": gpusim.table([(1, 4)], ("stride", "sectors"))._repr_html_(),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stacked")
    (folder / "index.md").write_text(PAGE.format(**MADE), encoding="utf-8")
    (folder / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(EXT)!r})\nextensions = ['myst_parser', 'stacked']\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    page = (folder / "html" / "index.html").read_text(encoding="utf-8")
    return re.findall(r"<table.*?</table>", page, re.DOTALL)


def test_a_table_of_sentences_is_stacked_and_one_of_numbers_is_none(tables):
    assert ["stacked" in table.partition(">")[0] for table in tables] == [True, False] * 2


def test_each_cell_but_the_first_says_its_heading_unless_it_is_empty(tables):
    heads = re.findall(r'<span class="of-column">(.*?)</span>', tables[0])
    assert heads == ["here: ", "on a GPU: ", "on a GPU: "]
    assert tables[0].count('<td class="nothing">') == 1
    assert '<code class="name">late_<wbr>store</code>' in tables[2], "a name may go on below"
    assert "<code>if a_b &lt; 3:</code>" in tables[2], "a line of source stays one line"
    assert re.findall(r'<td[^>]*><span class="of-column">(.*?)</span>', tables[2]) == [
        "Tool: ",
        "Verdict here, and there: ",
    ]
    assert "of-column" not in re.search(r"<tbody>.*", tables[1], re.DOTALL)[0]
