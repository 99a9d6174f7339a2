// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/manifest.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "io/sites.hpp"
#include "kernels/crc32.hpp"
#include "kernels/galois.hpp"
#include "storage/owners.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view first_line = "limequat-checkpoint 1\n";
constexpr std::uint64_t smallest_sum_block = base::mebi;
constexpr std::uint64_t most_sums = 64 * base::kibi;
constexpr std::size_t sums_of_a_line = 12;
constexpr std::size_t longest_name = 255;
constexpr std::size_t sum_line_bytes = 15;  // "crc32 xxxxxxxx\n"

bool is_control(char letter) noexcept { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

bool can_be_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= longest_name && std::ranges::none_of(name, is_control);
}

// A file within the checkpoint's folder.
bool can_be_file(std::string_view name) noexcept {
  return can_be_name(name) && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

// The lines of a manifest, word by word.
class Lines {
 public:
  Lines(const std::string& path, std::string_view text) : path_(path), left_(text) {}

  bool next() {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    if (end == std::string_view::npos) fail("a line without end");
    line_ = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return true;
  }
  std::string_view word() {
    const std::size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view result = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return result;
  }
  std::string_view rest() { return std::exchange(line_, {}); }
  std::uint64_t number(std::uint64_t most = std::uint64_t{1} << 62) {
    const std::string_view text = word();
    const std::optional<std::uint64_t> value = base::parse_u64(text);
    if (!value || *value > most) fail(fmt::format("\"{}\" instead of a number", base::printable(text)));
    return *value;
  }
  std::uint32_t sum() {
    const std::string_view text = word();
    const std::optional<std::uint32_t> value = base::parse_hex32(text);
    if (!value || text.size() != 8) fail(fmt::format("\"{}\" instead of a checksum", base::printable(text)));
    return *value;
  }
  bool is_at_end() const noexcept { return line_.empty(); }
  [[noreturn]] void fail(const std::string& what) const {
    base::fail(Code::malformed, path_, "the manifest has {}", what);
  }

 private:
  const std::string& path_;
  std::string_view line_, left_;
};

std::string text_of(const Coord& numbers) { return fmt::format("{}", fmt::join(numbers.begin(), numbers.end(), ",")); }

Coord numbers_of(std::string_view text, const Lines& lines) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::optional<std::uint64_t> value = base::parse_u64(text.substr(0, end));
    if (!value || *value > std::uint64_t{1} << 62) lines.fail("extents that are not numbers");
    numbers.push_back(static_cast<std::int64_t>(*value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (numbers.size() > max_dimensions) lines.fail("more than eight extents");
  return Coord(std::span<const std::int64_t>(numbers));
}

std::uint64_t blocks_in(std::uint64_t bytes, std::uint64_t block) noexcept { return (bytes + block - 1) / block; }

void take_file(Lines& lines, Manifest& manifest) {
  SummedFile file;
  file.bytes = lines.number();
  file.name = lines.rest();
  if (!can_be_file(file.name)) lines.fail("a file outside its folder");
  const std::uint64_t sums = blocks_in(file.bytes, manifest.block_bytes);
  if (sums > most_sums + 1) lines.fail("too many blocks");
  while (file.sums.size() < sums) {
    if (!lines.next()) lines.fail("too few sums");
    while (!lines.is_at_end() && file.sums.size() < sums) file.sums.push_back(lines.sum());
  }
  manifest.files.push_back(std::move(file));
}

void take_file_of_member(Lines& lines, Manifest& manifest) {
  SummedFile file;
  file.bytes = lines.number();
  file.name = lines.rest();
  if (!can_be_file(file.name)) lines.fail("a file outside its folder");
  if (manifest.members.empty()) lines.fail("a part of no member");
  manifest.members.back().files.push_back(std::move(file));
}

void take_line(Lines& lines, Manifest& manifest) {
  constexpr std::uint64_t most_ranks = 0x7fffffff;
  const std::string_view key = lines.word();
  if (key == "step") {
    manifest.step = lines.number(~std::uint64_t{0});
  } else if (key == "save") {
    manifest.save = lines.number();
  } else if (key == "date") {
    manifest.date = static_cast<std::int64_t>(lines.number());
  } else if (key == "ranks") {
    manifest.ranks = static_cast<int>(lines.number(most_ranks));
  } else if (key == "tasks") {
    manifest.tasks = static_cast<std::int64_t>(lines.number());
  } else if (key == "piece") {
    manifest.piece = static_cast<int>(lines.number(most_ranks));
    manifest.pieces = lines.number(most_ranks);
    manifest.set = lines.number(~std::uint64_t{0});
  } else if (key == "block") {
    manifest.block_bytes = lines.number();
    if (manifest.block_bytes == 0) lines.fail("blocks of no bytes");
  } else if (key == "state") {
    const std::uint64_t offset = lines.number(), bytes = lines.number();
    manifest.states.push_back({std::string(lines.rest()), offset, bytes});
  } else if (key == "field") {
    NamedField field;
    field.file = lines.word();
    field.extents = numbers_of(lines.word(), lines);
    field.processes = numbers_of(lines.word(), lines);
    field.first = numbers_of(lines.word(), lines);
    field.name = lines.rest();
    manifest.fields.push_back(std::move(field));
  } else if (key == "file") {
    take_file(lines, manifest);
  } else if (key == "parity") {
    manifest.restorable = static_cast<std::uint32_t>(lines.number(kernels::most_code_blocks));
    manifest.chunk_bytes = lines.number();
  } else if (key == "member") {
    manifest.members.push_back({static_cast<int>(lines.number(most_ranks))});
  } else if (key == "part") {
    take_file_of_member(lines, manifest);
  } else {
    lines.fail(fmt::format("an unknown line \"{}\"", base::printable(key)));
  }
}

// For a manifest that agrees with its checksum, whatever its lines: a damaged digit does not mean another version.
std::optional<std::uint64_t> version_of(std::string_view text) {
  constexpr std::string_view beginning = "limequat-checkpoint ";
  const std::size_t end = text.find('\n');
  if (!text.starts_with(beginning) || end == std::string_view::npos || text.size() < end + sum_line_bytes) return {};
  const std::string_view body = text.substr(0, text.size() - sum_line_bytes);
  if (text.substr(body.size()) != fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(body)))) return {};
  return base::parse_u64(text.substr(beginning.size(), end - beginning.size()));
}

}  // namespace

std::uint64_t Manifest::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const SummedFile& file : files) sum += file.bytes;
  return sum;
}

std::uint64_t block_bytes_for(std::uint64_t bytes) noexcept {
  std::uint64_t block = smallest_sum_block;
  while (bytes / block > most_sums / 2) block *= 2;
  return block;
}

std::string encode(const Manifest& manifest) {
  std::string text(first_line);
  text += fmt::format("step {}\nsave {}\ndate {}\nranks {}\ntasks {}\n", manifest.step, manifest.save, manifest.date,
                      manifest.ranks, manifest.tasks);
  if (manifest.pieces > 0) {
    text += fmt::format("piece {} {} {}\n", manifest.piece, manifest.pieces, manifest.set);
  }
  if (manifest.restorable > 0) text += fmt::format("parity {} {}\n", manifest.restorable, manifest.chunk_bytes);
  for (const ParityMember& member : manifest.members) {
    text += fmt::format("member {}\n", member.rank);
    for (const SummedFile& file : member.files) text += fmt::format("part {} {}\n", file.bytes, file.name);
  }
  text += fmt::format("block {}\n", manifest.block_bytes);
  for (const NamedState& state : manifest.states) {
    text += fmt::format("state {} {} {}\n", state.offset, state.bytes, state.name);
  }
  for (const NamedField& field : manifest.fields) {
    text += fmt::format("field {} {} {} {} {}\n", field.file, text_of(field.extents), text_of(field.processes),
                        text_of(field.first), field.name);
  }
  for (const SummedFile& file : manifest.files) {
    text += fmt::format("file {} {}\n", file.bytes, file.name);
    for (std::size_t at = 0; at < file.sums.size(); at += sums_of_a_line) {
      const std::size_t end = std::min(at + sums_of_a_line, file.sums.size());
      for (std::size_t k = at; k < end; ++k) text += fmt::format("{}{:08x}", k == at ? "" : " ", file.sums[k]);
      text += '\n';
    }
  }
  text += fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(text)));
  return text;
}

Manifest decode_manifest(const std::string& path, std::string_view text) {
  if (const std::optional<std::uint64_t> version = version_of(text); version && *version != 1) {
    base::fail(
        Code::unsupported, path,
        "version {} of checkpoint manifests is unknown (only 1 is supported); use the library version that wrote it",
        *version);
  }
  if (!text.starts_with(first_line) || text.size() < first_line.size() + sum_line_bytes) {
    base::fail(Code::truncated, path, "this is not a manifest of a checkpoint, or it was truncated");
  }
  const std::string_view body = text.substr(0, text.size() - sum_line_bytes);
  const std::string expected = fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(body)));
  if (text.substr(body.size()) != expected) {
    base::fail(Code::checksum_mismatch, path, "the manifest disagrees with its own checksum");
  }
  Manifest manifest;
  Lines lines(path, body.substr(first_line.size()));
  while (lines.next()) {
    take_line(lines, manifest);
    if (!lines.is_at_end()) lines.fail("a line that is too long");
  }
  return manifest;
}

void require_name(std::string_view name, std::string_view what) {
  if (can_be_name(name)) return;
  throw Error(Code::invalid_argument,
              fmt::format("\"{}\" cannot be the name of a {} of a checkpoint: 1 to {} bytes without control characters "
                          "are expected",
                          base::printable(name), what, longest_name));
}

namespace {

// The bytes of the file of states. They are compared with its checksums, as far as it has some, because they are not
// the bytes that were compared when the checkpoint was proven.
std::vector<std::byte> bytes_of_states(storage::File& file, const Manifest& manifest) {
  const std::uint64_t size = file.size();
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (file.read_at(0, bytes) != bytes.size()) {
    base::fail(Code::truncated, {.path = file.path()}, "it became shorter while being read");
  }
  const auto summed = std::ranges::find(manifest.files, state_file_name, &SummedFile::name);
  if (summed == manifest.files.end()) return bytes;
  for (std::size_t block = 0; block < summed->sums.size(); ++block) {
    const std::uint64_t begin = std::min(block * manifest.block_bytes, size);
    const std::uint64_t length = std::min(manifest.block_bytes, size - begin);
    if (kernels::crc32(0, base::Bytes(bytes).subspan(begin, length)) == summed->sums[block]) continue;
    base::fail(Code::checksum_mismatch, {.path = file.path(), .offset = begin},
               "bytes {} to {} are not those that were saved", begin, begin + length);
  }
  return bytes;
}

}  // namespace

std::map<std::string, std::vector<std::byte>> read_states(storage::Transport& transport, const std::string& folder,
                                                          const Manifest& manifest) {
  std::map<std::string, std::vector<std::byte>> states;
  if (manifest.states.empty()) return states;
  const auto file = transport.open_read(folder + "/" + std::string(state_file_name));
  const std::vector<std::byte> all = bytes_of_states(*file, manifest);
  for (const NamedState& one : manifest.states) {
    if (one.offset > all.size() || one.bytes > all.size() - one.offset) {
      base::fail(Code::truncated, {.path = file->path(), .record = one.name}, "it ends within \"{}\"", one.name);
    }
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(one.offset);
    states[one.name] = {begin, begin + static_cast<std::ptrdiff_t>(one.bytes)};
  }
  return states;
}

namespace {

constexpr std::uint64_t read_at_a_time = base::mebi;

// The blocks of all files in sequence; each rank has a range of them.
class Blocks {
 public:
  Blocks(storage::Transport& transport, const std::string& folder, const Manifest& manifest)
      : transport_(transport), folder_(folder), manifest_(manifest), open_(manifest.files.size()) {
    for (const SummedFile& file : manifest.files) {
      begins_.push_back(count_);
      count_ += blocks_in(file.bytes, manifest.block_bytes);
    }
  }

  std::uint64_t count() const noexcept { return count_; }

  // Opened in advance for the threads. truncated: a file has another size.
  void open(std::uint64_t first, std::uint64_t end) {
    for (std::size_t file = 0; file < open_.size(); ++file) {
      const std::uint64_t behind = file + 1 < begins_.size() ? begins_[file + 1] : count_;
      if (behind > first && begins_[file] < end) open_file(file);
    }
  }
  // The root checks files without blocks.
  void look_at_empty() {
    for (std::size_t file = 0; file < open_.size(); ++file) {
      if (manifest_.files[file].bytes == 0) open_file(file);
    }
  }

  struct Place {
    std::size_t file;
    std::uint64_t block;  // of the file
    std::uint64_t offset, bytes;
  };
  Place place(std::uint64_t number) const {
    const auto behind = std::ranges::upper_bound(begins_, number);
    auto file = static_cast<std::size_t>(behind - begins_.begin()) - 1;
    const std::uint64_t block = number - begins_[file], offset = block * manifest_.block_bytes;
    return {file, block, offset, std::min(manifest_.block_bytes, manifest_.files[file].bytes - offset)};
  }

  std::uint32_t sum(const Place& place, base::MutableBytes buffer) const {
    std::uint32_t crc = 0;
    for (std::uint64_t at = 0; at < place.bytes; at += buffer.size()) {
      const auto piece =
          buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), place.bytes - at)));
      storage::File& file = *open_[place.file];
      if (file.read_at(place.offset + at, piece) != piece.size()) throw shorter(place.file, file.size());
      crc = kernels::crc32(crc, piece);
    }
    return crc;
  }
  std::string path(std::size_t file) const { return folder_ + "/" + manifest_.files[file].name; }

 private:
  void open_file(std::size_t number) {
    open_[number] = transport_.open_read(path(number));
    const std::uint64_t found = open_[number]->size();
    if (found != manifest_.files[number].bytes) throw shorter(number, found);
  }
  Error shorter(std::size_t file, std::uint64_t found) const {
    const std::uint64_t expected = manifest_.files[file].bytes;
    return {found < expected ? Code::truncated : Code::malformed,
            fmt::format("{}: it has {} bytes; the manifest of the checkpoint says {}", path(file), found, expected),
            {.path = path(file), .expected = std::to_string(expected), .found = std::to_string(found)}};
  }

  storage::Transport& transport_;
  const std::string& folder_;
  const Manifest& manifest_;
  std::vector<std::unique_ptr<storage::File>> open_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t count_ = 0;
};

// Local. Calls back for each block of a rank's share, with its checksum, using several threads.
void for_each_sum(Blocks& blocks, int share, int shares, int threads, std::uint64_t block_bytes,
                  base::FunctionRef<void(const Blocks::Place&, std::uint32_t)> take) {
  const auto number = static_cast<std::uint64_t>(share), all = static_cast<std::uint64_t>(shares);
  const std::uint64_t first = blocks.count() * number / all, end = blocks.count() * (number + 1) / all;
  if (share == 0) blocks.look_at_empty();
  if (first == end) return;
  blocks.open(first, end);
  comm::Team team(threads);
  const auto piece = static_cast<std::size_t>(std::min(block_bytes, read_at_a_time));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  for (std::vector<std::byte>& buffer : buffers) buffer.resize(piece);
  comm::parallel_for(team, end - first, [&](int thread, std::uint64_t item) {
    const Blocks::Place place = blocks.place(first + item);
    take(place, blocks.sum(place, buffers[static_cast<std::size_t>(thread)]));
  });
}

}  // namespace

void sum_files(comm::Comm& comm, storage::Transport& transport, const std::string& folder, Manifest& manifest) {
  const int threads = comm::thread_count(comm, 0, manifest.bytes());
  std::vector<std::vector<std::uint64_t>> sums;
  comm::agree(comm, [&] {
    Blocks blocks(transport, folder, manifest);
    for (SummedFile& file : manifest.files) {
      sums.emplace_back(static_cast<std::size_t>(blocks_in(file.bytes, manifest.block_bytes)));
      file.sums.resize(sums.back().size());
    }
    for_each_sum(blocks, comm.rank(), comm.size(), threads, manifest.block_bytes,
                 [&](const Blocks::Place& place, std::uint32_t crc) {
                   sums[place.file][static_cast<std::size_t>(place.block)] = crc;
                 });
  });
  for (std::size_t file = 0; file < sums.size(); ++file) {
    if (sums[file].empty()) continue;
    comm.all_reduce(sums[file], comm::Reduce::sum);
    std::ranges::transform(sums[file], manifest.files[file].sums.begin(),
                           [](std::uint64_t sum) { return static_cast<std::uint32_t>(sum); });
  }
}

void prove(comm::Comm& comm, storage::Transport& transport, const std::string& folder, const Manifest& manifest,
           int threads) {
  const int team = comm::thread_count(comm, threads, manifest.bytes());
  const std::uint64_t client =
      comm::agree(comm, [&] { return storage::client_of(transport, folder, transport.unit(folder + "/.")); });
  const std::uint64_t shift = io::shift_to_other_clients(comm, client);
  comm::agree(comm, [&] {
    Blocks blocks(transport, folder, manifest);
    const auto share =
        static_cast<int>((static_cast<std::uint64_t>(comm.rank()) + shift) % static_cast<std::uint64_t>(comm.size()));
    for_each_sum(
        blocks, share, comm.size(), team, manifest.block_bytes, [&](const Blocks::Place& place, std::uint32_t found) {
          const std::uint32_t expected = manifest.files[place.file].sums[static_cast<std::size_t>(place.block)];
          if (found == expected) return;
          const std::string path = blocks.path(place.file);
          base::fail(Code::checksum_mismatch,
                     {.path = path,
                      .offset = place.offset,
                      .expected = fmt::format("{:08x}", expected),
                      .found = fmt::format("{:08x}", found)},
                     "bytes {} to {} have changed since the save: CRC-32 {:08x}, expected {:08x}", place.offset,
                     place.offset + place.bytes - 1, found, expected);
        });
  });
}

}  // namespace lq::sets
