"""Where is a line of the package's source? The pages that `sphinx.ext.viewcode` makes have it at `#L57`.

Above a function they lead back to where it is described: by the name that it has there, which need not be
that of the module in which it is written.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

NUMBER = re.compile(r'<span class="linenos">( *)(\d+)</span>')
BACK = re.compile(
    r'(<div class="viewcode-block" id="([\w.]+)">\n<a class="viewcode-back" href=")([^"#]*)#([\w.]+)'
)


def name_lines(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if not page.startswith("_modules/"):
        return
    described = app.env.get_domain("py").objects  # type: ignore[attr-defined]

    def back(link: re.Match[str]) -> str:
        start, own, address, name = link.groups()
        address = start + address
        if name not in described:
            name = next((one for one in described if one.endswith(f".{own}")), "")
        if not name:  # a page speaks of it without an anchor
            return address
        return (
            f"{start}{app.builder.get_relative_uri(page, described[name].docname)}#{described[name].node_id}"
        )

    lines = NUMBER.sub(r'<span class="linenos" id="L\2">\1\2</span>', context["body"])
    context["body"] = BACK.sub(back, lines)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", name_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
