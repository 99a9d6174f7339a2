// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq ls: the records of a file and the fields in them.
#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/file.hpp>
#include <limequat/json.hpp>

#include "base/path.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string place(const Record& record) {
  return record.message > 0 ? fmt::format("{}.{}", record.message, record.number) : std::to_string(record.number);
}

std::string flags(const Record& record) {
  if (record.mb_flag && record.me_flag) return "MB ME";
  return record.mb_flag ? "MB" : record.me_flag ? "ME" : "";
}

// Columns that are equal for every record are omitted: flags if there are no messages, the file if there is only
// one, pieces if each record has one. For a compressed checkpoint BYTES are the sizes of the streams.
std::string records_table(const Catalog& catalog, const std::optional<Checkpoint>& checkpoint) {
  const auto& records = catalog.records;
  const bool has_flags =
      records.empty() || std::ranges::any_of(records, [](const Record& record) { return record.message > 0; });
  const bool has_pieces = std::ranges::any_of(records, [](const Record& record) { return record.pieces != 1; });
  const bool has_files = catalog.files.size() > 1;
  const bool is_compressed = checkpoint && checkpoint->info.compression != Compression::none;
  Table table({"RECORD", "TYPE", has_flags ? "FLAGS" : "", has_files ? ">FILE" : "", ">OFFSET", ">BYTES",
               is_compressed ? ">STORED" : "", has_pieces ? ">PIECES" : ""});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    // The records of a checkpoint are the streams of its tasks, in order.
    table.row({place(record), printable(record.type), flags(record), std::to_string(record.file),
               std::to_string(record.offset),
               std::to_string(is_compressed ? checkpoint->stream_bytes.at(i) : record.data_length),
               std::to_string(record.data_length), std::to_string(record.pieces)});
  }
  return table.text();
}

std::string fields_table(const Catalog& catalog) {
  Table table({"FIELD", "KIND", "LATTICE", "PRECISION", "RECORD", ">OFFSET", ">BYTES", "CHECKSUM"});
  for (const FieldEntry& field : catalog.fields) {
    const Payload& payload = field.payload;
    const std::string record = field.record < catalog.records.size() ? place(catalog.records[field.record]) : "";
    table.row({printable(field.name), describe(payload.spec),
               payload.extents.size() > 0 ? to_string(payload.extents) : "-", std::string(name(payload.spec.precision)),
               record, std::to_string(payload.offset), std::to_string(payload.length),
               field.sums.checksum() ? to_string(*field.sums.checksum()) : stored_sums(field.sums, "-")});
  }
  return table.empty() ? std::string() : fmt::format("\n{}", table.text());
}

// For a checkpoint, whose fields are in a separate file.
std::string fields_table(const Checkpoint& checkpoint) {
  Table table({"FIELD", "KIND", "LATTICE", "PROCESSES", "PRECISION", ">BYTES", "CHECKSUM"});
  for (const MultifileField& field : checkpoint.fields) {
    table.row({printable(field.name), describe(field.spec), to_string(field.extents), to_string(field.processes),
               std::string(name(field.spec.precision)), std::to_string(field.bytes),
               field.checksum ? to_string(*field.checksum) : "-"});
  }
  return table.empty() ? std::string() : fmt::format("\n{}:\n{}", checkpoint.info.fields_file, table.text());
}

std::vector<std::string> row_of(const Catalog& catalog, const std::string& path) {
  const FieldEntry* field = catalog.fields.empty() ? nullptr : &catalog.fields.front();
  const bool has_lattice = field != nullptr && field->payload.extents.size() > 0;
  return {printable(path),
          catalog.format,
          field != nullptr ? describe(field->payload.spec) : "-",
          has_lattice ? to_string(field->payload.extents) : "-",
          field != nullptr ? std::string(name(field->payload.spec.precision)) : "-",
          std::to_string(catalog.records.size()),
          std::to_string(catalog.fields.size()),
          base::human_bytes(catalog.file_bytes),
          exit_code_of(catalog) == fine ? "whole"
          : catalog.complete            ? "INVALID"
                                        : "INCOMPLETE"};
}

struct Ls {
  std::vector<std::string> files;
  bool as_table = false;
  // A line for each file.
  Table table{{"FILE", "FORMAT", "KIND", "LATTICE", "PRECISION", ">RECORDS", ">FIELDS", ">SIZE", "HEADERS"}};
  Limits limits;
  bool after_another = false;
  std::set<std::string> listed;  // files of the entries below a folder

  // A line for each lattice file; files of other programs are only counted, and a set is listed once.
  int list_below(Session& session, const std::string& folder) {
    if (session.communicator.size() > 1) {
      throw Error(Code::unsupported, folder + ": this is a folder, which `lq ls` lists",
                  {.path = folder, .expected = "a regular file"});
    }
    int code = fine;
    std::uint64_t shown = 0, others = 0;
    for (const std::string& path : ensemble::files_below(folder)) {
      if (!session.out.wants_more()) break;
      if (listed.contains(base::plain_path(path))) continue;
      try {
        code = worse(code, list(session, path, true));
        ++shown;
      } catch (const Error& error) {
        if (error.code() == Code::unknown_format) {
          ++others;
        } else {
          code = worse(code, tell(session, path, error));
        }
      }
    }
    if (shown == 0) session.note(folder + ": there is no lattice file in this folder");
    if (others > 0) {
      session.note(fmt::format("{}: {} not shown, not a lattice file; `lq verify {}` says which should be one", folder,
                               count(others, "file"), printable(folder)));
    }
    return code;
  }

  int list(Session& session, const std::string& path, bool is_below_a_folder = false) {
    if (!is_below_a_folder && is_directory(path)) return list_below(session, path);
    return list_file(session, path, as_table || is_below_a_folder);
  }

  int list_file(Session& session, const std::string& path, bool in_table) {
    const Catalog catalog = inspect(path, session.communicator, limits);
    for (const std::string& file : catalog.files) {
      listed.insert(base::plain_path(file));
    }
    std::optional<Checkpoint> checkpoint;
    try {
      checkpoint = checkpoint_of(catalog, session.communicator);
      if (checkpoint && !checkpoint->problem.empty()) session.note(checkpoint->problem);
    } catch (const Error& error) {
      session.note(error.what());  // the records are listed nevertheless
    }
    const auto show = [&] {
      if (session.json) {
        show_json(session, catalog, checkpoint);
      } else if (in_table) {
        table.row(row_of(catalog, session.out.named(catalog.path)));
      } else {
        show_text(session, path, catalog, checkpoint);
      }
      return fine;
    };
    at_root(session, show);
    tell(session, path, catalog.findings);
    return exit_code_of(catalog);
  }

  static void show_json(Session& session, const Catalog& catalog, const std::optional<Checkpoint>& checkpoint) {
    base::JsonWriter json;
    json.begin_object().raw_members(to_json(catalog));
    if (checkpoint) put(json, *checkpoint);
    session.out.line(json.end_object().take());
  }

  void show_text(Session& session, const std::string& path, const Catalog& catalog,
                 const std::optional<Checkpoint>& checkpoint) {
    if (after_another) session.out.line("");
    after_another = true;
    const std::string in_files = catalog.files.size() > 1 ? fmt::format(" in {} files", catalog.files.size()) : "";
    session.out.line(fmt::format("{}: {}, {}, {}{}{}", path, catalog.format, count(catalog.records.size(), "record"),
                                 base::human_bytes(catalog.file_bytes), in_files,
                                 catalog.complete ? "" : ", INCOMPLETE"));
    session.out.write(records_table(catalog, checkpoint));
    session.out.write(checkpoint ? fields_table(*checkpoint) : fields_table(catalog));
  }
};

}  // namespace

Run declare_ls(Arguments& arguments) {
  const auto ls = std::make_shared<Ls>();
  arguments.files("FILE", ls->files, "files to list");
  arguments.reads_contents();
  arguments.flag("--table", ls->as_table,
                 "a line for each file (the default for a folder): format, kind, lattice, precision, size");
  declare_options(arguments, "ls", "Limits", ls->limits);
  return [ls](Session& session) {
    const int code =
        for_each_file(session, ls->files, [&](const std::string& path) { return ls->list(session, path); });
    if (!ls->table.empty()) session.out.write(ls->table.text());
    return code;
  };
}

}  // namespace lq::cli
