// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport whose files, opened for reading, do every read twice (base/read_twice.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/read_twice.hpp"
#include "storage/forwarding.hpp"

namespace lq::storage {

class TwiceReadFile final : public ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  Identity identity_when_opened() const override { return inner().identity_when_opened(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return base::read_twice(inner(), offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return std::make_unique<base::ReadTwice>(inner().open_other(path));
  }
};

class TwiceRead final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<File> open_read(const std::string& path) override {
    return std::make_unique<TwiceReadFile>(ForwardingTransport::open_read(path));
  }
};

}  // namespace lq::storage
