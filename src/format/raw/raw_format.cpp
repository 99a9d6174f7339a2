// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers without a header, with a separate text that describes them (formats/raw.md).

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"
#include "format/formats.hpp"
#include "format/raw/raw_format.hpp"

namespace lq::format::raw {
namespace {

constexpr std::string_view raw_name = "raw";
constexpr std::string_view raw_holds = "one field in four dimensions, as numbers with a description in a separate text";
constexpr std::string_view basis_text = "basis";
constexpr std::string_view data_suffix = ".data";
constexpr std::size_t most_description_bytes = 16384;
constexpr std::size_t most_shown = 200;  // bytes of a path
constexpr SumName site_checksum{SumKind::scidac, SumOf::field};

class Raw final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    return flat::begins_with_line(file, begin_line) ? Likeness::yes : Likeness::no;
  }
  bool is_for(const FieldSpec&, const Extents& extents) const override { return extents.size() == 4; }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 1> known{"layout"};
    return known;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata& texts, bool) const override;
  const TileCodec* tile_codec(std::string_view encoding) const override { return text_codec(encoding); }

 private:
  std::string_view name() const override { return raw_name; }
  std::string_view data_section() const override { return "formats/raw.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

// The first text of that name that fits a line.
Metadata Raw::carried(const Metadata& texts, bool) const {
  for (const auto& [key, value] : texts) {
    const bool is_line = !value.empty() && base::trim(value) == value && value.find('\n') == std::string::npos;
    if (key == basis_text && is_line) return {{key, value}};
  }
  return {};
}

// Relative to the description unless the path is absolute; derived from its name if the text names none.
std::string path_of(const base::ByteSource& file, const std::string& data) {
  if (data.empty()) return fmt::format("{}{}", file.path(), data_suffix);
  if (data.starts_with('/')) return data;
  return file.path().substr(0, file.path().rfind('/') + 1) + data;
}

void add_checksum(const flat::TextHeader& header, Sums& sums) {
  const auto value = header.find("checksum");
  if (!value) return;
  const std::vector<std::string_view> words = base::split_words(*value);
  const auto suma = words.size() == 2 ? base::parse_hex32(words[0]) : std::nullopt;
  const auto sumb = words.size() == 2 ? base::parse_hex32(words[1]) : std::nullopt;
  if (!suma || !sumb) {
    base::fail(Code::malformed, {}, "checksum = {}: expected two numbers of eight hexadecimal digits",
               base::printable(*value));
  }
  sums.set({site_checksum, {*suma, *sumb}});
}

flat::Head Raw::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  if (!flat::begins_with_line(file, begin_line)) {
    base::fail(Code::malformed, {}, "the file does not begin with {}", begin_line);
  }
  const flat::TextHeader header = flat::read_text_header(file, end_line, most_description_bytes);
  Description description = understand(header);
  flat::Head head;
  add_checksum(header, head.sums);
  const std::string path = path_of(file, description.data);
  std::unique_ptr<base::ByteSource> data;
  try {
    data = file.open_other(path);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    base::fail(Code::not_found, {},
               "{} with the data does not exist; if the data are elsewhere, add a line \"data = PATH\" to the "
               "description, relative to its folder",
               base::printable(path, most_shown));
  }
  Payload& payload = description.payload;
  const std::uint64_t end = description.is_text ? find_text(payload, *data) : payload.offset + payload.length;
  if (data->size() < end) {
    base::fail(Code::truncated,
               {.expected = fmt::format("{} bytes", end), .found = fmt::format("{} bytes", data->size())},
               "{} has {} bytes, but the description states {}; check the lattice, the precision and the offset",
               base::printable(path, most_shown), data->size(), end);
  }
  if (data->size() > end) {
    Record record;
    record.type = flat::data_type(raw_name);
    findings.warning("raw-trailing-bytes", record,
                     fmt::format("{} bytes of {} follow the data; check the lattice, the precision and the offset",
                                 data->size() - end, base::printable(path, most_shown)),
                     fmt::format("{} bytes", end), fmt::format("{} bytes", data->size()));
  }
  head.files = {file.path(), path};
  head.data_file_bytes = data->size();
  head.payload = std::move(description.payload);
  if (!description.basis.empty()) head.metadata = {{std::string(basis_text), description.basis}};
  head.parts = flat::parts_of(header, "formats/raw.md 2");
  const std::uint64_t described = header.text.size();
  if (file.size() > described)
    head.parts.push_back({described, file.size() - described, "trailing bytes", "", "formats/raw.md 2"});
  return head;
}

std::string lines_of(const FieldSpec& spec) {
  std::string text = fmt::format("kind = {}\n", lq::name(spec.kind));
  if (spec.kind == FieldKind::generic) {
    return text + fmt::format("components = {}\ncomplex = {}\n", spec.numbers / (spec.is_complex ? 2 : 1),
                              spec.is_complex ? "yes" : "no");
  }
  text += fmt::format("colors = {}\n", spec.colors);
  if (spec.kind != FieldKind::gauge) text += fmt::format("spins = {}\n", spec.spins);
  return text;
}

Layout Raw::plan(const FieldRequest& request) const {
  const FieldSpec& spec = request.spec;
  if (request.extents.size() != 4) flat::refuse(raw_name, raw_holds, fmt::format("not in {}", request.extents.size()));
  if (spec.kind == FieldKind::gauge && spec.links != 4) {
    flat::refuse(raw_name, raw_holds, fmt::format("with four links per site, not {}", spec.links));
  }
  flat::require_alone(request, raw_name, raw_holds);
  const Metadata held = carried(request.metadata, false);
  flat::require_held(request, held, raw_name);
  const Ordering ordering = ordering_of(request.choices.layout, spec);
  Payload payload;
  payload.spec = spec;
  payload.extents = request.extents;
  payload.byte_order = ordering.byte_order;
  order_axes(payload, ordering.order, 1);
  if (ordering.is_text) plan_text(payload);

  // No line "data": the data then stay with the description if both are moved.
  const std::string_view numbers = ordering.is_text                        ? "numbers = text"
                                   : ordering.byte_order == ByteOrder::big ? "byte_order = big"
                                                                           : "byte_order = little";
  std::string text =
      fmt::format("{}\nlattice = {}\n{}precision = {}\n{}\norder = {}\n", begin_line, to_string(request.extents),
                  lines_of(spec), lq::name(spec.precision), numbers, ordering.order);
  for (const auto& [key, value] : held) text += fmt::format("{} = {}\n", key, value);
  Layout layout;
  layout.suffixes = {"", std::string(data_suffix)};
  if (request.checksum) {
    text += "checksum = ";
    const std::uint64_t sums_at = text.size();
    text += "00000000 00000000\n";
    layout.sums = {site_checksum};
    layout.tail = [sums_at](const Digest& digest) {
      const std::vector<std::uint32_t>& words = digest.sums.find(site_checksum)->words;
      return std::vector<Literal>{flat::literal_at(sums_at, fmt::format("{:08x} {:08x}", words.at(0), words.at(1)))};
    };
  }
  text += fmt::format("{}\n", end_line);
  layout.head = {flat::literal_at(0, text)};
  // The length of the text is known only after it is written.
  layout.end = {text.size(), ordering.is_text ? 0 : payload.length};
  layout.payload = {std::move(payload)};
  return layout;
}

}  // namespace

}  // namespace lq::format::raw

const lq::format::Format& lq::format::raw_format() {
  using namespace raw;
  static constexpr std::string_view suffixes[] = {".raw"};
  static const UncoveredHeader examiner("raw-header");
  return flat::row_of<Raw>({raw_name, raw_holds, "\"BEGIN_RAW_FIELD\"", suffixes}, &examiner);
}
