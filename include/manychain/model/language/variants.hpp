// The instantiations of a model (fixed sizes, then any size), and which of them fits the data.
#pragma once

#include <type_traits>

#include "manychain/model/language/data_reader.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A model in one precision with its data in the memory of a backend.
template <class ModelType, class Memory>
struct BoundModel {
  Memory memory;
  ModelType model{};

  explicit BoundModel(const Data& data) {
    if constexpr (requires(ModelType m, DataReader & in) { m.data(in); }) {
      DataReader reader(data, memory);
      model.data(reader);
    }
  }
};
template <class ModelType>
using HostModel = BoundModel<ModelType, HostDataMemory>;

/// The instantiations of one model: for the sizes that were named, and for any.
template <class... Variants>
struct VariantList {};

namespace detail {
template <class Variants>
struct LastOf;
template <class Last>
struct LastOf<VariantList<Last>> {
  using type = Last;
};
template <class First, class Second, class... Rest>
struct LastOf<VariantList<First, Second, Rest...>> : LastOf<VariantList<Second, Rest...>> {};
}  // namespace detail

/// The last variant of a list, which fits any data.
template <class Variants>
using AnySize = typename detail::LastOf<Variants>::type;

template <class Number, class F, class Last>
auto with_variant(const Data&, VariantList<Last>, F&& f) {
  return f(std::type_identity<Last>{});
}
/// Calls f with the first variant whose fixed sizes fit the data; the last one fits any.
template <class Number, class F, class First, class Second, class... Rest>
auto with_variant(const Data& data, VariantList<First, Second, Rest...>, F&& f) {
  try {
    HostModel<First> probe(data);
  } catch (const SizeMismatch&) {
    return with_variant<Number>(data, VariantList<Second, Rest...>{}, f);
  }
  return f(std::type_identity<First>{});
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
