// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One file per process: what a file system gives when nobody shares anything.
#include <cstdio>

#include <fmt/format.h>

#include "bench/raw.hpp"
#include "bench/rounds.hpp"

namespace lq::bench {
namespace {

class FilesMover : public Mover {
 public:
  FilesMover(const Grid& grid, bool sync) : rank_(grid.rank()), sync_(sync) {}

  Result label() const override { return plain_label("own files", "raw"); }
  Account write(const std::string& path, const BenchField& field) override {
    return {raw_write(own(path), 0, std::as_bytes(field.source()), sync_)};
  }
  Account read(const std::string& path, BenchField& field) override {
    return {raw_read(own(path), 0, std::as_writable_bytes(field.target()))};
  }
  void remove_others(const std::string& path) noexcept override { std::remove(own(path).c_str()); }

 private:
  std::string own(const std::string& path) const { return fmt::format("{}.{:06}", path, rank_); }

  int rank_;
  bool sync_;
};

}  // namespace

std::unique_ptr<Mover> make_files_mover(const Grid& grid, bool sync) {
  return std::make_unique<FilesMover>(grid, sync);
}

}  // namespace lq::bench
