// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes.
#include <limequat/modes.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "capi/answers.hpp"
#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

struct lq_modes {
  lq::modes::Set set;
  std::vector<lq_modes_parameter> parameters = {};  // that were returned
};

struct lq_modes_writer {
  lq::Communicator communicator;
  lq::modes::Writer writer;
};

namespace {

using lq::modes::Description;
using lq::modes::Mode;
using lq::modes::Parameter;
using lq::modes::Value;

static_assert(static_cast<int>(lq::modes::Storage::fixed16) == LQ_MODES_FIXED16 &&
              static_cast<int>(lq::modes::Parity::odd) == LQ_MODES_ODD &&
              std::variant_size_v<Value> == LQ_MODES_TEXT + 1);

lq_modes_description defaults() {
  const Description meant;
  lq_modes_description c{};
  c.struct_size = sizeof c;
  c.kind = LQ_SPINOR;
  c.colors = meant.site.colors;
  c.spins = meant.site.spins;
  c.is_complex = 1;
  c.numbers = 0;
  c.storage = LQ_MODES_DOUBLE;
  c.parity = LQ_MODES_BOTH;
  c.ls = meant.ls;
  c.room = meant.room;
  c.tolerance = meant.coherence.tolerance;
  return c;
}

// `block` has one extent for each dimension of the lattice.
lq::modes::Coherence coherence_from(std::uint64_t basis, const std::int64_t* block, int dimensions, double tolerance) {
  lq::modes::Coherence coherence{.basis = basis, .tolerance = tolerance};
  if (basis > 0) coherence.block = lq::Coord(std::span(block, static_cast<std::size_t>(dimensions)));
  return coherence;
}

Value value_from(const lq_modes_parameter& c) {
  switch (c.type) {
    case LQ_MODES_INTEGER:
      return c.integer;
    case LQ_MODES_REAL:
      return c.re;
    case LQ_MODES_COMPLEX:
      return std::complex<double>(c.re, c.im);
    case LQ_MODES_TEXT:
      return text(c.text, "text of a parameter");
    default:
      reject("type of a parameter is " + std::to_string(c.type) + ", expected one of lq_modes_type");
  }
}

lq::modes::Storage storage_from(int storage) {
  if (storage != LQ_MODES_FIXED16 && storage != LQ_MODES_SINGLE && storage != LQ_MODES_DOUBLE) {
    reject("storage is " + std::to_string(storage) + ", expected one of lq_modes_storage");
  }
  return static_cast<lq::modes::Storage>(storage);
}

lq::modes::Parity parity_from(int parity) {
  if (parity < LQ_MODES_BOTH || parity > LQ_MODES_ODD) {
    reject("parity is " + std::to_string(parity) + ", expected one of lq_modes_parity");
  }
  return static_cast<lq::modes::Parity>(parity);
}

lq::modes::Unsaid unsaid_from(std::int64_t ls, int parity, const int64_t* lattice) {
  const lq::modes::Parity said = parity_from(parity);
  lq::modes::Unsaid unsaid{.ls = ls};
  if (lattice != nullptr) unsaid.lattice = lq::Extents(std::span(lattice, 4));
  if (said != lq::modes::Parity::both) unsaid.parity = said;
  return unsaid;
}

lq::FieldSpec site_from(const lq_modes_description& c) {
  switch (c.kind) {
    case LQ_SPINOR:
      return lq::spinor_spec(lq::Precision::double_, c.colors, c.spins);
    case LQ_PROPAGATOR:
      return lq::propagator_spec(lq::Precision::double_, c.colors, c.spins);
    case LQ_GENERIC:
      return lq::generic_spec(lq::Precision::double_, c.numbers, c.is_complex != 0);
    default:
      reject("kind is " + std::to_string(c.kind) + ", expected LQ_SPINOR, LQ_PROPAGATOR or LQ_GENERIC");
  }
}

Description description_from(const lq_modes_description* given_one) {
  const lq_modes_description c = given_options(given(given_one, "description"), defaults());
  Description description;
  if (c.dimensions < 1 || c.dimensions > LQ_MAX_DIMENSIONS) {
    reject("dimensions is " + std::to_string(c.dimensions) + ", expected 1 to 8");
  }
  description.lattice = lq::Coord(std::span(c.lattice, static_cast<std::size_t>(c.dimensions)));
  description.site = site_from(c);
  description.storage = storage_from(c.storage);
  description.parity = parity_from(c.parity);
  description.ls = c.ls;
  if (c.operator_name != nullptr) description.operator_name = text(c.operator_name, "operator_name");
  if (c.parameter_count > 0) given(c.parameters, "parameters");
  for (std::size_t i = 0; i < c.parameter_count; ++i) {
    description.parameters.push_back({text(c.parameters[i].name, "name of a parameter"), value_from(c.parameters[i])});
  }
  description.room = c.room;
  description.coherence = coherence_from(c.basis, c.block, c.dimensions, c.tolerance);
  return description;
}

lq_modes_parameter parameter_of(const Parameter& parameter) {
  lq_modes_parameter c{};
  c.name = parameter.name.c_str();
  c.type = static_cast<int>(parameter.value.index());
  c.text = "";
  if (const auto* integer = std::get_if<std::int64_t>(&parameter.value)) c.integer = *integer;
  if (const auto* real = std::get_if<double>(&parameter.value)) c.re = *real;
  if (const auto* number = std::get_if<std::complex<double>>(&parameter.value)) {
    c.re = number->real();
    c.im = number->imag();
  }
  if (const auto* words = std::get_if<std::string>(&parameter.value)) c.text = words->c_str();
  return c;
}

Mode mode_from(const lq_mode* c) {
  given(c, "mode");
  Mode mode{{c->eigenvalue_re, c->eigenvalue_im}, {}};
  if (!(c->residual < 0)) mode.residual = c->residual;
  return mode;
}

lq_mode mode_of(const Mode& mode) {
  return {mode.eigenvalue.real(), mode.eigenvalue.imag(), mode.residual.value_or(-1)};
}

lq_write_options overwriting(int overwrite) {
  lq_write_options options;
  lq_write_options_init(&options, sizeof options);
  options.overwrite = overwrite;
  return options;
}

const lq::modes::Set& set_of(const lq_modes* handle) { return given(handle, "set")->set; }
const std::string& path_of(const lq_modes* handle) { return set_of(handle).file().catalog().path; }

}  // namespace

lq_status lq_modes_description_init(lq_modes_description* description, size_t struct_size) {
  return init_options(description, struct_size, defaults);
}

lq_status lq_modes_create(const char* path, const lq_grid* grid, const lq_modes_description* description,
                          const lq_write_options* options, lq_modes_writer** writer) {
  return guarded([&] {
    const lq::Communicator group = grid_of(grid).communicator();
    auto [slot, name, how, what] = agreed(group, [&] {
      return std::tuple(HandleSlot(writer, "writer"), text(path, "path"), options_of(options),
                        description_from(description));
    });
    slot.fill(group, lq::modes::Writer(name, grid->grid, what, how));
  });
}

lq_status lq_modes_append(const char* path, const lq_grid* grid, const lq_write_options* options,
                          lq_modes_writer** writer) {
  return guarded([&] {
    const lq::Communicator group = grid_of(grid).communicator();
    auto [slot, name, how] = agreed(
        group, [&] { return std::tuple(HandleSlot(writer, "writer"), text(path, "path"), options_of(options)); });
    slot.fill(group, lq::modes::Writer(name, grid->grid, how));
  });
}

lq_status lq_modes_writer_append(lq_modes_writer* writer, lq_field vector, const lq_mode* mode, char** report_json) {
  return guarded([&] {
    const auto [field, known] =
        agreed(given(writer, "writer")->communicator, [&] { return std::pair(readable(vector), mode_from(mode)); });
    hand_out_report(writer->writer.append(field, known), report_json);
  });
}

uint64_t lq_modes_writer_size(const lq_modes_writer* writer) { return writer == nullptr ? 0 : writer->writer.size(); }
lq_status lq_modes_writer_close(lq_modes_writer* writer) {
  return guarded([&] { given(writer, "writer")->writer.close(); });
}
void lq_modes_writer_free(lq_modes_writer* writer) { delete writer; }

lq_status lq_modes_write(const char* path, const lq_grid* grid, const lq_modes_description* description,
                         const lq_field* vectors, const lq_mode* modes, size_t count, const lq_write_options* options) {
  return lq_modes_write_reported(path, grid, description, vectors, modes, count, options, nullptr);
}

lq_status lq_modes_write_reported(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                  const lq_field* vectors, const lq_mode* modes, size_t count,
                                  const lq_write_options* options, char** report_json) {
  return guarded([&] {
    std::vector<lq::Field> fields;
    std::vector<Mode> known;
    const auto [name, how, what] = agreed(grid_of(grid).communicator(), [&] {
      if (count > 0) given(vectors, "vectors");
      if (count > 0) given(modes, "modes");
      for (std::size_t k = 0; k < count; ++k) {
        fields.push_back(readable(vectors[k]));
        known.push_back(mode_from(&modes[k]));
      }
      return std::tuple(text(path, "path"), options_of(options), description_from(description));
    });
    lq::Report report;
    lq::modes::write(name, grid->grid, what, fields, known, how, &report);
    hand_out_report(report, report_json);
  });
}

lq_status lq_modes_open(const char* path, const lq_scan_options* options, lq_modes** set) {
  return lq_modes_open_vectors(path, 1, LQ_MODES_BOTH, nullptr, options, set);
}

lq_status lq_modes_open_vectors(const char* path, int64_t ls, int parity, const int64_t* lattice,
                                const lq_scan_options* options, lq_modes** set) {
  return guarded([&] {
    const lq::Communicator group = group_of(options);
    auto [slot, name, limits, unsaid] = agreed(group, [&] {
      return std::tuple(HandleSlot(set, "set"), text(path, "path"), options_of(options),
                        unsaid_from(ls, parity, lattice));
    });
    slot.fill(lq::modes::Set(name, group, limits, unsaid));
  });
}

const char* lq_modes_family(const lq_modes* set) { return set == nullptr ? "" : set->set.family().data(); }

void lq_modes_free(lq_modes* set) { delete set; }
uint64_t lq_modes_size(const lq_modes* set) { return set == nullptr ? 0 : set->set.size(); }

lq_status lq_modes_known(lq_modes* set, lq_modes_description* description) {
  return guarded([&] {
    const Description& known = set_of(set).description();
    set->parameters.clear();
    std::ranges::transform(known.parameters, std::back_inserter(set->parameters), parameter_of);
    lq_modes_description c = defaults();
    c.dimensions = known.lattice.size();
    std::copy_n(known.lattice.begin(), c.dimensions, c.lattice);
    c.kind = static_cast<int>(known.site.kind);
    c.colors = known.site.colors;
    c.spins = known.site.spins;
    c.is_complex = known.site.is_complex ? 1 : 0;
    c.numbers = known.site.numbers;
    c.storage = static_cast<int>(known.storage);
    c.parity = static_cast<int>(known.parity);
    c.ls = known.ls;
    c.operator_name = known.operator_name.c_str();
    c.parameters = set->parameters.data();
    c.parameter_count = set->parameters.size();
    c.room = known.room;
    c.basis = known.coherence.basis;
    std::copy_n(known.coherence.block.begin(), known.coherence.block.size(), c.block);
    c.tolerance = known.coherence.tolerance;
    fill(description, c, "description");
  });
}

lq_status lq_modes_mode(const lq_modes* set, uint64_t k, lq_mode* mode) {
  return guarded([&] { *given(mode, "mode") = mode_of(set_of(set).mode(k)); });
}

lq_status lq_modes_error(const lq_modes* set, uint64_t k, double* error) {
  return guarded([&] { *given(error, "error") = set_of(set).mode(k).error.value_or(-1); });
}

lq_status lq_modes_read(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                        const lq_read_options* options) {
  return guarded([&] {
    const auto call =
        agreed(grid_of(grid).communicator(), [&] { return read_call(path_of(set).c_str(), vector, options); });
    hand_out_report(set->set.read(k, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_modes_read_async(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                              const lq_read_options* options, lq_pending** pending) {
  return guarded([&] {
    auto [slot, call] = agreed(grid_of(grid).communicator(), [&] {
      return std::pair(HandleSlot(pending, "pending"), read_call(path_of(set).c_str(), vector, options));
    });
    slot.fill(set->set.read_async(k, grid->grid, call.field, call.options));
  });
}

lq_status lq_modes_convert(const char* from, const char* to, int storage, uint64_t first, uint64_t last, int overwrite,
                           const lq_communicator* communicator) {
  return lq_modes_convert_vectors(from, to, nullptr, 1, LQ_MODES_BOTH, nullptr, storage, first, last, overwrite,
                                  communicator);
}

lq_status lq_modes_convert_coherent(const char* from, const char* to, int storage, uint64_t basis, const int64_t* block,
                                    double tolerance, int overwrite, const lq_communicator* communicator) {
  const lq_write_options how = overwriting(overwrite);
  return lq_modes_convert_with(from, to, nullptr, 1, LQ_MODES_BOTH, nullptr, storage, 0, UINT64_MAX, basis, block,
                               tolerance, &how, communicator);
}

lq_status lq_modes_convert_vectors(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                   const int64_t* lattice, int storage, uint64_t first, uint64_t last, int overwrite,
                                   const lq_communicator* communicator) {
  const lq_write_options how = overwriting(overwrite);
  return lq_modes_convert_with(from, to, format, ls, parity, lattice, storage, first, last, 0, nullptr, 0, &how,
                               communicator);
}

lq_status lq_modes_convert_with(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                const int64_t* lattice, int storage, uint64_t first, uint64_t last, uint64_t basis,
                                const int64_t* block, double tolerance, const lq_write_options* options,
                                const lq_communicator* communicator) {
  return lq_modes_convert_reported(from, to, format, ls, parity, lattice, storage, first, last, basis, block, tolerance,
                                   options, communicator, nullptr);
}

lq_status lq_modes_convert_reported(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                    const int64_t* lattice, int storage, uint64_t first, uint64_t last, uint64_t basis,
                                    const int64_t* block, double tolerance, const lq_write_options* options,
                                    const lq_communicator* communicator, char** report_json) {
  return guarded([&] {
    const lq::Communicator group = communicator_of(communicator);
    auto [source, target, how] = agreed(group, [&] {
      const lq::WriteOptions written = options_of(options);
      lq::modes::ConvertOptions convert{.first = first, .last = last, .overwrite = written.overwrite};
      convert.route = written.route;
      if (storage != 0) convert.storage = storage_from(storage);
      convert.unsaid = unsaid_from(ls, parity, lattice);
      if (format != nullptr) convert.format = format;
      if (basis > 0) given(block, "block");
      return std::tuple(text(from, "from"), text(to, "to"), convert);
    });
    if (basis > 0) {
      const int dimensions = lq::modes::Set(source, group, {}, how.unsaid).description().lattice.size();
      how.coherence = coherence_from(basis, block, dimensions, tolerance);
    }
    lq::Report report;
    lq::modes::convert(source, target, group, how, &report);
    hand_out_report(report, report_json);
  });
}
