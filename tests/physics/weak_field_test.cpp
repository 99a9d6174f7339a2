// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file of another program, with the plaquette that is known for it, where the shared data are at hand
// (LQ_SHARED_DIR). The file is read here from its specification, without the library.
#include <bit>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <limequat/physics.hpp>

#include "base/bytes.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

// The payload of the record "ildg-binary-data": records are 144 bytes of header and a payload padded to 8 bytes.
std::string payload_of(const std::string& file) {
  for (std::size_t at = 0; at + 144 <= file.size();) {
    const auto length = static_cast<std::size_t>(base::load_be<std::uint64_t>(base::as_bytes(file).data() + at + 8));
    if (std::string(file.c_str() + at + 16) == "ildg-binary-data") return file.substr(at + 144, length);
    at += 144 + (length + 7) / 8 * 8;
  }
  return {};
}

TEST(WeakField, HasItsKnownPlaquette) {
  const char* directory = std::getenv("LQ_SHARED_DIR");
  if (directory == nullptr) GTEST_SKIP() << "LQ_SHARED_DIR is not set";
  const std::string payload = payload_of(testing::contents(std::string(directory) + "/data/weak_field.lime"));
  const Grid grid({4, 4, 4, 8});
  std::vector<double> links(grid.local_volume() * 72);
  ASSERT_EQ(payload.size(), links.size() * sizeof(double));
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i] = std::bit_cast<double>(base::load_be<std::uint64_t>(base::as_bytes(payload).data() + 8 * i));
  }
  const Physics physics = measure(grid, gauge(links));
  EXPECT_NEAR(physics.plaquette.average, 0.994804132267, 1e-12);
  EXPECT_LT(physics.unitarity.largest, 1e-10);
}

}  // namespace
}  // namespace lq
