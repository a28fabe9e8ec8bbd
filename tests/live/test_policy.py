"""What a live page may run: the scripts that it was built with, and no other."""

from __future__ import annotations

import base64
import hashlib
import sys

import pytest

PAGE = """<html><head><meta charset="utf-8" /><script src="a.js"></script><script>one()</script></head>
<body onload="two(&quot;2&quot;)"><script type="application/json">{"a": 1}</script>
<script type="module" src="b.js"></script><script type="module">three() && "</p>"</script></body></html>"""


@pytest.fixture
def policy(monkeypatch):
    from tests.browser.conftest import LIVE

    monkeypatch.syspath_prepend(LIVE)
    import policy

    yield policy
    sys.modules.pop("policy")


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_each_script_in_a_page_is_known_and_data_is_none(policy):
    rules = dict(rule.split(" ", 1) for rule in policy.policy(PAGE).split("; "))
    known = {digest(text) for text in ("one()", 'two("2")', 'three() && "</p>"')}
    assert set(rules["script-src"].split()) == {"'self'", "'unsafe-hashes'", *known}
    assert {name: rule for name, rule in rules.items() if name not in ("script-src", "style-src")} == {
        "default-src": "'none'",  # of all that is not named: plug-ins, media, workers, manifests
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "frame-src": "'self'",
        "base-uri": "'none'",  # of what `default-src` says nothing
        "form-action": "'self'",
    }


def test_the_policy_stands_before_what_it_governs(policy):
    guarded = policy.guarded(PAGE)
    assert guarded.index("Content-Security-Policy") < guarded.index("<script")
    assert guarded.index("charset") < guarded.index("Content-Security-Policy")  # in the first 1,024 bytes
    with pytest.raises(ValueError, match="its policy goes behind it"):
        policy.guarded("<html></html>")
