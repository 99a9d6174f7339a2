// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of new sets and those appended to; the public MultifileWriter and OutStream; and the layout
// of sets.
#include "sets/checkpoint/new_set.hpp"

#include <array>
#include <ios>
#include <ostream>
#include <streambuf>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "options/agreed.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t usual_width = 1ULL << 20;
// A chunk is read into memory and checked before its bytes are returned; chunks are wider only for streams so long that
// their table of chunks would grow.
constexpr std::uint64_t narrow = 4ULL << 20;
constexpr std::uint64_t chunks_of_long_streams = 1024;
constexpr std::uint64_t largest_width = 64ULL << 20;
constexpr std::uint64_t largest_width_compressed = 16ULL << 20;
constexpr std::uint64_t smallest_block = 512;
constexpr std::uint64_t largest_block = 32ULL << 20;  // that other writers accept
constexpr std::int32_t most_local_files = 8;
constexpr std::int32_t ranks_of_shared_file = 4096;

bool leaves_room(std::uint64_t block, std::uint64_t tasks) {
  const std::uint64_t head = format::sion::head_bytes(static_cast<std::int32_t>(tasks));
  return format::sion::round_up(head, block) - head >= record_bytes;
}

}  // namespace

std::int32_t choose_block(std::uint64_t unit_bytes, std::span<const std::uint64_t> tasks_of_files) {
  return roomy_block(std::clamp(unit_bytes, smallest_block, largest_block), tasks_of_files);
}

std::int32_t roomy_block(std::uint64_t wanted, std::span<const std::uint64_t> tasks_of_files) {
  const std::uint64_t unit =
      wanted >= smallest_block ? wanted : format::sion::round_up(smallest_block, std::max<std::uint64_t>(wanted, 1));
  for (std::uint64_t block = unit; block < (1ULL << 31); block += unit) {
    if (std::ranges::all_of(tasks_of_files, [&](std::uint64_t tasks) { return leaves_room(block, tasks); })) {
      return static_cast<std::int32_t>(block);
    }
  }
  throw Error(Code::too_large,
              fmt::format("no block size suits {} files; use fewer physical files", tasks_of_files.size()));
}

std::vector<std::uint64_t> roomy_parts(const std::string& path, std::uint64_t block, std::uint64_t tasks) {
  if (tasks == 0) return {};
  if (leaves_room(block, tasks)) return {tasks};
  for (std::uint64_t few = 1; few < tasks; ++few) {
    if (leaves_room(block, few) && leaves_room(block, tasks - few)) return {tasks - few, few};
  }
  const std::array<std::uint64_t, 1> one{tasks};
  base::fail(Code::unsupported, path,
             "{} new tasks leave no space for a record in blocks of {} bytes; \"lq defrag {} -o NEW "
             "--block-size {}\" writes a set to which they can be added",
             tasks, block, path, roomy_block(block, one));
}

std::uint64_t choose_width(std::uint64_t expected_bytes, std::uint64_t block_bytes, Compression compression,
                           std::uint64_t frame_bound) {
  const bool plain = compression == Compression::none;
  const std::uint64_t most = plain ? largest_width : largest_width_compressed;
  std::uint64_t wanted = usual_width;
  if (expected_bytes > 0) {
    const std::uint64_t bound = std::clamp(expected_bytes / chunks_of_long_streams, narrow - reserved_bytes, most);
    wanted = std::min(expected_bytes, bound);
  }
  return format::sion::round_up(std::max(wanted, frame_bound) + reserved_bytes, block_bytes);
}

std::int32_t choose_files(bool one_writer, int ranks) {
  if (one_writer) return std::min(ranks, most_local_files);
  return (ranks - 1) / ranks_of_shared_file + 1;
}

std::int32_t file_of_rank(int rank, int ranks, std::int32_t files) {
  return format::sion::share_of_task(rank, ranks, files).file;
}

}  // namespace lq::sets

namespace lq {
namespace sets {
namespace {

constexpr std::uint64_t largest_buffer = largest_frame;

}  // namespace

std::uint64_t expected_of(const MultifileOptions& options) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;  // so that sums over ranks cannot overflow
  return std::min(options.expected_bytes, most) * static_cast<std::uint64_t>(std::max(options.streams, 0));
}

std::vector<comm::StatedArgument> stated(const std::string& path, const MultifileOptions& options) {
  std::vector<comm::StatedArgument> arguments = options::stated("MultifileOptions", options);
  arguments.push_back({"the path", path});
  return arguments;
}

void require_options(const MultifileOptions& options, const std::string& path) {
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) base::fail(Code::invalid_argument, path, "{}", sentence);
  };
  require(options.streams >= 0 && options.streams <= most_streams,
          fmt::format("a rank can have 0 to {} streams, not {}", most_streams, options.streams));
  require(options.buffer_bytes >= 1 && options.buffer_bytes <= largest_buffer,
          fmt::format("a buffer can have 1 to {} bytes, not {}", largest_buffer, options.buffer_bytes));
  require(options.files >= 0,
          fmt::format("{} physical files; give their number, or 0 to choose it automatically", options.files));
  make_compressor(options.compression, options.level);
}

std::vector<OutStream> NewSet::take_handles() noexcept {
  for (const auto& stream : streams_) handles_.emplace_back(*stream);
  return std::move(handles_);
}

StreamSettings NewSet::settings() const {
  return {generation_, options_.compression, options_.level, options_.checksums, options_.buffer_bytes};
}

std::unique_ptr<storage::File> NewSet::create_file_of_tasks(const std::string& part, std::uint64_t bytes) {
  const StripeRequest request{
      .count = options_.stripe_count, .bytes = options_.stripe_bytes, .by_size = options_.stripes_by_size};
  return create_part(transport_, path_, part, request, bytes);
}

void NewSet::sync_head(storage::File& file) const {
  if (all().size() > 1) file.sync();
}

void NewSet::require_open() const {
  if (!is_open_) base::fail(Code::wrong_state, path_, "the set is closed already");
}

Report NewSet::write_field(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options) {
  comm::agree(all(), [&] {
    require_open();
    require_field_name(fields_name(path_), name);
    require_own();
  });
  if (!fields_) {
    FieldsWriter::Start start = open_fields();
    fields_ = comm::agree(all(), [&] {
      return std::make_unique<FieldsWriter>(transport_, communicator_, generation_, options_.sync, std::move(start));
    });
  }
  return fields_->write(name, grid, field, options);
}

void NewSet::close() {
  try {
    comm::agree(all(), [&] {
      require_open();
      is_open_ = false;
      require_own();
      for (const auto& stream : streams_) stream->flush();
    });
    if (fields_) fields_->finish();
    finish();
  } catch (const Error& error) {
    if (error.code() == Code::wrong_state) throw;
    comm::agree_alike(all(), [&] { throw_with_remedy(error); });
  }
  publish();
}

void NewSet::throw_with_remedy(const Error& error) const {
  throw Error(error.code(),
              fmt::format("{}; the data written so far are in {}; \"lq repair\" makes a set of them", error.what(),
                          shown_path()),
              error.facts());
}

void NewSet::discard() {
  comm::agree(all(), [&] { require_open(); });
  is_open_ = false;
  remove();
}

}  // namespace sets

// --- streams --------------------------------------------------------------------------------------------------------

// Text is written directly to the stream's own buffer.
struct OutStream::Text : std::streambuf {
  explicit Text(sets::StreamWriter& writer) : to(writer), out(this) { out.exceptions(std::ios::badbit); }

  std::streamsize xsputn(const char* text, std::streamsize length) override {
    to.write(std::as_bytes(std::span(text, static_cast<std::size_t>(length))));
    return length;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    xsputn(&one, 1);
    return c;
  }

  sets::StreamWriter& to;
  std::ostream out;
};

OutStream::OutStream(sets::StreamWriter& writer) : writer_(&writer) {}
OutStream::~OutStream() = default;
OutStream::OutStream(OutStream&&) noexcept = default;

void OutStream::write(std::span<const std::byte> bytes) { writer_->write(bytes); }
std::ostream& OutStream::text() {
  if (!text_) text_ = std::make_unique<Text>(*writer_);
  return text_->out;
}
void OutStream::flush() { writer_->flush(); }
void OutStream::sync() { writer_->sync(); }
std::uint64_t OutStream::size() const noexcept { return writer_->size(); }
std::int64_t OutStream::task() const noexcept { return writer_->task(); }

// --- sets -----------------------------------------------------------------------------------------------------------

MultifileWriter::MultifileWriter(std::unique_ptr<sets::NewSet> set)
    : set_(std::move(set)), streams_(set_->take_handles()) {}

MultifileWriter::MultifileWriter(const std::string& path, const Communicator& communicator,
                                 const MultifileOptions& options)
    : MultifileWriter(sets::create_set(storage::resolve(path), path, communicator, options)) {}

MultifileWriter MultifileWriter::append(const std::string& path, const Communicator& communicator,
                                        const MultifileOptions& options) {
  return MultifileWriter(sets::append_to_set(storage::resolve(path), path, communicator, options));
}

MultifileWriter::~MultifileWriter() = default;
MultifileWriter::MultifileWriter(MultifileWriter&&) noexcept = default;
MultifileWriter& MultifileWriter::operator=(MultifileWriter&&) noexcept = default;

std::int64_t MultifileWriter::tasks() const noexcept { return set_->tasks(); }
std::size_t MultifileWriter::streams() const noexcept { return streams_.size(); }

OutStream& MultifileWriter::stream(std::size_t index) {
  if (index < streams_.size()) return streams_[index];
  throw Error(Code::invalid_argument,
              fmt::format("stream {} does not exist: this rank has {}", index, streams_.size()));
}

Report MultifileWriter::write_field(const std::string& name, const Grid& grid, const Field& field,
                                    const WriteOptions& options) {
  return set_->write_field(name, grid, field, options);
}

void MultifileWriter::close() { set_->close(); }
void MultifileWriter::discard() { set_->discard(); }

}  // namespace lq
