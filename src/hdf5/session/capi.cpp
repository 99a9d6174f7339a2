// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files in the C API.
#include <limequat/hdf5.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "capi/answers.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/transfer_call.hpp"

LQ_OPTION_STRUCT(lq_hdf5_options)

struct lq_hdf5 {
  lq::Communicator communicator;
  lq::hdf5::File file;
  lq::hdf5::Facts facts = {};  // owns the texts that were returned
  std::string filters = {};
};

// An array as seen by C, with everything to which it points.
struct lq_hdf5_value {
  lq::hdf5::Array array;
  lq::ChecksumStatus status = lq::ChecksumStatus::unchecked;
  std::vector<const char*> texts = {};
  std::vector<lq_hdf5_axis> axes = {};
  lq_hdf5_array seen = {};
};

namespace {

using lq::capi::agreed;
using lq::capi::given;
using lq::capi::guarded;
using lq::capi::reject;
using lq::capi::text;
using lq::hdf5::Array;

static_assert(static_cast<int>(lq::hdf5::Mode::append) == LQ_HDF5_APPEND &&
              static_cast<int>(lq::hdf5::EntryKind::other) == LQ_HDF5_OTHER &&
              std::variant_size_v<Array::Elements> == LQ_HDF5_TEXT + 1);

template <class T>
std::vector<T> elements(const void* data, std::size_t count) {
  if (count == 0) return {};
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<std::string> texts;
    const auto* pointers = static_cast<const char* const*>(given(data, "data of the array"));
    for (std::size_t i = 0; i < count; ++i) texts.push_back(text(pointers[i], "a text of the array"));
    return texts;
  } else {
    const auto* numbers = static_cast<const T*>(given(data, "data of the array"));
    return {numbers, numbers + count};
  }
}

template <std::size_t i = 0>
void take_elements(Array& array, int type, const void* data, std::size_t count) {
  if constexpr (i < std::variant_size_v<Array::Elements>) {
    using Vector = std::variant_alternative_t<i, Array::Elements>;
    if (type != static_cast<int>(i)) return take_elements<i + 1>(array, type, data, count);
    array.elements = elements<typename Vector::value_type>(data, count);
  } else {
    reject("type of the array is " + std::to_string(type) + ", expected one of lq_hdf5_type");
  }
}

Array array_from(const lq_hdf5_array* c) {
  given(c, "array");
  if (c->dimensions < 0 || c->dimensions > LQ_HDF5_MAX_DIMENSIONS) {
    reject("dimensions of the array is " + std::to_string(c->dimensions) + ", expected 0 to 32");
  }
  Array array;
  array.extents.assign(c->extents, c->extents + c->dimensions);
  constexpr std::uint64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(std::complex<double>);
  if (array.count() > most) reject("the extents of the array multiply to more elements than memory can hold");
  take_elements(array, c->type, c->data, static_cast<std::size_t>(array.count()));
  if (c->axes == nullptr) return array;
  for (int d = 0; d < c->dimensions; ++d) {
    const lq_hdf5_axis& axis = c->axes[d];
    array.axes.push_back({text(axis.name, "name of an axis"), {}});
    if (axis.coordinates == nullptr) continue;
    array.axes.back().coordinates.assign(axis.coordinates, axis.coordinates + c->extents[d]);
  }
  return array;
}

// Shows `value` to C without moving it.
void show(lq_hdf5_value& value) {
  lq_hdf5_array& seen = value.seen;
  seen.type = static_cast<int>(value.array.elements.index());
  seen.dimensions = static_cast<int>(std::min<std::size_t>(value.array.extents.size(), LQ_HDF5_MAX_DIMENSIONS));
  std::copy_n(value.array.extents.begin(), seen.dimensions, seen.extents);
  std::visit(
      [&]<class T>(const std::vector<T>& held) {
        if constexpr (std::is_same_v<T, std::string>) {
          for (const std::string& one : held) value.texts.push_back(one.c_str());
          seen.data = value.texts.data();
        } else {
          seen.data = held.data();
        }
      },
      value.array.elements);
  for (const lq::hdf5::Axis& axis : value.array.axes) {
    value.axes.push_back({axis.name.c_str(), axis.coordinates.empty() ? nullptr : axis.coordinates.data()});
  }
  seen.axes = value.axes.empty() ? nullptr : value.axes.data();
}

// Collective. A call about an object, after check() has validated the other arguments.
template <class Check, class Work>
lq_status on_object(lq_hdf5* file, const char* path, const Check& check, const Work& work) noexcept {
  return guarded([&] {
    const std::string name = agreed(given(file, "file")->communicator, [&] {
      check();
      return text(path, "path");
    });
    std::invoke(work, file->file, name);
  });
}
template <class Work>
lq_status on_object(lq_hdf5* file, const char* path, const Work& work) noexcept {
  const auto nothing = [] {};
  return on_object(file, path, nothing, work);
}

// Collective. A call with two texts; their names are used in errors.
template <class Work>
lq_status on_two(lq_hdf5* file, const char* one, const char* one_name, const char* other, const char* other_name,
                 const Work& work) noexcept {
  return guarded([&] {
    const auto names = agreed(given(file, "file")->communicator,
                              [&] { return std::pair(text(one, one_name), text(other, other_name)); });
    std::invoke(work, file->file, names.first, names.second);
  });
}

void hand_out_value(std::unique_ptr<lq_hdf5_value> value, lq_hdf5_value** out) {
  show(*value);
  *out = value.release();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& one : texts) all += (all.empty() ? "" : ",") + one;
  return all;
}

}  // namespace

lq_status lq_hdf5_open(const char* path, int mode, const lq_hdf5_options* options, lq_hdf5** file) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::group_of(options);
    auto [slot, name, how] = agreed(group, [&] {
      if (mode < LQ_HDF5_READ || mode > LQ_HDF5_APPEND) {
        reject("mode is " + std::to_string(mode) + ", expected one of lq_hdf5_mode");
      }
      return std::tuple(lq::capi::HandleSlot(file, "file"), text(path, "path"), lq::capi::options_of(options));
    });
    slot.fill(group, lq::hdf5::File(name, static_cast<lq::hdf5::Mode>(mode), group, how));
  });
}

lq_status lq_hdf5_flush(lq_hdf5* file) {
  return guarded([&] { given(file, "file")->file.flush(); });
}
lq_status lq_hdf5_close(lq_hdf5* file) {
  return guarded([&] { given(file, "file")->file.close(); });
}
void lq_hdf5_free(lq_hdf5* file) { delete file; }

const char* lq_hdf5_pwd(const lq_hdf5* file) { return file == nullptr ? "" : file->file.pwd().c_str(); }
lq_status lq_hdf5_cd(lq_hdf5* file, const char* path) { return on_object(file, path, &lq::hdf5::File::cd); }
lq_status lq_hdf5_push(lq_hdf5* file, const char* path) { return on_object(file, path, &lq::hdf5::File::push); }
lq_status lq_hdf5_pop(lq_hdf5* file) {
  return guarded([&] { given(file, "file")->file.pop(); });
}

lq_status lq_hdf5_ls(lq_hdf5* file, const char* path, lq_hdf5_visit visit, void* context) {
  const auto check = [&] {
    if (visit == nullptr) reject("visit is NULL");
  };
  return on_object(file, path, check, [&](lq::hdf5::File& session, const std::string& name) {
    for (const lq::hdf5::Entry& entry : session.ls(name)) {
      visit(entry.name.c_str(), static_cast<int>(entry.kind), entry.target.c_str(), context);
    }
  });
}

lq_status lq_hdf5_stat(lq_hdf5* file, const char* path, lq_hdf5_facts* facts) {
  const auto check = [&] { lq::capi::room_in(facts, "facts"); };
  return on_object(file, path, check, [&](lq::hdf5::File& session, const std::string& name) {
    file->facts = session.stat(name);
    file->filters = joined(file->facts.filters);
    const lq::hdf5::Facts& found = file->facts;
    lq_hdf5_facts c{};
    c.kind = static_cast<int>(found.kind);
    c.dimensions = static_cast<int>(std::min<std::size_t>(found.extents.size(), LQ_HDF5_MAX_DIMENSIONS));
    std::copy_n(found.extents.begin(), c.dimensions, c.extents);
    c.is_chunked = found.chunk.empty() ? 0 : 1;
    std::copy_n(found.chunk.begin(), std::min<std::size_t>(found.chunk.size(), LQ_HDF5_MAX_DIMENSIONS), c.chunk);
    c.bytes = found.bytes;
    c.unused_bytes = found.unused_bytes;
    c.has_time = found.microseconds ? 1 : 0;
    c.microseconds = found.microseconds.value_or(0);
    c.attributes = found.attributes;
    c.path = found.path.c_str();
    c.type = found.type.c_str();
    c.storage = found.storage.c_str();
    c.filters = file->filters.c_str();
    c.checksum = found.checksum.c_str();
    c.layout = found.layout.c_str();
    c.object = found.object.c_str();
    lq::capi::fill(facts, c, "facts");
  });
}

lq_status lq_hdf5_exists(lq_hdf5* file, const char* path, int* exists) {
  const auto check = [&] { given(exists, "exists"); };
  return on_object(file, path, check,
                   [&](lq::hdf5::File& session, const std::string& name) { *exists = session.exists(name) ? 1 : 0; });
}

lq_status lq_hdf5_mkdir(lq_hdf5* file, const char* path) { return on_object(file, path, &lq::hdf5::File::mkdir); }
lq_status lq_hdf5_remove(lq_hdf5* file, const char* path) { return on_object(file, path, &lq::hdf5::File::remove); }
lq_status lq_hdf5_rename(lq_hdf5* file, const char* from, const char* to) {
  return on_two(file, from, "from", to, "to", &lq::hdf5::File::rename);
}
lq_status lq_hdf5_copy(lq_hdf5* file, const char* from, const char* to) {
  return on_two(file, from, "from", to, "to", &lq::hdf5::File::copy);
}

lq_status lq_hdf5_write(lq_hdf5* file, const char* path, const lq_hdf5_array* array, int replace) {
  return guarded([&] {
    const auto call =
        agreed(given(file, "file")->communicator, [&] { return std::pair(text(path, "path"), array_from(array)); });
    file->file.write(call.first, call.second, replace != 0);
  });
}

lq_status lq_hdf5_read(lq_hdf5* file, const char* path, lq_hdf5_value** value) {
  const auto check = [&] { given(value, "value"); };
  return on_object(file, path, check, [&](lq::hdf5::File& session, const std::string& name) {
    lq::hdf5::ReadArray read = session.read_checked(name);
    hand_out_value(std::make_unique<lq_hdf5_value>(lq_hdf5_value{std::move(read.value), read.status}), value);
  });
}

const lq_hdf5_array* lq_hdf5_value_array(const lq_hdf5_value* value) {
  return value == nullptr ? nullptr : &value->seen;
}
int lq_hdf5_value_status(const lq_hdf5_value* value) {
  return value == nullptr ? LQ_CHECKSUM_UNCHECKED : static_cast<int>(value->status);
}
void lq_hdf5_value_free(lq_hdf5_value* value) { delete value; }

lq_status lq_hdf5_write_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                              const lq_write_options* options) {
  return guarded([&] {
    const auto call = agreed(given(file, "file")->communicator, [&] {
      given(grid, "grid");
      return lq::capi::write_call(path, field, options);
    });
    lq::capi::hand_out_report(file->file.write(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_hdf5_read_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                             const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(given(file, "file")->communicator, [&] {
      given(grid, "grid");
      return lq::capi::read_call(path, field, options);
    });
    lq::capi::hand_out_report(file->file.read(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_hdf5_catalog(lq_hdf5* file, char** json) {
  return guarded([&] {
    agreed(given(file, "file")->communicator, [&] { return given(json, "json"); });
    lq::capi::hand_out(lq::to_json(file->file.catalog()), json);
  });
}

lq_status lq_hdf5_set_attribute(lq_hdf5* file, const char* path, const char* name, const lq_hdf5_array* array) {
  return guarded([&] {
    struct Call {
      std::string path, name;
      Array value;
    };
    const auto call = agreed(given(file, "file")->communicator, [&] {
      return Call{text(path, "path"), text(name, "name"), array_from(array)};
    });
    file->file.set_attribute(call.path, call.name, call.value);
  });
}

lq_status lq_hdf5_attribute(lq_hdf5* file, const char* path, const char* name, lq_hdf5_value** value) {
  return guarded([&] {
    const auto call = agreed(given(file, "file")->communicator, [&] {
      given(value, "value");
      return std::pair(text(path, "path"), text(name, "name"));
    });
    hand_out_value(std::make_unique<lq_hdf5_value>(lq_hdf5_value{file->file.attribute(call.first, call.second)}),
                   value);
  });
}

lq_status lq_hdf5_remove_attribute(lq_hdf5* file, const char* path, const char* name) {
  return on_two(file, path, "path", name, "name", &lq::hdf5::File::remove_attribute);
}

lq_status lq_hdf5_attributes(lq_hdf5* file, const char* path, lq_hdf5_visit_attribute visit, void* context) {
  const auto check = [&] {
    if (visit == nullptr) reject("visit is NULL");
  };
  return on_object(file, path, check, [&](lq::hdf5::File& session, const std::string& name) {
    for (auto& [attribute, array] : session.attributes(name)) {
      lq_hdf5_value value{std::move(array)};
      show(value);
      visit(attribute.c_str(), &value.seen, context);
    }
  });
}
