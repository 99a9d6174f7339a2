// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Headers and data of key-value records as parts of the chunks that they are cut into, for explanations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

class RecordParts {
 public:
  // Empty unless the file is of key-value mode and has at most `most` records.
  RecordParts(const PhysicalFile& file, base::ByteSource& source, std::uint64_t most);

  bool empty() const noexcept { return parts_.empty(); }
  // The next `used` bytes of a local task's stream, part by part; calls for a task come chunk by chunk.
  void for_each(std::int32_t task, std::uint64_t used,
                const std::function<void(std::uint64_t length, const std::string& name)>& work);

 private:
  struct Part {
    std::uint64_t left = 0;
    std::string name;
  };
  bool walk(const PhysicalFile& file, base::ByteSource& source, std::int32_t task, std::uint64_t most);

  std::vector<std::vector<Part>> parts_;  // of each task
  std::vector<std::size_t> next_;         // the part that is not used up
};

}  // namespace lq::format::sion
