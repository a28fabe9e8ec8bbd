"""What may a live page run and fetch? Its own scripts and the site's files; what a cell shows, nothing.

A link may bring a cell, so its HTML is made by anybody. Scripts are known by their addresses on the site, and
those in the page's text by their checksums.
"""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

SCRIPTS = {"", "module", "text/javascript"}  # a script of another type is data


class Inline(HTMLParser):
    """The texts of a page that a browser runs: scripts, and attributes such as `onclick`."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self.within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.within = tag == "script" and "src" not in given and given.get("type", "") in SCRIPTS
        self.texts |= {value for name, value in given.items() if name.startswith("on")}

    def handle_data(self, data: str) -> None:
        if self.within:
            self.texts.add(data)

    def handle_endtag(self, tag: str) -> None:
        self.within = False


def policy(html: str) -> str:
    """The Content-Security-Policy of a page with that text."""
    inline = Inline()
    inline.feed(html)
    digests = (hashlib.sha256(text.encode()).digest() for text in inline.texts)
    known = sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    allowed = {
        "default-src": ["'none'"],
        "script-src": ["'self'", "'unsafe-hashes'", *known],
        "style-src": ["'self'", "'unsafe-inline'"],  # views and the theme place with `style`
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "frame-src": ["'self'"],  # Python's room, page/python.html
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
    }
    return "; ".join(" ".join([name, *values]) for name, values in allowed.items())


def guarded(html: str) -> str:
    """The page with its policy, before anything that it governs."""
    declared = '<meta charset="utf-8" />'
    if declared not in html:
        raise ValueError(f"no {declared} in the page: its policy goes behind it")
    rule = f'<meta http-equiv="Content-Security-Policy" content="{policy(html)}">'
    return html.replace(declared, f"{declared}\n    {rule}", 1)
