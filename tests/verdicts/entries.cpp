// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "verdicts/entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

void read_streams(const std::string& path, Verify verify, Contents& all) {
  const MultifileReader reader(path, {}, {.verify = verify});
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
    reader.read_field(field.name, grid, field_in(numbers, in_memory), {.verify = verify});
    all["field " + field.name].assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  }
}

void read_fields(const std::string& path, const Catalog& catalog, Verify verify, Contents& all) {
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
    ReadOptions options{.field = entry.name, .index = index, .verify = verify};
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

void write_sets(const std::string& folder, const Grid& grid, std::vector<double>& numbers) {
  for (const modes::Storage storage : {modes::Storage::fixed16, modes::Storage::single, modes::Storage::double_}) {
    for (const bool is_coherent : {false, true}) {
      modes::Description description;
      description.lattice = grid.extents();
      description.storage = storage;
      description.operator_name = "hermitian Wilson";
      if (is_coherent) description.coherence = {.basis = 1, .block = {2, 2, 2, 2}, .tolerance = 0.9};
      const std::string name = std::string(modes::name(storage)) + (is_coherent ? ".coherent" : "");
      modes::Writer writer(folder + "/set." + name + ".modes", grid, description, {.sync = Sync::none});
      for (int k = 0; k < 3; ++k) {
        for (double& number : numbers) number = -1.25 * number + 0.5;
        writer.append(spinor(numbers), {.eigenvalue = {0.1 * k, 0.01}, .residual = 1e-9});
      }
    }
  }
}

// What this library writes, in every format that takes such a thing, and files with several of them.
void write_entries(const std::string& folder, int sweeps) {
  const Grid grid({4, 4, 4, 4});
  std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72);
  generate(grid, gauge(links), {.sweeps = sweeps, .threads = 1});
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 4093) / 64 - 27 - sweeps;
  std::vector<double> vector(static_cast<std::size_t>(grid.volume()) * 6);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = std::sin(sweeps * static_cast<double>(i));
  std::vector<double> propagators(static_cast<std::size_t>(grid.volume()) * 288);
  for (std::size_t i = 0; i < propagators.size(); ++i) propagators[i] = std::cos(sweeps * static_cast<double>(i));
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
      WriteOptions more = how;
      more.measure = true;
      try_to([&] { write(folder + "/measured" + end, grid, gauge(links), more); });
      more.measure = false;
      more.metadata = {{"xlf-info", "trajectory nr = 12\nbeta = 6.1\n"}};
      try_to([&] { write(folder + "/texts" + end, grid, gauge(links), more); });
    }
  }
  const std::span<double> one_spin = std::span(propagators).first(static_cast<std::size_t>(grid.volume()) * 18);
  for (const std::string end : {".scidac", ".h5", ".raw"}) {
    try_to([&] { write(folder + "/propagator" + end, grid, propagator(propagators), {.time_stamps = false}); });
    try_to(
        [&] { write(folder + "/staggered" + end, grid, propagator(one_spin, {.spins = 1}), {.time_stamps = false}); });
    try_to([&] {
      write(folder + "/odd" + end, grid, field_in(vector, generic_spec(Precision::double_, 5, false)),
            {.precision = Precision::single, .time_stamps = false});
    });
  }
  {
    Writer writer(folder + "/several.scidac", grid, {.time_stamps = false});
    writer.write("eigenvector", spinor(numbers));
    writer.write("eigenvector", spinor(vector, {.spins = 1}));
    writer.write("staggered", propagator(one_spin, {.spins = 1}));
    writer.close();
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
  for (const std::string end : {".scidac", ".h5", ".raw", ".ildg", ".nersc"}) {
    try_to([&] { write(folder + "/cut" + end, grid, gauge(links), {.parts = "1x1x2x2", .time_stamps = false}); });
  }
  for (const std::string layout : {"native", "qdp", "qlua"}) {
    for (const std::string filters : {"", "deflate:1", "fletcher32", "shuffle,zstd"}) {
      WriteOptions how{.layout = layout, .filters = filters, .time_stamps = false};
      if (!filters.empty()) how.dataset_chunk = "4x4x2x2";
      const std::string name = "/layout." + layout + "." + filters.substr(0, filters.find_first_of(":,")) + ".h5";
      try_to([&] { write(folder + name, grid, gauge(links), how); });
      how.verify = Verify::none;
      try_to([&] { write(folder + "/bare" + name.substr(1), grid, spinor(numbers), how); });
    }
  }
  try_to([&] { squeeze(folder + "/links.single.ildg", folder + "/links.sqz"); });
  try_to([&] { squeeze(folder + "/measured.double.ildg", folder + "/measured.sqz"); });
  write_sets(folder, grid, numbers);
  for (const std::string name : {"links.double.ildg", "links.double.nersc"}) {
    const std::string to = folder + "/partitioned." + name;
    repartition(folder + "/" + name, to, {}, {.to = "t=block:2", .sync = Sync::none});
    fs::copy_file(folder + "/" + name, folder + "/protected." + name);
    protect({folder + "/protected." + name}, {}, {.sync = Sync::none});
  }
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
  MultifileWriter writer(folder + "/checkpoint.bare", {}, {.streams = 2, .checksums = false});
  for (std::size_t task = 0; task < 2; ++task) writer.stream(task).write(std::span<const double>(vector).first(900));
  writer.close();
}

// Where sites and time slices lie of the fields in one piece of a file.
std::vector<DamageHints::Pieces> pieces_in(const Catalog& catalog, int file) {
  std::vector<DamageHints::Pieces> all;
  for (const FieldEntry& entry : catalog.fields) {
    const Payload& payload = entry.payload;
    if (payload.file != file || payload.extents.size() == 0 || !payload.is_in_one_piece()) continue;
    const auto begin = static_cast<std::size_t>(payload.offset), length = static_cast<std::size_t>(payload.length);
    const auto sites = static_cast<std::size_t>(payload.stored.volume());
    const auto slices = static_cast<std::size_t>(payload.stored.extents[payload.stored.extents.size() - 1]);
    for (const std::size_t count : {sites, slices, sites * 4}) all.push_back({begin, length / count, count});
  }
  return all;
}

// By format.
std::map<std::string, std::vector<Entry>, std::less<>> find_entries() {
  const ScratchDirectory written, once;
  write_entries(written.path(), 3);
  write_entries(once.path(), 2);
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
      for (std::size_t k = 0; k < entry.files.size(); ++k) {
        const fs::path older = fs::path(once.path()) / entry.files[k].first;
        entry.hints.push_back({.pieces = pieces_in(catalog, static_cast<int>(k))});
        if (path.parent_path() == written.path() && fs::exists(older))
          entry.hints.back().older = contents(older.string());
      }
      const ScratchDirectory alone;
      entry.put(alone.path());
      entry.verdict = verify(alone / entry.name).verdict;
      const auto below = ensemble::verify_below({alone.path()}).files;
      const bool is_part = std::ranges::find(below, alone / entry.name, &ensemble::VerifiedFile::path) == below.end();
      if (!is_part && is_ok(entry.verdict) && !contents_in(alone / entry.name).empty()) {
        if (std::getenv("LQ_ENTRIES") != nullptr) {
          std::printf("%s: %s, %zu files\n", catalog.format.c_str(), entry.name.c_str(), entry.files.size());
        }
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

unsigned seed_of(unsigned otherwise) {
  const char* const text = std::getenv("LQ_SEED");
  return text != nullptr ? otherwise + static_cast<unsigned>(std::atoi(text)) : otherwise;
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

Contents contents_in(const std::string& path, Verify verify) {
  const Catalog catalog = inspect(path);
  Contents all;
  const lq::Contents kind = format_info(catalog.format).contents;
  if (kind == lq::Contents::streams) {
    read_streams(path, verify, all);
    return all;
  }
  if (kind == lq::Contents::records) read_records(path, catalog, all);
  read_fields(path, catalog, verify, all);
  if (catalog.format == "hdf5") {
    const auto digests = verify == Verify::none ? hdf5::Digests::ignore : hdf5::Digests::check;
    hdf5::File file(path, hdf5::Mode::read, {}, {.digests = digests});
    read_objects(file, "/", all);
    // What a field is called along its axes are references in a heap of HDF5, which has no checksum.
    for (const FieldEntry& entry : catalog.fields) all.erase("/" + entry.name);
  }
  return all;
}

}  // namespace lq::testing
