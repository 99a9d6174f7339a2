// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of formats: those of this module, and those that other modules and components register.
#include <algorithm>
#include <array>
#include <atomic>
#include <forward_list>
#include <functional>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/component.hpp"
#include "format/formats.hpp"

namespace lq::format {
namespace {

// For lists of all formats: includes those of installed components.
std::span<const Format* const> all_formats() {
  load_components();
  return formats();
}

// The names of those accepted by `chosen`: "ildg, scidac".
std::string names(const std::function<bool(const Format&)>& chosen = [](const Format&) { return true; }) {
  std::string list;
  for (const Format* format : all_formats()) {
    if (chosen(*format)) list += fmt::format("{}{}", list.empty() ? "" : ", ", format->name());
  }
  return list;
}

constexpr std::string_view default_suffix = ".lime";

// The part after the last dot, unless it belongs to a number: "conf.0010" and "b6.0_run" have no suffix. Case
// is ignored: ".H5".
std::string_view suffix_of(std::string_view path) noexcept {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == file.size()) return {};
  const char first = file[dot + 1];
  return first >= '0' && first <= '9' ? std::string_view() : file.substr(dot);
}

// ".ildg, .lime, .scidac": suffixes of formats that take fields.
std::string suffixes_of_fields() {
  std::vector<std::string_view> found;
  for (const Format* format : all_formats()) {
    if (!format->fields) continue;
    for (const std::string_view suffix : format->info.suffixes) {
      if (std::ranges::find(found, suffix) == found.end()) found.push_back(suffix);
    }
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

[[noreturn]] void refuse_suffix(const std::string& path, std::string_view suffix) {
  const auto foreign = foreign_suffix(suffix);
  const std::string known = suffixes_of_fields();
  const std::string shown = base::printable(suffix);
  base::fail(foreign ? Code::unsupported : Code::invalid_argument, {.path = path, .expected = known, .found = shown},
             "the suffix {} {}; choose one of {}, or name the format (options.format): {}", shown,
             foreign ? fmt::format("stands for {}, which this version does not write", foreign->name)
                     : "is not used by any known format",
             known, names([](const Format& format) { return format.fields != nullptr; }));
}

// Among the formats with this suffix, the first one intended for the field, else the first; nullptr: none.
const Format* with_suffix(std::string_view suffix, const FieldSpec& spec, const Extents& extents) {
  const Format* first = nullptr;
  for (const Format* format : formats()) {
    const auto is_it = [suffix](std::string_view own) { return is_suffix(suffix, own); };
    if (std::ranges::none_of(format->info.suffixes, is_it)) continue;
    if (format->fields && format->fields->is_for(spec, extents)) return format;
    if (!first) first = format;
  }
  return first;
}

std::string first_bytes(base::ByteSource& file) {
  std::array<std::byte, 16> start{};
  const std::size_t held = file.read_at(0, start);
  if (held == 0) return "the file is empty";
  std::string_view text = base::as_text(base::Bytes(start).first(held));
  if (held == start.size()) text = base::whole_characters(text);
  return fmt::format("it begins with \"{}\"", base::printable(text));
}

// The beginnings of files of all formats: "ildg, scidac, lime (the bytes 45 67 89 ab), sion (\"sion\")".
std::string beginnings() {
  std::string list;
  const auto all = all_formats();
  for (std::size_t i = 0; i < all.size(); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", all[i]->name());
    const bool is_last_of_its_kind = i + 1 == all.size() || all[i + 1]->info.begins != all[i]->info.begins;
    if (is_last_of_its_kind) list += fmt::format(" ({})", all[i]->info.begins);
  }
  return list;
}

}  // namespace

std::vector<RecordPiece> Container::pieces(base::ByteSource&, const Catalog&, const Record& record) const {
  return {{record.file, record.offset, record.data_length}};
}

std::unique_ptr<base::ByteSource> Container::contents(base::ByteSource&, const Catalog&, const Record&) const {
  return nullptr;
}

const RecordFormat& Format::for_records() const {
  if (records) return *records;
  base::fail(Code::unsupported, {}, "format \"{}\" holds {} and cannot store your own records; the formats {} can",
             info.name, info.holds, names([](const Format& format) { return format.records != nullptr; }));
}

const FieldFormat& Format::for_fields() const {
  if (fields) return *fields;
  base::fail(Code::unsupported, {}, "format \"{}\" holds {} and cannot store fields on lattices; the formats {} can",
             info.name, info.holds, names([](const Format& format) { return format.fields != nullptr; }));
}

std::string_view default_name(FieldKind kind) noexcept { return kind == FieldKind::generic ? "field" : name(kind); }

const TileCodec* FieldFormat::tile_codec(std::string_view) const { return nullptr; }

Choices choices_of(const WriteOptions& options) {
  return {.layout = options.layout,
          .dataset_chunk = options.dataset_chunk,
          .filters = options.filters,
          .parts = options.parts,
          .time_stamps = options.time_stamps,
          .alignment = options.route.alignment};
}

void refuse_choices(const Choices& choices, std::span<const std::string_view> known, std::string_view format) {
  // Disabled time stamps need no support: most formats have none anyway.
  const std::array<std::pair<std::string_view, bool>, 4> made{{{"layout", !choices.layout.empty()},
                                                               {"dataset_chunk", !choices.dataset_chunk.empty()},
                                                               {"filters", !choices.filters.empty()},
                                                               {"parts", !choices.parts.empty()}}};
  const auto unknown = std::ranges::find_if(
      made, [&](const auto& choice) { return choice.second && std::ranges::find(known, choice.first) == known.end(); });
  if (unknown == made.end()) return;
  base::fail(Code::unsupported, {}, "option {} is not supported by the format {}; omit it, or use another format",
             unknown->first, format);
}

std::vector<Literal> FieldFormat::refer(std::span<const Reference>) const {
  throw Error(Code::unsupported,
              "files of this format store the numbers of their fields themselves; only the format hdf5 can refer to "
              "the numbers of another file");
}

namespace {

// State at the last registration.
struct Table {
  std::vector<const Format*> formats = {};
  std::size_t with_magic = 0;  // number of formats before those without
  std::vector<std::string_view> record_types = {};
  std::uint64_t changes = 0;  // seen so far
};

// Already initialised when objects of other sources register.
constinit std::atomic<const Registration*> registered{nullptr};
constinit std::atomic<std::uint64_t> changes{1};

// Tables are kept because spans of them are in use.
struct Tables {
  std::mutex mutex;
  std::forward_list<Table> all;
  std::atomic<const Table*> current{nullptr};
  std::vector<const Format*> added;
};

Tables& tables() {
  static Tables the_tables;
  return the_tables;
}

#define LQ_POINT_TO_FORMAT(NAME) &NAME##_format(),

Table make_table(std::span<const Format* const> added) {
  Table made;
  made.changes = changes.load(std::memory_order_acquire);
  std::vector<const Format*>& all = made.formats;
  all = {LQ_FORMATS(LQ_POINT_TO_FORMAT)};
  std::vector<const Format*> further;
  for (auto* one = registered.load(std::memory_order_acquire); one != nullptr; one = one->next()) {
    further.push_back(&one->format());
  }
  // Independent of the order in which modules were initialised and components loaded.
  std::ranges::sort(further, {}, [](const Format* format) { return format->name(); });
  for (const Format* const format : further) {
    // A format with the same beginning as another is the more specific one.
    const auto alike = [&](const Format* other) { return other->info.begins == format->info.begins; };
    all.insert(std::ranges::find_if(all, alike), format);
  }
  all.insert(all.begin(), added.rbegin(), added.rend());
  made.with_magic = all.size();
  all.insert(all.end(), {LQ_FORMATS_WITHOUT_MAGIC(LQ_POINT_TO_FORMAT)});
  for (const Format* const format : all) {
    made.record_types.insert(made.record_types.end(), format->record_types.begin(), format->record_types.end());
  }
  return made;
}

#undef LQ_POINT_TO_FORMAT

const Table& table() {
  Tables& known = tables();
  const auto is_current = [](const Table* one) {
    return one != nullptr && one->changes == changes.load(std::memory_order_acquire);
  };
  if (const Table* const current = known.current.load(std::memory_order_acquire); is_current(current)) return *current;
  const std::lock_guard lock(known.mutex);
  if (const Table* const current = known.current.load(std::memory_order_acquire); is_current(current)) return *current;
  known.all.push_front(make_table(known.added));
  known.current.store(&known.all.front(), std::memory_order_release);
  return known.all.front();
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

LQ_AT_LOAD Registration::Registration(const Format& (*make)()) noexcept : format_(make), next_(registered.load()) {
  while (!registered.compare_exchange_weak(next_, this)) {
  }
  changes.fetch_add(1);
}

AddedFormat::AddedFormat(const Format& format) {
  const std::lock_guard lock(tables().mutex);
  tables().added.push_back(&format);
  changes.fetch_add(1);
}

AddedFormat::~AddedFormat() {
  const std::lock_guard lock(tables().mutex);
  tables().added.pop_back();
  changes.fetch_add(1);
}

std::span<const Format* const> formats() { return table().formats; }

std::span<const std::string_view> known_record_types() { return table().record_types; }

const Format* find_format(std::string_view name) {
  const auto all = formats();
  const auto found = std::ranges::find(all, name, [](const Format* format) { return format->name(); });
  return found == all.end() ? nullptr : *found;
}

bool is_suffix(std::string_view suffix, std::string_view of_format) noexcept {
  return std::ranges::equal(of_format, suffix, {}, lower, lower);
}

void load_format_of(const std::string& path, std::string_view name) {
  if (!name.empty()) {
    if (const Component* const component = component_with_format(name)) {
      require_format(*component, fmt::format("{}: the format \"{}\" is requested", path, name), path,
                     Code::unsupported);
    }
  } else if (const Component* const component = component_with_suffix(suffix_of(path))) {
    require_format(*component, fmt::format("{}: {} is requested", path, component->files), path, Code::unsupported);
  }
}

const Format& format_named(std::string_view name) {
  if (const Format* const found = find_format(name)) return *found;
  if (const Component* const component = component_with_format(name)) {
    return require_format(*component, fmt::format("the format \"{}\" is requested", name), {}, Code::unsupported);
  }
  std::vector<std::string> known;
  for (const Format* format : all_formats()) known.emplace_back(format->name());
  const auto near = base::nearest(name, known);
  base::fail(Code::invalid_argument, {.expected = names(), .found = base::printable(name)},
             "unknown format \"{}\"; known formats: {}{}", base::printable(name), names(),
             near ? fmt::format(" (did you mean \"{}\"?)", *near) : "");
}

const Format& format_for(const std::string& path, const FieldSpec& spec, const Extents& extents) {
  const std::string_view suffix = suffix_of(path);
  load_format_of(path, {});
  if (const Format* format = with_suffix(suffix, spec, extents)) return *format;
  if (!suffix.empty()) refuse_suffix(path, suffix);
  return *with_suffix(default_suffix, spec, extents);
}

namespace {

// Bytes that are not text may be the numbers of a field.
std::string_view remedy_for(base::ByteSource& file) {
  std::array<std::byte, 64> begin{};
  const auto bytes = base::Bytes(begin).first(file.read_at(0, begin));
  const auto is_text = [](std::byte byte) { return byte >= std::byte{0x09} && byte < std::byte{0x7f}; };
  if (std::ranges::all_of(bytes, is_text)) return "";
  return "; if these are the numbers of a field, `lq diagnose FILE --lattice 8x8x8x16` finds out how they are stored";
}

}  // namespace

const Format& recognise(base::ByteSource& file) {
  const Format* candidate = nullptr;
  const Table& known = table();
  for (std::size_t i = 0; i < known.formats.size(); ++i) {
    if (i == known.with_magic) {
      if (const Component* const component = component_of(file)) {
        return require_format(*component, fmt::format("{}: {}", file.path(), component->files), file.path(),
                              Code::unknown_format);
      }
    }
    const Likeness likeness = known.formats[i]->container->recognise(file);
    if (likeness == Likeness::yes) return *known.formats[i];
    if (likeness == Likeness::maybe && !candidate) candidate = known.formats[i];
  }
  if (candidate) return *candidate;
  const std::string found = first_bytes(file);
  const auto foreign = identify_foreign(file);
  const std::string what =
      foreign ? fmt::format("this is {}, which Limequat does not read: {}", foreign->name, foreign->remedy)
              : fmt::format("{} and has no known format ({}){}", found, names(), remedy_for(file));
  base::fail(Code::unknown_format, {.path = file.path(), .offset = 0, .expected = beginnings(), .found = found}, "{}",
             what);
}

// All formats inspect the same headers.
Catalog scan(base::ByteSource& file, const Limits& limits) {
  base::CachedSource cached(file);
  return recognise(cached).container->scan(cached, limits);
}

}  // namespace lq::format

namespace lq {

std::string_view name(Contents contents) noexcept {
  return contents == Contents::fields ? "fields" : contents == Contents::records ? "records" : "streams";
}

std::vector<FormatInfo> formats() {
  std::vector<FormatInfo> infos;
  for (const format::Format* format : format::all_formats()) infos.push_back(format->info);
  return infos;
}

FormatInfo format_info(std::string_view name) { return format::format_named(name).info; }

}  // namespace lq
