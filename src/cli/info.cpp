// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq info: what a file is, in a few lines; or what the file system of a folder is.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "io/new_file.hpp"

namespace lq::cli {
namespace {

std::string group_of(const FieldSpec& spec) {
  return spec.kind == FieldKind::generic ? std::string() : fmt::format("SU({})", spec.colors);
}

std::string lines_of(const std::vector<base::Property>& properties, std::string_view indent) {
  std::string text;
  for (const base::Property& property : properties) {
    const std::string value = printable(property.value, std::string::npos);  // properties_of() keeps them short
    text += fmt::format("{}{} = {}  ({})\n", indent, printable(property.key), value, printable(property.source));
  }
  return text;
}

std::string shape_text(const Payload& payload) {
  std::string text = fmt::format("    kind       {}\n", describe(payload.spec));
  if (payload.extents.size() > 0) text += fmt::format("    lattice    {}\n", to_string(payload.extents));
  if (!(payload.stored == whole(payload.extents))) {
    text += fmt::format("    stored     only {} from {}\n", to_string(payload.stored.extents),
                        to_string(payload.stored.lower));
  }
  text += fmt::format("    precision  {}\n", name(payload.spec.precision));
  if (const std::string group = group_of(payload.spec); !group.empty())
    text += fmt::format("    group      {}\n", group);
  return text;
}

std::string field_text(const FieldEntry& field) {
  const Payload& payload = field.payload;
  std::string text = fmt::format("  field \"{}\"\n{}", printable(field.name), shape_text(payload));
  const std::optional<Checksum> checksum = field.sums.checksum();
  const std::size_t slices = field.sums.slices().size();
  text += fmt::format("    checksum   {}{}\n", checksum ? to_string(*checksum) : stored_sums(field.sums),
                      slices == 0 ? "" : ", and one for each of " + count(slices, "slice"));
  text += fmt::format("    data       {} bytes at byte {}\n", payload.length, payload.offset);
  return text + lines_of(base::properties_of(field.metadata), "    ");
}

// The description of a file with many fields, such as a set of vectors, fits on a screen.

constexpr std::size_t most_fields = 8;       // described one by one
constexpr std::size_t most_groups = 5;       // of fields alike
constexpr std::size_t most_names = 3;        // of the fields of a group
constexpr std::size_t most_properties = 10;  // common to all fields of a group

struct FieldGroup {
  std::string shape;
  std::vector<const FieldEntry*> fields = {};
};

std::vector<FieldGroup> groups_of(const std::vector<FieldEntry>& fields) {
  std::vector<FieldGroup> groups;
  for (const FieldEntry& field : fields) {
    std::string shape = shape_text(field.payload);
    auto group = std::ranges::find(groups, shape, &FieldGroup::shape);
    if (group == groups.end()) group = groups.insert(groups.end(), {std::move(shape)});
    group->fields.push_back(&field);
  }
  return groups;
}

std::string names_of(const FieldGroup& group) {
  std::vector<std::string> names;
  bool are_all = true;
  for (const FieldEntry* field : group.fields) {
    const std::string name = fmt::format("\"{}\"", printable(field->name, 60));
    if (std::ranges::find(names, name) != names.end()) continue;
    are_all = names.size() < most_names;
    if (!are_all) break;
    names.push_back(name);
  }
  return fmt::format("{}{}", fmt::join(names, ", "), are_all ? "" : ", ...");
}

// "stored for all", "none stored", "stored for 12 of 300".
std::string checksums_of(const FieldGroup& group) {
  const auto has_sums = [](const FieldEntry* field) { return field->sums.checksum() || !field->sums.names().empty(); };
  const auto with_sums = static_cast<std::size_t>(std::ranges::count_if(group.fields, has_sums));
  if (with_sums == 0) return "none stored";
  return with_sums == group.fields.size() ? "stored for all"
                                          : fmt::format("stored for {} of {}", with_sums, group.fields.size());
}

// The properties common to all: for a set of vectors the operator, not the eigenvalues.
std::string common_properties(const FieldGroup& group) {
  std::vector<base::Property> common = base::properties_of(group.fields.front()->metadata);
  for (const FieldEntry* field : group.fields) {
    const std::vector<base::Property> its = base::properties_of(field->metadata);
    std::erase_if(common, [&](const base::Property& property) {
      return std::ranges::none_of(
          its, [&](const base::Property& other) { return other.key == property.key && other.value == property.value; });
    });
  }
  if (common.size() > most_properties) common.resize(most_properties);
  return lines_of(common, "    ");
}

std::string group_text(const FieldGroup& group) {
  if (group.fields.size() == 1) return field_text(*group.fields.front());
  std::uint64_t bytes = 0;
  for (const FieldEntry* field : group.fields) bytes += field->payload.length;
  std::string text = fmt::format("  {} fields {}\n{}", group.fields.size(), names_of(group), group.shape);
  text += fmt::format("    checksum   {}\n", checksums_of(group));
  text += fmt::format("    data       {} bytes together\n", bytes);
  return text + common_properties(group);
}

std::string fields_text(const std::vector<FieldEntry>& fields, bool in_full) {
  std::string text;
  if (in_full || fields.size() <= most_fields) {
    for (const FieldEntry& field : fields) text += field_text(field);
    return text;
  }
  const std::vector<FieldGroup> groups = groups_of(fields);
  for (std::size_t k = 0; k < std::min(groups.size(), most_groups); ++k) text += group_text(groups[k]);
  if (groups.size() > most_groups) {
    text += fmt::format("  and fields of {} more kinds\n", groups.size() - most_groups);
  }
  return text + "  (`lq ls` lists every field, -v describes each)\n";
}

void put(base::JsonWriter& json, const std::vector<base::Property>& properties) {
  json.begin_array();
  for (const base::Property& p : properties) {
    json.begin_object().member("name", p.key).member("value", p.value).member("source", p.source).end_object();
  }
  json.end_array();
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  const MultifileInfo& info = checkpoint.info;
  std::string text = fmt::format("  streams    {}, {} bytes", info.tasks, info.bytes);
  if (info.compression != Compression::none) {
    text += fmt::format(", {} compressed with {}", info.stored_bytes, name(info.compression));
  }
  text += fmt::format("\n  checksums  {}\n  generation {}\n", info.has_checksums ? "of every chunk" : "none stored",
                      info.generation);
  if (info.fields == 0) return text;
  text += fmt::format("  fields     {} in {}\n", info.fields,
                      info.fields_file.empty() ? "a file that is missing or of another set" : info.fields_file);
  for (const MultifileField& field : checkpoint.fields) {
    text += fmt::format("    {}: {}, {} on a process grid of {}, {}\n", printable(field.name), describe(field.spec),
                        to_string(field.extents), to_string(field.processes), name(field.spec.precision));
  }
  return text;
}

// The file system, if it stores files in stripes; for several physical files that of the first.
std::optional<FileSystem> stripes_of(const Catalog& catalog) {
  try {
    FileSystem found = file_system_of(catalog.files.empty() ? catalog.path : catalog.files.front());
    if (found.stripe_bytes > 0) return found;
  } catch (const Error&) {
    // Data from a pipe are not in a file system.
  }
  return {};
}

std::string stripes_text(const Catalog& catalog) {
  const auto found = stripes_of(catalog);
  if (!found) return "";
  return fmt::format("  stripes    {} of {} on {}{}\n", found->stripe_count, base::binary_bytes(found->stripe_bytes),
                     found->name, catalog.files.size() > 1 ? ", of its first file" : "");
}

void put_stripes(base::JsonWriter& json, const Catalog& catalog) {
  json.key("stripes");
  const auto found = stripes_of(catalog);
  if (!found) {
    json.null();
    return;
  }
  json.begin_object().member("file_system", found->name).member("count", found->stripe_count);
  json.member("bytes", found->stripe_bytes).end_object();
}

class Info {
 public:
  std::vector<std::string> files, folders;
  Limits limits;

  // As rank 0 sees it.
  int show_storage(Session& session, const std::string& folder) {
    const FileSystem found = file_system_of(folder);
    if (session.json) {
      session.out.object("path", folder, found);
    } else {
      begin_text(session, folder);
      session.out.write(describe(found));
    }
    return fine;
  }

  int show(Session& session, const std::string& path) {
    if (is_directory(path)) {
      throw Error(Code::io,
                  fmt::format("{}: this is a folder; `lq ls {}` lists the lattice files in it, and `lq info --storage "
                              "{}` describes its file system",
                              path, printable(path), printable(path)),
                  {.path = path, .expected = "a regular file", .found = "a directory"});
    }
    const Catalog catalog = inspect(path, session.communicator, limits);
    std::vector<std::string> leftovers;
    if (session.is_root()) leftovers = io::unneeded_leftovers(catalog);
    const std::optional<Checkpoint> checkpoint = checkpoint_of(catalog, session.communicator);
    const int code = at_root(session, [&] {
      if (session.json) {
        show_json(session, catalog, checkpoint, leftovers);
      } else {
        show_text(session, catalog, checkpoint);
      }
      return exit_code_of(catalog);
    });
    tell(session, path, catalog.findings);
    for (const std::string& leftover : leftovers) {
      session.note(
          fmt::format("{}: \"{}\" in the same folder was left by an interrupted writer; this file does not need it. "
                      "Unless a writer is still running, `lq repair` may recover its contents, or it can be removed",
                      path, leftover));
    }
    if (!io::is_leftover(path)) return code;
    session.complain(fmt::format("{}: this is the temporary name of a file that its writer has not completed", path));
    return incomplete;
  }

 private:
  bool after_another_ = false;

  void begin_text(Session& session, const std::string& path) {
    if (after_another_) session.out.line("");
    after_another_ = true;
    session.out.line(path);
  }

  void show_text(Session& session, const Catalog& catalog, const std::optional<Checkpoint>& checkpoint) {
    begin_text(session, catalog.path);
    session.out.line(fmt::format("  format     {}", catalog.format));
    session.out.line(fmt::format("  size       {} bytes, {}{}", catalog.file_bytes,
                                 count(catalog.records.size(), "record"),
                                 catalog.files.size() > 1 ? fmt::format(" in {} files", catalog.files.size()) : ""));
    session.out.line(
        fmt::format("  complete   {}", catalog.complete ? "yes" : "NO: interrupted while written, or truncated"));
    session.out.write(stripes_text(catalog));
    if (checkpoint) session.out.write(checkpoint_text(*checkpoint));
    session.out.write(lines_of(base::properties_of(catalog.metadata), "  "));
    session.out.write(fields_text(catalog.fields, session.verbose));
  }

  // The catalog, and what scripts usually need: the facts of the first field, and those in the texts.
  static void show_json(Session& session, const Catalog& catalog, const std::optional<Checkpoint>& checkpoint,
                        const std::vector<std::string>& leftovers) {
    base::JsonWriter json;
    json.begin_object().raw_members(to_json(catalog));
    Metadata texts = catalog.metadata;
    if (!catalog.fields.empty()) {
      const FieldEntry& first = catalog.fields.front();
      const FieldSpec& spec = first.payload.spec;
      json.member("kind", name(spec.kind)).key("lattice").array(first.payload.extents);
      json.member("precision", name(spec.precision));
      json.text_member("group", group_of(spec));
      json.text_member("checksum", first.sums.checksum() ? to_string(*first.sums.checksum()) : "");
      texts.insert(texts.end(), first.metadata.begin(), first.metadata.end());
    }
    if (checkpoint) put(json, *checkpoint);
    put_stripes(json, catalog);
    json.key("properties");
    put(json, base::properties_of(texts));
    json.key("leftovers").array(leftovers).end_object();
    session.out.line(json.take());
  }
};

}  // namespace

Run declare_info(Arguments& arguments) {
  const auto info = std::make_shared<Info>();
  arguments.optional_files("FILE", info->files, "files to describe");
  arguments.reads_contents();
  arguments.texts("--storage", "DIR", info->folders, "folder whose file system to describe; may be repeated");
  declare_options(arguments, "info", "Limits", info->limits);
  return [info](Session& session) {
    if (info->files.empty() && info->folders.empty()) throw UsageError("name a FILE, or a folder after --storage");
    const int code = for_each_file(session, info->folders, [&](const std::string& folder) {
      return at_root(session, [&] { return info->show_storage(session, folder); });
    });
    return std::max(
        code, for_each_file(session, info->files, [&](const std::string& path) { return info->show(session, path); }));
  };
}

}  // namespace lq::cli
