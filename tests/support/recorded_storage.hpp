// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// File systems with stripes as far as their calls go: keeps the attributes of files, and a list of what was done.
#pragma once

#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "storage/stripes.hpp"

namespace lq::testing {

class RecordedStorage final : public storage::StorageCalls {
 public:
  int refusal = 0;  // an errno with which everything is refused
  std::uint64_t targets = 0;
  std::map<std::string, std::vector<std::byte>> attributes;  // of "PATH NAME"
  std::optional<storage::BeegfsStripes> beegfs;
  std::vector<std::string> calls;

  void put(const std::string& path, const std::string& name, base::Bytes value) {
    attributes[path + " " + name].assign(value.begin(), value.end());
  }

  std::vector<std::byte> attribute(const std::string& path, const char* name) override {
    const auto found = attributes.find(path + " " + name);
    return found == attributes.end() ? std::vector<std::byte>() : found->second;
  }
  std::optional<storage::BeegfsStripes> beegfs_stripes(const std::string&) override { return beegfs; }
  std::uint64_t lustre_targets(const std::string&) override { return targets; }

  int set_attribute(const std::string& path, const char* name, base::Bytes value) override {
    return keep(std::string("set ") + path + " " + name + " " + std::string(base::as_text(value)),
                [&] { put(path, name, value); });
  }
  int renew_on_lustre(const std::string& path, const std::string& spare, base::Bytes layout) override {
    return keep("renew " + path + " by " + spare, [&] { put(path, "lustre.lov", layout); });
  }
  int renew_on_beegfs(const std::string& path, const std::string& spare, std::uint64_t count,
                      std::uint64_t chunk) override {
    return keep("renew " + path + " by " + spare + " with " + std::to_string(count) + " of " + std::to_string(chunk),
                [] {});
  }

 private:
  template <class Work>
  int keep(std::string call, Work work) {
    calls.push_back(std::move(call));
    if (refusal == 0) work();
    return refusal;
  }
};

}  // namespace lq::testing
