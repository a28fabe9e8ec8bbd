"""How does a page read in a notebook? As Markdown that JupyterLab knows, in place of directives and roles.

A directive is a row of `DIRECTIVES`, a role one of `ROLES`; what has no row stops the build. Text between
them stays as it stands, but for links: they lead to the notebooks beside it, or to the book.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import indent as indent_lines
from typing import Any

from myst_parser.mdit_to_docutils.base import default_slugify

FENCE = re.compile(r"( *)(:{3,}|`{3,})(\{[\w-]+\})?(.*)")
OPTION = re.compile(r":([\w-]+):(.*)")
LABEL = re.compile(r"^\(([\w-]+)\)=\n", re.MULTILINE)
HEADING = re.compile(r"^(?:\(([\w-]+)\)=\n)?#{1,6} (.+)$", re.MULTILINE)
CODE = re.compile(r"^( *)(`{3,}|:{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
# a role, code (left as it is), or a link
INLINE = re.compile(
    r"\{([a-z]\w*(?::\w+)?)\}`([^`]+)`|(`+)(?!`).+?(?<!`)\3(?!`)|\[((?:`[^`]*`|[^\[\]`])+)\]\(([^()\s]+)\)",
    re.DOTALL,
)
DOCUMENTED = re.compile(r"\.\. auto(\w+):: ([\w.]+)")


@dataclass(frozen=True)
class Pages:
    """Where do links lead? To the page of a book at an address, else to the notebook beside this one."""

    folder: Path
    notebooks: frozenset[str]
    address: str = ""

    def link(self, name: str, anchor: str) -> str | None:
        """The address of a page, of the section with this anchor; None if there is none to give."""
        behind = f"#{anchor}" if anchor else ""
        if self.address:
            return f"{self.address.rstrip('/')}/{self.folder.name}/{name}.html{behind}"
        if name not in self.notebooks:
            return None
        return f"{name}.ipynb{self.section(name, anchor)}"

    def section(self, name: str, anchor: str) -> str:
        """What JupyterLab calls a section: "#The-mask-stack"; nothing, if it is none."""
        title = sections(self.folder / f"{name}.md").get(anchor)
        return f"#{title.replace(' ', '-')}" if title else ""


@cache
def sections(page: Path) -> dict[str, str]:
    """The titles of a page's sections by their anchors, and by labels in front of them."""
    found = {}
    for label, title in HEADING.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        plain = title.replace("`", "").strip()
        found[default_slugify(plain)] = plain
        if label:
            found[label] = plain
    return found


@dataclass(frozen=True)
class Directive:
    """A directive as it stands in the text: what follows its name, its options, and what it holds."""

    argument: str
    options: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Page:
    """A page's Markdown becomes a notebook's. `glued` are the values that the build had, by name."""

    name: str
    pages: Pages
    glued: Mapping[str, str]

    def plain(self, text: str) -> str:
        """The text without directives and roles."""
        done, lines = [], LABEL.sub("", text).split("\n")
        while lines:
            fence = FENCE.fullmatch(lines[0])
            if fence is None:
                until = next((at for at, line in enumerate(lines) if FENCE.fullmatch(line)), len(lines))
                done.append(self.paragraphs("\n".join(lines[:until])))
            else:
                indent, marks, name, argument = fence.groups()
                last = re.compile(rf" *{marks}{marks[0]}* *")
                until = next(at for at, line in enumerate(lines) if at and last.fullmatch(line)) + 1
                written = "\n".join(lines[:until])
                if name:
                    inside = [line.removeprefix(indent) for line in lines[1 : until - 1]]
                    written = indent_lines(self.directive(name, argument.strip(), inside), indent)
                done.append(written)
            lines = lines[until:]
        return "\n".join(done)

    def paragraphs(self, text: str) -> str:
        """Lines with no directive among them. A comment is for the page."""
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
        return "\n\n".join(INLINE.sub(self.inline, part) for part in text.split("\n\n"))

    def inline(self, found: re.Match[str]) -> str:
        role, content, _, words, target = found.groups()
        if role:
            return ROLES[role](self, content)
        return self.link(words, target) if target else found[0]

    def link(self, words: str, target: str) -> str:
        """A link from the notebook to where the page's leads, or its words alone."""
        name, _, anchor = target.partition("#")
        if "://" in target:
            leads: str | None = target
        elif name.endswith(".md"):
            leads = self.pages.link(name.removesuffix(".md"), anchor)
        else:  # a section of this page, by its anchor or by a label
            leads = self.pages.section(self.name, anchor or name)
        return f"[{words}]({leads})" if leads else words

    def directive(self, name: str, argument: str, inside: list[str]) -> str:
        options = {}
        while inside and (option := OPTION.fullmatch(inside[0])):
            options[option[1]] = option[2].strip()
            inside = inside[1:]
        if name not in DIRECTIVES:
            raise LookupError(f"{self.name}: no notebook has {name}; book/_ext/plain_markdown.py")
        return DIRECTIVES[name](self, Directive(argument, options, "\n".join(inside).strip("\n")))


def container(page: Page, found: Directive) -> str:
    """A notebook is live."""
    return CONTAINERS[found.argument](page.plain(found.body))


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def dropdown(page: Page, found: Directive) -> str:
    """Folded in a notebook, too: it may be a hint."""
    return f"<details><summary><b>{found.argument}</b></summary>\n\n{page.plain(found.body)}\n\n</details>"


def grid(page: Page, found: Directive) -> str:
    return page.plain(found.body)


def card(page: Page, found: Directive) -> str:
    title = page.link(found.argument, f"{found.options['link']}.md")
    return f"**{title}** {page.plain(found.body)}"


def emphasised(page: Page, found: Directive) -> str:
    return f"*{page.plain(found.body)}*"


def button(page: Page, found: Directive) -> str:
    return page.link(page.plain(found.body), f"{found.argument}.md")


def included(page: Page, found: Directive) -> str:
    """A file's text."""
    text = (page.pages.folder / found.argument).read_text(encoding="utf-8")
    return f"```{found.options['language']}\n{text.rstrip()}\n```"


def documented(page: Page, found: Directive) -> str:
    """Of each object that Sphinx would describe, what its docstring opens with; `help()` has the rest."""
    objects = (each for kind, name in DOCUMENTED.findall(found.body) for each in named(kind, name))
    return "\n".join(f"- `{name}`: {opening(each)}" for name, each in objects)


def opening(described: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((inspect.getdoc(described) or "").partition("\n\n")[0].split())


def named(kind: str, name: str) -> list[tuple[str, Any]]:
    """The object of this name; of a module what is defined in it."""
    if kind == "module":
        inside = vars(import_module(name)).items()
        return [
            (f"{name}.{own}", each)
            for own, each in inside
            if getattr(each, "__module__", "") == name and each.__doc__ and own[0] != "_"
        ]
    module, _, last = name.rpartition(".")
    return [(name, getattr(import_module(module), last))]


def glue(page: Page, name: str) -> str:
    return page.glued[name]


DIRECTIVES: dict[str, Callable[[Page, Directive], str]] = {
    "{button-ref}": button,
    "{card-footer}": emphasised,
    "{container}": container,
    "{dropdown}": dropdown,
    "{eval-rst}": documented,
    "{grid}": grid,
    "{grid-item-card}": card,
    "{literalinclude}": included,
}
CONTAINERS: dict[str, Callable[[str], str]] = {
    "question": lambda text: quoted(f"**{text}**"),
    "facts": lambda text: quoted(f"*{text}*"),
    "until-live": lambda text: "",
    "once-live": lambda text: text,
}
ROLES: dict[str, Callable[[Page, str], str]] = {"glue:text": glue}
