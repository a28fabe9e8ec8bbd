"""How do widgets play in the published book, where there is no kernel? One script on every page mounts them.

The script is made from the ES modules that JupyterLab runs (`gpusim/views/widgets/*.js`), as one classic
script: a page opened from `file://` may not import modules.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import rjsmin
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from gpusim.views.embed import static_script, stylesheet

SCRIPT = "gpusim-widgets.js"
PLACE, INDEX = "<div data-gpusim-view=", "book/index-of-terms"
WITHOUT_SCRIPTS = (
    "This page runs no scripts here. Where it says “press play”, “push” or “click”, what there is to see "
    "stands as text, and each question has its answer below it."
)
KEPT = "\u02d1"  # a letter, for rjsmin, that no widget uses


def slim(script: str) -> str:
    """Without comments and blanks. rjsmin takes a template within a template for code: they keep blanks."""
    sheet = stylesheet()
    rules = re.sub(r"/\*.*?\*/|\s+", " ", sheet, flags=re.DOTALL)
    rules = re.sub(r" *([{};,>]) *|(:) ", r"\1\2", rules).replace(";}", "}")
    script = script.replace(json.dumps(sheet), json.dumps(rules))
    kept = re.sub("^.*`.*$", lambda line: line[0].strip().replace(" ", KEPT), script, flags=re.MULTILINE)
    return rjsmin.jsmin(kept).replace(KEPT, " ")


def write_script(app: Sphinx) -> None:
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / SCRIPT).write_text(slim(static_script()), encoding="utf-8", newline="\n")


def say_without_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Where views do not play, say so before the text asks for it; the menus do not open, either."""
    if PLACE in context.get("body", ""):
        first, index = (escape(app.builder.get_relative_uri(page, to)) for to in (app.config.root_doc, INDEX))
        links = f'<a href="{first}">All chapters</a> · <a href="{index}">Index of terms</a>'
        said = f"<p>{WITHOUT_SCRIPTS}</p><p>{links}</p>"
        context["body"] = f'<noscript><div class="unscripted">{said}</div></noscript>{context["body"]}'


def drop_widget_state(app: Sphinx, env: BuildEnvironment) -> None:
    """Leave out the saved state of live widgets, which only the standard widget scripts would read."""
    for metadata in getattr(env, "nb_metadata", {}).values():
        metadata.get("js_files", {}).pop("ipywidgets_state", None)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_script)
    app.connect("env-updated", drop_widget_state)
    app.connect("html-page-context", say_without_scripts)
    app.add_js_file(SCRIPT, loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
