// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The payload of a record of LRL's as a file, for the movement of sites.
#pragma once

#include <lrl.h>

#include <string>

#include "transport/transport.hpp"

namespace lq::compat::qio {

class RecordAsFile final : public transport::File {
 public:
  // Either may be null, for what is not done.
  RecordAsFile(LRL_RecordReader* reader, LRL_RecordWriter* writer) : reader_(reader), writer_(writer) {}

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  transport::Identity identity() const override { return {}; }
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  // The record has its size.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}
  void sync() override {}
  void close() override {}

 private:
  LRL_RecordReader* reader_;
  LRL_RecordWriter* writer_;
  std::string path_ = "a record";
};

}  // namespace lq::compat::qio
