// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file system whose clients lie, as FUSE with a write-back cache and NFS do: each keeps whole pages of its own,
// trusts its own idea of a file's size, fills pages behind that with zeros, and sends whole pages when the file is
// synced or closed. Two clients that write into one page lose what the other one wrote, without an error.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transport/forwarding.hpp"

namespace lq::testing {

class CachedClient final : public transport::ForwardingTransport {
 public:
  // `servers` keeps what clients have sent. `says`: the number that it says it is.
  CachedClient(transport::Transport& servers, std::uint64_t says) : ForwardingTransport(servers), says_(says) {}

  transport::Unit unit(const std::string&) override { return {.bytes = block, .single_owner = true}; }
  transport::Striping set_stripes(const std::string& path, const std::string&, std::uint64_t,
                                  const StripeRequest&) override {
    return {{}, unit(path)};
  }
  transport::Identity identity(const std::string& path) override {
    transport::Identity identity = path == "." ? transport::Identity{} : ForwardingTransport::identity(path);
    identity.device = says_;
    return identity;
  }
  static constexpr std::uint64_t page = 4096, block = 65536;
  int syncs() const { return state_->syncs; }

 private:
  struct State {
    std::mutex mutex;
    std::atomic<int> syncs{0};
  };

  class File final : public transport::ForwardingFile {
   public:
    File(std::unique_ptr<transport::File> file, std::shared_ptr<State> state, std::uint64_t says)
        : ForwardingFile(std::move(file)), state_(std::move(state)), says_(says), size_(inner().size()) {}
    ~File() override { flush(); }

    transport::Identity identity() const override {
      transport::Identity identity = inner().identity();
      identity.device = says_;
      return identity;
    }
    std::uint64_t size() const override { return size_; }
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      const std::lock_guard lock(state_->mutex);
      const std::uint64_t end = std::min<std::uint64_t>(size_, offset + buffer.size());
      for (std::uint64_t at = offset; at < end; ++at) buffer[at - offset] = page_at(at)[at % page];
      return end > offset ? end - offset : 0;
    }
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      const std::lock_guard lock(state_->mutex);
      for (std::uint64_t at = offset; at < offset + bytes.size(); ++at) {
        page_at(at)[at % page] = bytes[at - offset];
        dirty_.insert(at / page);
      }
      size_ = std::max<std::uint64_t>(size_, offset + bytes.size());
    }
    void resize(std::uint64_t bytes) override {
      inner().resize(bytes);
      size_ = bytes;
    }
    void sync() override {
      flush();
      ++state_->syncs;
    }
    void close() override {
      flush();
      inner().close();
    }

   private:
    std::vector<std::byte>& page_at(std::uint64_t at) {
      const auto [found, is_new] = pages_.try_emplace(at / page);
      if (is_new) {
        found->second.resize(page);
        if (at / page * page < size_) inner().read_at(at / page * page, found->second);
      }
      return found->second;
    }
    void flush() {
      const std::lock_guard lock(state_->mutex);
      for (const std::uint64_t number : dirty_) {
        const std::uint64_t bytes = std::min(page, size_ - number * page);
        inner().write_at(number * page, base::Bytes(pages_.at(number)).first(bytes));
      }
      dirty_.clear();
    }

    std::shared_ptr<State> state_;
    std::uint64_t says_;
    std::uint64_t size_;
    std::map<std::uint64_t, std::vector<std::byte>> pages_;
    std::set<std::uint64_t> dirty_;
  };

  std::unique_ptr<transport::File> wrap(std::unique_ptr<transport::File> file) override {
    return std::make_unique<File>(std::move(file), state_, says_);
  }

  std::uint64_t says_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace lq::testing
