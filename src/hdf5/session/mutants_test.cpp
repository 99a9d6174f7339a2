// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Changed bytes in HDF5 files: what is damaged is named by object and place, and a file that is given up halfway leaves
// nothing open. That no changed file is called sound: tests/verdicts.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "io/verify.hpp"
#include "support/contents.hpp"
#include "support/damage.hpp"
#include "support/error_of.hpp"
#include "support/findings.hpp"
#include "support/leaks_of_hdf5.hpp"
#include "support/parts_here.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::hdf5 {
namespace {

const Extents small_lattice{4, 4, 2, 4};
constexpr std::int64_t once = 0x1234567887654321;  // a number that no file has but once

void read_below(File& file, const std::string& group) {
  for (const Entry& entry : file.ls(group)) {
    const std::string path = (group == "/" ? "" : group) + "/" + entry.name;
    file.attributes(path);
    // Links may lead in a circle.
    if (entry.kind == EntryKind::group && std::ranges::count(path, '/') < 5) read_below(file, path);
    if (entry.kind == EntryKind::dataset) file.read(path);
  }
}

// As far as it can be read.
void read_all(const std::string& path) {
  try {
    File file(path, Mode::read, {}, {.digests = Digests::ignore});
    read_below(file, "/");
    for (const FieldEntry& entry : inspect(path).fields) {
      const Grid grid(entry.payload.extents);
      std::vector<double> links(static_cast<std::size_t>(grid.volume() * entry.payload.spec.numbers));
      lq::read(path, grid, gauge(links, {.colors = entry.payload.spec.colors}),
               {.field = entry.name, .verify = Verify::none});
    }
  } catch (const Error&) {
  }
}

class ChangedHdf5 : public ::testing::Test {
 protected:
  void put(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  std::vector<double> links() {
    std::vector<double> numbers(static_cast<std::size_t>(volume(small_lattice)) * 72);
    std::iota(numbers.begin(), numbers.end(), 0.25);
    return numbers;
  }

  void write_field(const WriteOptions& options) {
    std::vector<double> numbers = links();
    WriteOptions how = options;
    how.format = "hdf5";
    how.metadata = {{"note", "a text beside it"}};
    lq::write(path_, Grid(small_lattice), gauge(numbers), how);
  }

  // In the oldest version of everything, as h5py makes it.
  void make_foreign() const {
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_chunked(file, "data", false);
    put_chunked(file, "packed", true);
    const std::array<hsize_t, 1> extent{500};
    const hid_t space = H5Screate_simple(1, extent.data(), nullptr);
    const hid_t plain = H5Dcreate2(file, "plain", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<double> numbers(500, 1.5);
    H5Dwrite(plain, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    const hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
    H5Tset_size(text, H5T_VARIABLE);
    const hid_t attribute = H5Acreate2(plain, "comment", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    const char* const comment = "of variable length";
    H5Awrite(attribute, text, &comment);
    for (const auto& [close, id] : {std::pair{&H5Aclose, attribute},
                                    {&H5Tclose, text},
                                    {&H5Sclose, scalar},
                                    {&H5Dclose, plain},
                                    {&H5Sclose, space},
                                    {&H5Fclose, file}})
      close(id);
  }

  // Zeros and -1, words that Fletcher's sum takes for each other.
  static void put_chunked(hid_t file, const char* name, bool is_packed) {
    constexpr std::array<hsize_t, 2> extents{64, 64}, chunk{16, 16};
    const hid_t space = H5Screate_simple(2, extents.data(), nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk.data());
    if (is_packed) H5Pset_deflate(list, 6);
    if (!is_packed) H5Pset_fletcher32(list);
    const hid_t dataset = H5Dcreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    std::vector<std::int64_t> numbers(64 * 64);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      numbers[k] = k % 3 == 0 ? -1 : k % 7 == 0 ? static_cast<std::int64_t>(k) : 0;
    if (!is_packed) numbers[20] = once;
    H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "file.h5";
};

// Where a number of 64 bits lies that is in the file once.
std::size_t place_of(const std::string& bytes, const void* number) {
  const std::size_t at = bytes.find(std::string(static_cast<const char*>(number), 8));
  EXPECT_NE(at, std::string::npos);
  return at;
}

Outcome outcome_of(const Verification& found, const std::string& of, const std::string& name) {
  const auto claim = std::ranges::find_if(found.claims, [&](const Claim& c) { return c.of == of && c.name == name; });
  return claim != found.claims.end() ? claim->outcome : Outcome::unchecked;
}

TEST_F(ChangedHdf5, ChunksAreNamedByDatasetPlaceAndByte) {
  make_foreign();
  std::string bytes = testing::contents(path_);
  EXPECT_EQ(outcome_of(io::verify(path_), "/data", "fletcher32"), Outcome::agrees);
  EXPECT_EQ(outcome_of(io::verify(path_), "/plain", "sha256"), Outcome::absent);
  const std::size_t at = place_of(bytes, &once);
  bytes[at] ^= 1;
  put(bytes);
  const Verification found = io::verify(path_);
  EXPECT_EQ(found.verdict, Verdict::damaged);
  EXPECT_EQ(outcome_of(found, "/data", "fletcher32"), Outcome::differs);
  const auto finding = std::ranges::find(found.findings, "hdf5-chunk", &Finding::rule);
  ASSERT_NE(finding, found.findings.end());
  EXPECT_EQ(finding->record, "/data");
  EXPECT_NE(finding->message.find("chunk (0, 1)"), std::string::npos) << finding->message;
  EXPECT_TRUE(*finding->offset <= at && at < *finding->offset + *finding->length);
}

TEST_F(ChangedHdf5, SmallObjectsAreHeldAgainstTheirDigestsOnAllRanks) {
  {
    File file(path_, Mode::create, {}, {.time_stamps = false});
    file.write("/one", std::vector<std::int64_t>{1, 2, 3});
    file.write("/pion", std::vector<std::int64_t>{7, once, 9});
    file.close();
  }
  EXPECT_EQ(outcome_of(io::verify(path_), "/pion", "sha256"), Outcome::agrees);
  std::string bytes = testing::contents(path_);
  bytes[place_of(bytes, &once)] ^= 1;
  put(bytes);
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Verification found = io::verify(path_, Communicator(comm));
    EXPECT_EQ(found.verdict, Verdict::damaged);
    EXPECT_EQ(outcome_of(found, "/pion", "sha256"), Outcome::differs);
    EXPECT_EQ(outcome_of(found, "/one", "sha256"), Outcome::agrees);
    ASSERT_EQ(testing::count_of(found.findings, "hdf5-digest"), 1U);
    EXPECT_EQ(std::ranges::find(found.findings, "hdf5-digest", &Finding::rule)->record, "/pion");
  });
}

// A digest that is there and cannot be one is not as if there were none.
TEST_F(ChangedHdf5, DigestsThatCannotBeReadAreDamage) {
  make_foreign();
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
  const hid_t plain = H5Dopen2(file, "plain", H5P_DEFAULT), scalar = H5Screate(H5S_SCALAR);
  H5Tset_size(text, 8);
  const hid_t attribute = H5Acreate2(plain, "sha256", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, text, "abcdefg");
  H5Aclose(attribute);
  H5Sclose(scalar);
  H5Dclose(plain);
  H5Tclose(text);
  H5Fclose(file);
  const Verification found = io::verify(path_);
  EXPECT_EQ(found.verdict, Verdict::damaged);
  EXPECT_EQ(outcome_of(found, "/plain", "sha256"), Outcome::unreadable);
  EXPECT_EQ(testing::count_of(found.findings, "hdf5-digest-damaged"), 1U);
  EXPECT_EQ(testing::error_of([&] { File(path_).read("/plain"); }).code(), Code::checksum_mismatch);
}

TEST_F(ChangedHdf5, ChunksOfFieldsThatCannotBeDecodedAreDamageAndNoFailure) {
  if (!testing::has_filters("deflate")) GTEST_SKIP() << "built without libdeflate";
  write_field({.dataset_chunk = "slice", .filters = "deflate:6"});
  std::string bytes = testing::contents(path_);
  const std::size_t at = static_cast<std::size_t>(inspect(path_).fields.at(0).payload.tiles.at(1).offset);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 20, 8, '\x55');
  put(bytes);
  const Verification found = io::verify(path_);
  EXPECT_EQ(found.verdict, Verdict::damaged);
  const auto finding = std::ranges::find(found.findings, "unreadable-data", &Finding::rule);
  ASSERT_NE(finding, found.findings.end());
  EXPECT_EQ(finding->offset, at);
}

// The library complains when the program ends if something of it is still open then, and can close no file that is.
// Their lists of members, and of chunks, have no checksum, and the library follows them wherever they lead.
TEST_F(ChangedHdf5, ListsOfOldFilesMaySayAnything) {
  constexpr std::size_t bytes_of_list = 160, word = 8;
  std::size_t refused = 0, changed = 0;
  for (const char* const name : {"hadrons.h5", "small-objects.h5", "links.h5"}) {
    const std::string good = testing::golden_contents(std::string("good/hdf5/") + name);
    for (const char* const signature : {"HEAP", "TREE", "SNOD"}) {
      for (std::size_t begin = good.find(signature); begin != std::string::npos;
           begin = good.find(signature, begin + 1)) {
        for (std::size_t at = begin; at < std::min(begin + bytes_of_list, good.size() - 2 * word); at += word / 2) {
          std::string bad = good;
          switch (at / (word / 2) % 4) {
            case 0:
              bad.replace(at, word, word, '\xff');
              break;
            case 1:
              bad[at] ^= 1;
              break;
            case 2:
              bad.replace(at, word, good, begin % 64, word);
              break;
            default:
              bad.replace(at, word, word, '\0');
          }
          if (bad == good) continue;
          put(bad);
          read_all(path_);
          ++changed;
          refused += is_ok(io::verify(path_).verdict) ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(refused, changed / 4);
}

// Little-endian, as all of these are.
std::uint64_t word_at(const std::string& bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t k = 8; k-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + k]);
  return word;
}

void put_word(std::string& bytes, std::size_t at, std::uint64_t word) {
  for (std::size_t k = 0; k < 8; ++k) bytes[at + k] = static_cast<char>(word >> 8 * k & 255);
}

bool has_message(const Verification& found, const std::string& words) {
  return std::ranges::any_of(found.findings,
                             [&](const Finding& one) { return one.message.find(words) != std::string::npos; });
}

// The heap of names (HDF5 file format, III.D): at byte 8 its size, at 16 the first free piece, at 24 where it lies.
TEST_F(ChangedHdf5, FreePiecesOfNamesEndWithinThem) {
  make_foreign();
  const std::string good = testing::contents(path_);
  const std::size_t heap = good.find("HEAP");
  ASSERT_NE(heap, std::string::npos);
  const std::uint64_t bytes = word_at(good, heap + 8), free = word_at(good, heap + 16),
                      names = word_at(good, heap + 24);
  ASSERT_LT(free, bytes);
  const auto length = static_cast<std::size_t>(names + free + 8);
  ASSERT_EQ(word_at(good, length), bytes - free);
  ASSERT_TRUE(is_ok(io::verify(path_).verdict));
  for (const std::uint64_t wrong : {bytes - free + 1, bytes - free + 8, std::uint64_t{15}}) {
    std::string bad = good;
    put_word(bad, length, wrong);
    put(bad);
    const Verification found = io::verify(path_);
    EXPECT_FALSE(is_ok(found.verdict)) << wrong;
    EXPECT_TRUE(has_message(found, "a free piece has a wrong length")) << wrong;
  }
}

// Nodes of a tree (III.A.1): at byte 4 the type, 0 of groups, at 5 the level.
TEST_F(ChangedHdf5, NodesOfGroupsAreAtTheLevelBelowTheOneAbove) {
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (int k = 0; k < 600; ++k) {
    H5Gclose(H5Gcreate2(file, ("group" + std::to_string(k)).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  H5Fclose(file);
  const std::string good = testing::contents(path_);
  std::size_t roots = 0, changed = 0, last = 0;
  for (std::size_t at = good.find("TREE"); at != std::string::npos; at = good.find("TREE", at + 1)) {
    if (good[at + 5] == 1) ++roots;
    // Only members of the root are in nodes with entries.
    if (good[at + 5] == 0 && good[at + 6] != 0) last = at, ++changed;
  }
  ASSERT_EQ(roots, 1U);
  ASSERT_GT(changed, 1U);
  std::string bad = good;
  bad[last + 5] = 1;
  put(bad);
  const Verification found = io::verify(path_);
  EXPECT_FALSE(is_ok(found.verdict));
  EXPECT_TRUE(has_message(found, "a node is not at the level that it states"));
}

TEST_F(ChangedHdf5, FilesOfAllProgramsLeaveNothingOpenAndTheLibraryEndsInSilence) {
  const auto pass_all = [&] {
    const char* const more = std::getenv("LQ_MUTANTS");
    const int count = more == nullptr ? 6 : std::atoi(more);
    int left = 0;
    for (const auto& golden : std::filesystem::directory_iterator(LQ_SOURCE_DIR "/tests/golden/good/hdf5")) {
      if (golden.path().extension() != ".h5") continue;
      const std::string good = testing::contents(golden.path().string());
      testing::Damage damage(20261128);
      for (int k = 0; k < count; ++k) {
        put(damage.of(good));
        read_all(path_);
        try {
          io::verify(path_);
        } catch (const Error&) {
        }
        if (H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) != 0) ++left;
      }
    }
    std::exit(left != 0 ? 1 : 0);
  };
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(pass_all(), ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace lq::hdf5
