"""The house's own rules: who may include whom, words, lengths, numbers, and nothing left lying.

Each rule lives in house_rules.py. The first half of this file shows that it refuses what it should;
the second half holds the project to it.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from pathlib import Path

import house_rules as rules
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Exceptions, each with its reason ----------------------------------------------------------------

WORD_EXCEPTIONS = {
    "TORCH_LIBRARY_IMPL": "torch's macro",
}

LENGTH_EXCEPTIONS = {
    "csrc/hptp/tuning.h": "it has no code: every number stands with its measurement",
}

NUMBER_EXCEPTIONS = {
    "kMaxRank": "the most axes that 63 bits allow: a fact of arithmetic",
    "kLineBytes": "the cache line of every machine that has a kernel table",
    "kMinChannels": "which kernels exist",
    "kMaxChannels": "which kernels exist",
    "kChannelElemSizes": "which kernels exist",
    "kPadding": "part of the contract of a kernel",
    "kNoByte": "what the byte shuffles of x86 take for no byte",
    "kLaneBytes": "the lane of every register",
    "kOddBytes": "part of the idea of a kernel: the elements that fit in a lane",
    "kChunkBytes": "part of the contract of a kernel",
    "kMaxChunks": "part of the contract of a kernel",
    "kMaxPatternBytes": "part of the contract of a kernel",
}

# The rules, shown what they must refuse ----------------------------------------------------------


def test_comments_and_strings_are_no_code() -> None:
    cpp = (
        "int a;  // data\n/* info\n do */ int b = 1'000;\nchar c = '\"'; auto s = \"impl // x\";\n"
    )
    code = rules.without_comments(cpp)
    assert "data" not in code
    assert "info" not in code
    assert "impl" not in code
    assert "int b = 1'000;" in code
    assert code.count("\n") == cpp.count("\n")


@pytest.mark.parametrize(
    ("path", "included", "is_right"),
    [
        ("layout.h", "<span>", True),
        ("layout.cpp", '"layout.h"', True),
        ("layout.cpp", '"check.h"', True),
        ("layout.cpp", '"tuning.h"', False),
        ("layout.h", '"plan.h"', False),
        ("plan.cpp", '"kernels/kernel.h"', True),
        ("plan.cpp", '"kernels/dispatch.h"', False),
        ("plan.cpp", '"execute.h"', False),
        ("execute.cpp", '"plan.h"', True),
        ("execute.cpp", '"machine.h"', False),
        ("execute.cpp", "<immintrin.h>", False),
        ("hptp.cpp", '"execute.h"', True),
        ("hptp.cpp", "<torch/library.h>", False),
        ("hptp.cpp", "<Python.h>", False),
        ("hptp.h", '"plan.h"', False),
        ("kernels/avx2.cpp", "<immintrin.h>", True),
        ("kernels/avx2.cpp", '"rect.inl.h"', True),
        ("kernels/avx2.cpp", '"../plan.h"', False),
        ("kernels/avx2.cpp", '"../check.h"', True),
        ("kernels/rect.inl.h", '"move.inl.h"', True),
        ("kernels/rect.inl.h", '"kernel.h"', False),
        ("kernels/dispatch.cpp", '"tables.h"', True),
        ("kernels/kernel.h", '"../layout.h"', False),
        ("something_new.cpp", "<span>", False),
    ],
)
def test_the_core_includes_downwards_only(path: str, included: str, is_right: bool) -> None:
    complaints = rules.core_include_complaints(path, f"#include {included}\n")
    assert (complaints == []) == is_right, complaints


@pytest.mark.parametrize(
    ("included", "is_right"),
    [
        ("<torch/library.h>", True),
        ('"hptp.h"', True),
        ('"../hptp/hptp.h"', True),
        ('"permute.h"', True),
        ('"layout.h"', False),
        ('"../hptp/plan.h"', False),
        ('"kernels/kernel.h"', False),
    ],
)
def test_the_bindings_see_the_front_desk_alone(included: str, is_right: bool) -> None:
    complaints = rules.binding_include_complaints("permute.cpp", f"#include {included}\n")
    assert (complaints == []) == is_right, complaints


@pytest.mark.parametrize(
    "cpp",
    [
        "void handle_rows();",
        "struct DataView {};",
        "int run_impl(int x);",
        "namespace util {}",
        "#define HPTP_DO(x) x",
        "using PlanInfo = int;",
    ],
)
def test_banned_words_in_cpp_names_are_found(cpp: str) -> None:
    assert rules.cpp_word_complaints("a.cpp", cpp, {})


@pytest.mark.parametrize(
    "cpp",
    [
        "do { ++i; } while (i < n);",
        "auto* p = x.mutable_data_ptr();",
        "auto n = std::data(span);",
        "using Meta = c10::detail::impl::Meta;",
        "// handles data\n",
        'error("no info");',
        "int undo, metadata, handler;",
        "#include <util/data.h>\n",
    ],
)
def test_words_of_others_and_whole_other_words_pass(cpp: str) -> None:
    assert rules.cpp_word_complaints("a.cpp", cpp, {}) == []


def test_a_word_exception_covers_one_name() -> None:
    cpp = "int data_rows; int info_rows;"
    found = rules.cpp_word_complaints("a.cpp", cpp, {"data_rows": "made up"})
    assert found == ["a.cpp: info_rows holds info"]


@pytest.mark.parametrize(
    "source",
    [
        "def process(): ...",
        "class DataSet: ...",
        "def f(info): ...",
        "data = 1",
        "self.handle = 1",
        "import os as util",
        "for helper in x: ...",
    ],
)
def test_banned_words_in_python_names_are_found(source: str) -> None:
    assert rules.python_word_complaints("a.py", source, {})


def test_python_names_of_others_pass() -> None:
    source = "import util\nutil.process(x.data, info=handle)\nmetadata = 'data'"
    assert rules.python_word_complaints("a.py", source, {}) == []


def test_banned_words_in_paths_are_found() -> None:
    assert rules.path_word_complaints("csrc/hptp/util.h")
    assert rules.path_word_complaints("torch_hptp/data_rows.py")
    assert rules.path_word_complaints("csrc/hptp/layout.h") == []


def test_a_permutation_below_the_door_is_found() -> None:
    assert rules.permutation_complaints("plan.h", "int perm[4];")
    assert rules.permutation_complaints("plan.h", "Plan make_permute_plan();")
    assert (
        rules.permutation_complaints("plan.h", "// permute\nx = _mm256_permute2x128_si256(a);")
        == []
    )


def test_functions_are_measured_from_header_to_brace() -> None:
    cpp = """
namespace a {
struct S {
  int x = 0;
  S() : x(1) {
  }
  int operator()(int y) const {
    return [&] {
      return y;
    }();
  }
};
constexpr int kTable[] = {1, 2};
template <class T>
void long_one(
    int y) noexcept {
  if (y) {
    for (;;) {
    }
  }
}
}  // namespace a
"""
    assert rules.cpp_functions(cpp) == [("S", 2), ("operator()", 5), ("long_one", 8)]


def test_a_macro_is_no_function() -> None:
    assert rules.cpp_functions("#define M(x) \\\n  if (x) { \\\n  }\nint f() { return 1; }\n") == [
        ("f", 1)
    ]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a/plan.h", "int x;\n" * 121),
        ("a/plan.cpp", "int x;\n" * 301),
        ("a/plan.py", "x = 1\n" * 301),
        ("a/plan.cpp", "int f() {\n" + "  ++x;\n" * 39 + "}\n"),
        ("a/kernels/avx2.cpp", "int f() {\n" + "  ++x;\n" * 59 + "}\n"),
        ("a/plan.py", "def f():\n" + "    x()\n" * 40),
    ],
)
def test_what_is_over_budget_by_one_line_is_found(path: str, source: str) -> None:
    assert len(rules.length_complaints(path, source, {})) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a/plan.h", "int x;\n" * 120),
        ("a/rect.inl.h", "int x;\n" * 300),
        ("a/plan.cpp", "int f() {\n" + "  ++x;\n" * 38 + "}\n"),
        ("a/kernels/avx2.cpp", "int f() {\n" + "  ++x;\n" * 58 + "}\n"),
        ("a/plan.py", 'def f():\n    """' + "x\n" * 50 + '"""\n' + "    x()\n" * 39),
    ],
)
def test_what_is_just_within_budget_passes(path: str, source: str) -> None:
    assert rules.length_complaints(path, source, {}) == []


def test_a_length_exception_covers_one_function() -> None:
    source = "int f() {\n" + "  ++x;\n" * 50 + "}\nint g() {\n" + "  ++x;\n" * 50 + "}\n"
    found = rules.length_complaints("a.cpp", source, {"a.cpp: f": "made up"})
    assert found == ["a.cpp: g: 52 lines, budget 40"]


def test_numbers_outside_tuning_are_found() -> None:
    assert rules.tuned_number_complaints("plan.cpp", "constexpr int64_t kBlockBytes = 4096;\n", {})
    assert rules.tuned_number_complaints("a.h", "inline constexpr unsigned char kAhead = 8;\n", {})
    derived = "constexpr int64_t kStripBytes = tuning::kBlockBytes / 4;\n"
    assert rules.tuned_number_complaints("plan.cpp", derived, {}) == []
    inside = "void f() {\n  constexpr int kHalf = kCount / 2;\n}\n"
    assert rules.tuned_number_complaints("plan.cpp", inside, {}) == []


@pytest.mark.parametrize("flag", rules._FLAGS)
def test_flags_of_one_machine_are_found(flag: str) -> None:
    assert rules.flag_complaints("setup.py", f'args = ["{flag}"]')
    assert rules.flag_complaints("setup.py", f"# never {flag}") == []


def test_leftovers_are_found() -> None:
    assert rules.leftover_complaints("a.py", "x = 1  # TO" + "DO: later\n")
    assert rules.leftover_complaints("a.md", "see /ro" + "ot/x") == [
        "a.md: '/ro" + "ot/' in line 1"
    ]
    assert rules.leftover_complaints("a.md", "build/home/x, ../work/y, https://a.org/home/") == []


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.skip\ndef test(): ...",
        "pytest.skip()",
        "@pytest.mark.skipif(True)\ndef test(): ...",
        "marks = [pytest.mark.xfail]",
    ],
)
def test_a_skip_without_a_reason_is_found(source: str) -> None:
    assert len(rules.python_skip_complaints("a.py", source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.skip(reason='r')\ndef test(): ...",
        "pytest.skip('r')",
        "@pytest.mark.skipif(True, reason='r')\ndef test(): ...",
    ],
)
def test_a_skip_with_a_reason_passes(source: str) -> None:
    assert rules.python_skip_complaints("a.py", source) == []


def test_a_hidden_cpp_test_that_nothing_runs_is_found() -> None:
    assert rules.cpp_skip_complaints("a.cpp", 'TEST_CASE("a", "[.]")', "ctest")
    assert rules.cpp_skip_complaints("a.cpp", 'TEST_CASE("a", "[.lost]")', "ctest -L slow")
    assert rules.cpp_skip_complaints("a.cpp", 'TEST_CASE("a", "[.slow]")', "ctest -L slow") == []


# The project, held to the rules -----------------------------------------------------------------

CORE = r"^csrc/hptp/.*\.(cpp|h)$"
CPP = r"^csrc/.*\.(cpp|h)$"
PYTHON = r"^((torch_hptp|benchmarks)/.*|setup)\.py$"
BUILD = r"(^|/)(setup\.py|pyproject\.toml|CMakeLists\.txt|Makefile|[^/]+\.cmake|[^/]+\.sh)$"
TEXT = r"\.(cpp|h|py|pyi|md|toml|txt|cmake|sh|cfg|ini|in|yml|yaml)$|(^|/)(Makefile|run|LICENSE)$"

_NOT_THE_PROJECT = re.compile(r"^(build|dist|__pycache__|.*\.egg-info|\.(?!ci$).*)$")


@functools.cache
def _all_paths() -> tuple[str, ...]:
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not _NOT_THE_PROJECT.match(name)]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in files]
    return tuple(sorted(found))


def _paths(pattern: str) -> list[str]:
    return [path for path in _all_paths() if re.search(pattern, path)]


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _complaints(pattern: str, rule: Callable[..., list[str]], *arguments: object) -> list[str]:
    return [text for path in _paths(pattern) for text in rule(path, _read(path), *arguments)]


def test_the_tree_is_where_this_file_looks_for_it() -> None:
    assert {"csrc", "torch_hptp", "benchmarks", "tests"} <= {p.split("/")[0] for p in _paths(TEXT)}
    assert len(_paths(CORE)) > 10
    assert len(_paths(CPP)) > len(_paths(CORE))
    assert len(_paths(PYTHON)) > 10
    assert {"setup.py", "Makefile"} <= set(_paths(BUILD))


def test_the_core_of_the_project_includes_downwards_only() -> None:
    def rule(path: str, cpp: str) -> list[str]:
        return rules.core_include_complaints(path.removeprefix("csrc/hptp/"), cpp)

    assert _complaints(CORE, rule) == []


def test_the_bindings_of_the_project_see_the_front_desk_alone() -> None:
    assert _complaints(r"^csrc/bindings/", rules.binding_include_complaints) == []


def test_names_of_the_project_avoid_the_banned_words() -> None:
    paths = _paths(r"^(csrc|torch_hptp|benchmarks)/")
    assert [text for path in paths for text in rules.path_word_complaints(path)] == []
    assert _complaints(CPP, rules.cpp_word_complaints, WORD_EXCEPTIONS) == []
    assert _complaints(PYTHON, rules.python_word_complaints, WORD_EXCEPTIONS) == []


def test_the_core_of_the_project_names_no_permutation() -> None:
    assert _complaints(CORE, rules.permutation_complaints) == []


def test_files_and_functions_keep_to_their_budgets() -> None:
    assert _complaints(f"{CPP}|{PYTHON}", rules.length_complaints, LENGTH_EXCEPTIONS) == []


def test_every_exception_is_needed() -> None:
    over = _complaints(f"{CPP}|{PYTHON}", rules.length_complaints, {})
    lengths = [key for key in LENGTH_EXCEPTIONS if not any(t.startswith(f"{key}:") for t in over)]
    code = "\n".join(_read(path) for path in _paths(f"{CPP}|{PYTHON}"))
    names = [*WORD_EXCEPTIONS, *NUMBER_EXCEPTIONS]
    assert lengths + [name for name in names if not re.search(rf"\b{name}\b", code)] == []


def test_every_tuned_number_of_the_core_lives_in_tuning() -> None:
    elsewhere = r"^csrc/hptp/(?!tuning\.h).*\.(cpp|h)$"
    assert _complaints(elsewhere, rules.tuned_number_complaints, NUMBER_EXCEPTIONS) == []


def test_no_build_file_ties_the_build_to_one_machine() -> None:
    assert _complaints(BUILD, rules.flag_complaints) == []


def test_nothing_is_left_lying() -> None:
    assert _complaints(TEXT, rules.leftover_complaints) == []


def test_no_test_of_the_project_is_skipped_in_silence() -> None:
    assert _complaints(r"^tests/.*\.py$", rules.python_skip_complaints) == []
    build_files = "\n".join(_read(path) for path in _paths(BUILD))
    assert _complaints(r"^tests/.*\.cpp$", rules.cpp_skip_complaints, build_files) == []
