// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paragraph that a program prints after a transfer.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

std::string lattice_text(const Extents& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
  return text.empty() ? "no lattice" : text + " lattice";
}

std::string contents_text(const FieldSpec& spec) {
  if (spec.kind == FieldKind::generic) {
    if (spec.numbers == 0) return "bytes";
    return fmt::format("{} {} numbers per site, {} precision", spec.is_complex ? spec.numbers / 2 : spec.numbers,
                       spec.is_complex ? "complex" : "real", name(spec.precision));
  }
  return fmt::format("{}, SU({}), {} precision", name(spec.kind), spec.colors, name(spec.precision));
}

std::string checksum_text(const Report& report) {
  const std::string sum = to_string(report.checksum);
  switch (report.status) {
    case ChecksumStatus::ok:
      return fmt::format("Checksum {}: equal to the stored one{}.", sum,
                         report.read_back ? " after reading the file back" : "");
    case ChecksumStatus::absent:
      // If no checksum is to be stored, none is computed.
      return report.written ? "Checksum: none is stored." : fmt::format("Checksum {}: the file stores none.", sum);
    case ChecksumStatus::mismatch:
      return fmt::format("Checksum {}: MISMATCH, the file stores {}.", sum,
                         report.stored ? to_string(*report.stored) : "another");
    case ChecksumStatus::unchecked:
      break;
  }
  if (report.stored) return fmt::format("Checksum: not compared, the file stores {}.", to_string(*report.stored));
  return "Checksum: not compared.";
}

}  // namespace

std::string_view name(ChecksumStatus status) noexcept {
  switch (status) {
    case ChecksumStatus::ok:
      return "ok";
    case ChecksumStatus::absent:
      return "absent";
    case ChecksumStatus::mismatch:
      return "mismatch";
    case ChecksumStatus::unchecked:
      return "unchecked";
  }
  return "unknown";
}

std::string StorageReport::summary() const {
  const bool has_stripes = stripes.reason != StripeReason::no_stripes;
  if (!has_stripes && !single_owner) return "";
  std::string text = fmt::format("on {}", file_system);
  if (has_stripes) text += fmt::format(", stripes: {}", to_string(stripes));
  text += fmt::format("; {} {} at the file", ranks, ranks == 1 ? "rank" : "ranks");
  if (single_owner) text += fmt::format(", each in its own blocks of {}", base::binary_bytes(block_bytes));
  return text;
}

std::string DeviceReport::summary() const {
  const auto on = [](std::uint64_t ranks) { return fmt::format("on {} {}", ranks, ranks == 1 ? "rank" : "ranks"); };
  std::string text;
  if (computing_ranks > 0) text = fmt::format("a GPU computed {}", on(computing_ranks));
  if (copying_ranks == 0) return text;
  return fmt::format("{}{}the host computed for a GPU {}: {}", text, text.empty() ? "" : "; ", on(copying_ranks),
                     reason);
}

std::string Report::summary() const {
  const auto bytes_per_second = static_cast<std::uint64_t>(rate());
  std::string text = fmt::format("{}: {} field \"{}\" ({}, {}, {}): ", path, written ? "wrote" : "read", field,
                                 contents_text(spec), format, lattice_text(extents));
  text += fmt::format("{} on {} {} in {:.3g} s, {}/s", base::human_bytes(bytes), ranks, ranks == 1 ? "rank" : "ranks",
                      seconds.total, base::human_bytes(bytes_per_second));
  text += fmt::format(" (open {:.3g} s, pack {:.3g} s, exchange {:.3g} s, storage {:.3g} s{}, sync {:.3g} s). ",
                      seconds.open, seconds.pack, seconds.exchange, seconds.storage,
                      seconds.reserve > 0 ? fmt::format(", reserving it {:.3g} s", seconds.reserve) : "", seconds.sync);
  text += checksum_text(*this);
  if (zeros.sites > 0) {
    text += fmt::format(" WARNING: {} {} hold{} only zeros, between bytes {} and {} of the file.", zeros.sites,
                        zeros.sites == 1 ? "site" : "sites", zeros.sites == 1 ? "s" : "", zeros.first_offset,
                        zeros.last_offset);
  }
  if (const std::string facts = storage.summary(); !facts.empty()) text += fmt::format(" Stored {}.", facts);
  if (const std::string way = device.summary(); !way.empty()) text += fmt::format(" Sites: {}.", way);
  for (const std::string& warning : warnings) text += fmt::format(" WARNING: {}.", warning);
  return text;
}

// The strategies by name.

namespace {

constexpr std::array<std::pair<Strategy, std::string_view>, 5> names{{{Strategy::automatic, "auto"},
                                                                      {Strategy::direct, "direct"},
                                                                      {Strategy::shared, "shared"},
                                                                      {Strategy::pull, "pull"},
                                                                      {Strategy::messages, "messages"}}};

}  // namespace

std::string_view name(Strategy strategy) noexcept {
  return std::ranges::find(names, strategy, &std::pair<Strategy, std::string_view>::first)->second;
}

Strategy parse_strategy(std::string_view text) {
  const auto* found = std::ranges::find(names, text, &std::pair<Strategy, std::string_view>::second);
  if (found != names.end()) return found->first;
  base::fail(Code::invalid_argument, {}, "strategy \"{}\": there are auto, direct, shared, pull and messages", text);
}

}  // namespace lq
