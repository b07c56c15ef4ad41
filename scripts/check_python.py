"""check_python.py FILE...: fails with one sentence when this Python lacks a requirement in FILE.

Nothing is installed: the environment is somebody's own. It is the syntax of old Pythons, so that
one of them can say that it is too old.
"""

import re
import shutil
import sys


def main():
    if sys.version_info < (3, 10):
        return "it is %d.%d, and torch_hptp needs 3.10 or newer: use a newer one" % (
            sys.version_info[0],
            sys.version_info[1],
        )
    from importlib import metadata

    missing = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = [line.split("#")[0].strip() for line in file]
        for requirement in filter(None, lines):
            name = re.split("[=<>]", requirement)[0]
            try:
                metadata.version(name)
            except metadata.PackageNotFoundError:
                # A program serves as well as the package of its name.
                if name == "torch" or shutil.which(name) is None:
                    missing.append("'%s'" % requirement)
    if missing:
        return "it lacks %s: install with\n    %s -m pip install %s" % (
            ", ".join(missing),
            sys.executable,
            " ".join(missing),
        )
    torch_version = tuple(int(part) for part in metadata.version("torch").split(".")[:2])
    if torch_version < (2, 13):
        return "its torch is %s, and torch_hptp needs 2.13 or newer: upgrade it" % (
            metadata.version("torch")
        )
    return None


fault = main()
if fault is not None:
    sys.exit(
        "==> The environment of %s will not serve: %s\n"
        "    (or leave PYTHON out, and make builds an environment of its own in .venv)."
        % (sys.executable, fault)
    )
