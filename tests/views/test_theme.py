"""Do the book's theme and the views keep apart? It holds Bootstrap, which styles many short names."""

from __future__ import annotations

import re
from pathlib import Path

import pydata_sphinx_theme

from gpusim.views import embed

STYLES = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static" / "styles"


def test_no_class_of_a_view_is_one_that_the_theme_styles():
    """`.mark` once got Bootstrap's yellow ground, and `.row` its margins."""
    sheets = "".join(sheet.read_text(encoding="utf-8") for sheet in STYLES.glob("*.css"))
    styled = set(re.findall(r"(?:^|[,}{])\.([\w-]+)(?=[,{:>+])", sheets))
    assert {"mark", "row", "col", "lead", "btn"} <= styled
    scripts = "".join(script.read_text(encoding="utf-8") for script in embed.WIDGETS.glob("*.js"))
    used = {name for names in re.findall(r'class: "([\w\s-]+)"', scripts) for name in names.split()}
    assert len(used) > 30
    assert used & styled == set()
