"""What do search engines get, and those who are sent a link? A sitemap; of each page words and a picture.

Only where the book's address is known: `BOOK_ADDRESS=https://example.org/book make book`. These lie beside
the pages and in their heads, and make no page ask for anything.
"""

from __future__ import annotations

import os

from sphinx.application import Sphinx

WORDS = 200  # characters of a description


def setup(app: Sphinx) -> dict[str, bool]:
    if address := os.environ.get("BOOK_ADDRESS", ""):
        app.config.html_baseurl = app.config.ogp_site_url = f"{address.rstrip('/')}/"
        app.config.sitemap_url_scheme = "{link}"  # neither languages nor versions
        app.config.sitemap_excludes = ["genindex.html", "search.html", "py-modindex.html", "_modules/*"]
        app.config.ogp_description_length = WORDS
        app.config.ogp_enable_meta_description = True
        for extension in ("sphinx_sitemap", "sphinxext.opengraph"):
            app.setup_extension(extension)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
