// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory by description without a file: a gauge field that stays in the second cache level is turned into the bytes of
// a file and back, with its checksum, by one thread, as in a write and a read; bytes are handed to nobody, and come out
// of memory that is in cache. Beside it plain memory, in turn; medians. What has to be found out once for a transfer
// is told apart: of both.
//
//   bench_packing [LATTICE [ROUNDS [MEMORY]]]     only that of the memory beside plain
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "described.hpp"
#include "engine/direct.hpp"
#include "turns.hpp"

namespace {

using lq::base::Bytes;
using lq::base::MutableBytes;

// Takes bytes and forgets them; gives those of one block again and again.
class NoFile final : public lq::storage::File {
 public:
  explicit NoFile(std::size_t block) : block_(block) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return ~std::uint64_t{0}; }
  std::size_t read_at(std::uint64_t, MutableBytes to) override {
    for (std::size_t at = 0; at < to.size(); at += block_.size()) {
      std::memcpy(to.data() + at, block_.data(), std::min(block_.size(), to.size() - at));
    }
    return to.size();
  }
  lq::storage::Identity identity() const override { return {}; }
  void write_at(std::uint64_t, Bytes) override {}
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}
  void sync() override {}
  void close() override {}

 private:
  std::vector<std::byte> block_;
  std::string path_ = "no file";
};

struct Times {
  std::vector<double> packing = {}, unpacking = {}, setup = {};
};

struct Seconds {
  double setup = 0, moving = 0;
};

template <class Make>
Seconds timed(const Make& make) {
  decltype(make()) movement;
  const double setup = seconds_of([&] { movement = make(); });
  return {setup, seconds_of([&] { lq::engine::run(*movement); })};
}

void run(int argc, char** argv) {
  const lq::Extents lattice = lq::parse_extents(argc > 1 ? argv[1] : "8x8x4x4");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 301;
  const lq::engine::BlockOptions options{.block_bytes = 64 * 1024};
  lq::Payload payload;
  payload.spec = lq::gauge_spec(lq::Precision::double_, 3, lattice.size());
  payload.spec.numbers = 18 * static_cast<std::uint64_t>(lattice.size());
  payload.extents = lattice;
  payload.stored = lq::whole(lattice);
  payload.length = lq::volume(lattice) * payload.site_bytes();
  const lq::Box box = payload.stored;
  const lq::lattice::RowPlan rows{payload.extents, payload.stored, payload.order, box, {}, box};
  NoFile file(options.block_bytes);

  std::vector<DescribedField> fields = described_fields(lq::volume(lattice));
  if (argc > 3) std::erase_if(fields, [&](const auto& one) { return one.name != "plain" && one.name != argv[3]; });
  for (DescribedField& one : fields) one.source.spec = one.field.spec = payload.spec;
  std::vector<Times> times(fields.size());
  lq::engine::TransferStats stats(payload, {{lq::SumKind::scidac, lq::SumOf::field}});
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      DescribedField& one = fields[i];
      const auto packing = [&] { return lq::engine::move_out(one.source, payload, rows, file, options, stats); };
      const auto unpacking = [&] { return lq::engine::move_in(file, payload, rows, one.field, options, stats); };
      timed(packing);  // brings the field into the cache
      const Seconds packed = timed(packing), unpacked = timed(unpacking);
      if (round < 0) continue;
      times[i].packing.push_back(packed.moving);
      times[i].unpacking.push_back(unpacked.moving);
      times[i].setup.push_back(packed.setup + unpacked.setup);
    }
  }
  std::printf("%s, double, %.0f KiB, with checksum, %d rounds\n%-16s %6s GB/s of plain %6s GB/s of plain  setup us\n",
              to_string(lattice).c_str(), static_cast<double>(payload.length) / 1024, rounds, "memory", "packed",
              "given");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::printf("%-16s", fields[i].name.c_str());
    for (std::vector<double> Times::*of : {&Times::packing, &Times::unpacking}) {
      const double seconds = median(times[i].*of);
      std::printf(" %11.1f %8.2f", static_cast<double>(payload.length) / seconds / 1e9, median(times[0].*of) / seconds);
    }
    std::printf(" %9.1f\n", median(times[i].setup) * 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_packing: %s\n", error.what());
    return 1;
  }
}
