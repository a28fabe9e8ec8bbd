"""How does a function of a student's answer to checks that run elsewhere? Asked by its name, with a message.

It runs where all of their code does, and whoever changes what is below changes their own answers only.
"""

from __future__ import annotations

import base64
import io
import json
import linecache
import pickle
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gpusim.grading.alone import packed_answers
from gpusim.grading.errands import Noted
from gpusim.grading.failing import CheckFailed, line_of
from gpusim.grading.wire import NotPlain
from gpusim.runtime import settings
from gpusim.runtime.host_memory import pinned_array


class _Request(pickle.Unpickler):
    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        super().__init__(io.BytesIO(base64.b64decode(text)))
        self.names, self.kernels = names, dict[str, Any]()

    def persistent_load(self, told: Any) -> Any:
        kind, *parts = told
        if kind == "kernel":
            return self._kernel(*parts)
        if kind == "table":
            return MappingProxyType(*parts)
        array = pinned_array(parts[0].shape, parts[0].dtype)
        array[...] = parts[0]
        return array

    def _kernel(self, name: str, source: str) -> Any:
        """The same kernel, made here of its text."""
        file, own = f"<{name} of a check>", dict(self.names)
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        exec(compile(source, file, "exec"), own)
        self.kernels[name] = own[name]
        return own[name]


def answer(names: Mapping[str, Any], text: str) -> str:
    """`names` are those of the notebook, `text` is what `asking.ask` wrote."""
    request = _Request(text, names)
    name, calls, device = request.load()
    function: Any = names.get(name)
    try:
        if device is None:
            return json.dumps({"values": packed_answers(function, calls)})
        return json.dumps(_launches(function, tuple(calls[0]), device, {**names, **request.kernels}))
    except CheckFailed as error:
        return json.dumps({"failed": error.sentence, "line": error.line})
    except (NotPlain, ValueError, RecursionError, MemoryError) as error:
        return json.dumps({"failed": f"{name}: {error}"})


def _launches(function: Any, arguments: tuple[Any, ...], device: Any, names: Mapping[str, Any]) -> Any:
    noted, failed = Noted(arguments, names), {}
    with settings.during(settings.changed(device)), noted.noting():
        try:
            function(*arguments)
        except NotPlain:
            raise
        except BaseException as error:  # SystemExit as well
            told = f"the host code does not come to its end: {type(error).__name__} {error}"
            failed = {"failed": told, "line": line_of(error)}
    return {"steps": noted.steps, **failed}
