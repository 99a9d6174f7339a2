// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Against a plain loop over the sentence of docs/formats/openqcd.md: whatever is written in whatever pieces, the file
// is that of the loop; and what is read in any pieces is what was written.
#include "engine/sequence.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "lattice/site_order.hpp"
#include "storage/forwarding.hpp"
#include "support/file_contents.hpp"

namespace lq::engine {
namespace {

constexpr std::uint32_t link_numbers = 18;
constexpr std::size_t header_bytes = 24;

Payload payload_on(const Extents& extents) {
  Payload payload;
  payload.offset = header_bytes;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = std::uint64_t{4} * link_numbers;
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.order = {2, 1, 0, 3};
  payload.byte_order = ByteOrder::little;
  for (const std::uint32_t mu : {3U, 0U, 1U, 2U}) {
    for (std::uint32_t k = 0; k < link_numbers; ++k) payload.codec.order.push_back(mu * link_numbers + k);
  }
  payload.length = volume(extents) * payload.site_bytes();
  payload.at_odd_points = true;
  return payload;
}

// Number k of link mu of a site.
double number_of(const Coord& x, int mu, std::size_t k) {
  return static_cast<double>(((((x[3] * 64 + x[2]) * 64 + x[1]) * 64 + x[0]) * 4 + mu) * 32) + static_cast<double>(k);
}

template <class Take>
void for_each_link(const Payload& payload, Take&& take) {
  const Extents& n = payload.extents;
  for (std::int64_t t = 0; t < n[3]; ++t)
    for (std::int64_t x = 0; x < n[0]; ++x)
      for (std::int64_t y = 0; y < n[1]; ++y)
        for (std::int64_t z = 0; z < n[2]; ++z)
          for (const int mu : {3, 0, 1, 2}) take(Coord{x, y, z, t}, mu);
}

void append(std::vector<std::byte>& bytes, const Coord& x, int mu) {
  for (std::size_t k = 0; k < link_numbers; ++k) {
    const double number = number_of(x, mu, k);
    const auto* const begin = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), begin, begin + sizeof number);
  }
}

// All links, site after site.
std::vector<std::byte> sequence_of(const Payload& payload) {
  std::vector<std::byte> bytes;
  for_each_link(payload, [&](const Coord& x, int mu) { append(bytes, x, mu); });
  return bytes;
}

// The file: odd points with the links in both directions.
std::vector<std::byte> file_of(const Payload& payload) {
  std::vector<std::byte> bytes(header_bytes);
  for_each_link(payload, [&](const Coord& x, int mu) {
    if ((x[0] + x[1] + x[2] + x[3]) % 2 == 0) return;
    append(bytes, x, mu);
    Coord behind = x;
    behind[mu] = (behind[mu] + payload.extents[mu] - 1) % payload.extents[mu];
    append(bytes, behind, mu);
  });
  return bytes;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> random_pieces(std::mt19937& random, std::uint64_t bytes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t length = std::min<std::uint64_t>(8 * (1 + random() % 3000), bytes - at);
    pieces.emplace_back(at, length);
    at += length;
  }
  return pieces;
}

TEST(OddPointFile, IsThatOfAPlainLoopHoweverItIsWritten) {
  std::mt19937 random(9);
  for (const Extents& extents : {Extents{2, 2, 2, 2}, Extents{4, 2, 6, 2}, Extents{8, 6, 4, 10}}) {
    const Payload payload = payload_on(extents);
    const std::vector<std::byte> sequence = sequence_of(payload), expected = file_of(payload);
    for (const bool in_order : {true, false}) {
      const auto transport = storage::make_memory();
      const auto file = transport->create("f");
      file->resize(expected.size());
      auto pieces = random_pieces(random, payload.length);
      if (!in_order) std::shuffle(pieces.begin(), pieces.end(), random);
      // Two writers, as two ranks are.
      OddPointFile one(payload, *file), other(payload, *file);
      for (const auto& [at, length] : pieces) {
        (random() % 2 == 0 ? one : other).write_at(at, base::Bytes(sequence).subspan(at, length));
      }
      one.flush();
      other.flush();
      EXPECT_EQ(testing::bytes_in(*transport, "f"), expected) << to_string(extents) << " " << in_order;
    }
  }
}

TEST(OddPointFile, IsReadInAnyPieces) {
  std::mt19937 random(10);
  const Payload payload = payload_on({6, 4, 2, 8});
  const std::vector<std::byte> sequence = sequence_of(payload), bytes = file_of(payload);
  const auto transport = storage::make_memory();
  const auto file = transport->create("f");
  file->write_at(0, bytes);
  OddPointFile sites(payload, *file);
  EXPECT_EQ(sites.size(), payload.length);
  auto pieces = random_pieces(random, payload.length);
  std::shuffle(pieces.begin(), pieces.end(), random);
  for (const auto& [at, length] : pieces) {
    std::vector<std::byte> found(static_cast<std::size_t>(length));
    ASSERT_EQ(sites.read_at(at, found), length);
    EXPECT_EQ(std::memcmp(found.data(), sequence.data() + at, found.size()), 0) << at;
  }
  std::vector<std::byte> more(100);
  EXPECT_EQ(sites.read_at(payload.length - 60, more), 60U);
  EXPECT_EQ(sites.read_at(payload.length, more), 0U);
}

class ReadBytes final : public storage::ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  storage::Identity identity_when_opened() const override { return inner().identity_when_opened(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    read += buffer.size();
    return inner().read_at(offset, buffer);
  }

  std::uint64_t read = 0;
};

// Boxes have long rows along z, as the file has, and along x, as another one has: each comes back to most blocks of its
// slice and of the next one. The first slice comes once more, after the last.
TEST(OddPointFile, IsReadOnceInBoxesAcrossTwoOrders) {
  const Payload payload = payload_on({24, 24, 24, 4});
  const auto transport = storage::make_memory();
  transport->create("f")->resize(header_bytes + payload.length);
  ReadBytes file(transport->open_read("f"));
  OddPointFile sites(payload, file);
  std::vector<std::byte> row(static_cast<std::size_t>(24 * payload.site_bytes()));
  for (std::uint64_t t = 0; t < 4; ++t) {
    for (std::uint64_t box = 0; box < 24; box += 3) {
      for (std::uint64_t x = 0; x < 24; ++x) {
        for (std::uint64_t y = box; y < box + 3; ++y) {
          ASSERT_EQ(sites.read_at(((t * 24 + x) * 24 + y) * row.size(), row), row.size());
        }
      }
    }
  }
  EXPECT_LT(static_cast<double>(file.read), 1.4 * static_cast<double>(payload.length));
}

}  // namespace
}  // namespace lq::engine
