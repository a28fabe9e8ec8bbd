"""What does a texture unit do? It fetches for every lane what a texture has at the lane's coordinates.

n warps in a step, L lanes. A fetch is one instruction, and one request of its warp, however many texels it
takes for each lane: up to 4 where it filters. Handles and operands: (n, L), (n, 1) when uniform, or scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from gpusim.events import MemoryAccess, TexelsAccessed
from gpusim.ir.details import Texel
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.types import Space
from gpusim.machine.memory.bad_access import DestroyedObject, OutsideSurface, WrongObject
from gpusim.machine.memory.generic import GenericMemory
from gpusim.machine.memory.texels import Surface, TexelObject, Texture
from gpusim.machine.step import Step

CLAMP, TRAP = 1, 2  # of cudaSurfaceBoundaryMode
LINEAR = "tex1Dfetch"  # takes linear memory, and all else CUDA arrays


def fetch(
    memory: GenericMemory, handles: Any, at: tuple[Any, ...], step: Step, instruction: Instruction
) -> Any:
    """What textures have at these coordinates, as the bits of a register."""
    fetched: Any = np.zeros((), instruction.type.dtype)
    for texture, alone in _objects(memory, handles, Texture, step, instruction):
        assert isinstance(texture, Texture)
        numbers, taken = texture.fetched(tuple(map(np.atleast_2d, at)))
        found = np.ascontiguousarray(numbers).view(fetched.dtype)[..., 0]
        fetched = found if alone is step else np.where(alone.mask, found, fetched)
        if step.watched:
            _tell_fetch(texture, taken, alone, instruction)
    return fetched


def surface_load(
    memory: GenericMemory, handles: Any, operands: tuple[Any, ...], step: Step, instruction: Instruction
) -> Any:
    """What surfaces have at a byte of a row; zero outside, if the mode says so."""
    loaded: Any = np.zeros((), instruction.type.dtype)
    for surface, alone in _objects(memory, handles, Surface, step, instruction):
        addresses, held = _places(surface, operands, alone, instruction)
        if held.mask.any():
            found = memory.load(memory.positions((addresses,), held, instruction), held, instruction)
            loaded = found if held is step else np.where(held.mask, found, loaded)
            _tell("load", [(addresses, held.mask)], held, instruction)
    return loaded


def surface_store(
    memory: GenericMemory, handles: Any, operands: tuple[Any, ...], step: Step, instruction: Instruction
) -> None:
    """Write to a byte of a row; nothing outside, if the mode says so."""
    for surface, alone in _objects(memory, handles, Surface, step, instruction):
        addresses, held = _places(surface, operands[:-1], alone, instruction)
        if held.mask.any():
            _tell("store", [(addresses, held.mask)], held, instruction)
            place = memory.positions((addresses,), held, instruction)
            memory.store(place, operands[-1], held, instruction)


BY_OBJECT: dict[Opcode, Callable[..., Any]] = {
    Opcode.TEX: fetch,
    Opcode.SULD: surface_load,
    Opcode.SUST: surface_store,
}


def _objects(
    memory: GenericMemory, handles: Any, kind: type[TexelObject], step: Step, instruction: Instruction
) -> Iterator[tuple[TexelObject, Step]]:
    """The objects that lanes mean, and the step of those lanes. Raises `BadAccess` for any other."""
    meant = np.broadcast_to(handles, step.mask.shape) if np.ndim(handles) else np.asarray(handles)
    several = np.unique(meant[step.mask] if meant.ndim else meant).tolist()
    for handle in several:
        alone, texel = step if len(several) == 1 else _alone(step, meant == handle), instruction.the(Texel)
        found = memory.objects[handle - 1] if 0 < handle <= len(memory.objects) else handle
        if wrong := _wrong(found, kind, texel):
            error, what, hint = wrong
            raise error("", alone.mask, instruction, what=f"calls {texel.function} of {what}", hint=hint)
        assert isinstance(found, Texture | Surface)
        yield found, alone


def _wrong(
    found: TexelObject | int | None, kind: type[TexelObject], texel: Texel
) -> tuple[type[WrongObject], str, str] | None:
    """What is wrong with an access by what may be an object, and what to do about it?"""
    name, later = kind.called, "after the last kernel that uses it"
    if found is None:
        return DestroyedObject, f"a {name} object that was destroyed", f"destroy it {later}"
    if not isinstance(found, kind):
        other = str(found) if isinstance(found, int) else f"a {found.called} object"
        hint = f"pass what cudaCreate{name.title()}Object gave"
        return WrongObject, f"{other}, which is no {name} object", hint
    texels, dimensions = found.texels, 2 if found.texels.height else 1
    if not texels.allocation.live:
        return DestroyedObject, f"a {name} whose memory was freed", f"free it {later}"
    if (texel.function == LINEAR) == bool(texels.pitch_bytes) or f"{dimensions}D" not in texel.function:
        over = f"a CUDA array of {dimensions} dimensions" if texels.pitch_bytes else "linear memory"
        use = (
            f"{texel.function[: texel.function.index('D') - 1]}{dimensions}D…"
            if texels.pitch_bytes
            else LINEAR
        )
        return WrongObject, f"a {name} object over {over}", f"use {use}"
    if isinstance(found, Texture):
        fits = (texel.element.dtype, texel.numbers) == (found.element, texels.numbers)
    else:
        fits = texel.element.bytes * texel.numbers == texels.bytes
    if not fits:
        read = ", read as floats" * (isinstance(found, Texture) and found.as_float)
        what = f"a {name} of {texels}{read}, for {texel.numbers} x {texel.element}"
        return WrongObject, what, "let the type in <…> be the texel's"
    return None


def _places(
    surface: TexelObject, operands: tuple[Any, ...], step: Step, instruction: Instruction
) -> tuple[Any, Step]:
    """The address that each lane means, and the step of those that mean one."""
    texels = surface.texels
    row, rows = texels.width * texels.bytes, max(texels.height, 1)
    x, *ys, mode = (np.asarray(one, np.int64) for one in operands)
    y = ys[0] if ys else np.int64(0)
    odd = (x % texels.bytes != 0) & step.mask
    if odd.any():
        hint = f"x counts bytes, and is a multiple of {texels.bytes}: x * sizeof(T)"
        what = f"calls {instruction.the(Texel).function} for {texels.bytes} bytes"
        raise WrongObject("", odd, instruction, what=what, hint=hint, x=x)
    outside = (x < 0) | (x >= row) | (y < 0) | (y >= rows)
    wrong = outside & (mode == TRAP) & step.mask
    if wrong.any():
        about = {"x": x, "y": y, "width": texels.bytes, "size": (row, rows)}
        raise OutsideSurface("", wrong, instruction, **about)
    held = ~outside | (mode == CLAMP)
    x, y = np.clip(x, 0, row - texels.bytes), np.clip(y, 0, rows - 1)
    addresses = texels.allocation.address + texels.first + y * texels.pitch_bytes + x
    return addresses.astype(np.uint64), step if held.all() else _alone(step, held)


def _alone(step: Step, lanes: Any) -> Step:
    """The step as if only these lanes were in it."""
    alone = copy(step)
    alone.active = step.mask & lanes
    return alone


# what observers are told ------------------------------------------------------------------------------------


def _tell_fetch(texture: Texture, taken: list[tuple[Any, Any]], step: Step, instruction: Instruction) -> None:
    """An event for each texel of a lane, and one for all that the warps take."""
    texels, mask = texture.texels, step.mask
    first, found = texels.allocation.address + texels.first, list[tuple[Any, Any]]()
    for places, inside in taken:
        where, active = np.broadcast_to(places, mask.shape), mask & inside
        addresses, rows = first + where * texels.bytes, active.any(axis=1)
        found.append((addresses, active))
        event = (texels.bytes, step.warps[rows], active[rows], addresses[rows], instruction)
        if rows.any():
            step.emit(MemoryAccess(Space.GLOBAL, "load", *event, texels.flat, where[rows]))
    _tell("load", found, step, instruction, texels.bytes)


def _tell(
    kind: str, found: Sequence[tuple[Any, Any]], step: Step, instruction: Instruction, width: int = 0
) -> None:
    """Several addresses for each lane, side by side, as one request of each warp that is in the step."""
    if step.watched:
        shape, rows = step.mask.shape, step.mask.any(axis=1)
        parts = [[np.broadcast_to(part, shape)[rows] for part in one] for one in zip(*found, strict=True)]
        addresses, active = (np.concatenate(part, axis=1) for part in parts)
        event = (width or instruction.type.bytes, step.warps[rows], active, addresses.astype(np.int64))
        step.emit(TexelsAccessed(Space.GLOBAL, kind, *event, instruction))
