// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files with one defect, tried in order, and what verify makes of them: a file that is called OK has the fields, the
// modes and the numbers of the one that it was made of. Defects that are drawn: tests/verdicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/grid.hpp>

#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "io/transfer.hpp"
#include "io/verify.hpp"
#include "storage/transport.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

// What is read of one field. Texts have no sums in most formats, so that changes of them cannot be seen; those of modes
// are their eigenvalues.
struct Read {
  std::string of;
  std::vector<double> numbers;
  Metadata eigenvalue;
  friend bool operator==(const Read& a, const Read& b) {
    const auto is_same = [](double x, double y) { return x == y || (x != x && y != y); };
    return a.of == b.of && a.eigenvalue == b.eigenvalue &&
           std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(), is_same);
  }
};

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  void put(std::string_view bytes) {
    if (files_->kind(path_) != storage::PathKind::absent) files_->remove(path_);
    files_->create(path_)->write_at(0, base::as_bytes(bytes));
  }

  Verification examine() {
    try {
      return io::verify(*files_, path_, {}, {.physics = Measure::never, .threads = 1});
    } catch (const Error& error) {
      EXPECT_NE(error.code(), Code::internal) << error.what();
      Verification unreadable;
      unreadable.verdict = Verdict::unreadable;
      return unreadable;
    }
  }
  Verdict verdict() { return examine().verdict; }
  Catalog catalog() { return format::scan(*files_->open_read(path_), {}); }

  std::vector<Read> fields() {
    const auto file = files_->open_read(path_);
    const Catalog catalog = format::scan(*file, {});
    std::vector<Read> all;
    for (const FieldEntry& entry : catalog.fields) {
      const Payload& payload = entry.payload;
      const Grid grid({}, payload.extents);
      Read read;
      read.of = std::string(name(payload.spec.kind)) + " " + to_string(payload.extents) + " " +
                std::to_string(payload.spec.numbers) + " " + std::string(name(payload.spec.precision));
      read.numbers.resize(static_cast<std::size_t>(volume(payload.extents) * payload.spec.numbers));
      FieldSpec in_memory = payload.spec;
      in_memory.precision = Precision::double_;
      ReadOptions options;
      options.verify = Verify::none;
      io::read_listed(*files_, catalog, entry, grid, field_in(read.numbers, in_memory), options);
      if (catalog.format == "modes") read.eigenvalue = entry.metadata;
      all.push_back(std::move(read));
    }
    return all;
  }

 private:
  std::shared_ptr<storage::Transport> files_ = storage::make_memory();
  std::string path_;
};

struct Original {
  const char* name;
  bool has_exact_sums = true;  // of all numbers
};

constexpr Original of_records[] = {{"lime/qio_gauge_single_with_lfn.lime"},
                                   {"lime/slices_with_weights.lime"},
                                   {"lime/three_spinors.lime"},
                                   {"lime/chroma_propagator_64.lime"},
                                   {"lime/grid_gauge.lime"},
                                   {"lime/tmlqcd_two_flavours.lime"},
                                   {"squeezed/conf.sqz"},
                                   {"modes/three_modes.modes"},
                                   {"modes/index_in_three_blocks.modes"},
                                   {"modes/coefficients.modes"}};
constexpr Original of_headers[] = {{"nersc/64_big.nersc", false},
                                   {"nersc/two_rows.nersc", false},
                                   {"milc/version_5_little.milc", false},
                                   {"qlattice/gauge_64.field"},
                                   {"qlattice/complex.field"}};

// Hands out files with one defect each, and says what it is.
using Defects =
    std::function<void(const std::string& good, const std::function<void(std::string bad, const std::string& what)>&)>;

void expect_no_losses(const Original& original, const Defects& defects) {
  SCOPED_TRACE(original.name);
  const std::string good = testing::golden_contents(std::string("good/") + original.name);
  Reader reader(std::string("memory/") + original.name);
  reader.put(good);
  ASSERT_TRUE(is_ok(reader.verdict()));
  const std::vector<Read> expected = reader.fields();
  ASSERT_FALSE(expected.empty());
  int losses = 0, bad_ones = 0;
  defects(good, [&](std::string bad, const std::string& what) {
    reader.put(bad);
    const Verdict verdict = reader.verdict();
    if (!is_ok(verdict)) {
      ++bad_ones;
      return;
    }
    std::vector<Read> found;
    try {
      found = reader.fields();
    } catch (const Error& error) {
      ADD_FAILURE() << what << ": " << name(verdict) << ", but: " << error.what();
      return;
    }
    if (found == expected || losses > 20) return;
    // Of a file that is cut between two messages nothing tells how many there were.
    if (good.starts_with(bad) &&
        std::ranges::equal(found, std::span(expected).first(std::min(found.size(), expected.size())))) {
      return;
    }
    // A sum that does not see everything is none for numbers of the same fields.
    bool are_fields_there = found.size() == expected.size();
    for (std::size_t i = 0; are_fields_there && i < found.size(); ++i) are_fields_there = found[i].of == expected[i].of;
    if (are_fields_there && !original.has_exact_sums && verdict != Verdict::sound) return;
    ++losses;
    ADD_FAILURE() << what << ": " << name(verdict) << ", with " << found.size() << " of " << expected.size()
                  << " fields, " << (found.empty() ? "" : found.front().of);
  });
  EXPECT_GT(bad_ones, 0);
}

void flip(const std::string& good, std::size_t bit, const auto& take, const std::string& where) {
  std::string bad = good;
  bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
  take(std::move(bad), where + ", bit " + std::to_string(bit % 8));
}

// Every bit of a header of LIME, from its magic to the end of its type.
void flip_headers(const std::string& good, const auto& take) {
  using namespace format::lime;
  base::MemorySource file(base::as_bytes(good), "good");
  for (std::size_t at = 0; at + header_bytes <= good.size();) {
    const Header header = decode(base::as_bytes(good).subspan(at).first<header_bytes>());
    for (std::size_t byte = 0; byte <= type_offset + header.type.size(); ++byte) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        flip(good, 8 * (at + byte) + bit, take,
             header.type + " at " + std::to_string(at) + ", byte " + std::to_string(byte));
      }
    }
    at += header_bytes + header.data_length + padding(header.data_length);
  }
}

// The first bytes, without the data for the most part.
void flip_beginning(const std::string& good, const auto& take) {
  const std::size_t text_end = good.find("END_HEADER");
  const std::size_t end = text_end == std::string::npos ? 96 : text_end + 11;
  for (std::size_t bit = 0; bit < 8 * end; ++bit) flip(good, bit, take, "byte " + std::to_string(bit / 8));
}

// A change of any byte of contents is seen, or the answer of the good file says that nothing covers this byte. Entries
// of an index that are free, and bits that a decoder passes over, may change: whatever is read stays the same.
TEST(Losses, AreSeenInAllBytesButThoseThatAreNamedAsUncovered) {
  for (const Original& original : of_records) {
    SCOPED_TRACE(original.name);
    const std::string good = testing::golden_contents(std::string("good/") + original.name);
    Reader reader(std::string("memory/") + original.name);
    reader.put(good);
    const Verification whole = reader.examine();
    if (whole.verdict != Verdict::sound) continue;
    const std::vector<Read> expected = reader.fields();
    const auto is_uncovered = [&](std::uint64_t byte) {
      return std::ranges::any_of(whole.claims, [&](const Claim& claim) {
        return claim.outcome == Outcome::uncovered && byte >= *claim.offset && byte - *claim.offset < *claim.length;
      });
    };
    std::size_t seen = 0, unseen = 0;
    for (const Record& record : reader.catalog().records) {
      // What stands around a sum is no content, and a sum that changed disagrees with its data.
      constexpr std::string_view others[] = {"scidac-checksum", "limequat-slices"};
      constexpr std::string_view with_room[] = {"limequat-modes-index", "limequat-squeezed-data"};
      if (std::ranges::find(others, record.type) != std::end(others)) continue;
      const bool has_room = std::ranges::find(with_room, record.type) != std::end(with_room);
      const std::uint64_t step = 1 + record.data_length / 300;
      for (std::uint64_t byte = record.offset; byte < record.offset + record.data_length; byte += step) {
        std::string bad = good;
        bad[byte] = static_cast<char>(bad[byte] ^ 2);
        reader.put(bad);
        if (reader.verdict() != Verdict::sound) {
          ++seen;
        } else {
          ++unseen;
          EXPECT_TRUE(has_room ? reader.fields() == expected : is_uncovered(byte)) << record.type << ", byte " << byte;
        }
      }
    }
    EXPECT_GT(seen, unseen / 10);
  }
}

TEST(Losses, AreNotOkWhereABitOfAHeaderOfARecordIsFlipped) {
  for (const Original& original : of_records) {
    expect_no_losses(original, [](const std::string& good, const auto& take) { flip_headers(good, take); });
  }
}

TEST(Losses, AreNotOkWhereABitOfTheHeaderOfAFileIsFlipped) {
  for (const Original& original : of_headers) {
    expect_no_losses(original, [](const std::string& good, const auto& take) { flip_beginning(good, take); });
  }
}

}  // namespace
}  // namespace lq
