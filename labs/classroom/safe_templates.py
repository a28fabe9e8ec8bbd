"""What runs on the pages for marking? The scripts of nbgrader's templates and of the course, and no others.

Names and ids are text. Each script of a template has this server's nonce, and the browser runs what has it:
a notebook's text never has, as only the sources of templates are given one.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment
from nbconvert import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers

SCRIPT = re.compile(r"<script(?=[\s>])")
NONCE = secrets.token_urlsafe(24)
CLICK = re.compile(r'onclick="([^"]*)"')


def _clicks() -> str:
    """The attributes of nbgrader's templates that run, by their digests."""
    files = [each for each in Path(handlers.template_path).rglob("*") if each.suffix in (".tpl", ".j2")]
    known = {each for file in files for each in CLICK.findall(file.read_text(encoding="utf-8"))}
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in sorted(known)]
    return " ".join(f"'sha256-{each}'" for each in digests)


POLICY = "; ".join(
    (
        *("default-src 'none'", "base-uri 'none'", "object-src 'none'", "frame-ancestors 'none'"),
        *("form-action 'self'", "connect-src 'self'", "font-src 'self' data:", "img-src 'self' data:"),
        "style-src 'self' 'unsafe-inline'",  # nbgrader's and the outputs' own, and styles run nothing
        f"script-src 'nonce-{NONCE}' 'unsafe-hashes' {_clicks()}",
    )
)


class Templates(BaseLoader):
    """The templates of another loader, whose scripts have the nonce."""

    def __init__(self, others: BaseLoader) -> None:
        self._others = others

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, file, is_new = self._others.get_source(environment, template)
        return SCRIPT.sub(f'<script nonce="{NONCE}"', source), file, is_new

    def list_templates(self) -> list[str]:
        return self._others.list_templates()


class SubmissionPage(HTMLExporter):
    """A submission as it is marked. nbconvert's templates take every text for HTML: so it gets some."""

    def _create_environment(self) -> Environment:
        made: Environment = super()._create_environment()
        assert made.loader is not None
        made.loader = Templates(made.loader)
        return made

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **how: Any
    ) -> tuple[Any, dict[str, Any]]:
        known = {
            name: html.escape(each) if isinstance(each, str) else each
            for name, each in (resources or {}).items()
        }
        found: tuple[Any, dict[str, Any]] = super().from_filename(filename, resources=known, **how)
        return found
