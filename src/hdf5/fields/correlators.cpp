// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/correlators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/crc32.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::string_view head_name = "limequat_correlators", folder = "/appends/", arrays_name = "numbers_",
                           sums_name = "sums_", directory_name = "directory", series_name = "correlators";
constexpr std::size_t held_bytes = 1 << 20;
constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;
constexpr std::size_t most_claims = 16;  // about damage

// "/appends/FFFFFF/NN".
bool is_append(std::string_view path) { return path.starts_with(folder) && std::ranges::count(path, '/') == 3; }

bool is_in_one_piece(const Dataset& data) {
  return data.storage.kind == StorageKind::contiguous && data.storage.is_allocated && data.extents.size() >= 1;
}

}  // namespace

CorrelatorStore::CorrelatorStore(const Opened& file, const Limits& limits) : file_(file), limits_(limits) {
  constexpr std::size_t words = 6;
  const ErrorPlace where = file.where("/");
  const auto root = find_object(file, "/");
  if (!root) return;
  const auto names = attribute_names(root->handle.get(), where);
  if (std::ranges::find(names, head_name) == names.end()) return;
  const Value head = read_attribute(file, root->handle.get(), std::string(head_name), where, limits.text_bytes);
  const auto* const numbers = std::get_if<std::vector<std::uint64_t>>(&head.elements);
  if (numbers == nullptr || numbers->size() != words || numbers->front() != 1) return;
  is_one_ = true;
  appends_ = (*numbers)[1];
  newest_ = {(*numbers)[2], (*numbers)[3], (*numbers)[4]};
}

bool CorrelatorStore::holds(std::string_view path) const {
  if (!is_one_ || !path.starts_with(folder) || std::ranges::count(path, '/') != 4) return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with(arrays_name) || name.starts_with(sums_name) || name == directory_name || name == series_name;
}

void CorrelatorStore::look_at(const Visited& group) {
  if (!is_one_ || !is_append(group.path)) return;
  const ErrorPlace where = file_.where(group.path);
  for (const Link& link : links_of(file_, group.handle->get(), where, limits_.records)) {
    try {
      if (link.name.starts_with(arrays_name)) compare_arrays(group, link.name.substr(arrays_name.size()));
      if (link.name == directory_name || link.name == series_name) read_text(group, link.name);
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::truncated) throw;
      fail(error.code(), child_path(group.path, link.name), error.what(), link.address);
    }
  }
}

void CorrelatorStore::compare_arrays(const Visited& group, const std::string& number) {
  const std::string name = std::string(arrays_name) + number, of_sums = std::string(sums_name) + number,
                    path = child_path(group.path, name);
  const ErrorPlace where = file_.where(path);
  const Handle arrays = open_member(group.handle->get(), name, where);
  const Dataset data = describe_dataset(file_, arrays.get(), where);
  const ErrorPlace where_sums = file_.where(child_path(group.path, of_sums));
  const Handle sums = open_member(group.handle->get(), of_sums, where_sums);
  const Dataset stated = describe_dataset(file_, sums.get(), where_sums);
  const bool fits = is_in_one_piece(data) && is_in_one_piece(stated) && stated.type.kind == TypeClass::integer &&
                    stated.type.bytes == 4 && stated.extents == std::vector{data.extents[0]} && data.extents[0] > 0;
  if (!fits) return fail(Code::malformed, path, "its checksums do not belong to its arrays", group.address);
  const std::uint64_t count = data.extents[0], size = data.bytes() / count;
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::clamp<std::uint64_t>(size, 1, held_bytes)));
  for (std::uint64_t k = 0; k < count; ++k) {
    std::array<std::byte, 4> word{};
    std::uint32_t crc = 0;
    const std::uint64_t begin = data.storage.offset + k * size;
    bool is_there = file_.source().read_at(stated.storage.offset + 4 * k, word) == word.size();
    for (std::uint64_t done = 0; is_there && done < size; done += bytes.size()) {
      const base::MutableBytes piece =
          base::MutableBytes(bytes).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - done)));
      is_there = file_.source().read_at(begin + done, piece) == piece.size();
      crc = kernels::crc32(crc, piece);
    }
    if (!is_there) return fail(Code::truncated, path, "the file ends before its numbers or their checksums do", begin);
    ++arrays_;
    const auto expected = base::load_le<std::uint32_t>(word.data());
    if (crc == expected) continue;
    fail(Code::checksum_mismatch, path,
         fmt::format("array {} has the CRC-32 {:08x}, expected {:08x}: its numbers are damaged", k, crc, expected),
         begin, fmt::format("{:08x}", expected), fmt::format("{:08x}", crc));
  }
}

void CorrelatorStore::read_text(const Visited& group, const std::string& name) {
  const std::string path = child_path(group.path, name);
  const ErrorPlace where = file_.where(path);
  const Handle handle = open_member(group.handle->get(), name, where);
  const Dataset data = describe_dataset(file_, handle.get(), where);
  if (!is_in_one_piece(data) || data.bytes() > largest_text) {
    return fail(Code::malformed, path, "it is not a text of a store of correlators", group.address);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(data.bytes()));
  if (file_.source().read_at(data.storage.offset, bytes) != bytes.size()) {
    return fail(Code::truncated, path, "the file ends within it", data.storage.offset);
  }
  Text text{path, bytes.size(), kernels::crc32(0, bytes)};
  if (name == directory_name) {
    constexpr std::uint64_t least = 16 << 20, most_ratio = 100;
    const auto contents =
        inflate(bytes, static_cast<std::size_t>(std::max<std::uint64_t>(least, most_ratio * bytes.size())));
    text.contents = base::as_text(contents);  // empty if this build cannot decompress it
  }
  texts_.emplace(data.storage.offset, std::move(text));
}

// JSON without blanks. In texts quotes have a backslash, so keys cannot be mistaken; those of labels are between the
// two that are looked for.
std::optional<CorrelatorStore::Reference> CorrelatorStore::reference_in(std::string_view text, std::string_view key,
                                                                        bool is_last) {
  const std::string begin = fmt::format("\"{}\":[", key);
  const std::size_t at = is_last ? text.rfind(begin) : text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  Reference found;
  for (std::uint64_t* const number : {&found.address, &found.bytes, &found.crc}) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (end.ec != std::errc() || end.ptr == text.data() + text.size()) return {};
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()) + 1);  // and a comma
  }
  return found;
}

const CorrelatorStore::Text* CorrelatorStore::follow(const Reference& to, std::string_view what) {
  const auto found = texts_.find(to.address);
  if (found == texts_.end() || found->second.bytes != to.bytes) {
    fail(Code::malformed, std::string(folder), fmt::format("{} is not at byte {}, where it must be", what, to.address),
         to.address);
    return nullptr;
  }
  Text& text = found->second;
  if (std::exchange(text.is_reached, true)) {
    fail(Code::malformed, text.object, "two appends refer to it", to.address);
    return nullptr;
  }
  if (text.crc == to.crc) return &text;
  fail(Code::checksum_mismatch, text.object,
       fmt::format("it has the CRC-32 {:08x}, expected {:08x}: it is damaged", text.crc, to.crc), to.address,
       fmt::format("{:08x}", to.crc), fmt::format("{:08x}", text.crc));
  return nullptr;
}

void CorrelatorStore::conclude(std::vector<Claim>& claims, format::Findings& findings) {
  if (!is_one_) return;
  Reference next = newest_;
  std::uint64_t followed = 0;
  bool is_readable = true;
  while (next.address != 0) {
    const Text* const directory = follow(next, "the directory of an append");
    if (directory == nullptr) break;
    ++followed;
    is_readable = !directory->contents.empty();
    if (!is_readable) break;
    if (const auto series = reference_in(directory->contents, series_name, true))
      follow(*series, "a list of correlators");
    next = reference_in(directory->contents, "previous", false).value_or(Reference{});
  }
  const bool is_whole = followed == appends_ && claims_.empty();
  if (is_readable && claims_.empty() && followed != appends_) {
    fail(Code::malformed, std::string(folder),
         fmt::format("{} directories refer to each other, but the store has {} appends", followed, appends_), 0);
  }
  const auto is_unproven = [](const auto& text) { return !text.second.is_reached; };
  const bool are_proven = is_whole && std::ranges::none_of(texts_, is_unproven);
  claims.push_back(
      {"directories", "crc32", Evidence::exact_sum, are_proven ? Outcome::agrees : Outcome::absent, {}, {}});
  if (claims_.empty()) {
    claims.push_back({fmt::format("{} arrays", arrays_), "crc32", Evidence::exact_sum, Outcome::agrees, {}, {}});
  }
  std::ranges::move(claims_, std::back_inserter(claims));
  for (Finding& finding : findings_.take()) findings.add(std::move(finding));
}

void CorrelatorStore::fail(Code code, const std::string& object, const std::string& message, std::uint64_t offset,
                           std::string expected, std::string found) {
  const std::string begin = file_.path() + ": ";
  const std::string what = message.starts_with(begin) ? message.substr(begin.size()) : message;
  findings_.add({.severity = Severity::error,
                 .code = code,
                 .rule = "correlators-damaged",
                 .message = fmt::format("{}{}: {}", begin, base::printable(object), what),
                 .record = object,
                 .offset = offset,
                 .expected = std::move(expected),
                 .found = std::move(found)});
  if (claims_.size() >= most_claims) return;
  const Outcome outcome = code == Code::checksum_mismatch ? Outcome::differs : Outcome::unreadable;
  claims_.push_back({object, "crc32", Evidence::exact_sum, outcome, offset, {}});
}

}  // namespace lq::hdf5
