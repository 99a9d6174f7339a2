// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contents of small records, with bounds on what is held in memory. Texts end with a NUL in some programs'
// files and without in others': trailing NULs are removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "format/read_ahead.hpp"

namespace lq::format {

class TextReader {
 public:
  TextReader(ReadAhead& file, const Limits& limits)
      : file_(file), text_bytes_(limits.text_bytes), budget_(4 * limits.text_bytes) {}

  // For metadata: nothing when the contents are not text, or more than the limits allow.
  std::optional<std::string> text(const Record& record);
  // For an XML document or another record that must be read: Error(too_large) above 1 MiB.
  std::string document(const Record& record);

 private:
  std::string contents(const Record& record);

  ReadAhead& file_;
  std::uint64_t text_bytes_;
  std::uint64_t budget_;  // bytes that all texts together may still take
};

}  // namespace lq::format
