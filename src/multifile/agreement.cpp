// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of collective opens.
#include "multifile/agreement.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::multifile {

void require_path(const std::string& path) {
  if (path.empty()) throw Error(Code::invalid_argument, "a multifile without a name; name the file");
  if (path.size() <= longest_path) return;
  ErrorFacts facts;
  facts.expected = fmt::format("at most {} bytes", longest_path);
  facts.found = fmt::format("{} bytes", path.size());
  throw Error(Code::invalid_argument,
              fmt::format("{}...: the name has {} bytes, a multifile stores at most {}; choose a shorter one",
                          path.substr(0, 60), path.size(), longest_path),
              facts);
}

std::array<comm::Stated, 4> stated_request(const std::string& path, const Mode& mode, std::int32_t block_size,
                                           std::int32_t files) {
  const std::string words =
      fmt::format("direction {}, collective {}, merge {}, key-value {}, buddies {}", static_cast<int>(mode.direction),
                  mode.collectors.on, mode.merges, mode.keys ? static_cast<int>(*mode.keys) : -1, mode.buddies);
  return {{{"the name of the multifile", path},
           {"the mode", words},
           {"the block size", fmt::format("{}", block_size)},
           {"the number of files", fmt::format("{}", files)}}};
}

}  // namespace lq::multifile
