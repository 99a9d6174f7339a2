// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport that hands over one flipped bit: in what the k-th read of all its files gives, counted from 0. Memory,
// bus or network has erred once; the file is sound.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "storage/forwarding.hpp"

namespace lq::testing {

struct Flip {
  std::int64_t read = -1;  // -1: none
  double place = 0;        // in what it gives: 0 its first byte, 1 its last one
  int bit = 2;
  std::atomic<std::int64_t> reads{0};

  std::size_t pass(base::MutableBytes bytes) {
    if (bytes.empty() || reads++ != read) return bytes.size();
    bytes[static_cast<std::size_t>(place * static_cast<double>(bytes.size() - 1))] ^= std::byte{1} << bit;
    return bytes.size();
  }
  bool has_happened() const { return read >= 0 && reads > read; }
};

class FlippingSource final : public base::ByteSource {
 public:
  FlippingSource(std::unique_ptr<base::ByteSource> inner, std::shared_ptr<Flip> flip)
      : inner_(std::move(inner)), flip_(std::move(flip)) {}
  const std::string& path() const noexcept override { return inner_->path(); }
  std::uint64_t size() const override { return inner_->size(); }
  std::uint64_t next_data(std::uint64_t offset) const override { return inner_->next_data(offset); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return flip_->pass(buffer.first(inner_->read_at(offset, buffer)));
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return std::make_unique<FlippingSource>(inner_->open_other(path), flip_);
  }

 private:
  std::unique_ptr<base::ByteSource> inner_;
  std::shared_ptr<Flip> flip_;
};

class FlippingFile final : public storage::ForwardingFile {
 public:
  FlippingFile(std::unique_ptr<storage::File> inner, std::shared_ptr<Flip> flip)
      : ForwardingFile(std::move(inner)), flip_(std::move(flip)) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return flip_->pass(buffer.first(inner().read_at(offset, buffer)));
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return std::make_unique<FlippingSource>(inner().open_other(path), flip_);
  }

 private:
  std::shared_ptr<Flip> flip_;
};

class FlippingTransport final : public storage::ForwardingTransport {
 public:
  FlippingTransport(storage::Transport& inner, std::int64_t read, double place, int bit) : ForwardingTransport(inner) {
    flip_->read = read;
    flip_->place = place;
    flip_->bit = bit;
  }
  bool has_flipped() const { return flip_->has_happened(); }

 private:
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<FlippingFile>(std::move(file), flip_);
  }

  std::shared_ptr<Flip> flip_ = std::make_shared<Flip>();
};

}  // namespace lq::testing
