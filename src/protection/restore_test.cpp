// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of damages, drawn at random: what comes back is byte for byte what it was, and what does not is named
// exactly, as a plain count of the damaged blocks of each row says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <limequat/error.hpp>

#include "kernels/crc32.hpp"
#include "protection/encode.hpp"
#include "protection/passing.hpp"
#include "protection/sidecar.hpp"
#include "support/scratch_directory.hpp"

namespace lq::protection {
namespace {

namespace fs = std::filesystem;

std::string random_text(std::mt19937& random, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Files are made anew only where they change: some disks take their time.
void put(const std::string& path, const std::string& text) {
  std::ifstream before(path, std::ios::binary);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == text) return;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// Files, and the sidecar that protects them.
struct Protected {
  std::string folder;
  Head head;
  std::vector<std::string> contents;  // in the order of the head
  std::string sidecar, sidecar_text;

  std::string path(std::size_t file) const { return folder + "/" + head.files[file].name; }
  void write_all() const {
    for (std::size_t i = 0; i < contents.size(); ++i) put(path(i), contents[i]);
    put(sidecar, sidecar_text);
  }
};

Protected make(const std::string& folder, std::mt19937& random, const std::vector<std::size_t>& sizes, double ratio,
               std::uint32_t lost) {
  Protected made;
  made.folder = folder;
  std::map<std::string, std::string> by_name;
  std::vector<ProtectedPart> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ProtectedPart part;
    part.name = "file" + std::to_string(i);
    part.bytes = sizes[i];
    by_name[part.name] = random_text(random, sizes[i]);
    parts.push_back(part);
  }
  made.head = plan(parts, ratio, lost);
  std::vector<std::unique_ptr<base::MemorySource>> sources;
  for (const ProtectedPart& part : made.head.files) {
    made.contents.push_back(by_name[part.name]);
  }
  for (const std::string& text : made.contents) {
    sources.push_back(std::make_unique<base::MemorySource>(base::as_bytes(text), "memory"));
  }
  const Head& head = made.head;
  made.sidecar_text.resize(head.sidecar_bytes());
  const auto place = [&](std::uint64_t offset, base::Bytes bytes) {
    std::ranges::copy(base::as_text(bytes), made.sidecar_text.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  WindowEncoder encoder(head, [&](std::size_t file) -> base::ByteSource& { return *sources[file]; });
  for (std::uint64_t window = 0; window < head.windows; ++window) {
    encoder.encode(window);
    const std::vector<std::byte> page = encode_page(encoder.page(), window);
    place(head.page_at(window, 0), page);
    place(head.parity_at(window, 0, 0), encoder.parity());
    place(head.page_at(window, 1), page);
  }
  place(0, encode_head(head));
  place(head.second_head_at(), encode_head(head));
  place(head.second_head_at() + head.head_bytes(), encode_end(head));
  made.sidecar = folder + (sizes.size() == 1 ? "/file0.lq-parity" : "/files.set.lq-parity");
  return made;
}

using BlockNumber = std::pair<std::size_t, std::uint64_t>;  // of a file

struct Damage {
  std::set<BlockNumber> blocks;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>> parities;  // window, parity, row
};

// Flips, stretches and losses; the model marks which blocks differ.
Damage damage(const Protected& all, std::mt19937& random) {
  Damage done;
  const Head& head = all.head;
  std::vector<std::string> texts = all.contents;
  std::string sidecar = all.sidecar_text;
  const auto change = [&](std::size_t file, std::uint64_t begin, std::uint64_t length) {
    for (std::uint64_t at = begin; at < std::min<std::uint64_t>(begin + length, texts[file].size()); ++at) {
      texts[file][at] = static_cast<char>(texts[file][at] ^ static_cast<char>(1 + random() % 255));
    }
  };
  std::vector<bool> is_lost(texts.size(), false);
  const std::size_t events = 1 + random() % 5;
  for (std::size_t event = 0; event < events; ++event) {
    const std::size_t file = random() % texts.size();
    const std::size_t size = std::max<std::size_t>(texts[file].size(), 1);
    switch (random() % 6) {
      case 0:
      case 1:
        change(file, random() % size, 1);
        break;
      case 2:
        change(file, random() % size, 1 + random() % (head.stretch_bytes() + 1));
        break;
      case 3:
        if (texts.size() > 1) is_lost[file] = true;
        break;
      case 4:  // the end is cut off
        if (random() % 2 == 0) texts[file].resize(texts[file].size() - std::min(texts[file].size(), random() % 5000));
        break;
      default: {  // of the parity
        if (head.windows == 0) break;
        const std::uint64_t begin = head.parity_at(0, 0, 0), end = head.page_at(0, 1);
        const std::uint64_t at = begin + random() % (end - begin);
        for (std::uint64_t i = at; i < std::min(end, at + 1 + random() % 3000); ++i) {
          sidecar[i] = static_cast<char>(sidecar[i] ^ 0x55);
        }
      }
    }
  }
  for (std::size_t file = 0; file < texts.size(); ++file) {
    if (is_lost[file]) {
      fs::remove(all.path(file));
    } else {
      put(all.path(file), texts[file]);
    }
    for (std::uint64_t block = 0; block < head.blocks_of(file); ++block) {
      const std::size_t begin = block * head.block_bytes, length = head.bytes_of(file, block);
      const bool is_same = !is_lost[file] && begin + length <= texts[file].size() &&
                           texts[file].compare(begin, length, all.contents[file], begin, length) == 0;
      if (!is_same) done.blocks.insert({file, block});
    }
  }
  put(all.sidecar, sidecar);
  for (std::uint64_t window = 0; window < head.windows; ++window) {
    for (std::uint32_t parity = 0; parity < head.parities; ++parity) {
      for (std::uint64_t row = 0; row < head.rows; ++row) {
        const std::uint64_t at = head.parity_at(window, parity, row);
        if (sidecar.compare(at, head.block_bytes, all.sidecar_text, at, head.block_bytes) != 0) {
          done.parities.insert({window, parity, row});
        }
      }
    }
  }
  return done;
}

// How many blocks of a row are damaged, and how many parity blocks are left: all that Reed and Solomon ask.
bool comes_back(const Head& head, const Damage& done, std::size_t file, std::uint64_t block) {
  const Cell at = head.cell_of(file, block);
  std::uint32_t damaged = 0, sound = 0;
  for (std::uint32_t column = 0; column < head.columns; ++column) {
    const auto place = head.block_at({at.window, at.row, column});
    if (place) damaged += done.blocks.contains({place->file, place->block}) ? 1 : 0;
  }
  for (std::uint32_t parity = 0; parity < head.parities; ++parity) {
    sound += done.parities.contains({at.window, parity, at.row}) ? 0 : 1;
  }
  return damaged <= sound;
}

void check_all(const Protected& all, const Damage& done, int& restored_files, int& lost_files) {
  const Head& head = all.head;
  const auto sidecar = std::make_shared<const Sidecar>(storage::posix(), all.sidecar);
  for (std::size_t file = 0; file < all.contents.size(); ++file) {
    std::unique_ptr<storage::File> now;
    if (fs::exists(all.path(file))) now = storage::posix().open_read(all.path(file));
    const Cover cover{sidecar, file};
    const FileCheck check = check_file(cover, now.get(), 1);
    std::vector<Range> expected, expected_lost;
    for (std::uint64_t block = 0; block < head.blocks_of(file); ++block) {
      if (!done.blocks.contains({file, block})) continue;
      const Range range{block * head.block_bytes, head.bytes_of(file, block)};
      add_range(expected, range);
      if (!comes_back(head, done, file, block)) add_range(expected_lost, range);
    }
    ASSERT_EQ(check.damaged, expected);
    RestoredFile restored(cover, now.get(), all.path(file));
    ASSERT_EQ(restored.lost_of(check.damaged, 1), expected_lost);
    std::vector<std::byte> bytes(all.contents[file].size() + 3);
    if (expected_lost.empty()) {
      ASSERT_EQ(restored.read_at(0, bytes), all.contents[file].size());
      bytes.resize(all.contents[file].size());
      ASSERT_EQ(base::as_text(bytes), all.contents[file]);
      restored_files += expected.empty() ? 0 : 1;
    } else {
      ASSERT_THROW(restored.read_at(0, bytes), Error);
      ++lost_files;
    }
  }
}

void draw(const std::vector<std::size_t>& sizes, double ratio, std::uint32_t lost, int rounds, unsigned seed) {
  testing::ScratchDirectory folder;
  std::mt19937 random(seed);
  const Protected all = make(folder.path(), random, sizes, ratio, lost);
  int restored_files = 0, lost_files = 0;
  // More of them when somebody asks: LQ_DAMAGE_TIMES=10 is ten thousand.
  const char* const times = std::getenv("LQ_DAMAGE_TIMES");
  if (times != nullptr) rounds *= std::max(1, std::atoi(times));
  for (int round = 0; round < rounds; ++round) {
    all.write_all();
    const Damage done = damage(all, random);
    check_all(all, done, restored_files, lost_files);
    if (::testing::Test::HasFatalFailure()) FAIL() << "round " << round << " of seed " << seed;
  }
  EXPECT_GT(restored_files, rounds / 10);
  EXPECT_GT(lost_files, 0);
}

TEST(RestoredFile, IsByteForByteOrExactlyNamedForOneFile) {
  draw({150'000}, 0.03, 0, 300, 1);
  draw({40'001}, 0.10, 0, 200, 2);
  draw({3}, 0.03, 0, 30, 3);
}

TEST(RestoredFile, IsByteForByteOrExactlyNamedForSets) {
  draw({30'000, 30'000, 30'000, 30'000, 30'000}, 0.03, 2, 200, 4);
  draw({10'000, 0, 7, 52'000, 1'024, 1'025, 9'999, 30'000}, 0.03, 1, 150, 5);
  draw(std::vector<std::size_t>(62, 3'000), 0.03, 2, 20, 6);
  draw({20'000, 30'000, 100}, 0.05, 0, 150, 7);
}

// The bound that is stated: whatever it hits, a stretch of so many bytes comes back.
TEST(RestoredFile, ComesBackFromAnyStretchUpToTheBound) {
  testing::ScratchDirectory folder;
  std::mt19937 random(11);
  const Protected all = make(folder.path(), random, {300'000}, 0.03, 0);
  const std::uint64_t most = all.head.stretch_bytes();
  for (int round = 0; round < 200; ++round) {
    std::string text = all.contents[0];
    const std::size_t begin = round < 2 ? (round == 0 ? 0 : text.size() - most) : random() % (text.size() - most);
    for (std::size_t i = begin; i < begin + most; ++i) text[i] = static_cast<char>(~text[i]);
    put(all.path(0), text);
    put(all.sidecar, all.sidecar_text);
    const auto now = storage::posix().open_read(all.path(0));
    RestoredFile restored({std::make_shared<const Sidecar>(storage::posix(), all.sidecar), 0}, now.get(), "x");
    std::vector<std::byte> bytes(text.size());
    ASSERT_EQ(restored.read_at(0, bytes), bytes.size());
    ASSERT_EQ(base::as_text(bytes), all.contents[0]) << begin;
  }
}

// Counts what is read of it.
class CountedSource final : public base::ByteSource {
 public:
  explicit CountedSource(base::ByteSource& inner) : inner_(inner) {}
  const std::string& path() const noexcept override { return inner_.path(); }
  std::uint64_t size() const override { return inner_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    bytes += buffer.size();
    return inner_.read_at(offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return inner_.open_other(path);
  }
  std::uint64_t bytes = 0;

 private:
  base::ByteSource& inner_;
};

// What was damaged, or was not read as a whole block, is read again, and nothing else.
TEST(PassedBlocks, AreNotReadAgainWhereTheyAgreed) {
  testing::ScratchDirectory folder;
  std::mt19937 random(21);
  const Protected all = make(folder.path(), random, {300'000}, 0.03, 0);
  const std::size_t block = all.head.block_bytes;
  for (const bool is_damaged : {false, true}) {
    std::string text = all.contents[0];
    if (is_damaged) text[10 * block + 3] = static_cast<char>(~text[10 * block + 3]);
    put(all.path(0), text);
    put(all.sidecar, all.sidecar_text);
    PassedBlocks passed({std::make_shared<const Sidecar>(storage::posix(), all.sidecar), 0});
    PassingTransport files(storage::posix(), all.path(0), passed);
    const auto file = files.open_read(all.path(0));
    std::vector<std::byte> piece(20 * block);
    for (std::uint64_t at = 5; at < text.size(); at += piece.size()) file->read_at(at, piece);
    const auto now = storage::posix().open_read(all.path(0));
    EXPECT_TRUE(passed.are_of(now->identity()));
    CountedSource counted(*now);
    const FileCheck check = check_file(passed.cover(), &counted, 1, {}, &passed);
    EXPECT_EQ(check.is_intact(text.size()), !is_damaged);
    if (is_damaged) {
      ASSERT_EQ(check.damaged.size(), 1U);
      EXPECT_EQ(check.damaged.front(), (Range{10 * block, block}));
    }
    const std::uint64_t pieces = text.size() / piece.size() + 1;
    EXPECT_LE(counted.bytes, (pieces + 2 + (is_damaged ? 1 : 0)) * block);
    EXPECT_GE(counted.bytes, block);  // the first bytes did not pass
  }
  // Another file of that name, or one that was written to, has not passed.
  PassedBlocks passed({std::make_shared<const Sidecar>(storage::posix(), all.sidecar), 0});
  PassingTransport files(storage::posix(), all.path(0), passed);
  std::vector<std::byte> bytes(all.contents[0].size());
  files.open_read(all.path(0))->read_at(0, bytes);
  fs::remove(all.path(0));
  put(all.path(0), std::string(bytes.size(), 'x'));
  EXPECT_FALSE(passed.are_of(storage::posix().identity(all.path(0))));
}

TEST(RestoredFile, NeedsAnyTwoFilesOfASetLessThanItHas) {
  testing::ScratchDirectory folder;
  std::mt19937 random(12);
  const Protected all = make(folder.path(), random, {9'000, 12'000, 500, 12'345, 0, 7'000}, 0.03, 2);
  for (std::size_t a = 0; a < all.contents.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      all.write_all();
      fs::remove(all.path(a));
      fs::remove(all.path(b));
      const auto sidecar = std::make_shared<const Sidecar>(storage::posix(), all.sidecar);
      for (const std::size_t file : {a, b}) {
        RestoredFile restored({sidecar, file}, nullptr, "x");
        std::vector<std::byte> bytes(all.contents[file].size());
        ASSERT_EQ(restored.read_at(0, bytes), bytes.size());
        ASSERT_EQ(base::as_text(bytes), all.contents[file]);
      }
    }
  }
}

// Every part of a sidecar that is hit is named, and none that is not; the files come back as long as one copy of each
// head and page is there.
TEST(Sidecar, NamesWhatOfItIsDamagedAndServesAllTheSame) {
  testing::ScratchDirectory folder;
  std::mt19937 random(13);
  const Protected all = make(folder.path(), random, {100'000}, 0.03, 0);
  const Head& head = all.head;
  all.write_all();
  EXPECT_TRUE(Sidecar(storage::posix(), all.sidecar).damage(1).empty());
  std::vector<std::uint64_t> places{
      0, 8, 9, 12, 13, 15, 16, 24, 63, head.head_bytes() - 1, head.second_head_at(), all.sidecar_text.size() - 1};
  for (int i = 0; i < 300; ++i) places.push_back(random() % all.sidecar_text.size());
  for (const std::uint64_t place : places) {
    std::string text = all.sidecar_text;
    text[place] = static_cast<char>(text[place] ^ 0x10);
    put(all.sidecar, text);
    put(all.path(0), std::string(all.contents[0]).replace(5'000, 3, "xyz"));
    const auto sidecar = std::make_shared<const Sidecar>(storage::posix(), all.sidecar);
    const std::vector<Range> named = sidecar->damage(1);
    ASSERT_EQ(named.size(), 1U) << place;
    ASSERT_LE(named[0].offset, place);
    ASSERT_GT(named[0].offset + named[0].length, place);
    const auto now = storage::posix().open_read(all.path(0));
    RestoredFile restored({sidecar, 0}, now.get(), "x");
    std::vector<std::byte> bytes(all.contents[0].size());
    ASSERT_EQ(restored.read_at(0, bytes), bytes.size());
    ASSERT_EQ(base::as_text(bytes), all.contents[0]);
  }
}

TEST(Sidecar, OfALaterVersionIsRefusedAndNotCalledDamaged) {
  testing::ScratchDirectory folder;
  std::mt19937 random(15);
  const Protected all = make(folder.path(), random, {5'000}, 0.03, 0);
  std::string text = all.sidecar_text;
  text[8] = 2;
  const std::size_t end = all.head.head_bytes() - 4;
  const std::uint32_t crc = kernels::crc32(0, base::as_bytes(std::string_view(text).substr(0, end)));
  for (std::size_t i = 0; i < 4; ++i) text[end + i] = static_cast<char>(crc >> (8 * i));
  put(all.sidecar, text);
  try {
    const Sidecar later(storage::posix(), all.sidecar);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
  }
}

TEST(Sidecar, WithoutBothHeadsIsMalformedAndCutOnesServe) {
  testing::ScratchDirectory folder;
  std::mt19937 random(14);
  const Protected all = make(folder.path(), random, {100'000}, 0.03, 0);
  std::string text = all.sidecar_text;
  text[20] = static_cast<char>(~text[20]);
  put(all.sidecar, text);
  EXPECT_NO_THROW(Sidecar(storage::posix(), all.sidecar));
  text[all.head.second_head_at() + 20] ^= 1;
  put(all.sidecar, text);
  EXPECT_THROW(Sidecar(storage::posix(), all.sidecar), Error);
  const std::uint64_t least = all.head.page_at(all.head.windows, 0);  // the first sums; parity is behind them
  for (std::size_t bytes = 0; bytes < all.sidecar_text.size(); bytes += 777) {
    put(all.sidecar, all.sidecar_text.substr(0, bytes));
    try {
      const Sidecar cut(storage::posix(), all.sidecar);
      EXPECT_FALSE(cut.damage(1).empty());
      EXPECT_GE(bytes, least);
    } catch (const Error& error) {
      EXPECT_LT(bytes, least) << error.what();
    }
  }
}

}  // namespace
}  // namespace lq::protection
