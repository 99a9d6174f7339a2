// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stores of correlators (formats/correlators.md) examined: the sum of each array, and the chain of sums of the
// directories.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

#include "format/findings.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

class CorrelatorStore {
 public:
  // Reads the head; is_one(): the file has one.
  CorrelatorStore(const Opened& file, const Limits& limits);

  bool is_one() const noexcept { return is_one_; }
  // Datasets whose sums are compared here.
  bool holds(std::string_view path) const;
  // Each group of the file, once.
  void look_at(const Visited& group);
  // After all groups.
  void conclude(std::vector<Claim>& claims, format::Findings& findings);

 private:
  // A compressed text, and as something refers to it.
  struct Text {
    std::string object;
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
    std::string contents = {};  // decompressed; of directories only
    bool is_reached = false;
  };
  struct Reference {
    std::uint64_t address = 0, bytes = 0, crc = 0;
  };

  void compare_arrays(const Visited& group, const std::string& number);
  void read_text(const Visited& group, const std::string& name);
  // The text there, if it is the one that is meant; else empty, with a finding.
  const Text* follow(const Reference& to, std::string_view what);
  static std::optional<Reference> reference_in(std::string_view text, std::string_view key, bool is_last);
  void fail(Code code, const std::string& object, const std::string& message, std::uint64_t offset,
            std::string expected = {}, std::string found = {});

  const Opened& file_;
  const Limits& limits_;
  bool is_one_ = false;
  std::uint64_t appends_ = 0;
  Reference newest_;
  std::map<std::uint64_t, Text> texts_;  // by address
  std::uint64_t arrays_ = 0;
  std::vector<Claim> claims_;
  format::Findings findings_;
};

}  // namespace lq::hdf5
