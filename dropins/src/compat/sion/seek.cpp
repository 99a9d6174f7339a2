// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Position: which task, which chunk, which byte.
#include <optional>

#include <fmt/format.h>

#include "compat/sion/alias.hpp"
#include "compat/sion/handles.hpp"

namespace lq::compat::sion {
namespace {

using multifile::LogicalFile;

// The index of an open task, by the caller's number.
std::optional<std::size_t> index_of(const OpenFile& open, int rank) {
  const multifile::Multifile& file = *open.file;
  if (rank == SION_CURRENT_RANK) return file.selected_index();
  if (rank < 0) return std::nullopt;
  if (open.kind == Kind::serial) {
    return static_cast<std::size_t>(rank) < file.tasks() ? std::optional(static_cast<std::size_t>(rank)) : std::nullopt;
  }
  for (std::size_t i = 0; i < file.tasks(); ++i) {
    const auto& task = file.task(i);
    // If it is the only one, a task is known by its rank or by its number in the physical file.
    const bool is_alone = open.kind == Kind::parallel || open.kind == Kind::one_task;
    if (task.rank == rank || (is_alone && (task.number == rank || open.rank == rank))) return i;
  }
  return std::nullopt;
}

int complain_about_seek(const std::string& text) { return report_error(SION_NOT_SUCCESS, -1, "sion_seek: " + text); }

std::optional<LogicalFile::ChunkPosition> spot_from_end(const LogicalFile& stream, sion_int64 position) {
  if (position > 0) {
    complain_about_seek(fmt::format("seek past end of file ({} > 0), aborting  ...\n", position));
    return std::nullopt;
  }
  const auto absolute = static_cast<sion_int64>(stream.size()) + position;
  if (absolute < 0) {
    complain_about_seek(
        fmt::format("seek before beginning of file (posend = {}, abspos = {}), aborting  ...\n", position, absolute));
    return std::nullopt;
  }
  auto spot = stream.find(static_cast<std::uint64_t>(absolute));
  // Counted from the end, a position between two chunks is in the later one.
  while (spot && position < 0 && spot->position == stream.used(spot->chunk) && spot->chunk + 1 < stream.chunks()) {
    spot = LogicalFile::ChunkPosition{spot->chunk + 1, 0};
  }
  return spot;
}

std::optional<LogicalFile::ChunkPosition> spot_in_chunk(const LogicalFile& stream, int block, sion_int64 position) {
  LogicalFile::ChunkPosition spot{stream.chunk(), stream.position()};
  if (block != SION_CURRENT_BLK) {
    if (block < 0 || static_cast<std::uint64_t>(block) >= stream.chunks()) {
      complain_about_seek(fmt::format("parameter chunk number ({}) is out of range (0 .. {}), returning  ...\n", block,
                                      stream.chunks() - 1));
      return std::nullopt;
    }
    spot.chunk = static_cast<std::uint64_t>(block);
  }
  if (position != SION_CURRENT_POS) spot.position = static_cast<std::uint64_t>(position);
  const bool is_negative = position < 0 && position != SION_CURRENT_POS;
  if (is_negative || spot.position > stream.used(spot.chunk)) {
    complain_about_seek(fmt::format("parameter posinblk ({}) is out of range (0 .. {}), aborting ...\n", position,
                                    stream.used(spot.chunk)));
    return std::nullopt;
  }
  return spot;
}

int seek_to_read(OpenFile& open, int block, sion_int64 position) {
  const LogicalFile& stream = open.file->selected().stream;
  std::optional<LogicalFile::ChunkPosition> spot;
  if (block == SION_ABSOLUTE_POS) {
    if (position >= 0) spot = stream.find(static_cast<std::uint64_t>(position));
    if (!spot) return complain_about_seek("error in searching abs pos, returning  ...\n");
  } else if (block == SION_END_POS) {
    spot = spot_from_end(stream, position);
    if (!spot) return complain_about_seek("error in searching end pos, returning  ...\n");
  } else {
    spot = spot_in_chunk(stream, block, position);
    if (!spot) return SION_NOT_SUCCESS;
  }
  open.file->seek(*spot);
  return SION_SUCCESS;
}

int seek(OpenFile& open, int rank, int block, sion_int64 position) {
  const auto index = index_of(open, rank);
  if (!index) {
    return complain_about_seek(
        fmt::format("parameter rank {} (max. {}) out of range, aborting ...\n", rank, open.file->facts().tasks_of_set));
  }
  if (open.file->writes()) {
    if (block != SION_CURRENT_BLK || position != SION_CURRENT_POS) {
      return complain_about_seek("a file that is written has only its current position, returning  ...\n");
    }
    open.file->select(*index);
    return SION_SUCCESS;
  }
  const bool is_another = *index != open.file->selected_index();
  open.file->select(*index);
  open.file->catch_up();
  // If another task was left at the end of a chunk, programs expect it at the next one.
  const bool stays = block == SION_CURRENT_BLK && position == SION_CURRENT_POS;
  if (is_another && stays && open.file->selected().stream.logical_position() > 0) {
    open.file->is_at_end();
    return SION_SUCCESS;
  }
  return seek_to_read(open, block, position);
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk) {
  return with_file("sion_seek", SION_NOT_SUCCESS, sid,
                   [&](OpenFile& open) { return seek(open, rank, currentblocknr, posinblk); });
}

int sion_seek_fp(int sid, int rank, int currentblocknr, sion_int64 posinblk, FILE** fileptr) {
  return with_file("sion_seek", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    const int rc = seek(open, rank, currentblocknr, posinblk);
    if (fileptr != nullptr && open.file->tasks() > 0) {
      *fileptr = open.file->channel().share_stream();
      open.file->place_stream();
    }
    return rc;
  });
}

sion_int64 sion_get_position(int sid) {
  return with_file("sion_get_position", Number{SION_SIZE_NOT_VALID}, sid, [&](OpenFile& open) {
    open.file->catch_up();
    return static_cast<sion_int64>(open.file->selected().stream.offset());
  });
}

sion_int64 sion_get_bytes_written(int sid) {
  return with_file("sion_get_bytes_written", Number{SION_SIZE_NOT_VALID}, sid, [&](OpenFile& open) {
    if (!open.file->writes()) return Number{SION_SIZE_NOT_VALID};
    open.file->catch_up();
    return static_cast<sion_int64>(open.file->selected().stream.size());
  });
}

sion_int64 sion_get_bytes_read(int sid) {
  return with_file("sion_get_bytes_read", Number{SION_SIZE_NOT_VALID}, sid, [&](OpenFile& open) {
    if (open.file->writes()) return Number{SION_SIZE_NOT_VALID};
    open.file->catch_up();
    return static_cast<sion_int64>(open.file->selected().stream.logical_position());
  });
}
}

LQ_ALSO_AS_LSION(sion_seek, sion_seek_fp, sion_get_position, sion_get_bytes_written, sion_get_bytes_read);
