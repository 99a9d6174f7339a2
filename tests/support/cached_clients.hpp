// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file system whose clients lie, as FUSE with a write-back cache and NFS do: each keeps whole pages of its own, and
// sends whole pages when the file is synced or closed. Two clients that write into one page lose what the other one
// wrote, without an error. The size of a file is what a client saw when it met the file first, and what it has made of
// it itself since then: never what others made of it.
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

#include "storage/forwarding.hpp"

namespace lq::testing {

class CachedClient : public storage::ForwardingTransport {
 public:
  // `servers` keeps what clients have sent. `says`: the number that it says it is.
  CachedClient(storage::Transport& servers, std::uint64_t says)
      : ForwardingTransport(servers), cache_(std::make_shared<Cache>(says)) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    return opened(inner().open_read(path), false);
  }
  std::unique_ptr<storage::File> open_write(const std::string& path) override {
    return opened(inner().open_write(path), true);
  }
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override {
    auto file = inner().create(path, creation);
    {
      // The file that had this number before, and is gone, is no file of this name.
      const std::lock_guard lock(mutex());
      ++births()[file->identity().inode];
    }
    return opened(std::move(file), true);
  }
  // A look at the name is enough to meet the file.
  storage::PathKind kind(const std::string& path) override {
    const storage::PathKind kind = ForwardingTransport::kind(path);
    if (kind == storage::PathKind::file) meet(inner().identity(path));
    return kind;
  }
  storage::Identity identity(const std::string& path) override {
    const storage::Identity there = path == "." ? storage::Identity{} : ForwardingTransport::identity(path);
    return seen(there, meet(there)->size);
  }
  storage::StorageTraits unit(const std::string& path) override {
    kind(path);
    return {.bytes = block, .single_owner = true, .device = cache().says};
  }
  storage::Striping set_stripes(const std::string& path, const std::string&, std::uint64_t,
                                const StripeRequest&) override {
    return {{}, unit(path)};
  }
  static constexpr std::uint64_t page = 4096, block = 65536;
  int syncs() const { return cache_->syncs; }

 protected:
  // A file that a client has met.
  struct Met {
    std::mutex mutex;
    std::atomic<std::uint64_t> size{0};
    std::map<std::uint64_t, std::vector<std::byte>> pages;
    std::set<std::uint64_t> dirty;
  };
  struct Cache {
    explicit Cache(std::uint64_t number) : says(number) {}
    const std::uint64_t says;
    std::atomic<int> syncs{0};
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, int>, std::shared_ptr<Met>> met;  // by number and birth of the file
  };
  virtual const std::shared_ptr<Cache>& cache_here() const { return cache_; }

 private:
  Cache& cache() const { return *cache_here(); }
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  // How many files have had a number.
  static std::map<std::uint64_t, int>& births() {
    static std::map<std::uint64_t, int> births;
    return births;
  }

  std::shared_ptr<Met> meet(const storage::Identity& there) const {
    int birth = 0;
    {
      const std::lock_guard lock(mutex());
      birth = births()[there.inode];
    }
    const std::lock_guard lock(cache().mutex);
    std::shared_ptr<Met>& met = cache().met[{there.inode, birth}];
    if (met) return met;
    met = std::make_shared<Met>();
    met->size = there.bytes;
    return met;
  }

  storage::Identity seen(storage::Identity identity, std::uint64_t size) const {
    identity.device = cache().says;
    identity.bytes = size;
    return identity;
  }

  class File final : public storage::ForwardingFile {
   public:
    File(std::unique_ptr<storage::File> file, std::shared_ptr<Cache> cache, std::shared_ptr<Met> met, bool writes)
        : ForwardingFile(std::move(file)), cache_(std::move(cache)), met_(std::move(met)), writes_(writes) {
      const std::lock_guard lock(met_->mutex);
      std::erase_if(met_->pages, [&](const auto& one) { return !met_->dirty.contains(one.first); });
    }
    ~File() override { flush(); }

    storage::Identity identity() const override {
      storage::Identity identity = inner().identity();
      identity.device = cache_->says;
      identity.bytes = met_->size;
      return identity;
    }
    std::uint64_t size() const override { return met_->size; }
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      const std::lock_guard lock(met_->mutex);
      const std::uint64_t end = std::min<std::uint64_t>(met_->size, offset + buffer.size());
      for (std::uint64_t at = offset; at < end; ++at) buffer[at - offset] = page_at(at)[at % page];
      return end > offset ? end - offset : 0;
    }
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      const std::lock_guard lock(met_->mutex);
      for (std::uint64_t at = offset; at < offset + bytes.size(); ++at) {
        page_at(at)[at % page] = bytes[at - offset];
        met_->dirty.insert(at / page);
      }
      met_->size = std::max<std::uint64_t>(met_->size, offset + bytes.size());
    }
    void resize(std::uint64_t bytes) override {
      const std::lock_guard lock(met_->mutex);
      inner().resize(bytes);
      met_->size = bytes;
    }
    void sync() override {
      flush();
      ++cache_->syncs;
    }
    void close() override {
      flush();
      inner().close();
    }

   private:
    // What lies behind the end that this client knows of is zeros to it.
    std::vector<std::byte>& page_at(std::uint64_t at) {
      const auto [found, is_new] = met_->pages.try_emplace(at / page);
      if (is_new) {
        found->second.resize(page);
        if (at / page * page < met_->size) inner().read_at(at / page * page, found->second);
      }
      return found->second;
    }
    void flush() {
      if (!writes_) return;
      const std::lock_guard lock(met_->mutex);
      for (const std::uint64_t number : met_->dirty) {
        if (number * page >= met_->size) continue;
        const std::uint64_t bytes = std::min<std::uint64_t>(page, met_->size - number * page);
        inner().write_at(number * page, base::Bytes(met_->pages.at(number)).first(bytes));
      }
      met_->dirty.clear();
    }

    std::shared_ptr<Cache> cache_;
    std::shared_ptr<Met> met_;
    bool writes_;
  };

  std::unique_ptr<storage::File> opened(std::unique_ptr<storage::File> file, bool writes) {
    const std::shared_ptr<Met> met = meet(file->identity());
    return std::make_unique<File>(std::move(file), cache_here(), met, writes);
  }

  std::shared_ptr<Cache> cache_;
};

// Two of them as one transport, for what finds its transport by the path: each thread is a process of one of them.
class TwoCachedClients final : public CachedClient {
 public:
  explicit TwoCachedClients(storage::Transport& servers)
      : CachedClient(servers, 1), second_(std::make_shared<Cache>(2)) {}
  // 0 or 1, of what this thread does.
  static int& mine() {
    static thread_local int mine = 0;
    return mine;
  }

 private:
  const std::shared_ptr<Cache>& cache_here() const override {
    return mine() == 0 ? CachedClient::cache_here() : second_;
  }

  std::shared_ptr<Cache> second_;
};

}  // namespace lq::testing
