// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/sion/tool.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <sion_const.h>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "storage/transport.hpp"

namespace lq::programs {
Arguments::Arguments(const Program& program, int argc, char** argv)
    : program_(program), argc_(argc), argv_(argv), path_(argc > 0 ? argv[0] : program.name) {}

void Arguments::for_each(const std::function<void(char option, const char* value)>& take) {
  const std::string known = fmt::format("hV{}", program_.options);
  for (int option = getopt(argc_, argv_, known.c_str()); option != -1; option = getopt(argc_, argv_, known.c_str())) {
    if (option == 'V') {
      fmt::print(stderr, "SIONlib utility {} (Version {}.{}p{}, fileformat version {})\n", path_, SION_MAIN_VERSION,
                 SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_FILEFORMAT_VERSION);
      std::exit(1);
    }
    if (option == 'h' || option == '?') throw WrongUsage();
    take(static_cast<char>(option), optarg);
  }
}

std::vector<std::string> Arguments::rest(std::size_t count) const {
  const auto given = static_cast<std::size_t>(argc_ - optind);
  if (given != count) throw WrongUsage();
  return {argv_ + optind, argv_ + argc_};
}

std::int64_t whole_number(const char* text, std::int64_t smallest, std::int64_t largest) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < smallest || number > largest) {
    fmt::print(stderr, "\"{}\" is not a whole number from {} to {}\n", text, smallest, largest);
    throw WrongUsage();
  }
  return number;
}

int run(const Program& program, int argc, char** argv, const std::function<void(Arguments& arguments)>& work) {
  Arguments arguments(program, argc, argv);
  return run({arguments.path().c_str(), program.usage, std::string(program.name) + ": "}, [&] { work(arguments); });
}

std::unique_ptr<base::ByteSource> open_file(const std::string& path) { return storage::posix().open_read(path); }

format::sion::Set open_set(const std::string& path) {
  format::sion::Set set = format::sion::Set::open(path, open_file);
  const std::int32_t version = set.files().front().head.format_version;
  if (version != SION_FILEFORMAT_VERSION) {
    fmt::print(stderr,
               "SION_ERROR_WARN on rank -1, rc=0: sionlib: FATAL WARNING: old file format version of file differs, "
               "trying to read ... ({}!={})\n\n",
               version, SION_FILEFORMAT_VERSION);
  }
  return set;
}

std::vector<std::int64_t> stored_widths(const format::sion::Set& set) {
  std::vector<std::vector<std::int64_t>> of_file;
  for (const format::sion::PhysicalFile& file : set.files()) {
    of_file.emplace_back();
    if (file.head.format_version <= 3) of_file.back() = format::sion::read_head(*open_file(file.path)).widths;
  }
  std::vector<std::int64_t> widths(static_cast<std::size_t>(set.tasks()));
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const format::sion::Place place = set.place(task);
    const std::vector<std::int64_t>& stored = of_file[static_cast<std::size_t>(place.file)];
    widths[static_cast<std::size_t>(task)] =
        stored.empty() ? static_cast<std::int64_t>(set.width(task)) : stored[static_cast<std::size_t>(place.task)];
  }
  return widths;
}

std::string block_size(const format::sion::Set& set) {
  const auto bytes = static_cast<std::uint64_t>(set.files().front().head.block_size);
  return fmt::format("{} bytes ({:6.2f} MB)", bytes, megabytes(bytes));
}

double megabytes(std::uint64_t bytes) noexcept { return static_cast<double>(bytes) / 1048576.0; }

double percent(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view order_name(ByteOrder order) noexcept { return order == ByteOrder::big ? "big" : "little"; }

std::string_view key_value_name(format::sion::KeyValueMode mode) noexcept {
  switch (mode) {
    case format::sion::KeyValueMode::none:
      return "SION_KEYVAL_NONE";
    case format::sion::KeyValueMode::inline_records:
      return "SION_KEYVAL_INLINE";
    case format::sion::KeyValueMode::meta:
      return "SION_KEYVAL_META";
    case format::sion::KeyValueMode::hash:
      return "SION_KEYVAL_HASH";
  }
  return "unknown";
}

std::uint64_t data_bytes(const format::sion::Set& set) noexcept {
  std::uint64_t bytes = 0;
  for (std::int32_t task = 0; task < set.tasks(); ++task) bytes += set.bytes(task);
  return bytes;
}

std::uint64_t largest_count(const format::sion::Set& set) noexcept {
  std::uint64_t count = 0;
  for (const format::sion::PhysicalFile& file : set.files()) count = std::max(count, file.table.max_count());
  return count;
}

std::uint64_t largest_width(const format::sion::Set& set) noexcept {
  std::uint64_t width = 0;
  for (std::int32_t task = 0; task < set.tasks(); ++task) width = std::max(width, set.width(task));
  return width;
}

void Lines::text(std::string_view label, std::string_view value) const {
  fmt::print(stream_, "{}: {:<26} {}\n", program_, fmt::format("{}:", label), value);
}

void Lines::name(std::string_view label, const std::string& path) const { text(label, fmt::format("{:<30}", path)); }

void Lines::number(std::string_view label, std::uint64_t value) const { text(label, fmt::format("{}", value)); }

void Lines::bytes(std::string_view label, std::uint64_t bytes) const {
  text(label, fmt::format("{} bytes  ({:6.2f} MB)", bytes, megabytes(bytes)));
}

void Lines::nature(const format::sion::Set& set) const {
  const format::sion::FixedHead& head = set.files().front().head;
  text("keyval",
       fmt::format("{} ({})", static_cast<std::int32_t>(head.key_value_mode()), key_value_name(head.key_value_mode())));
  text("current endianness", order_name(format::sion::host_order));
  text("file endianness", order_name(head.data_order));
}

void Lines::sizes(const format::sion::Set& set) const {
  bytes("datasize in file (aggr.)", data_bytes(set));
  bytes("start_of_varheader", set.files().front().tail_offset);
}

std::string library_version() {
  return fmt::format("SIONlib Version {}.{}.{} (git_rev {}), fileformat version {}", SION_MAIN_VERSION,
                     SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_GIT_VERSION, SION_FILEFORMAT_VERSION);
}

namespace {

constexpr std::uint64_t piece_bytes = 1 << 20;

// A file being read must not be truncated.
void require_other_file(const std::string& path, const format::sion::Set& set) {
  struct stat there = {};
  if (stat(path.c_str(), &there) != 0) return;
  for (const format::sion::PhysicalFile& file : set.files()) {
    struct stat read = {};
    if (stat(file.path.c_str(), &read) == 0 && read.st_dev == there.st_dev && read.st_ino == there.st_ino) {
      throw Error(Code::invalid_argument, fmt::format("{}: this is the multifile itself; choose another name", path),
                  {.path = path});
    }
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path, bool append, const format::sion::Set& set)
    : file_(nullptr), path_(path) {
  require_other_file(path, set);
  file_ = std::fopen(path.c_str(), append ? "ab" : "wb");
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void OutputFile::copy(base::ByteSource& source, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(length, piece_bytes)));
  while (length > 0) {
    const base::MutableBytes piece(buffer.data(), static_cast<std::size_t>(std::min(length, piece_bytes)));
    if (source.read_at(offset, piece) < piece.size()) {
      throw Error(Code::truncated, fmt::format("{}: ends before byte {}", source.path(), offset + piece.size()),
                  {.path = source.path(), .offset = offset});
    }
    if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) fail();
    offset += piece.size();
    length -= piece.size();
  }
}

void OutputFile::close() {
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool failed = std::ferror(file) != 0;
  if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0 || failed) fail();
}

void OutputFile::fail() const {
  const int reason = errno;
  throw Error(reason == ENOSPC || reason == EDQUOT ? Code::no_space : Code::io,
              fmt::format("{}: cannot write: {}", path_, std::strerror(reason)), {.path = path_});
}

}  // namespace lq::programs
