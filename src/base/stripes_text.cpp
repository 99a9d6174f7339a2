// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes as text and as JSON.
#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

struct Words {
  StripeReason reason;
  std::string_view name, why;
};
constexpr Words all_words[] = {
    {StripeReason::no_stripes, "no-stripes", "none that a program could set"},
    {StripeReason::folder_decides, "folder-decides", "as set on the folder"},
    {StripeReason::progressive, "progressive", "they grow with the file, as set on the folder"},
    {StripeReason::size_unknown, "size-unknown", "left unchanged, because the size of the file is not known"},
    {StripeReason::left, "left", "left unchanged"},
    {StripeReason::fitting, "fitting", "already suitable"},
    {StripeReason::by_size, "by-size", "set by the size of the file"},
    {StripeReason::asked, "asked", "set as requested"},
    {StripeReason::refused, "refused", "the file system refused others"},
};

const Words& words_of(StripeReason reason) noexcept {
  static constexpr Words unknown{{}, "unknown", "unknown"};
  const auto* const found = std::ranges::find(all_words, reason, &Words::reason);
  return found == std::end(all_words) ? unknown : *found;
}

std::string reason_text(int system_errno) { return std::generic_category().message(system_errno); }

}  // namespace

std::string_view name(StripeReason reason) noexcept { return words_of(reason).name; }

std::string to_string(const Stripes& stripes) {
  const std::string_view why = words_of(stripes.reason).why;
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
