// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tile.h"
#include <array>

namespace tilefold {

/// Keeps a dimension: `Q.at(b, all, i)` is the [head, d] matrix of one batch and one row.
struct All {};
inline constexpr All all;

template <int R> using Shape = std::array<Position, R>;

/// A tensor in global memory, or a part of one. Extents and strides are known at run time only.
template <class T, int R> class Tensor {
public:
  Tensor() = default;
  explicit Tensor(detail::Handle h) : handle_(h) {}

  Index size(int dim, Location l = Location::current()) const { return Index(detail::size(handle_, dim, l)); }
  Shape<R> shape(Location l = Location::current()) const {
    Shape<R> s;
    for (int d = 0; d < R; ++d)
      s[d] = Position(size(d, l), l);
    return s;
  }

  // A parameter pack would swallow the location, hence one overload for each count.
  template <class A> auto at(A a, Location l = Location::current()) const { return slice(l, a); }
  template <class A, class B> auto at(A a, B b, Location l = Location::current()) const { return slice(l, a, b); }
  template <class A, class B, class C> auto at(A a, B b, C c, Location l = Location::current()) const {
    return slice(l, a, b, c);
  }
  template <class A, class B, class C, class D> auto at(A a, B b, C c, D d, Location l = Location::current()) const {
    return slice(l, a, b, c, d);
  }

  /// Positions [offset, offset + size) of one dimension, which must lie within it. What lies outside of them reads as padding and
  /// is never written.
  Tensor narrow(int dim, Position offset, Position size, Location l = Location::current()) const {
    return Tensor(detail::narrow(handle_, dim, offset, size, l));
  }

  const detail::Handle &handle() const { return handle_; }

private:
  template <class... I> auto slice(Location l, const I &...index) const {
    constexpr int fixed = (0 + ... + int(!std::is_same_v<I, All>));
    static_assert(sizeof...(I) <= R, "at() has more indices than the tensor has dimensions");
    static_assert(((std::is_same_v<I, All> || std::is_integral_v<I> || std::is_same_v<I, Index>)&&...),
                  "at() takes an Index, an integer or all for each dimension");
    detail::Inputs indices;
    std::vector<int64_t> dims;
    int64_t dim = 0;
    auto add = [&](const auto &i) {
      if constexpr (!std::is_same_v<std::decay_t<decltype(i)>, All>) {
        indices.push_back(detail::input(i, l));
        dims.push_back(dim);
      }
      ++dim;
    };
    (add(index), ...);
    return Tensor<T, R - fixed>(detail::slice(handle_, indices, dims, l));
  }

  detail::Handle handle_;
};

} // namespace tilefold
