// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Changed bytes in a catalogue: it is used, or refused as what it is; never a mistake of ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>
#include <limequat/limequat.hpp>

#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::ensemble {
namespace {

TEST(DamagedCatalogue, IsRefusedAsWhatItIs) {
  const testing::ScratchDirectory folder;
  const std::string file = folder / "a.ildg", database = folder / "c.db";
  const Grid grid({4, 4, 4, 4});
  std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72, 0.5);
  write(file, grid, gauge(links), {.metadata = {{"note", "beta = 6.1, trajectory = 10"}}});
  const CatalogueOptions options{.db = database};
  index({file}, options);
  const std::string sound = testing::contents(database);

  const std::vector<std::function<void()>> uses = {[&] { find("beta=6.1", options); }, [&] { scrub(options); },
                                                   [&] { index({file}, options); }, [&] { assess(options); }};
  std::mt19937 random(18);
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string changed = sound;
    // The schema and the heads of pages are what the rest hangs from.
    const std::size_t at = random() % (trial % 2 == 0 ? 4096 : changed.size());
    const std::size_t count = trial % 5 == 0 ? 64 : trial % 5 == 1 ? 4 : 1;
    for (std::size_t k = at; k < std::min(at + count, changed.size()); ++k) {
      changed[k] =
          static_cast<char>(trial % 3 == 0 ? changed[k] ^ (1 << random() % 8) : static_cast<int>(random() % 256));
    }
    if (trial % 20 == 19) changed.resize(at);
    for (const auto& use : uses) {
      testing::put_contents(database, changed);
      try {
        use();
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == Code::malformed || error.code() == Code::unsupported)
            << "trial " << trial << ": " << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace lq::ensemble
