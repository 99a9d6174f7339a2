// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about a file system, in words and as JSON.
#include <limequat/file_system.hpp>

#include <fmt/format.h>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

std::string place_of(const FileSystem& fs) {
  const std::string point = fs.mount_point.empty() ? "unknown" : base::printable(fs.mount_point, 200);
  return fs.source.empty() ? point : fmt::format("{}, from {}", point, base::printable(fs.source, 200));
}

std::string stripes_text(const FileSystem& fs) {
  if (!fs.is_shared) return "none: one node has all of it";
  std::string text = "none that could be found out";
  if (fs.stripe_bytes > 0) {
    text = fmt::format("{} of {}", fs.stripe_count == 0 ? "an unknown number" : std::to_string(fs.stripe_count),
                       base::binary_bytes(fs.stripe_bytes));
    if (fs.object_bytes > 0) text += fmt::format(", in objects of {}", base::binary_bytes(fs.object_bytes));
  } else if (fs.stripe_control != StripeControl::none) {
    text = "unknown";
  }
  if (fs.is_progressive) text += "; they grow with the file, and are left unchanged";
  if (!fs.pool.empty()) text += fmt::format("; pool \"{}\"", base::printable(fs.pool));
  return text;
}

std::string_view control_text(const FileSystem& fs) {
  switch (fs.stripe_control) {
    case StripeControl::none:
      return "only the administrator";
    case StripeControl::folder:
      return "the owner of the folder";
    case StripeControl::new_file:
      return "the program that creates a file, before it has data";
    case StripeControl::creation:
      return "the program that creates a file, when it creates it";
  }
  return "unknown";
}

std::string targets_text(const FileSystem& fs) {
  if (!fs.is_shared) return "one";
  if (fs.targets == 0) return "unknown";
  std::string text = std::to_string(fs.targets);
  if (fs.targets_of_file > 0) text += fmt::format("; a new file uses {}", fs.targets_of_file);
  if (!fs.servers.empty() && fs.stripe_bytes == 0) text += "; a file is on one of them unless the volume has shards";
  for (std::size_t k = 0; k < fs.servers.size(); ++k) {
    text += fmt::format("{}{}", k == 0 ? " (" : ", ", base::printable(fs.servers[k]));
  }
  return fs.servers.empty() ? text : text + ")";
}

std::string coherent_text(const FileSystem& fs) {
  if (!fs.is_shared) return "yes";
  if (fs.coherent == Known::yes) return "yes: every client sees what another has written";
  const std::string what = fs.coherent == Known::no ? "no: clients cache pages on their own" : "unknown";
  return what + "; every block gets one writer, which syncs";
}

}  // namespace

std::string_view name(Known known) noexcept {
  switch (known) {
    case Known::no:
      return "no";
    case Known::yes:
      return "yes";
    case Known::unknown:
      break;
  }
  return "unknown";
}

std::string_view name(StripeControl control) noexcept {
  switch (control) {
    case StripeControl::none:
      return "none";
    case StripeControl::folder:
      return "folder";
    case StripeControl::new_file:
      return "new-file";
    case StripeControl::creation:
      return "creation";
  }
  return "unknown";
}

std::string describe(const FileSystem& fs) {
  std::string text;
  const auto add = [&](std::string_view what, std::string_view fact) {
    text += fmt::format("  {:<13}{}\n", what, fact);
  };
  add("file system", base::printable(fs.name));
  add("mounted", place_of(fs));
  add("network", fs.network == Known::yes  ? "yes: several nodes see it"
                 : fs.network == Known::no ? "no: this node alone sees it"
                                           : "unknown; treated as visible to several nodes");
  add("block", fmt::format("{}, which two writers do not share", base::binary_bytes(fs.block_bytes)));
  add("stripes", stripes_text(fs));
  if (fs.is_shared) add("set by", control_text(fs));
  add("targets", targets_text(fs));
  add("locks", fs.locks == Known::yes  ? "yes: two writers in one block wait for each other"
               : fs.locks == Known::no ? "no: no client waits for another"
                                       : "unknown");
  add("coherent", coherent_text(fs));
  add("holes", fs.allows_holes ? "yes" : "no: bytes that were never written take space");
  add("space", fs.total_bytes == 0 ? "unknown"
                                   : fmt::format("{} of {} free; quotas and single full servers are not seen",
                                                 base::human_bytes(fs.free_bytes), base::human_bytes(fs.total_bytes)));
  return text;
}

// Zeros that mean "not known" are null.
std::string to_json(const FileSystem& fs) {
  base::JsonWriter json;
  const auto number = [&](std::string_view key, std::uint64_t value) {
    json.key(key);
    value == 0 ? json.null() : json.value(value);
  };
  json.begin_object().member("file_system", fs.name);
  json.text_member("mount_point", fs.mount_point).text_member("source", fs.source);
  json.member("network", name(fs.network)).member("is_shared", fs.is_shared).member("block_bytes", fs.block_bytes);
  number("stripe_bytes", fs.stripe_bytes);
  number("stripe_count", fs.stripe_count);
  number("object_bytes", fs.object_bytes);
  json.text_member("pool", fs.pool)
      .member("is_progressive", fs.is_progressive)
      .member("stripe_control", name(fs.stripe_control));
  number("targets", fs.targets);
  number("targets_of_file", fs.targets_of_file);
  json.key("servers").array(fs.servers);
  json.member("coherent", name(fs.coherent)).member("locks", name(fs.locks));
  json.member("needs_single_owner", fs.needs_single_owner).member("allows_holes", fs.allows_holes);
  json.member("total_bytes", fs.total_bytes).member("free_bytes", fs.free_bytes);
  return json.end_object().take();
}

}  // namespace lq
