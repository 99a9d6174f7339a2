// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "multifile/request.hpp"

#include <array>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/path.hpp"
#include "comm/agree.hpp"

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

void refuse(Code code, const std::string& path, const std::string& sentence, std::string expected, std::string found) {
  throw Error(code, fmt::format("{}: {}", path, sentence),
              {.path = path, .expected = std::move(expected), .found = std::move(found)});
}

std::string path_of(const format::sion::NameRule& names, const std::string& path, std::int32_t file) {
  return names ? names(file) : format::sion::file_name(path, file);
}

storage::Owners owners_of_set(comm::Comm& all, storage::Transport& transport, const std::string& path) {
  if (all.size() == 1) return {};
  storage::StorageTraits seen;
  std::array<comm::Term, 1 + storage::CombinedTraits::terms> terms{};
  const auto seen_by_all = std::span(terms).subspan<1>();
  comm::agree(all, terms, [&] {
    const std::string folder = base::directory_of(path);
    try {
      seen = transport.unit(folder);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;  // the error of creating the file is more informative
    }
    const std::uint64_t client = storage::on_this_host(storage::client_of(transport, folder, seen));
    storage::CombinedTraits::tell(seen_by_all, seen, client);
  });
  return {storage::CombinedTraits::strictest(seen_by_all, seen), storage::CombinedTraits::have_one_client(seen_by_all)};
}

std::int32_t whole_blocks(const storage::Owners& owners, std::int32_t block_size) {
  if (!owners.have_incoherent_caches() || owners.unit.bytes == 0) return block_size;
  const auto block = static_cast<std::uint64_t>(block_size);
  const std::uint64_t whole = (block + owners.unit.bytes - 1) / owners.unit.bytes * owners.unit.bytes;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  return whole > most ? block_size : static_cast<std::int32_t>(whole);
}

void require_block_size(const std::string& path, std::int32_t block_size) {
  if (block_size > 0 || block_size == -1) return;
  refuse(Code::invalid_argument, path,
         fmt::format("a block size of {} bytes; choose a positive one, or -1 to query the file system", block_size));
}

std::vector<comm::StatedArgument> stated_request(const std::string& path, const Mode& mode, std::int32_t block_size,
                                                 std::int32_t files) {
  const std::string words =
      fmt::format("direction {}, collective {}, merge {}, key-value {}, buddies {}", static_cast<int>(mode.direction),
                  mode.collectors.on, mode.merges, mode.keys ? static_cast<int>(*mode.keys) : -1, mode.buddies);
  return {{"the name of the multifile", path},
          {"the mode", words},
          {"the block size", fmt::format("{}", block_size)},
          {"the number of files", fmt::format("{}", files)}};
}

Facts facts_for_writing(const std::string& path, const Mode& mode) {
  Facts facts;
  facts.path = path;
  facts.direction = Direction::write;
  facts.data_order = mode.data_order.value_or(format::sion::host_order);
  if (mode.keys == KeyRequest::inline_records) facts.key_values = format::sion::KeyValueMode::inline_records;
  return facts;
}

format::sion::Head head_of(const Facts& facts) {
  format::sion::Head head;
  head.metadata_order = facts.metadata_order;
  head.data_order = facts.data_order;
  head.block_size = facts.block_size;
  head.files = facts.files;
  head.file_number = facts.file_number;
  head.prefix = facts.path;
  head.set_key_value_mode(facts.key_values);
  return head;
}

}  // namespace lq::multifile
