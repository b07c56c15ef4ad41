// The list of kernel tables, and the choice among them.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "catch.h"
#include "hptp.h"
#include "kernels/dispatch.h"

namespace hptp::test {
namespace {

const KernelTable* find_table(const std::string& name) {
  for (const KernelTable* table : all_kernel_tables()) {
    if (table->name == name) return table;
  }
  return nullptr;
}

bool is_usable(const KernelTable* table) { return table != nullptr && table->is_supported(); }

}  // namespace

TEST_CASE("the last table is scalar, which every processor supports", "[dispatch]") {
  const KernelTable* const last = all_kernel_tables().back();
  REQUIRE(std::string(last->name) == "scalar");
  REQUIRE(last->is_supported());
}

TEST_CASE("no table has a hole", "[dispatch]") {
  for (const KernelTable* table : all_kernel_tables()) {
    CAPTURE(table->name);
    const auto is_filled = [](auto kernel) { return kernel != nullptr; };
    REQUIRE(std::all_of(std::begin(table->transpose), std::end(table->transpose), is_filled));
    for (const auto& row : table->interleave) {
      REQUIRE(std::all_of(std::begin(row), std::end(row), is_filled));
    }
    for (const auto& row : table->deinterleave) {
      REQUIRE(std::all_of(std::begin(row), std::end(row), is_filled));
    }
    REQUIRE(std::all_of(std::begin(table->transpose_strip), std::end(table->transpose_strip),
                        is_filled));
    REQUIRE(table->stage_rows != nullptr);
    REQUIRE(table->transpose_any != nullptr);
    REQUIRE(table->transpose_any_padded != nullptr);
    REQUIRE(table->copy_rows != nullptr);
    REQUIRE(table->stream_rows != nullptr);
    REQUIRE(table->finish_streams != nullptr);
    REQUIRE(table->gather != nullptr);
    REQUIRE(table->move_steps != nullptr);
    REQUIRE(table->fill != nullptr);
    REQUIRE(table->vector_bytes >= 1);
  }
}

TEST_CASE("without a wish the first supported table is chosen", "[dispatch]") {
  const auto tables = all_kernel_tables();
  const auto first = std::find_if(tables.begin(), tables.end(), is_usable);
  REQUIRE(&choose_kernel_table(nullptr) == *first);
}

TEST_CASE("a supported table is chosen by its name", "[dispatch]") {
  for (const KernelTable* table : all_kernel_tables()) {
    CAPTURE(table->name);
    const KernelTable& expected = table->is_supported() ? *table : *find_table("scalar");
    REQUIRE(&choose_kernel_table(table->name) == &expected);
  }
}

TEST_CASE("a name that means no table means scalar", "[dispatch]") {
  for (const char* name : {"", "AVX2", "avx", "avx2 ", "scalars", "sse9"}) {
    CAPTURE(name);
    REQUIRE(std::string(choose_kernel_table(name).name) == "scalar");
  }
}

TEST_CASE("HPTP_ISA forces the table that copies run with", "[dispatch]") {
  const char* const wanted = std::getenv("HPTP_ISA");
  if (wanted == nullptr) {
    REQUIRE(std::string(isa_name()) == choose_kernel_table(nullptr).name);
  } else {
    const bool is_known = is_usable(find_table(wanted));
    REQUIRE(std::string(isa_name()) == (is_known ? wanted : "scalar"));
  }
}

}  // namespace hptp::test
