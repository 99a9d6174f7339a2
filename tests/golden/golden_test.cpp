// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replays tests/golden: every file is read as a user would read it and must end as its .expect says. The
// meaning of the lines is in tools/make_golden.py, which wrote both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/format.hpp"
#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "lattice/site_order.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / folder / "lime")) {
    if (entry.path().extension() == ".lime") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Scanned {
  Catalog catalog;
  std::vector<Finding> findings;

  bool breaks(std::string_view rule) const {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  }
};

Scanned scan(base::ByteSource& file) {
  const format::Container& container = *format::recognise(file).container;
  Scanned scanned{container.scan(file, {}), {}};
  scanned.findings = container.validate(file, scanned.catalog);
  return scanned;
}

// Site by site, as docs/formats/scidac.md 4.4 says it.
Checksum checksum_of(const Payload& payload, std::string_view bytes) {
  Checksum sum;
  const std::uint64_t site_bytes = payload.spec.site_bytes();
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  for (std::uint64_t i = 0; i < payload.stored.volume(); ++i) {
    const std::uint64_t rank = lattice::site_rank(lattice::site_at(i, payload.stored, order), payload.extents);
    const std::string_view site = bytes.substr(payload.offset + i * site_bytes, site_bytes);
    kernels::add_site(sum, rank, kernels::crc32(0, base::as_bytes(site)));
  }
  return sum;
}

void require_checksums(const Catalog& catalog, std::string_view bytes) {
  for (const FieldEntry& field : catalog.fields) {
    if (!field.sums.checksum()) continue;
    const Checksum found = checksum_of(field.payload, bytes);
    if (found == *field.sums.checksum()) continue;
    throw Error(Code::checksum_mismatch, to_string(found) + " instead of " + to_string(*field.sums.checksum()));
  }
}

bool has_key(const Metadata& metadata, std::string_view key) {
  return std::any_of(metadata.begin(), metadata.end(), [&](const auto& entry) { return entry.first == key; });
}

// One line of an .expect file, against the field reached so far (0: none yet).
void check_line(const std::string& line, const Scanned& scanned, std::size_t& fields) {
  const Catalog& catalog = scanned.catalog;
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "format") {
    EXPECT_EQ(line, "format " + catalog.format);
  } else if (verb == "rule") {
    EXPECT_TRUE(scanned.breaks(line.substr(5))) << line;
  } else if (verb == "field") {
    ASSERT_LT(fields, catalog.fields.size()) << line;
    const FieldEntry& field = catalog.fields[fields++];
    std::string label = field.name;
    for (std::size_t at; (at = label.find(' ')) != std::string::npos;) label.replace(at, 1, "%20");
    std::ostringstream found;
    found << "field " << label << ' ' << name(field.payload.spec.kind) << ' ' << to_string(field.payload.extents) << ' '
          << field.payload.spec.numbers << ' ' << name(field.payload.spec.precision) << ' '
          << (field.sums.checksum() ? to_string(*field.sums.checksum()) : "absent");
    EXPECT_EQ(line, found.str());
  } else if (verb == "metadata") {
    EXPECT_TRUE(has_key(fields == 0 ? catalog.metadata : catalog.fields[fields - 1].metadata, line.substr(9))) << line;
  } else if (verb == "box") {
    const Box& stored = catalog.fields.at(fields - 1).payload.stored;
    EXPECT_EQ(line, "box " + to_string(stored.lower) + " " + to_string(stored.extents));
  } else if (verb == "slices") {
    EXPECT_EQ(line, "slices " + std::to_string(catalog.fields.at(fields - 1).sums.slices().size()));
  } else {
    ADD_FAILURE() << "unknown line: " << line;
  }
}

TEST(GoldenFiles, ThatAreGoodHoldWhatIsExpected) {
  const auto files = files_in("good");
  EXPECT_GE(files.size(), 40U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.filename());
    const std::string bytes = testing::contents(path);
    base::MemorySource file(base::as_bytes(bytes), path.string());
    const Scanned scanned = scan(file);
    EXPECT_NO_THROW(scanned.catalog.require_sound());
    EXPECT_NO_THROW(require_checksums(scanned.catalog, bytes));
    std::size_t fields = 0;
    std::ifstream expected(fs::path(path).replace_extension(".expect"));
    for (std::string line; std::getline(expected, line);) check_line(line, scanned, fields);
    EXPECT_EQ(fields, scanned.catalog.fields.size());
  }
}

// What a program gets that reads the first field.
std::optional<Error> failure_of(const std::string& bytes, const std::string& path) {
  base::MemorySource file(base::as_bytes(bytes), path);
  try {
    const Scanned scanned = scan(file);
    scanned.catalog.require_sound();
    scanned.catalog.field();
    require_checksums(scanned.catalog, bytes);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

TEST(GoldenFiles, ThatAreBadGetTheirPinnedCode) {
  const auto files = files_in("bad");
  EXPECT_GE(files.size(), 45U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.filename());
    const std::string bytes = testing::contents(path);
    const auto failure = failure_of(bytes, path.string());
    ASSERT_TRUE(failure);
    const std::string sentence = failure->what();
    std::ifstream expected(fs::path(path).replace_extension(".expect"));
    for (std::string line; std::getline(expected, line);) {
      if (line.starts_with("code ")) {
        EXPECT_EQ(line, "code " + std::string(name(failure->code())));
      }
      if (line.starts_with("message ")) {
        EXPECT_NE(sentence.find(line.substr(8)), std::string::npos) << sentence;
      }
      if (line.starts_with("rule ")) {
        base::MemorySource file(base::as_bytes(bytes), path.string());
        EXPECT_TRUE(scan(file).breaks(line.substr(5))) << line;
      }
    }
  }
}

// Whatever is cut off or flipped, there is an answer: this test is about crashes, hangs and foreign exceptions.
TEST(GoldenFiles, CutAnywhereGiveAnAnswer) {
  for (const char* folder : {"good", "bad"}) {
    for (const fs::path& path : files_in(folder)) {
      const std::string bytes = testing::contents(path);
      const std::size_t step = 1 + bytes.size() / 512;
      for (std::size_t length = 0; length < bytes.size(); length += step) {
        const auto failure = failure_of(bytes.substr(0, length), path.string());
        EXPECT_FALSE(failure && failure->code() == Code::internal) << path << " cut to " << length;
      }
    }
  }
}

TEST(GoldenFiles, WithAnyByteOfAHeaderChangedGiveAnAnswer) {
  const std::string bytes = testing::contents(fs::path(LQ_SOURCE_DIR) / "tests/golden/good/lime/qio_gauge_double.lime");
  base::MemorySource whole(base::as_bytes(bytes), "whole");
  for (const Record& record : scan(whole).catalog.records) {
    for (std::uint64_t at = record.header_offset; at < record.offset; ++at) {
      for (const char mask : {'\x01', '\x80', '\xff'}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ mask);
        const auto failure = failure_of(changed, "changed");
        EXPECT_FALSE(failure && failure->code() == Code::internal) << at;
        // Magic and version are never changed without notice.
        const bool essential = at - record.header_offset < 6;
        EXPECT_FALSE(essential && !failure) << at;
      }
    }
  }
}

// A configuration of PyQUDA's tests, where the machine has it.
TEST(GoldenFiles, OfOtherProgramsAreRead) {
  const char* folder = std::getenv("LQ_SHARED_DIR");
  if (!folder) GTEST_SKIP() << "LQ_SHARED_DIR does not say where the shared data are";
  const std::string bytes = testing::contents(fs::path(folder) / "data" / "weak_field.lime");
  base::MemorySource file(base::as_bytes(bytes), "weak_field.lime");
  const Catalog catalog = scan(file).catalog;
  catalog.require_sound();
  const FieldEntry& field = catalog.field("gauge");
  EXPECT_EQ(field.payload.extents, (Extents{4, 4, 4, 8}));
  EXPECT_EQ(field.sums.checksum(), (Checksum{0xa2c41090, 0x11193c39}));
  EXPECT_NO_THROW(require_checksums(catalog, bytes));
}

}  // namespace
}  // namespace lq
