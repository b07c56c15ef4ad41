"""check_python.py FILE...: fails with one sentence when this Python lacks a requirement in FILE.

Nothing is installed: the environment is somebody's own. The syntax is that of old Pythons, so that
one of them can say that it is too old.
"""

import re
import shutil
import sys


def fault_of_environment(paths: "list[str]") -> "str | None":
    """What this environment lacks of the requirements in the files, or None."""
    if sys.version_info < (3, 10):  # noqa: UP036 (this file is where it is checked)
        version = ".".join(str(part) for part in sys.version_info[:2])
        return f"it is {version}, and torch_hptp needs 3.10 or newer: use a newer one"
    from importlib import metadata

    missing = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = [line.split("#")[0].strip() for line in file]
        for requirement in filter(None, lines):
            name = re.split("[=<>]", requirement)[0]
            try:
                metadata.version(name)
            except metadata.PackageNotFoundError:
                # A program serves as well as the package of its name.
                if name == "torch" or shutil.which(name) is None:
                    missing.append(f"'{requirement}'")
    if missing:
        names = " ".join(missing)
        return f"it lacks {names}: install with\n    {sys.executable} -m pip install {names}"
    torch_version = metadata.version("torch")
    if tuple(int(part) for part in torch_version.split(".")[:2]) < (2, 13):
        return f"its torch is {torch_version}, and torch_hptp needs 2.13 or newer: upgrade it"
    return None


fault = fault_of_environment(sys.argv[1:])
if fault is not None:
    sys.exit(
        f"==> The environment of {sys.executable} will not serve: {fault}\n"
        "    (or leave PYTHON out, and make builds an environment of its own in .venv)."
    )
