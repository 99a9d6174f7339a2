// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes in words and as JSON.
#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include <system_error>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

std::string_view why_so(StripeReason reason) noexcept {
  switch (reason) {
    case StripeReason::no_stripes:
      return "none that a program could set";
    case StripeReason::folder_decides:
      return "those of the folder, on which they are set";
    case StripeReason::progressive:
      return "they grow with the file, as the folder has it";
    case StripeReason::size_unknown:
      return "left unchanged, because the size of the file is not known";
    case StripeReason::left:
      return "left as they are";
    case StripeReason::fitting:
      return "as they should be";
    case StripeReason::by_size:
      return "set by the size of the file";
    case StripeReason::asked:
      return "set as asked for";
    case StripeReason::refused:
      return "the file system has refused others";
  }
  return "unknown";
}

std::string reason_text(int system_errno) { return std::generic_category().message(system_errno); }

}  // namespace

std::string_view name(StripeReason reason) noexcept {
  switch (reason) {
    case StripeReason::no_stripes:
      return "no-stripes";
    case StripeReason::folder_decides:
      return "folder-decides";
    case StripeReason::progressive:
      return "progressive";
    case StripeReason::size_unknown:
      return "size-unknown";
    case StripeReason::left:
      return "left";
    case StripeReason::fitting:
      return "fitting";
    case StripeReason::by_size:
      return "by-size";
    case StripeReason::asked:
      return "asked";
    case StripeReason::refused:
      return "refused";
  }
  return "unknown";
}

std::string to_string(const Stripes& stripes) {
  const std::string_view why = why_so(stripes.reason);
  std::string text;
  if (stripes.bytes > 0) {
    text = fmt::format("{} of {}, ", stripes.count == 0 ? "an unknown number" : std::to_string(stripes.count),
                       base::binary_bytes(stripes.bytes));
  }
  text += why;
  if (stripes.system_errno != 0) text += fmt::format(": {}", reason_text(stripes.system_errno));
  return text;
}

// Zeros that mean "not known" are null.
std::string to_json(const Stripes& stripes) {
  base::JsonWriter json;
  const auto number = [&](std::string_view key, std::uint64_t value) {
    json.key(key);
    value == 0 ? json.null() : json.value(value);
  };
  json.begin_object().member("reason", name(stripes.reason));
  number("count", stripes.count);
  number("bytes", stripes.bytes);
  json.key("refusal");
  stripes.system_errno == 0 ? json.null() : json.value(reason_text(stripes.system_errno));
  return json.end_object().take();
}

}  // namespace lq
