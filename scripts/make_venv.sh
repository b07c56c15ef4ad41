#!/bin/sh
# make_venv.sh FILE...: makes .venv and installs the requirements in each FILE into it, unless that
# has been done. BASE_PYTHON names the Python to make it with; else it is the first of the usual
# names that is new enough.
set -u
fail() {
  echo "==> $1" >&2
  exit 1
}

python=.venv/bin/python
if ! "$python" -m pip --version > /dev/null 2>&1; then
  names=${BASE_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10}
  base=
  for name in $names; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
      base=$name
      break
    fi
  done
  [ -n "$base" ] ||
    fail "There is no Python 3.10 or newer (tried $names): install one, or name one: make BASE_PYTHON=..."
  echo "==> making .venv with $("$base" --version)"
  "$base" -m venv --clear .venv ||
    fail "$base cannot make a virtual environment: install its venv module (Debian and Ubuntu: apt-get install python3-venv)."
fi

for file in "$@"; do
  installed=.venv/installed-${file##*/}
  cmp -s "$file" "$installed" && continue
  echo "==> installing into .venv:" $(sed 's/#.*//' "$file")
  "$python" -m pip install -qq --disable-pip-version-check -r "$file" ||
    fail "pip could not install them: check the network and pip's settings; where it finds no torch, take a Python that torch 2.13 has wheels for (3.10 to 3.14): rm -r .venv, then make BASE_PYTHON=..."
  cp "$file" "$installed"
done
