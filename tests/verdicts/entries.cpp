// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "verdicts/entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include <limequat/ensemble.hpp>
#include <limequat/hdf5.hpp>
#include <limequat/limequat.hpp>

#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::testing {
namespace {

namespace fs = std::filesystem;

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string bytes_of(const hdf5::Array& array) {
  std::string bytes;
  for (const std::uint64_t extent : array.extents) bytes += std::to_string(extent) + " ";
  for (const hdf5::Axis& axis : array.axes) {
    bytes += axis.name + " ";
    for (const double coordinate : axis.coordinates) append(bytes, coordinate);
  }
  std::visit(
      [&](const auto& elements) {
        for (const auto& element : elements) {
          if constexpr (std::is_same_v<std::decay_t<decltype(element)>, std::string>) {
            bytes += element + " ";
          } else {
            append(bytes, element);
          }
        }
      },
      array.elements);
  return bytes;
}

void read_objects(hdf5::File& file, const std::string& group, Contents& all) {
  for (const hdf5::Entry& entry : file.ls(group)) {
    const std::string path = (group == "/" ? "" : group) + "/" + entry.name;
    for (const auto& [name, value] : file.attributes(path)) all[path + "@" + name] = bytes_of(value);
    // Links may lead in a circle.
    if (entry.kind == hdf5::EntryKind::group && std::ranges::count(path, '/') < 5) read_objects(file, path, all);
    if (entry.kind == hdf5::EntryKind::dataset) all[path] = bytes_of(file.read(path));
  }
}

void read_streams(const std::string& path, Contents& all) {
  const MultifileReader reader(path, {}, {.verify = Verify::none});
  for (std::int64_t task = 0; task < reader.tasks(); ++task) {
    InStream stream = reader.task(task);
    std::string& bytes = all["task " + std::to_string(task)];
    for (const std::byte byte : stream.read_all()) bytes.push_back(static_cast<char>(byte));
  }
  if (reader.info().fields_file.empty()) return;
  for (const MultifileField& field : reader.fields()) {
    const Grid grid(field.extents);
    std::vector<double> numbers(static_cast<std::size_t>(grid.volume() * field.spec.numbers));
    FieldSpec in_memory = field.spec;
    in_memory.precision = Precision::double_;
    reader.read_field(field.name, grid, field_in(numbers, in_memory), {.verify = Verify::none});
    all["field " + field.name].assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  }
}

void read_fields(const std::string& path, const Catalog& catalog, Contents& all) {
  std::map<std::string, std::uint64_t> of_name;
  std::size_t number = 0;
  for (const FieldEntry& entry : catalog.fields) {
    const Payload& payload = entry.payload;
    const std::uint64_t index = of_name[entry.name]++;
    // Two letters of a datatype make a spinor the numbers that it is: kinds are texts.
    const std::string of = std::to_string(number++) + ": " + to_string(payload.extents) + " " +
                           to_string(payload.stored.lower) + " " + to_string(payload.stored.extents) + " " +
                           std::to_string(payload.spec.numbers);
    const Grid grid(payload.stored.extents);
    std::vector<double> numbers(static_cast<std::size_t>(grid.volume() * payload.spec.numbers));
    FieldSpec in_memory = payload.spec;
    in_memory.precision = Precision::double_;
    ReadOptions options{.field = entry.name, .index = index, .verify = Verify::none};
    if (payload.stored.extents != payload.extents) options.region = payload.stored;
    read(path, grid, field_in(numbers, in_memory), options);
    all[of].assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
    if (catalog.format != "modes") continue;
    for (const auto& [name, text] : entry.metadata) all[of + " " + name] = text;
  }
}

void read_records(const std::string& path, const Catalog& catalog, Contents& all) {
  std::map<std::string, std::uint64_t> of_type;
  for (const Record& record : catalog.records) {
    const std::uint64_t index = of_type[record.type]++;
    std::string& bytes = all[record.type + " " + std::to_string(index)];
    read_record(path, record.type, index, [&](const void* data, std::uint64_t count) {
      bytes.append(static_cast<const char*>(data), static_cast<std::size_t>(count));
    });
  }
}

// The file and what its headers, or its neighbours, say belongs to it.
Entry entry_at(const fs::path& path, const Catalog& catalog) {
  Entry entry{.name = path.filename().string(), .files = {}};
  const auto add = [&](const fs::path& one) {
    const std::string name = fs::relative(one, path.parent_path()).string();
    const auto is_it = [&](const auto& known) { return known.first == name; };
    if (fs::is_regular_file(one) && std::ranges::none_of(entry.files, is_it)) {
      entry.files.emplace_back(name, contents(one.string()));
    }
  };
  add(path);
  for (const std::string& file : catalog.files) add(file);
  for (const auto& beside : fs::directory_iterator(path.parent_path())) {
    if (beside.path().extension() == ".expect") continue;
    if (beside.path().filename().string().starts_with(entry.name + ".")) add(beside.path());
  }
  return entry;
}

// What this library writes, in every format that takes such a thing, and files with several of them.
void write_entries(const std::string& folder) {
  const Grid grid({4, 4, 4, 4});
  std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72);
  generate(grid, gauge(links), {.sweeps = 3, .threads = 1});
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 4093) / 64 - 30;
  std::vector<double> vector(static_cast<std::size_t>(grid.volume()) * 6);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = std::sin(static_cast<double>(i));
  const auto try_to = [](const std::function<void()>& make) {
    try {
      make();
    } catch (const Error& error) {
      if (error.code() != Code::unsupported && error.code() != Code::invalid_argument) throw;
    }
  };
  for (const FormatInfo& format : formats()) {
    for (const Precision precision : {Precision::single, Precision::double_}) {
      const WriteOptions how{.format = std::string(format.name), .precision = precision, .time_stamps = false};
      const std::string end = std::string(".") + std::string(name(precision)) + "." + std::string(format.name);
      try_to([&] { write(folder + "/links" + end, grid, gauge(links), how); });
      try_to([&] { write(folder + "/spinor" + end, grid, spinor(numbers), how); });
      try_to([&] { write(folder + "/vector" + end, grid, spinor(vector, {.spins = 1}), how); });
    }
  }
  try_to([&] {
    write(folder + "/chunks.h5", grid, gauge(links),
          {.dataset_chunk = "slice", .filters = "shuffle,deflate:6,fletcher32", .time_stamps = false});
  });
  try_to([&] { write(folder + "/qlua.h5", grid, gauge(links), {.layout = "qlua", .time_stamps = false}); });
  try_to([&] {
    hdf5::File file(folder + "/session.h5", hdf5::Mode::create, {}, {.time_stamps = false});
    file.write("/pion", std::vector<double>(300, 0.5));
    hdf5::Array effective(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
    effective.axes = {{"source", {}}, {"time", {0, 1, 2}}};
    file.write("/masses/effective", effective);
    file.write("/masses/comment", "a text that is read by people");
    file.write("/flags", std::vector<std::int32_t>(200, -1));
    file.set_attribute("/masses", "beta", hdf5::Array(6.1));
    file.close();
  });
  write(folder + "/whole.ildg", grid, gauge(links), {.verify = Verify::none});
  write(folder + "/volumes.scidac", grid, spinor(numbers), {.parts = "1x1x1x2", .time_stamps = false});
  try_to([&] { squeeze(folder + "/links.single.ildg", folder + "/links.sqz"); });
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    if (!is_available(compression)) continue;
    MultifileWriter writer(folder + "/checkpoint." + std::string(name(compression)), {},
                           {.streams = 3, .compression = compression});
    for (std::size_t task = 0; task < 3; ++task) {
      writer.stream(task).write(std::span<const double>(numbers).first(200 * (task + 1)));
    }
    writer.write_field("spinor", grid, spinor(numbers));
    writer.close();
  }
}

// By format.
std::map<std::string, std::vector<Entry>, std::less<>> find_entries() {
  const ScratchDirectory written;
  write_entries(written.path());
  std::vector<fs::path> paths;
  for (const fs::path& folder : {fs::path(LQ_SOURCE_DIR "/tests/golden/good"), fs::path(written.path())}) {
    const auto of_folder = static_cast<std::ptrdiff_t>(paths.size());
    for (const auto& one : fs::recursive_directory_iterator(folder)) {
      if (one.is_regular_file()) paths.push_back(one.path());
    }
    // One order wherever the folders are: damage is drawn in it.
    std::sort(paths.begin() + of_folder, paths.end());
  }
  std::map<std::string, std::vector<Entry>, std::less<>> found;
  for (const fs::path& path : paths) {
    try {
      const Catalog catalog = inspect(path.string());
      Entry entry = entry_at(path, catalog);
      const ScratchDirectory alone;
      entry.put(alone.path());
      entry.verdict = verify(alone / entry.name).verdict;
      const auto below = ensemble::verify_below({alone.path()}).files;
      const bool is_part = std::ranges::find(below, alone / entry.name, &ensemble::VerifiedFile::path) == below.end();
      if (!is_part && is_ok(entry.verdict) && !contents_in(alone / entry.name).empty()) {
        found[catalog.format].push_back(std::move(entry));
      }
    } catch (const Error&) {
      continue;  // it is there to be refused, or a part of another one
    }
  }
  return found;
}

}  // namespace

void Entry::put(const std::string& folder) const {
  for (const auto& [file, bytes] : files) {
    fs::create_directories(fs::path(folder + "/" + file).parent_path());
    put_contents(folder + "/" + file, bytes);
  }
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const FormatInfo& format : formats()) names.emplace_back(format.name);
  return names;
}

std::string test_name(std::string format) {
  std::ranges::replace(format, '-', '_');
  return format;
}

std::vector<Entry> entries_of(std::string_view format) {
  static const auto all = find_entries();
  const auto found = all.find(format);
  return found != all.end() ? found->second : std::vector<Entry>();
}

Contents contents_in(const std::string& path) {
  const Catalog catalog = inspect(path);
  Contents all;
  const lq::Contents kind = format_info(catalog.format).contents;
  if (kind == lq::Contents::streams) {
    read_streams(path, all);
    return all;
  }
  if (kind == lq::Contents::records) read_records(path, catalog, all);
  read_fields(path, catalog, all);
  if (catalog.format == "hdf5") {
    hdf5::File file(path, hdf5::Mode::read, {}, {.digests = hdf5::Digests::ignore});
    read_objects(file, "/", all);
    // What a field is called along its axes are references in a heap of HDF5, which has no checksum.
    for (const FieldEntry& entry : catalog.fields) all.erase("/" + entry.name);
  }
  return all;
}

}  // namespace lq::testing
