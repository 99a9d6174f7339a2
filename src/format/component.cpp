// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/component.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "format/format.hpp"

namespace lq::format {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array hdf5_suffixes{".h5"sv, ".hdf5"sv};
constexpr std::array all_components{Component{.name = "hdf5",
                                              .format = "hdf5",
                                              .files = "an HDF5 file",
                                              .needs = "libhdf5 (1.10.5 or later)",
                                              .signature = "\x89HDF\r\n\x1a\n"sv,
                                              .first_offset = 512,
                                              .suffixes = hdf5_suffixes}};

constinit std::atomic<Loader> the_loader{nullptr};

Loader loader() noexcept { return the_loader.load(std::memory_order_acquire); }

bool stands_at(base::ByteSource& file, std::uint64_t offset, std::string_view signature) {
  std::array<std::byte, 16> bytes{};
  const auto begin = base::MutableBytes(bytes).first(signature.size());
  return file.read_at(offset, begin) == begin.size() && base::as_text(begin) == signature;
}

bool has_signature_of(const Component& component, base::ByteSource& file) {
  if (stands_at(file, 0, component.signature)) return true;
  const std::uint64_t size = file.size();
  for (std::uint64_t offset = component.first_offset; offset != 0 && offset < size; offset *= 2) {
    if (stands_at(file, offset, component.signature)) return true;
  }
  return false;
}

template <class Claims>
const Component* find_component(const Claims& claims) {
  const auto found = std::ranges::find_if(
      all_components, [&](const Component& one) { return claims(one) && find_format(one.format) == nullptr; });
  return found == all_components.end() ? nullptr : &*found;
}

}  // namespace

const Component* component_with_format(std::string_view format) {
  return find_component([format](const Component& one) { return one.format == format; });
}

const Component* component_with_suffix(std::string_view suffix) {
  if (loader() == nullptr) return nullptr;
  return find_component([suffix](const Component& one) {
    return std::ranges::any_of(one.suffixes, [suffix](std::string_view own) { return is_suffix(suffix, own); });
  });
}

const Component* component_of(base::ByteSource& file) {
  if (loader() == nullptr) return nullptr;
  return find_component([&](const Component& one) { return has_signature_of(one, file); });
}

LQ_AT_LOAD void set_loader(Loader loader) noexcept { the_loader.store(loader, std::memory_order_release); }

std::optional<std::string> absence_of(std::string_view component) {
  const Component* const absent = find_component([component](const Component& one) { return one.name == component; });
  if (absent == nullptr) return std::nullopt;
  const Loader load = loader();
  if (load == nullptr) return fmt::format("link the program with Limequat's component {}", component);
  const auto why = load(component);
  if (find_format(absent->format) != nullptr) return std::nullopt;
  return why ? fmt::format("install Limequat's component {} ({})", component, *why)
             : fmt::format("Limequat's component {} was built without {}: build it where that is found", component,
                           absent->needs);
}

const Format& require_format(const Component& component, const std::string& about, const std::string& path, Code code) {
  if (const auto absence = absence_of(component.name)) {
    throw Error(code, fmt::format("{}; {}", about, *absence),
                {.path = path, .expected = fmt::format("the component {}", component.name)});
  }
  return *find_format(component.format);
}

void load_components() {
  static std::array<std::atomic<bool>, all_components.size()> tried{};
  const Loader load = loader();
  if (load == nullptr) return;
  for (std::size_t i = 0; i < all_components.size(); ++i) {
    if (!tried[i].exchange(true)) static_cast<void>(load(all_components[i].name));
  }
}

}  // namespace lq::format
