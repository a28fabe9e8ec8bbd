"""Which tree does a CUDA C++ text have, and where in the reader's text does each node stand?

>>> tree = parse(Source("k", "k.cu", 1, ("__global__ void k(int* x) { *x = 1; }",)), devices.get("H200"))
>>> tree.root.named_children[0].type
'function_definition'

The grammar is tree-sitter-cuda's. What it reads wrongly, since it knows no names, is set right by
`ambiguities`; what it cannot read is worded by `syntax_errors`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from gpusim.devices import Device
from gpusim.errors import KernelSyntaxError
from gpusim.frontends.cuda_cpp.text import ambiguities, misplaced, syntax_errors
from gpusim.frontends.cuda_cpp.text.preprocessor import Definitions, Expanded, Pragma, expand
from gpusim.source import Source, Span

# `[=] __device__ (int i) {…}`: the grammar knows no qualifiers of lambdas; they say what is so anyway.
LAMBDA_QUALIFIERS = re.compile(r"(?<=\])(\s*(?:__(?:device|host)__\s*)+)(?=[({])")
PASSES = 8  # each sets right what the last one uncovered, at least one level of nesting further in

KINDS = (*ambiguities.KINDS, *misplaced.KINDS)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


def _nodes(root: Node, kinds: Iterable[str]) -> dict[str, list[Node]]:
    """All named nodes of some kinds, in the order of the text."""
    found: dict[str, list[Node]] = {kind: [] for kind in kinds}
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None and node.type in found and node.is_named:
            found[node.type].append(node)
        if not cursor.goto_first_child():
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return found


def _read(text: str) -> Node:
    return _parser().parse(text.encode()).root_node


@dataclass(frozen=True)
class Tree:
    """The tree of a text, and of each node its place and its words."""

    root: Node
    expanded: Expanded

    @cached_property
    def _offsets(self) -> list[int] | None:
        """Which character does each byte belong to? None where every character is one byte."""
        text = self.expanded.text
        if text.isascii():
            return None
        lengths = (len(character.encode()) for character in text)
        return [offset for offset, length in enumerate(lengths) for _ in range(length)]

    def _offset(self, byte: int) -> int:
        offset = byte if self._offsets is None else self._offsets[byte] if byte < len(self._offsets) else byte
        return min(offset, len(self.expanded.places) - 1)

    def _span(self, byte: int) -> Span:
        places = self.expanded.places
        return self.expanded.before.span(places[self._offset(byte)] if places else 0)

    def span(self, node: Node) -> Span:
        """Where in the reader's text does the node begin? In a macro: where the macro is used."""
        return self._span(node.start_byte)

    def end(self, node: Node) -> Span:
        """Where does the node's last character stand?"""
        return self._span(max(node.end_byte - 1, node.start_byte))

    def text(self, node: Node) -> str:
        """The node's words, with macros expanded."""
        return (node.text or b"").decode()

    def macro(self, node: Node) -> str | None:
        """The macro whose body the node begins in, if any."""
        return self.expanded.macros[self._offset(node.start_byte)] if self.expanded.macros else None

    @property
    def pragmas(self) -> tuple[Pragma, ...]:
        return self.expanded.pragmas


def parse(source: Source, device: Device, definitions: Definitions = ()) -> Tree:
    """The tree of a CUDA C++ text, with macros expanded as for this device and `-DNAME=VALUE` options.

    Raises `KernelSyntaxError` where a C++ compiler would find an error of syntax, and what `expand` raises.
    """
    expanded = expand(source, device, definitions)
    text = LAMBDA_QUALIFIERS.sub(lambda match: " " * len(match[0]), expanded.text)
    expanded = Expanded(expanded.before, text, expanded.places, expanded.macros, expanded.pragmas)
    tree, found = _settled(expanded)
    if tree.root.has_error:
        words = [(word.value, word.start) for word in syntax_errors.words(expanded)]
        tree, found = _settled(expanded.insert(ambiguities.rewordings(words)))
    if tree.root.has_error:
        syntax_errors.refuse(expanded, _read(expanded.text), _read)
    if wrong := misplaced.misplaced(tree.root, found):
        node, message, hint = wrong
        raise KernelSyntaxError(message, tree.span(node), hint)
    return tree


def _settled(expanded: Expanded) -> tuple[Tree, dict[str, list[Node]]]:
    """The tree when no ambiguity is left, and its nodes of the `KINDS`."""
    for _ in range(PASSES):
        tree = Tree(_read(expanded.text), expanded)
        found = _nodes(tree.root, KINDS)
        pieces = ambiguities.insertions(found)
        if not pieces:
            break
        expanded = expanded.insert((tree._offset(byte), piece) for byte, piece in pieces)
    return tree, found
