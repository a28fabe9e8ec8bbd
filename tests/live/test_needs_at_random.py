"""Pages at random, edited and run cell by cell: each cell shows what it shows on a page read from its top."""

from __future__ import annotations

import contextlib
import io
import random

FIRST = "a = 1\nb = 2\nc = [1]\nd = [2]\ne = c\ndef f(): return a\ndef g(x): x.append(a)"
DO = (
    *(
        "a = {k}",
        "b = a + {k}",
        "a += {k}",
        "for a in range({k}): pass",
        "if b > {k}: a = {k}",
        "b = f() + {k}",
    ),
    *(
        "c = [a, b]",
        "d = [*c, {k}]",
        "d = list(c)",
        "c = c + [{k}]",
        "d = [x + {k} for x in c]",
        "d = c",
        "e = c",
    ),
    *("e.append({k})", "c[0] = {k}", "g(c)", "g(d)"),
    *(
        "t = c\nt.append({k})",
        "for t in [c, d]: t.append({k})",
        "def h(): c.append({k})\nh()",
        "exec('a = {k}')",
    ),
    *(
        "def h():\n    global a\n    a = {k}\nh()",
        "def f(x=c.append({k})): return a",
        "def f(x=[]):\n    x.append(a)\n    return len(x)",
        "q = [c, d]\nq[0].append({k})",
        "r = e.append\nr({k})",
    ),
    *("def f(): return a + {k}", "def f(): return b", "def g(x): x.insert(0, {k})"),
)
SEEDS = 80
SHOW = ("print(a, b)", "print(c)", "print(d)", "print(e, d)", "print(f())", "print(a, c, d)")


def from_the_top(texts: dict[int, str], number: int) -> str:
    names, printed = dict[str, object](), io.StringIO()
    for each in range(1, number + 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(texts[each], names)
    return printed.getvalue()


def test_what_a_reader_sees_is_what_the_page_read_from_its_top_shows(session):
    new = type(session)
    for seed in range(SEEDS):
        chance, live = random.Random(seed), new()

        def text(chance: random.Random = chance) -> str:
            return chance.choice(DO).format(k=chance.randint(1, 5))

        last = chance.randint(4, 7)
        page = {1: FIRST, last: chance.choice(SHOW)}
        page |= {at: text() if chance.random() < 0.7 else chance.choice(SHOW) for at in range(2, last)}
        texts = dict(page)
        for step in range(8):
            edited, asked = chance.randint(2, last), chance.randint(2, last)
            if page[edited] not in SHOW and chance.random() < 0.6:
                texts[edited] = text() if chance.random() < 0.7 else page[edited]
            to = chance.choice([asked, min(asked + 1, last), last])
            now = {str(each): one for each, one in texts.items()}
            plan = live.plan(now, asked, to, page[asked])
            if plan["anew"]:
                live = new()
                plan = live.plan(now, asked, to, page[asked])
                assert not plan["anew"]
            for each in plan["due"]:
                shown = "".join(output.text for output in live.run(each, texts[each]))
                if asked <= each <= to and texts[each] in SHOW:
                    assert shown == from_the_top(texts, each), f"seed {seed}, step {step}, In[{each}]"
