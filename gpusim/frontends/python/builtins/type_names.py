"""What are `cuda.float32` and `cuda.int32`? Types: kernels convert with them, and signatures name them."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.ir.types import BY_DTYPE, F16, Scalar


@dataclass(frozen=True)
class TypeName:
    """A type of numbers; `cuda.float32[:, ::1]` is how a signature spells an array of them."""

    name: str
    bitwidth: int

    def __repr__(self) -> str:
        return self.name

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> str:
        given = axes if isinstance(axes, tuple) else (axes,)
        return f"{self.name}[{', '.join('::1' if axis.step == 1 else ':' for axis in given)}]"

    def __call__(self, *arguments: object) -> str:
        """The signature of a function that gives one back."""
        return f"{self.name}({', '.join(map(str, arguments))})"


def _named(type_: Scalar) -> TypeName:
    return TypeName(type_.dtype.name, type_.bits)


# name under `cuda` -> the type
TYPE_NAMES = {type_.dtype.name: _named(type_) for type_ in BY_DTYPE.values() if type_ is not F16}
TYPE_NAMES["boolean"] = TYPE_NAMES.pop("bool")
