"""The rules of the house, each a function from a text to the complaints about it.

`test_house.py` shows each rule what it must refuse and what it must let pass, and then the project.
A complaint is one line that names what is wrong; an empty list means that nothing is.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping

HEADER_LINES = 120
SOURCE_LINES = 300
FUNCTION_LINES = 40
KERNEL_LINES = 60

BANNED_WORDS = frozenset({"process", "handle", "util", "helper", "impl", "manager", "data", "info"})
BANNED_WORDS |= {"utils", "helpers", "do"}

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)


def without_comments(cpp: str) -> str:
    """C++ with comments blank, strings and characters empty, and every line where it was."""

    def blank(found: re.Match[str]) -> str:
        text = found.group()
        return text[0] + text[0] if text[0] in "\"'" else "\n" * text.count("\n")

    return _COMMENT_OR_STRING.sub(blank, cpp)


def words_of(name: str) -> list[str]:
    """The words of a snake_case, CamelCase or CAPITAL name, in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def _banned_in(name: str) -> list[str]:
    return sorted(BANNED_WORDS.intersection(words_of(name)))


# Includes ---------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

_PLAN_SEES = ("chain.h", "plan_pieces.h", "layout.h", "machine.h", "tuning.h", "kernels/kernel.h")
_EXECUTE_SEES = (
    "hptp.h",
    "plan.h",
    "pattern.h",
    "layout.h",
    "unit.h",
    "staged.h",
    "strided.h",
    "tuning.h",
    "kernels/kernel.h",
)
_ISA_SEES = ("kernel.h", "tables.h", "target.h", "*.inl.h")

# What a file below csrc/hptp may include of the project, besides check.h and its own header. A name
# without a folder lies beside the file. "core" means all of it.
CORE_INCLUDES: Mapping[str, tuple[str, ...]] = {
    "check.h": (),
    "tuning.h": (),
    "layout": (),
    "chain": ("layout.h", "tuning.h"),
    "machine": ("tuning.h", "kernels/kernel.h", "kernels/dispatch.h"),
    "pattern": ("layout.h", "chain.h", "kernels/kernel.h"),
    "plan": _PLAN_SEES,
    "plan_pieces": ("chain.h", "pattern.h", "plan.h", "tuning.h"),
    "plan_text.cpp": ("plan.h",),
    "unit.h": _EXECUTE_SEES,
    "staged": _EXECUTE_SEES,
    "strided": _EXECUTE_SEES,
    "execute": _EXECUTE_SEES,
    "hptp.h": ("layout.h",),
    "hptp.cpp": ("core",),
    "kernels/bytes.h": (),
    "kernels/kernel.h": ("bytes.h",),
    "kernels/target.h": (),
    "kernels/tables.h": ("kernel.h",),
    "kernels/dispatch": ("kernel.h", "tables.h"),
    # Included inside a region of an instruction set, where no other header may be opened.
    "kernels/*.inl.h": ("*.inl.h",),
    "kernels/scalar.cpp": _ISA_SEES,
    "kernels/avx2.cpp": _ISA_SEES,
    "kernels/avx512.cpp": _ISA_SEES,
    "kernels/neon.cpp": _ISA_SEES,
}

_TORCH_HEADERS = re.compile(r"^(torch|ATen|c10|caffe2|pybind11)/|^Python\.h$")
_INTRINSICS = re.compile(r"^(\w*intrin|arm_neon)\.h$")


def _allowed_includes(path: str) -> tuple[str, ...] | None:
    if path.endswith(".inl.h"):
        return CORE_INCLUDES["kernels/*.inl.h"]
    stem = path.rsplit(".", 1)[0]
    return CORE_INCLUDES.get(path, CORE_INCLUDES.get(stem))


def _is_allowed(included: str, path: str, allowed: tuple[str, ...]) -> bool:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), included))
    own_header = path.rsplit(".", 1)[0] + ".h"
    if target in ("check.h", own_header) or "core" in allowed or included in allowed:
        return True
    return included.endswith(".inl.h") and "*.inl.h" in allowed


def core_include_complaints(path: str, cpp: str) -> list[str]:
    """`path` is relative to csrc/hptp."""
    allowed = _allowed_includes(path)
    if allowed is None:
        return [f"{path}: has no rule in CORE_INCLUDES that says what it may include"]
    complaints = []
    for quoted, angled in _INCLUDE.findall(cpp):
        if quoted and not _is_allowed(quoted, path, allowed):
            complaints.append(f'{path}: may not include "{quoted}"')
        if _TORCH_HEADERS.match(angled or quoted):
            complaints.append(
                f"{path}: the core knows nothing of torch or Python, nor of <{angled}>"
            )
        if _INTRINSICS.match(angled) and not path.startswith("kernels/"):
            complaints.append(f"{path}: intrinsics belong in kernels, not <{angled}>")
    return complaints


def binding_include_complaints(path: str, cpp: str) -> list[str]:
    """`path` is relative to csrc/bindings: of the core, only the front desk is known there."""
    return [
        f'{path}: may not include "{quoted}": of the core, hptp.h alone'
        for quoted, _angled in _INCLUDE.findall(cpp)
        if posixpath.basename(quoted) != "hptp.h"
        and ("/" in quoted or _allowed_includes(quoted) is not None)
    ]


# Words ------------------------------------------------------------------------------------------

_NOT_OURS = re.compile(r"(?:\.|->|\b(?:std|at|c10|torch)(?:::\w+)*::)\s*$")


def _own_names(cpp: str) -> Iterator[str]:
    code = re.sub(r"^\s*#\s*include.*$", "", without_comments(cpp), flags=re.MULTILINE)
    for found in _NAME.finditer(code):
        if found.group() != "do" and not _NOT_OURS.search(
            code[max(0, found.start() - 60) : found.start()]
        ):
            yield found.group()


def cpp_word_complaints(path: str, cpp: str, exceptions: Mapping[str, str]) -> list[str]:
    """Banned words in names that do not belong to another library."""
    return [
        f"{path}: {name} holds {', '.join(_banned_in(name))}"
        for name in sorted(set(_own_names(cpp)) - exceptions.keys())
        if _banned_in(name)
    ]


def _python_names(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


def python_word_complaints(path: str, source: str, exceptions: Mapping[str, str]) -> list[str]:
    """Banned words in names that a module defines."""
    return [
        f"{path}: {name} holds {', '.join(_banned_in(name))}"
        for name in sorted(set(_python_names(source)) - exceptions.keys())
        if _banned_in(name)
    ]


def path_word_complaints(path: str) -> list[str]:
    """Banned words in the names of files and folders."""
    return [f"{path}: {', '.join(_banned_in(path))}"] if _banned_in(path) else []


def permutation_complaints(path: str, cpp: str) -> list[str]:
    """The permutation dies at the door: in the core's code, comments aside, none is named.

    Intrinsics that shuffle registers are named by others.
    """
    return [
        f"{path}: {name} names a permutation"
        for name in sorted(set(_NAME.findall(without_comments(cpp))))
        if "perm" in name.lower() and not name.startswith("_mm")
    ]


# Lengths ----------------------------------------------------------------------------------------

_CONTROL = re.compile(r"^\s*(?:\}?\s*else\b|if\b|for\b|while\b|switch\b|catch\b|try\b|return\b)")
_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b[^()]*$")
_CALLED = re.compile(r"(operator\s*\S{1,3}|[~\w:]+)\s*\(")


def cpp_functions(cpp: str) -> list[tuple[str, int]]:
    """The outermost functions of a C++ text and the lines of each, from its header to its brace."""
    code = re.sub(
        r"^\s*#(?:.*\\\n)*.*$",
        lambda macro: "\n" * macro.group().count("\n"),
        without_comments(cpp),
        flags=re.MULTILINE,
    )
    functions: list[tuple[str, int]] = []
    open_braces: list[tuple[str, int]] = []  # the function's name, or "" for another brace
    head = 0  # where the text begins that a brace belongs to
    for found in re.finditer(r"[{};]", code):
        if found.group() == "{":
            text = code[head : found.start()]
            inside = any(name for name, _ in open_braces)
            open_braces.append(
                (_function_name(text) if not inside else "", head + len(text) - len(text.lstrip()))
            )
        elif found.group() == "}" and open_braces:
            name, begin = open_braces.pop()
            if name:
                functions.append((name, code.count("\n", begin, found.start()) + 1))
        head = found.end()
    return functions


def _function_name(head: str) -> str:
    if "(" not in head or _CONTROL.match(head) or re.search(r"=\s*$", head) or _SCOPE.search(head):
        return ""
    called = _CALLED.search(
        re.sub(r"__attribute__\s*\(\(.*?\)\)|\b(?:alignas|decltype)\s*\([^)]*\)", "", head)
    )
    return called.group(1) if called else ""


def python_functions(source: str) -> list[tuple[str, int]]:
    """The functions of a module and their lines, less the docstring's."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            docstring = ast.get_docstring(node) is not None
            spared = (first.end_lineno or 0) - first.lineno + 1 if docstring else 0
            found.append((node.name, (node.end_lineno or 0) - node.lineno + 1 - spared))
    return found


def length_complaints(path: str, source: str, exceptions: Mapping[str, str]) -> list[str]:
    """Files and functions over budget; an exception is named "path" or "path: function"."""
    is_header = path.endswith(".h") and not path.endswith(".inl.h")
    budget = HEADER_LINES if is_header else SOURCE_LINES
    complaints = {}
    lines = source.count("\n")
    if lines > budget:
        complaints[path] = f"{path}: {lines} lines, budget {budget}"
    functions = python_functions(source) if path.endswith(".py") else cpp_functions(source)
    most = KERNEL_LINES if "/kernels/" in path else FUNCTION_LINES
    for name, length in functions:
        if length > most:
            complaints[f"{path}: {name}"] = f"{path}: {name}: {length} lines, budget {most}"
    return [text for key, text in complaints.items() if key not in exceptions]


# Numbers, build files, leftovers ----------------------------------------------------------------

_CONSTANT = re.compile(
    r"^(?:inline |static )*constexpr [\w: ]+ (k\w+)(?:\[\w*\])? = ([^;]*\d[^;]*);", re.MULTILINE
)


def tuned_number_complaints(path: str, cpp: str, exceptions: Mapping[str, str]) -> list[str]:
    """Numbers named at namespace scope, which belong in tuning.h unless they are no choice.

    One that is worked out from a number of tuning.h is none of its own.
    """
    return [
        f"{path}: {name} belongs in tuning.h"
        for name, value in _CONSTANT.findall(without_comments(cpp))
        if name not in exceptions and "tuning::" not in value
    ]


# Spelled in two parts, as these files are read by their own rules.
_FLAGS = ("-march=" + "native", "-mtune=" + "native", "-ffast" + "-math", "-O" + "fast")
_LEFTOVERS = re.compile("TO" + "DO|FIX" + "ME|X" + "XX|HA" + "CK")
_MACHINE_PATHS = re.compile("(?<![\\w.])/(?:wo" + "rk|ro" + "ot|ho" + "me)/")


def flag_complaints(path: str, text: str) -> list[str]:
    """Compiler flags that tie a build to one machine or bend arithmetic."""
    lines = [line.split("#")[0] for line in text.splitlines()]
    return [f"{path}: uses {flag}" for flag in _FLAGS if any(flag in line for line in lines)]


def leftover_complaints(path: str, text: str) -> list[str]:
    """Marks of unfinished work, and paths that exist on one machine only."""
    return [
        f"{path}: {found.group()!r} in line {text.count(chr(10), 0, found.start()) + 1}"
        for pattern in (_LEFTOVERS, _MACHINE_PATHS)
        for found in pattern.finditer(text)
    ]


# Skipped tests ----------------------------------------------------------------------------------


def _skip_name(node: ast.AST) -> str:
    dotted = ast.unparse(node)
    return dotted if re.fullmatch(r"pytest\.(mark\.)?(skip|skipif|xfail)", dotted) else ""


def python_skip_complaints(path: str, source: str) -> list[str]:
    """Tests that are passed over, or are let fail, without a reason that the report shows."""
    tree = ast.parse(source)
    with_reason = {
        id(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (
            any(keyword.arg == "reason" for keyword in node.keywords)
            or (
                _skip_name(node.func) in ("pytest.skip", "pytest.mark.skip", "pytest.xfail")
                and node.args
            )
        )
    }
    return [
        f"{path}:{node.lineno}: {name} without a reason"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (name := _skip_name(node))
        and id(node) not in with_reason
    ]


def cpp_skip_complaints(path: str, cpp: str, run_somewhere: str) -> list[str]:
    """Hidden Catch2 tests whose tag no target of the build files in `run_somewhere` runs."""
    return [
        f"{path}: nothing runs the hidden tests [.{tag}]"
        for tag in re.findall(r"\[\.(\w*)\]", cpp)
        if not tag or not re.search(rf"\[?\b{tag}\b", run_somewhere)
    ]
