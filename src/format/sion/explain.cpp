// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The meaning of each byte of a physical file.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/record_texts.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/scan.hpp"
#include "format/sion/set.hpp"
#include "format/sion/stream.hpp"
#include "format/sion/tail.hpp"

namespace lq::format::sion {
namespace {

using base::load_le;

constexpr std::array<std::string_view, 3> compressions = {"none", "lz4", "zstd"};

bool begins_with(base::Bytes bytes, std::string_view magic) noexcept {
  return std::ranges::equal(bytes.first(magic.size()), base::as_bytes(magic));
}

std::uint32_t word(base::Bytes bytes, std::size_t offset) { return load_le<std::uint32_t>(bytes.data() + offset); }

// Version, compression, generation.
std::string front_of(base::Bytes bytes, std::size_t compression) {
  std::string text;
  const auto version = load_le<std::uint16_t>(bytes.data() + 4);
  if (version != 1) text += fmt::format("version {}, ", version);
  if (compression > 0) {
    text += fmt::format("compression {}, ", compression < compressions.size() ? compressions[compression] : "unknown");
  }
  text += "generation ";
  for (const std::byte b : bytes.subspan(8, 16)) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

std::string chunk_text(base::Bytes bytes, bool compressed) {
  std::string text =
      fmt::format("chunk {} of task {} of file {}: {} bytes used, CRC-32 {:08x}, from byte {} of the stream",
                  word(bytes, 32), word(bytes, 28), word(bytes, 24), load_le<std::uint64_t>(bytes.data() + 40),
                  word(bytes, 36), load_le<std::uint64_t>(bytes.data() + 48));
  if (compressed) text += fmt::format(", of which it has {}", word(bytes, 56));
  return text;
}

}  // namespace

std::optional<OwnRecord> own_record(base::Bytes bytes) {
  if (bytes.size() < own_record_bytes) return std::nullopt;
  const auto compression = std::to_integer<std::size_t>(bytes[6]);
  const std::string place = fmt::format("file {} of {} tasks", word(bytes, 24), word(bytes, 28));
  if (begins_with(bytes, "LQms")) {
    std::string value = fmt::format("{}, {}", place, front_of(bytes, compression));
    if (const std::uint32_t epoch = word(bytes, 40); epoch > 0) value += fmt::format(", epoch {}", epoch);
    return OwnRecord{"set record", std::move(value), "formats/sion-records.md 2", false, compression > 0};
  }
  if (begins_with(bytes, "LQck")) {
    return OwnRecord{"chunk record", chunk_text(bytes, compression > 0), "formats/sion-records.md 3", false,
                     compression > 0};
  }
  if (begins_with(bytes, "LQmt")) {
    std::string value = fmt::format("{}, {}", place, front_of(bytes, 0));
    if (const std::uint32_t fields = word(bytes, 48); fields > 0) value += fmt::format(", fields {}", fields);
    if (bytes[7] != std::byte{0}) value += ", repaired";
    const std::uint32_t losses = word(bytes, 52);
    if (losses > 0) value += fmt::format(", losses {}", losses);
    return OwnRecord{"tail record", std::move(value), "formats/sion-records.md 4", true, false, losses};
  }
  return std::nullopt;
}

std::string own_loss(base::Bytes bytes) {
  const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(bytes.data() + offset); };
  const std::uint32_t task = word(bytes, 0);
  if (task == 0xffffffff) return fmt::format("{} fields after the first {}", number(24), number(16));
  return fmt::format("task {}: from chunk {} and byte {} of its stream on, {} bytes at least", task, number(8),
                     number(16), number(24));
}

namespace {

constexpr const char* head_section = "formats/sion.md 2";
constexpr const char* order_section = "formats/sion.md 3";
constexpr const char* chunk_section = "formats/sion.md 4";
constexpr const char* tail_section = "formats/sion.md 5";
constexpr const char* own_tail_section = "formats/sion-records.md 4";
constexpr std::uint64_t most_lines = 4096;  // of one table

// Headers and data of key-value records as parts of the chunks that contain them.
class RecordParts {
 public:
  // Empty unless the file is in key-value mode and has at most `most` records.
  RecordParts(const PhysicalFile& file, base::ByteSource& source, std::uint64_t most);

  bool empty() const noexcept { return parts_.empty(); }
  // The next `used` bytes of a local task's stream, part by part; calls for a task come chunk by chunk.
  void for_each(std::int32_t task, std::uint64_t used,
                const std::function<void(std::uint64_t length, const std::string& name)>& work);

 private:
  struct Part {
    std::uint64_t left = 0;
    std::string name;
  };
  bool walk(const PhysicalFile& file, base::ByteSource& source, std::int32_t task, std::uint64_t most);

  std::vector<std::vector<Part>> parts_;  // of each task
  std::vector<std::size_t> next_;         // the current part
};

RecordParts::RecordParts(const PhysicalFile& file, base::ByteSource& source, std::uint64_t most) {
  if (file.head.key_value_mode() != KeyValueMode::inline_records) return;
  const std::int32_t tasks = file.geometry.tasks();
  parts_.resize(static_cast<std::size_t>(tasks));
  next_.resize(parts_.size());
  for (std::int32_t task = 0; task < tasks; ++task) {
    if (walk(file, source, task, most)) continue;
    parts_.clear();
    return;
  }
}

bool RecordParts::walk(const PhysicalFile& file, base::ByteSource& source, std::int32_t task, std::uint64_t most) {
  std::vector<Part>& parts = parts_[static_cast<std::size_t>(task)];
  KeyWalker walker = walk_records(file, task, source);
  try {
    while (const auto record = walker.next()) {
      if (parts.size() >= 2 * most) return false;
      parts.push_back(
          {record_header_bytes, fmt::format("task {}: key {}, {} bytes", task, record->key, record->length)});
      parts.push_back({record->length, fmt::format("task {}: data of key {}", task, record->key)});
    }
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::truncated) throw;
  }
  parts.push_back({std::numeric_limits<std::uint64_t>::max(), fmt::format("task {}: no record", task)});
  return true;
}

void RecordParts::for_each(std::int32_t task, std::uint64_t used,
                           const std::function<void(std::uint64_t length, const std::string& name)>& work) {
  std::vector<Part>& parts = parts_[static_cast<std::size_t>(task)];
  std::size_t& next = next_[static_cast<std::size_t>(task)];
  while (used > 0) {
    Part& part = parts[next];
    const std::uint64_t length = std::min(used, part.left);
    if (length > 0) work(length, part.name);
    used -= length;
    part.left -= length;
    if (part.left == 0) ++next;
  }
}

class Explanation {
 public:
  explicit Explanation(base::ByteSource& file) : file_(file), window_(file) {}

  std::vector<Annotation> take() {
    try {
      const Head head = read_head(file_);
      order_ = head.metadata_order;
      add_fixed(head);
      add_table("global rank", head.ranks);
      add_table("chunk width", head.widths);
      add(4, "maximum chunks", number(head.max_chunks), head_section);
      add(8, "offset of metadata block 2", number(head.tail_offset), head_section);
      add_own_record(next_);
      PhysicalFile physical;
      static_cast<FixedHead&>(physical.head) = head;
      physical.geometry = Geometry(head, file_.path());
      Tail tail = read_tail(file_, head, physical.geometry);
      physical.table = std::move(tail.table);
      add_chunks(physical);
      add_tail(head, physical.table, tail.map);
      add_own_tail(head);
    } catch (const BrokenRule&) {
      // The scan reports the error; here the rest is explained as it is.
    }
    add(left(), next_ == 0 ? "no header" : "bytes behind", fmt::format("{} bytes that nothing refers to", left()),
        "formats/sion.md 9");
    return std::move(annotations_);
  }

 private:
  static std::string number(std::int64_t value) { return fmt::format("{}", value); }
  std::uint64_t left() const noexcept { return window_.size() - next_; }
  void add(std::uint64_t length, std::string name, std::string value, const char* section);
  void add_gap(std::uint64_t end);
  bool add_own_record(std::uint64_t offset);
  void add_own_tail(const FixedHead& head);
  void add_sizes(std::uint64_t tasks);
  void add_fixed(const FixedHead& head);
  void add_table(std::string_view name, const std::vector<std::int64_t>& values);
  void add_chunks(const PhysicalFile& physical);
  void add_chunk(const PhysicalFile& physical, RecordParts& parts, std::int32_t task, std::uint64_t block);
  void add_chunk_records(const Geometry& geometry, std::int32_t task, std::uint64_t block);
  void add_tail(const Head& head, const ChunkTable& table, const std::optional<std::vector<Place>>& map);
  void add_used(const Head& head, const ChunkTable& table);
  void add_map(const std::vector<Place>& map);

  base::ByteSource& file_;
  ReadAhead window_;
  ByteOrder order_ = host_order;
  std::vector<Annotation> annotations_;
  std::uint64_t next_ = 0;
  bool is_compressed_ = false;
};

void Explanation::add(std::uint64_t length, std::string name, std::string value, const char* section) {
  length = std::min(length, left());  // the file may end early
  if (length == 0) return;
  annotations_.push_back({next_, length, std::move(name), std::move(value), section});
  next_ += length;
}

void Explanation::add_gap(std::uint64_t end) {
  if (end > next_) add(end - next_, "gap", "not used", chunk_section);
}

// One of Limequat's own records, if there is one at `offset`.
bool Explanation::add_own_record(std::uint64_t offset) {
  std::optional<OwnRecord> record = own_record(window_.view(offset, own_record_bytes));
  if (!record) return false;
  add_gap(offset);
  is_compressed_ = is_compressed_ || record->compressed;
  add(own_record_bytes, std::move(record->name), std::move(record->value), record->section);
  return true;
}

// formats/sion-records.md 4: after metadata block 2; for compressed sets followed by the sizes of streams, and by the
// losses found by a repair.
void Explanation::add_own_tail(const FixedHead& head) {
  const std::optional<OwnRecord> record = own_record(window_.view(next_, own_record_bytes));
  if (!record) return;
  add_own_record(next_);
  if (is_compressed_) add_sizes(static_cast<std::uint64_t>(head.tasks));
  for (std::uint64_t loss = 0; loss < std::min(record->losses, most_lines); ++loss) {
    const base::Bytes bytes = window_.view(next_, own_loss_bytes);
    if (bytes.size() < own_loss_bytes) return;
    add(own_loss_bytes, fmt::format("loss {}", loss), own_loss(bytes), own_tail_section);
  }
}

void Explanation::add_sizes(std::uint64_t tasks) {
  if (tasks > most_lines) {
    add(8 * tasks, "sizes of streams", fmt::format("{} numbers", tasks), own_tail_section);
    return;
  }
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const base::Bytes bytes = window_.view(next_, 8);
    if (bytes.size() < 8) return;
    add(8, fmt::format("size of stream {}", task), fmt::format("{} bytes", base::load_le<std::uint64_t>(bytes.data())),
        own_tail_section);
  }
}

void Explanation::add_fixed(const FixedHead& head) {
  const auto order = [](ByteOrder o) { return o == ByteOrder::big ? "big" : "little"; };
  add(4, "magic", "\"sion\"", head_section);
  add(4, "byte order", fmt::format("metadata {}, data declared {}", order(head.metadata_order), order(head.data_order)),
      order_section);
  add(4, "library version", fmt::format("{}.{}", head.library_version / 1000, head.library_version % 1000),
      head_section);
  add(4, "library patch level", number(head.library_patch), head_section);
  add(4, "format version", number(head.format_version), head_section);
  add(4, "block size", fmt::format("{} bytes", head.block_size), head_section);
  add(4, "tasks", number(head.tasks), head_section);
  add(4, "physical files", number(head.files), head_section);
  if (head.format_version >= 3) {
    add(4, "file number", number(head.file_number), head_section);
    const auto mode = static_cast<std::int32_t>(head.key_value_mode());
    add(8, "flag 1",
        fmt::format("key-value mode {}{}", mode,
                    mode == 50   ? " (none)"
                    : mode == 51 ? " (inline)"
                                 : ""),
        head_section);
    add(8, "flag 2", number(head.flag2), head_section);
  }
  add(prefix_bytes, "name at creation", fmt::format("\"{}\"", base::printable(head.prefix)), head_section);
}

void Explanation::add_table(std::string_view name, const std::vector<std::int64_t>& values) {
  if (values.size() > most_lines) {
    add(8 * values.size(), fmt::format("{}s", name), fmt::format("{} numbers", values.size()), head_section);
    return;
  }
  for (std::size_t task = 0; task < values.size(); ++task) {
    add(8, fmt::format("{} of task {}", name, task), number(values[task]), head_section);
  }
}

void Explanation::add_chunks(const PhysicalFile& physical) {
  const Geometry& geometry = physical.geometry;
  const ChunkTable& table = physical.table;
  add_gap(geometry.start(0));
  const std::uint64_t blocks = table.max_count();
  if (table.chunks() > most_lines) {
    add(blocks * geometry.skip(), "chunks", fmt::format("{} chunks of {} tasks", table.chunks(), table.tasks()),
        chunk_section);
    return;
  }
  RecordParts parts(physical, file_, most_lines);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      if (block < table.count(task)) add_chunk(physical, parts, task, block);
    }
  }
}

void Explanation::add_chunk(const PhysicalFile& physical, RecordParts& parts, std::int32_t task, std::uint64_t block) {
  const auto used = static_cast<std::uint64_t>(physical.table.used(task)[block]);
  if (used == 0) return;
  add_gap(physical.geometry.chunk_offset(task, block));
  const std::string value = fmt::format("{} of {} bytes", used, physical.geometry.width(task));
  if (parts.empty()) {
    add(used, fmt::format("chunk {} of task {}", block, task), value, chunk_section);
    add_chunk_records(physical.geometry, task, block);
    return;
  }
  parts.for_each(task, used, [&](std::uint64_t length, const std::string& name) {
    add(length, name, fmt::format("in chunk {}", block), "formats/sion.md 6");
  });
}

// formats/sion-records.md 3: at the end of the chunk's width, if that is not used for data.
void Explanation::add_chunk_records(const Geometry& geometry, std::int32_t task, std::uint64_t block) {
  const std::uint64_t width = geometry.width(task);
  if (width < own_chunk_end) return;
  const std::uint64_t first = geometry.chunk_offset(task, block) + width - own_chunk_end;
  if (first < next_) return;
  add_own_record(first);
  add_own_record(first + own_record_bytes);
}

void Explanation::add_tail(const Head& head, const ChunkTable& table, const std::optional<std::vector<Place>>& map) {
  add_gap(static_cast<std::uint64_t>(head.tail_offset));
  const auto tasks = static_cast<std::uint64_t>(head.tasks);
  if (tasks > most_lines) {
    add(8 * tasks, "chunk counts", fmt::format("{} numbers", tasks), tail_section);
  } else {
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      add(8, fmt::format("chunks of task {}", task), fmt::format("{}", table.count(task)), tail_section);
    }
  }
  add_used(head, table);
  if (map) add_map(*map);
}

void Explanation::add_used(const Head& head, const ChunkTable& table) {
  const auto blocks = static_cast<std::uint64_t>(head.max_chunks);
  const auto tasks = static_cast<std::uint64_t>(head.tasks);
  if (blocks > most_lines / tasks) {
    add(8 * tasks * blocks, "used bytes", fmt::format("{} numbers of {} chunks", blocks * tasks, table.chunks()),
        tail_section);
    return;
  }
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      const bool is_there = block < table.count(task);
      add(8, fmt::format("used, chunk {} of task {}", block, task),
          is_there ? fmt::format("{} bytes", table.used(task)[block]) : "no such chunk", tail_section);
    }
  }
}

void Explanation::add_map(const std::vector<Place>& map) {
  add(4, "map size", fmt::format("{} tasks", map.size()), tail_section);
  if (map.size() > most_lines) {
    add(8 * map.size(), "map", fmt::format("{} pairs", map.size()), tail_section);
    return;
  }
  for (std::size_t task = 0; task < map.size(); ++task) {
    add(8, fmt::format("place of task {}", task), fmt::format("task {} of file {}", map[task].task, map[task].file),
        tail_section);
  }
}

}  // namespace

std::vector<Annotation> explain(base::ByteSource& file) { return Explanation(file).take(); }

}  // namespace lq::format::sion
