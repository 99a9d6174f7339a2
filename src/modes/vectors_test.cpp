// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of vectors of other programs on several ranks: every rank gets its part, whatever the process grid, and the set
// that is made of them is that of one rank. The files: tools/make_golden_vectors.py.
#include <gtest/gtest.h>

#include <filesystem>

#include <limequat/limequat.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::modes {
namespace {

using lq::testing::error_of;
using lq::testing::run_ranks;

struct ForeignSet {
  const char* name;
  Unsaid unsaid;
};

std::string path_of(const std::string& name) {
  return std::string(LQ_SOURCE_DIR) + "/tests/golden/good/vectors/" + name;
}

// Number i of a site, as the script that made the files has it.
double number_at(std::uint64_t k, std::int64_t s, const Coord& x, std::uint64_t i) {
  const std::int64_t rank = x[0] + 4 * (x[1] + 2 * (x[2] + 2 * x[3]));
  return static_cast<double>(((static_cast<std::int64_t>(k) * 2 + s) * 64 + rank) * 32) + static_cast<double>(i);
}

Coord site_of(Coord x, Parity parity) {
  if (parity != Parity::both) x[0] = 2 * x[0] + (x[1] + x[2] + x[3] + (parity == Parity::odd ? 1 : 0)) % 2;
  return x;
}

void expect_vector(const Set& set, std::uint64_t k, const Grid& grid, const SiteOrder& order) {
  const Description& known = set.description();
  FieldSpec spec = known.field();
  spec.precision = Precision::double_;
  std::vector<double> numbers(static_cast<std::size_t>(grid.local_volume() * spec.numbers), -1);
  set.read(k, grid, {spec, numbers.data(), numbers.size(), order, {}});
  const Box& box = grid.local_box();
  const SiteOrder slowest_last = order.empty() ? SiteOrder{0, 1, 2, 3} : order;
  std::size_t at = 0, wrong = 0;
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    Coord x = box.lower;
    std::uint64_t rest = i;
    for (const int d : slowest_last) {
      const auto extent = static_cast<std::uint64_t>(box.extents[d]);
      x[d] += static_cast<std::int64_t>(rest % extent);
      rest /= extent;
    }
    for (std::int64_t s = 0; s < known.ls; ++s) {
      for (std::uint64_t n = 0; n < known.site.numbers; ++n) {
        wrong += numbers[at++] != number_at(k, s, site_of(x, known.parity), n) ? 1U : 0U;
      }
    }
  }
  EXPECT_EQ(wrong, 0U);
}

class VectorsOfOthers : public ::testing::TestWithParam<ForeignSet> {};

TEST_P(VectorsOfOthers, AreReadByAnyRanksInAnyOrder) {
  for (const int ranks : {1, 2, 3, 8}) {
    for (const SiteOrder& order : {SiteOrder{}, SiteOrder{3, 1, 0, 2}}) {
      run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
        const Communicator group(std::move(comm));
        const Set set(path_of(GetParam().name), group, {}, GetParam().unsaid);
        const Grid grid(group, set.description().sites());
        for (std::uint64_t k = 0; k < set.size(); ++k) expect_vector(set, k, grid, order);
      });
    }
  }
}

TEST_P(VectorsOfOthers, BecomeTheSameSetOnAnyRanks) {
  const lq::testing::ScratchDirectory directory;
  const std::string one = directory / "one.modes", other = directory / "other.modes";
  const ConvertOptions options{.overwrite = true, .unsaid = GetParam().unsaid};
  convert(path_of(GetParam().name), one, {}, options);
  const Set set(one);
  const Grid grid(set.description().sites());
  for (std::uint64_t k = 0; k < set.size(); ++k) expect_vector(set, k, grid, {});
  for (const int ranks : {2, 3}) {
    run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      convert(path_of(GetParam().name), other, Communicator(std::move(comm)), options);
    });
    EXPECT_TRUE(lq::testing::contents(one) == lq::testing::contents(other)) << ranks;
  }
}

TEST_P(VectorsOfOthers, GoThroughFilesOfQudaOnAnyRanks) {
  const lq::testing::ScratchDirectory directory;
  const std::string set = directory / "set.modes", quda = directory / "file.quda", back = directory / "back.modes";
  convert(path_of(GetParam().name), set, {}, {.unsaid = GetParam().unsaid});
  std::string first;
  for (const Strategy strategy : {Strategy::automatic, Strategy::messages, Strategy::shared}) {
    for (const int ranks : {1, 2, 3, 5}) {
      run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
        ConvertOptions options{.overwrite = true, .format = "quda"};
        options.route.strategy = strategy;
        convert(set, quda, Communicator(std::move(comm)), options);
      });
      if (first.empty()) first = lq::testing::contents(quda);
      EXPECT_TRUE(lq::testing::contents(quda) == first) << ranks << ", " << lq::name(strategy);
    }
  }
  const Unsaid unsaid{.ls = Set(set).description().ls};
  convert(quda, back, {}, {.overwrite = true, .unsaid = unsaid});
  const Set known(back);
  EXPECT_EQ(known.description().parity, Set(set).description().parity);
  const Grid grid(known.description().sites());
  for (std::uint64_t k = 0; k < known.size(); ++k) expect_vector(known, k, grid, {});
}

TEST_P(VectorsOfOthers, GoThroughFilesOfGridOnAnyRanks) {
  const lq::testing::ScratchDirectory directory;
  const std::string set = directory / "set.modes", file = directory / "file.bin", folder = directory / "folder";
  convert(path_of(GetParam().name), set, {}, {.unsaid = GetParam().unsaid});
  const Description known = Set(set).description();
  const Unsaid unsaid{.parity = known.parity};
  if (known.site.kind != FieldKind::spinor) GTEST_SKIP() << "no spinors";
  std::string first;
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator group(std::move(comm));
      convert(set, file, group, {.overwrite = true, .format = "grid"});
      convert(set, folder, group, {.overwrite = true, .format = "grid-folder"});
    });
    if (ranks == 1) first = lq::testing::contents(file);
    EXPECT_TRUE(lq::testing::contents(file) == first) << ranks;
    for (const std::string& path : {file, folder}) {
      const Set back(path, {}, {}, unsaid);
      EXPECT_EQ(back.family(), "grid");
      EXPECT_EQ(back.modes().size(), Set(set).size());
      EXPECT_EQ(back.description().ls, known.ls);
      const Grid grid(back.description().sites());
      for (std::uint64_t k = 0; k < back.size(); ++k) expect_vector(back, k, grid, {});
    }
  }
}

TEST_P(VectorsOfOthers, GoThroughObjectFilesOnAnyRanks) {
  const lq::testing::ScratchDirectory directory;
  const std::string set = directory / "set.modes", file = directory / "file.mod";
  convert(path_of(GetParam().name), set, {}, {.unsaid = GetParam().unsaid});
  const Description known = Set(set).description();
  if (known.field().numbers != 6 || known.parity != Parity::both) {
    EXPECT_EQ(error_of([&] { convert(set, file, {}, {.format = "mod"}); }).code(), Code::unsupported);
    return;
  }
  std::string first;
  for (const int ranks : {1, 2, 5}) {
    run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      convert(set, file, Communicator(std::move(comm)), {.overwrite = true, .format = "mod"});
    });
    if (ranks == 1) first = lq::testing::contents(file);
    EXPECT_TRUE(lq::testing::contents(file) == first) << ranks;
  }
  EXPECT_TRUE(modes::verify(file).ok);
  const Set back(file);
  const Grid grid(back.description().sites());
  for (std::uint64_t k = 0; k < back.size(); ++k) expect_vector(back, k, grid, {});
}

// What stands between <weights> and </weights>, in order.
std::vector<std::string> weights_in(const std::string& contents) {
  std::vector<std::string> found;
  const std::string begin = "<weights>";
  for (std::size_t at = 0; (at = contents.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    found.push_back(contents.substr(at, contents.find("</weights>", at) - at));
  }
  return found;
}

TEST(VectorsOfChroma, KeepTheirWeightsOfSlices) {
  const lq::testing::ScratchDirectory directory;
  const std::string set = directory / "set.modes", file = directory / "file.mod";
  const std::string original = path_of("chroma_weights_of_slices.mod");
  convert(original, set);
  convert(set, file, {}, {.format = "mod"});
  const std::vector<std::string> expected = weights_in(lq::testing::contents(original));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(weights_in(lq::testing::contents(file)), expected);
}

TEST(VectorsThatAreDamaged, AreToldByFile) {
  const std::string bad = std::string(LQ_SOURCE_DIR) + "/tests/golden/bad/vectors/";
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator group(std::move(comm));
      const Verification folder = modes::verify(bad + "eigen_comp_damaged", group);
      ASSERT_EQ(folder.findings.size(), 1U);
      EXPECT_FALSE(folder.ok);
      EXPECT_NE(folder.findings[0].message.find("01/0000000001.compressed"), std::string::npos);
      EXPECT_FALSE(modes::verify(bad + "mod_slice_damaged.mod", group).ok);
      EXPECT_TRUE(modes::verify(path_of("eigen_comp_16"), group).ok);
      EXPECT_TRUE(modes::verify(path_of("chroma.mod"), group).ok);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, VectorsOfOthers,
                         ::testing::Values(ForeignSet{"quda_wilson.quda", {}},
                                           ForeignSet{"quda_staggered_odd_sites.quda", {}},
                                           ForeignSet{"quda_two_vectors_with_ls_2.quda", {.ls = 2}},
                                           ForeignSet{"quda_multigrid.quda", {}}, ForeignSet{"milc.eigen", {}},
                                           ForeignSet{"milc_packed.eigen", {}}, ForeignSet{"hadrons.bin", {}},
                                           ForeignSet{"hadrons_even_sites.bin", {.parity = Parity::even}},
                                           ForeignSet{"hadrons_five_dimensions_odd_sites.bin", {.parity = Parity::odd}},
                                           ForeignSet{"hadrons_folder", {}}, ForeignSet{"grid_eigenpairs.scidac", {}},
                                           ForeignSet{"chroma.mod", {}}, ForeignSet{"chroma_weights_of_slices.mod", {}},
                                           ForeignSet{"eigen_comp", {}},
                                           ForeignSet{"eigen_comp_blocks_in_s", {.lattice = Extents{4, 2, 2, 4}}}));

TEST(VectorsOfOthersInTheBackground, AreRefusedWithAWayOut) {
  const Set set(path_of("quda_wilson.quda"));
  const Grid grid(set.description().sites());
  std::vector<double> numbers(static_cast<std::size_t>(grid.local_volume() * 24));
  const Error error = error_of([&] { set.read_async(0, grid, spinor(numbers)); });
  EXPECT_EQ(error.code(), Code::unsupported);
  EXPECT_NE(std::string(error.what()).find("lq modes convert"), std::string::npos);
}

TEST(VectorsOfOthersOnAnotherGrid, AreRefused) {
  for (const char* const name : {"quda_wilson.quda", "milc_packed.eigen", "hadrons.bin"}) {
    const Set set(path_of(name));
    const Grid grid(Extents{2, 2, 2, 2});
    std::vector<double> numbers(static_cast<std::size_t>(16 * set.description().field().numbers));
    const Error error = error_of([&] { set.read(0, grid, sites(numbers)); });
    EXPECT_EQ(error.code(), Code::invalid_argument) << name;
  }
}

// A folder of files of one vector each, among them one of another lattice, or with several vectors.
TEST(VectorsInAFolder, AreAllOfOneKind) {
  const testing::ScratchDirectory folder;
  std::filesystem::copy(path_of("hadrons_folder"), folder.path());
  EXPECT_EQ(Set(folder.path()).size(), 3U);
  for (const char* const other : {"hadrons.bin", "quda_wilson.quda"}) {
    std::filesystem::copy_file(path_of(other), folder / "v1.bin", std::filesystem::copy_options::overwrite_existing);
    const Error error = error_of([&] { Set set(folder.path()); });
    EXPECT_EQ(error.code(), Code::malformed) << other;
    EXPECT_NE(std::string(error.what()).find("v1.bin"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lq::modes
