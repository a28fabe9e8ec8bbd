"""Does a release work where nothing else is installed? `python -m tests.release dist` tries what lies there.

For each set of extras the wheel is installed into an empty environment of this Python, where the README's
examples run; one that needs an extra which is missing has to name it. Last the sdist is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
NEEDS = {"show_sectors": "widgets", "RawModule": "cpp"}  # what an example calls -> the extra that it takes
EXTRAS: tuple[tuple[str, ...], ...] = ((), ("widgets",), ("cpp",), ("cpp", "widgets"))


def examples() -> list[str]:
    """The README's examples: each goes on where those before it ended."""
    return re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def needed(example: str) -> set[str]:
    """Which extras an example takes."""
    return {extra for called, extra in NEEDS.items() if called in example}


def python_of(environment: Path) -> Path:
    """The Python of a new environment."""
    venv.create(environment, with_pip=True)
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def run(python: Path, *arguments: str, where: Path) -> subprocess.CompletedProcess[str]:
    """A command of this Python, isolated: it finds what is installed there, and nothing else."""
    return subprocess.run(
        [python, "-I", *arguments], cwd=where, capture_output=True, text=True, encoding="utf-8"
    )


def install(python: Path, file: Path, extras: tuple[str, ...], where: Path) -> None:
    """Install a wheel or an sdist, with extras."""
    asked = f"{file}[{','.join(extras)}]" if extras else str(file)
    done = run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", asked, where=where)
    assert done.returncode == 0, done.stderr


def try_examples(python: Path, extras: tuple[str, ...], where: Path) -> None:
    """Run all examples that these extras are enough for, then each of the others."""
    program = where / "example.py"
    enough = [example for example in examples() if needed(example) <= {*extras}]
    program.write_text("\n".join(enough), encoding="utf-8")
    for how in ((), ("-m", "gpusim")):
        done = run(python, *how, str(program), where=where)
        assert done.returncode == 0, done.stderr
        assert "thread_instructions" in done.stdout, done.stdout
    for example in (example for example in examples() if example not in enough):
        program.write_text("\n".join([*enough, example]), encoding="utf-8")
        said = run(python, str(program), where=where).stderr
        assert all(f"pip install 'gpusim[{extra}]'" in said for extra in needed(example)), said


def main(folder: Path) -> None:
    """Try the wheel and the sdist of this folder."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    for file, extras in (*((wheel, extras) for extras in EXTRAS), (sdist, ())):
        with tempfile.TemporaryDirectory() as temporary:
            where = Path(temporary)
            python = python_of(where / "environment")
            install(python, file, extras, where)
            try_examples(python, extras, where)
        sys.stdout.write(f"{file.name} [{', '.join(extras)}]: the README's examples run\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
