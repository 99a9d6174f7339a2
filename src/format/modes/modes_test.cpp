// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes in memory: what is planned is found again, whatever was damaged is said, and the bytes are those of
// formats/modes.md.
#include "format/formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <limequat/error.hpp>

#include "format/format.hpp"
#include "format/modes/set.hpp"
#include "support/assembled.hpp"

namespace lq::format::modes {
namespace {

using lq::modes::Parity;
using lq::modes::Storage;

Description small_set(std::uint64_t room = 2) {
  Description description;
  description.lattice = {2, 2, 1, 2};
  description.site = generic_spec(Precision::single, 2, true);
  description.storage = Storage::single;
  description.operator_name = "hermitian <Wilson> & more";
  description.parameters = {{"kappa", 0.1},
                            {"iterations", std::int64_t{-3}},
                            {"shift", std::complex<double>(1e-300, -2.5)},
                            {"solver", std::string("IRAM")}};
  description.room = room;
  return description;
}

std::string in_memory(const NewSet& set) {
  std::string file(set.end, '\0');
  for (const Literal& literal : set.literals) testing::put(file, literal.offset, literal.bytes);
  return file;
}

Sums sums_like(std::uint64_t k, std::size_t slices) {
  Sums sums;
  const auto word = static_cast<std::uint32_t>(k + 1);
  sums.set_checksum({word, 7 * word});
  sums.set({{SumKind::scidac, SumOf::slices}, std::vector<std::uint32_t>(2 * slices, 3 * word)});
  sums.set({{SumKind::weighted, SumOf::slices}, std::vector<std::uint32_t>(4 * slices, 5 * word)});
  return sums;
}

Mode mode_like(std::uint64_t k) {
  return {{0.1 * static_cast<double>(k) - 1.0 / 3, k == 1 ? -0.5 : 0.0},
          k == 2 ? std::optional<double>{} : 1e-9 / static_cast<double>(k + 1)};
}

// One mode more, as a writer would.
std::string with_mode(std::string file, std::uint64_t k, const Description& description) {
  base::MemorySource before(base::as_bytes(file), "set.modes");
  FieldRequest request;
  request.spec = description.field();
  request.extents = description.sites();
  request.metadata = texts_of(mode_like(k));
  request.offset = file.size();
  request.before = file.empty() ? nullptr : &before;
  const Layout layout = plan_mode(request);
  const std::string data(layout.payload.front().length, static_cast<char>('a' + k));
  return testing::assemble(layout, data, {sums_like(k, slices_of(description))}, file);
}

std::string set_of(std::uint64_t modes, const Description& description) {
  std::string file = in_memory(plan_set(description));
  for (std::uint64_t k = 0; k < modes; ++k) file = with_mode(file, k, description);
  return file;
}

Catalog scan(const std::string& file) { return testing::scan(format::modes_format(), file); }

void expect_modes(const Catalog& catalog, std::uint64_t modes) {
  ASSERT_EQ(catalog.fields.size(), modes);
  for (std::uint64_t k = 0; k < modes; ++k) {
    EXPECT_EQ(mode_of(catalog.fields[k].metadata), mode_like(k)) << k;
    EXPECT_EQ(catalog.fields[k].sums, sums_like(k, 2)) << k;
  }
}

TEST(ModesFormat, FindsWhatWasPlannedBeyondTheRoomOfTheFirstBlocks) {
  for (const std::uint64_t modes : {0U, 1U, 2U, 3U, 6U, 7U, 20U}) {
    const std::string file = set_of(modes, small_set());
    const Catalog catalog = scan(file);
    EXPECT_TRUE(catalog.findings.empty()) << catalog.findings.front().message;
    expect_modes(catalog, modes);
    for (const FieldEntry& field : catalog.fields) {
      EXPECT_EQ(file[field.payload.offset], 'a' + (&field - catalog.fields.data()));
    }
    base::MemorySource source(base::as_bytes(file), "set.modes");
    EXPECT_TRUE(format::modes_format().container->validate(source, catalog).empty());
    EXPECT_EQ(decode_description(catalog.metadata.front().second), [] {
      Description expected = small_set();
      expected.room = Description{}.room;
      return expected;
    }());
  }
}

// A second reader, which knows nothing but the page: fixed offsets, big-endian.
TEST(ModesFormat, LaysBytesAsThePageSays) {
  const std::string file = set_of(3, small_set());
  const auto u64 = [&](std::uint64_t at) { return base::load_be<std::uint64_t>(base::as_bytes(file).data() + at); };
  const auto type_at = [&](std::uint64_t at) { return std::string(file.data() + at + 16); };
  ASSERT_EQ(type_at(0), "limequat-modes");
  const std::uint64_t index_header = 144 + (u64(8) + 7) / 8 * 8, block = index_header + 144;
  ASSERT_EQ(type_at(index_header), "limequat-modes-index");
  EXPECT_EQ(u64(index_header + 8), 48 + 2 * 104U);
  EXPECT_EQ(u64(block), 104U);     // bytes of an entry: 56 + 24 for each of two slices
  EXPECT_EQ(u64(block + 8), 2U);   // room
  EXPECT_EQ(u64(block + 16), 0U);  // first
  EXPECT_EQ(u64(block + 24), 2U);  // count
  const std::uint64_t next = u64(block + 32);
  EXPECT_EQ(type_at(next - 144), "limequat-modes-index");
  EXPECT_EQ(u64(next + 8), 4U);
  EXPECT_EQ(u64(next + 16), 2U);
  EXPECT_EQ(u64(next + 24), 1U);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (int i = 0; i < 40; ++i)
    sum = (sum ^ static_cast<unsigned char>(file[block + static_cast<std::size_t>(i)])) * 0x100000001b3;
  EXPECT_EQ(u64(block + 40), sum);

  const std::uint64_t entry = block + 48 + 104;  // mode 1
  EXPECT_EQ(u64(entry), 1U);
  const std::uint64_t data = u64(entry + 8);
  EXPECT_EQ(type_at(data - 144), "limequat-mode-data");
  EXPECT_EQ(file.substr(data, 64), std::string(64, 'b'));
  double eigenvalue = 0;
  const std::uint64_t bits = u64(entry + 16);
  std::memcpy(&eigenvalue, &bits, 8);
  EXPECT_EQ(eigenvalue, mode_like(1).eigenvalue.real());
  EXPECT_EQ(u64(entry + 40), (std::uint64_t{2} << 32) + 14);  // suma, sumb
  EXPECT_EQ(u64(entry + 48), (std::uint64_t{6} << 32) + 6);   // of slice 0
  EXPECT_EQ(u64(entry + 56), (std::uint64_t{10} << 32) + 10);
  EXPECT_EQ(type_at(data + 64), "limequat-mode");
  EXPECT_EQ(file.substr(data + 64 + 144, 104), file.substr(entry, 104));
}

TEST(ModesFormat, BeginsASetWithTheFirstModeWhereNothingIsThereYet) {
  Description description;
  description.lattice = {2, 2, 1, 2};
  description.site = generic_spec(Precision::single, 2, true);
  description.storage = Storage::single;
  const std::string file = with_mode({}, 0, description);
  expect_modes(scan(file), 1);
}

TEST(ModesFormat, IsReadFromItsRecordsWhereTheIndexIsDamaged) {
  const std::string whole = set_of(7, small_set());
  const Catalog before = scan(whole);
  base::MemorySource source(base::as_bytes(whole), "set.modes");
  for (const PlacedBlock& block : read_head(source).blocks) {
    for (const std::uint64_t at : {block.offset + 30, block.offset + 48 + 20, block.offset - 140}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      const Catalog catalog = scan(damaged);
      if (at == block.offset - 140) continue;  // a header: what the walk can say is said by lime
      ASSERT_FALSE(catalog.findings.empty()) << at;
      EXPECT_EQ(catalog.findings.front().rule, "modes-index-damaged");
      EXPECT_EQ(catalog.findings.front().severity, Severity::error);
      EXPECT_EQ(catalog.first_error(), nullptr) << "readers are stopped";
      expect_modes(catalog, 7);
    }
  }
}

// Readers are stopped where modes may be missing, and only there.
TEST(ModesFormat, IsNotReadWithFewerModesThanItHas) {
  const std::string whole = set_of(7, small_set());
  base::MemorySource source(base::as_bytes(whole), "set.modes");
  const Head head = read_head(source);
  for (const PlacedBlock& block : head.blocks) {
    for (std::uint64_t at = block.offset - 144; at < block.offset + block.block.bytes(); ++at) {
      for (const int mask : {0x01, 0x80}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        const Catalog catalog = scan(damaged);
        if (catalog.fields.size() == 7) continue;
        ASSERT_NE(catalog.first_error(), nullptr) << at - block.offset;
      }
    }
  }
  // A record that is there twice: no entry states where its mode is now.
  const Catalog first = scan(whole);
  const std::string doubled = whole.substr(0, first.records[1].header_offset) + whole;
  EXPECT_NE(scan(doubled).first_error(), nullptr);
  // An entry, and the record that would replace it; records that the head does not count.
  const Catalog catalog = scan(whole);
  for (const std::size_t k : {0U, 3U, 6U}) {
    std::string damaged = whole;
    const PlacedBlock& block = head.blocks[k == 0 ? 0 : k < 6 ? 1 : 2];
    damaged[block.offset + 48 + 20] ^= 1;
    damaged[catalog.records.at(catalog.fields[k].record + 1).offset + 20] ^= 1;
    const Catalog after = scan(damaged);
    EXPECT_TRUE(after.fields.size() == 7 || after.first_error() != nullptr) << k;
  }
}

TEST(ModesFormat, EndsBeforeTheModeThatTheFileEndsIn) {
  const std::string whole = set_of(5, small_set());
  const Catalog before = scan(whole);
  for (std::size_t k = 0; k < 5; ++k) {
    const std::uint64_t begin = before.fields[k].payload.offset;
    for (const std::uint64_t size : {begin, begin + 1, begin + 64 + 144 + 103}) {
      const Catalog catalog = scan(whole.substr(0, size));
      expect_modes(catalog, k);
      ASSERT_NE(catalog.first_error(), nullptr);
      EXPECT_EQ(catalog.first_error()->code, Code::truncated) << size;
      EXPECT_FALSE(catalog.complete);
    }
  }
}

std::string mended(const std::string& file, std::vector<Finding>& done) {
  base::MemorySource original(base::as_bytes(file), "set.modes");
  base::EditedSource edited(original);
  Findings findings;
  mend(edited, {}, findings);
  done = findings.take();
  std::string bytes(edited.size(), '\0');
  edited.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// What the set says of modes that are missing.
std::vector<std::string> marks_in(const Catalog& catalog) {
  std::vector<std::string> marks;
  for (const auto& [name, text] : catalog.metadata) {
    if (name == unproven_text) marks.push_back(text);
  }
  return marks;
}

TEST(ModesFormat, IsMendedToTheModesThatAreWhole) {
  const std::string whole = set_of(7, small_set());
  std::vector<Finding> done;
  EXPECT_EQ(mended(whole, done), whole);
  EXPECT_TRUE(done.empty());
  const Catalog before = scan(whole);
  for (std::size_t k = 0; k < 7; ++k) {
    const std::string cut = whole.substr(0, before.fields[k].payload.offset + 10);
    const Catalog after = scan(mended(cut, done));
    EXPECT_TRUE(after.findings.empty()) << after.findings.front().message;
    EXPECT_TRUE(after.complete);
    expect_modes(after, k);
    EXPECT_FALSE(done.empty());
    EXPECT_EQ(marks_in(after).size(), 1U);
  }
  for (const std::size_t at : {before.records[1].offset + 5, before.records[1].offset + 60}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_EQ(mended(damaged, done), whole);
  }
}

std::size_t errors_in(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(std::ranges::count(findings, Severity::error, &Finding::severity));
}

// The index says where modes are, whatever their records say.
TEST(ModesFormat, IsMendedByItsIndexWhereRecordsOfModesAreDamaged) {
  const std::string whole = set_of(7, small_set());
  const Catalog before = scan(whole);
  std::vector<Finding> done;
  for (const FieldEntry& field : before.fields) {
    const Record &data = before.records.at(field.record), &mode = before.records.at(field.record + 1);
    const std::uint64_t places[] = {data.header_offset,     data.header_offset + 15,           data.header_offset + 30,
                                    mode.header_offset + 3, mode.header_offset + 12,           mode.offset,
                                    mode.offset + 20,       mode.offset + mode.data_length - 1};
    for (const std::uint64_t at : places) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      EXPECT_EQ(mended(damaged, done), whole) << at;
      EXPECT_EQ(errors_in(done), 0U);
      EXPECT_FALSE(done.empty());
    }
    // All that stands around the data.
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(data.header_offset), 144, '\0');
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(mode.header_offset), 144 + mode.data_length, '\xff');
    EXPECT_EQ(mended(damaged, done), whole);
  }
  // The record of the last mode is not there at all.
  const Record& last = before.records.back();
  EXPECT_EQ(mended(whole.substr(0, last.header_offset), done), whole);
  EXPECT_EQ(errors_in(done), 0U);
}

// A mode whose entry and record are both damaged is lost; the others stay, and the set says which is missing, whatever
// is repaired later.
TEST(ModesFormat, NamesModesThatAreLost) {
  const std::string whole = set_of(7, small_set());
  const Catalog before = scan(whole);
  base::MemorySource source(base::as_bytes(whole), "set.modes");
  const Head head = read_head(source);
  std::string damaged = whole;
  const PlacedBlock& block = head.blocks[1];
  damaged[block.offset + Block::head_bytes + 20] ^= 1;
  damaged[before.records.at(before.fields[block.block.first].record + 1).offset + 20] ^= 1;
  std::vector<Finding> done;
  const std::string repaired = mended(damaged, done);
  const Catalog after = scan(repaired);
  EXPECT_EQ(errors_in(done), 1U);
  EXPECT_NE(done.front().message.find("mode 2 is lost"), std::string::npos) << done.front().message;
  ASSERT_EQ(after.fields.size(), 6U);
  EXPECT_TRUE(after.findings.empty());
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(mode_of(after.fields[k].metadata), mode_like(k < 2 ? k : k + 1));
  EXPECT_EQ(marks_in(after), std::vector<std::string>{"since a repair modes are missing: the former mode 2"});
  EXPECT_EQ(mended(repaired, done), repaired);
  EXPECT_TRUE(done.empty());
  const Catalog again = scan(mended(repaired.substr(0, after.fields[4].payload.offset), done));
  EXPECT_EQ(again.fields.size(), 4U);
  EXPECT_EQ(marks_in(again),
            (std::vector<std::string>{
                "since a repair modes are missing: the former mode 2",
                "since a repair modes are missing: the former modes 4 to 5, the former modes 6 and higher"}));
}

// An append was killed and its journal lost; others followed. What the index knows was committed.
TEST(ModesFormat, LeavesOutWhatWasNeverCommitted) {
  const Description description = small_set();
  const std::string committed = set_of(2, description);
  const std::string orphan = with_mode(committed, 2, description).substr(committed.size());
  EXPECT_THROW(with_mode(committed + orphan, 2, description), Error);  // nothing is appended behind it
  std::vector<Finding> done;
  EXPECT_EQ(mended(committed + orphan, done), committed);
  EXPECT_EQ(errors_in(done), 1U);
  EXPECT_EQ(done.front().rule, "repair-modes-uncommitted");

  // As earlier versions did append: the modes after it are at other places than without it.
  const std::string expected = with_mode(with_mode(committed, 2, description), 3, description);
  std::string moved = committed + orphan + expected.substr(committed.size());
  const Catalog catalog = scan(expected);
  const std::uint64_t by = orphan.size();
  base::MemorySource source(base::as_bytes(expected), "set.modes");
  const Head head = read_head(source);
  // Entries of the modes behind, in the index and in their records, and heads of blocks, with their new places.
  for (const PlacedBlock& at : head.blocks) {
    Block block = at.block;
    const std::uint64_t place = at.offset + (at.offset > committed.size() ? by : 0);
    if (block.next > committed.size()) block.next += by;
    testing::put(moved, place, encode(block));
    for (std::uint64_t k = 0; k < block.count; ++k) {
      const FieldEntry& field = catalog.fields[block.first + k];
      const bool moves = field.payload.offset > committed.size();
      const Entry entry{block.first + k, field.payload.offset + (moves ? by : 0), mode_of(field.metadata), field.sums};
      testing::put(moved, place + Block::head_bytes + k * block.entry_bytes, encode(entry, description));
      if (moves) testing::put(moved, catalog.records.at(field.record + 1).offset + by, encode(entry, description));
    }
  }
  expect_modes(scan(moved), 4);
  EXPECT_EQ(mended(moved, done), expected);
  EXPECT_EQ(errors_in(done), 1U);
}

// Whichever byte of the description is damaged: the set is not read, and a repair finds the byte.
TEST(ModesFormat, ProvesItsDescriptionByASum) {
  const std::string whole = set_of(2, small_set());
  const Record head = scan(whole).records.front();
  for (std::size_t at = head.offset; at < head.offset + head.data_length; ++at) {
    for (const int change : {0x01, 0x20, 0x80}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const Catalog catalog = scan(damaged);
      ASSERT_NE(catalog.first_error(), nullptr) << at;
      EXPECT_EQ(catalog.first_error()->rule, "modes-head") << at;
      EXPECT_TRUE(catalog.fields.empty()) << at;
      std::vector<Finding> done;
      EXPECT_EQ(mended(damaged, done), whole) << at;
      ASSERT_FALSE(done.empty());
      EXPECT_EQ(done.front().rule, "repair-modes-head");
      EXPECT_EQ(errors_in(done), 0U);
    }
  }
}

TEST(ModesFormat, DoesNotGuessADescriptionWithTwoWrongBytes) {
  const std::string document = encode(small_set());
  for (const auto& [a, b] : {std::pair(100, 101), std::pair(60, 300), std::pair(100, 520), std::pair(540, 545)}) {
    std::string damaged = document;
    const auto first = static_cast<std::size_t>(a) % document.size(),
               second = static_cast<std::size_t>(b) % document.size();
    damaged[first] = static_cast<char>(damaged[first] ^ 1);
    damaged[second] = static_cast<char>(damaged[second] ^ 2);
    EXPECT_THROW(decode_description(damaged), Error);
    EXPECT_FALSE(corrected(damaged)) << a << " " << b;
  }
  EXPECT_FALSE(corrected(document));
  EXPECT_FALSE(corrected(""));
  EXPECT_FALSE(corrected(encode(small_set(), false)));
}

// Versions 1.0 and 2.0, which are read for ever.
TEST(ModesFormat, ReadsDescriptionsWithoutASumButDoesNotCallThemProven) {
  const std::string old = encode(small_set(), false);
  EXPECT_NE(old.find("<version>1.0</version>"), std::string::npos);
  EXPECT_FALSE(has_sum(old));
  Description expected = small_set();
  expected.room = Description{}.room;
  EXPECT_EQ(decode_description(old), expected);
  const std::string marked = with_unproven(old, "a text");
  EXPECT_FALSE(has_sum(marked));
  EXPECT_EQ(unproven_texts(marked), std::vector<std::string>{"a text"});
  const std::string marked_new = with_unproven(encode(small_set()), "a text");
  EXPECT_EQ(unproven_texts(marked_new), std::vector<std::string>{"a text"});
  EXPECT_EQ(decode_description(marked_new), expected);
}

TEST(ModesFormat, RefusesVectorsOfAnotherSet) {
  const std::string file = set_of(1, small_set());
  Description other = small_set();
  other.lattice = {2, 2, 2, 2};
  EXPECT_THROW(with_mode(file, 1, other), Error);
  other = small_set();
  other.site.numbers = 4;
  EXPECT_THROW(with_mode(file, 1, other), Error);
}

TEST(ModesFormat, RefusesWhatCannotBeASet) {
  const auto refused = [](const auto& change) {
    Description description = small_set();
    change(description);
    try {
      plan_set(description);
    } catch (const Error& error) {
      return error.code() == Code::invalid_argument;
    }
    return false;
  };
  EXPECT_TRUE(refused([](Description& d) { d.lattice = {}; }));
  EXPECT_TRUE(refused([](Description& d) { d.lattice = {2, 0}; }));
  EXPECT_TRUE(refused([](Description& d) { d.lattice = {3, 2}, d.parity = Parity::odd; }));
  EXPECT_TRUE(refused([](Description& d) { d.ls = 0; }));
  EXPECT_TRUE(refused([](Description& d) { d.site = gauge_spec(Precision::double_); }));
  EXPECT_TRUE(refused([](Description& d) { d.site = spinor_spec(Precision::double_), d.site.numbers = 23; }));
  EXPECT_TRUE(refused([](Description& d) { d.room = 0; }));
  EXPECT_TRUE(refused([](Description& d) { d.operator_name = "two\nlines"; }));
  EXPECT_TRUE(refused([](Description& d) { d.parameters.push_back({"", std::int64_t{1}}); }));
}

TEST(ModesFormat, CountsPairsOfSitesForOneParityAndLsForEachSite) {
  Description description = small_set();
  description.parity = Parity::even;
  description.ls = 3;
  EXPECT_EQ(description.sites(), (Extents{1, 2, 1, 2}));
  EXPECT_EQ(description.field().numbers, 6U);
  expect_modes(scan(set_of(2, description)), 2);
  description.storage = Storage::fixed16;
  EXPECT_EQ(payload_at(description, 0).length, 4 * (4 + 12U));  // four bytes, and six numbers of two
  expect_modes(scan(set_of(2, description)), 2);
}

TEST(ModesFormat, NumbersOfModesSurviveAsTexts) {
  for (const double value : {0.1, -1e-308, 5e-324, 1.7976931348623157e308, 0.0, 2.0 / 3}) {
    const Mode mode{{value, -value}, value};
    const Mode back = mode_of(texts_of(mode));
    EXPECT_EQ(back, mode);
    EXPECT_EQ(std::signbit(back.eigenvalue.imag()), std::signbit(-value));
  }
  EXPECT_TRUE(std::isnan(mode_of({{"eigenvalue", "nan"}}).eigenvalue.real()));
  EXPECT_THROW(mode_of({{"eigenvalue", "small"}}), Error);
  EXPECT_THROW(mode_of({{"residual", "1 2"}}), Error);
}

}  // namespace
}  // namespace lq::format::modes
