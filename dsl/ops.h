// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tensor.h"

/// The operations of the language. Elementwise functions broadcast extents of one, scalars and numbers.
namespace tilefold {

//===-- elementwise ---------------------------------------------------------------------------------------------===//

namespace detail {
template <class A, class B> using JoinedTile = Tile<typename Joined<A, B>::element, Joined<A, B>::rank>;

template <class A, class B> JoinedTile<A, B> joined(Binary kind, const A &a, const B &b, Location l) {
  return JoinedTile<A, B>(binary(kind, input(a, l), input(b, l), element_of<typename Joined<A, B>::element>(), l));
}
template <class T, int R> Tile<T, R> math(Unary kind, const Tile<T, R> &x, Location l) {
  static_assert(is_float<T>, "a mathematical function needs floating-point tiles: cast<f32>() the tile first");
  return Tile<T, R>(unary(kind, input(x, l), element_of<T>(), l));
}
} // namespace detail

/// A NaN in either operand is the result.
template <class A, class B> requires(detail::AnyTile<A> || detail::AnyTile<B>)
auto max(const A &a, const B &b, Location l = Location::current()) { return detail::joined(detail::Binary::max, a, b, l); }
template <class A, class B> requires(detail::AnyTile<A> || detail::AnyTile<B>)
auto min(const A &a, const B &b, Location l = Location::current()) { return detail::joined(detail::Binary::min, a, b, l); }
/// The smallest integer that is at least a / b.
template <class A, class B> requires(detail::AnyTile<A> || detail::AnyTile<B>)
auto ceil_div(const A &a, const B &b, Location l = Location::current()) {
  static_assert(std::is_same_v<typename detail::Joined<A, B>::element, i32>, "ceil_div needs i32");
  return detail::joined(detail::Binary::ceil_div, a, b, l);
}

template <class T, int R>
Tile<T, R> exp(Tile<T, R> x, Location l = Location::current()) { return detail::math(detail::Unary::exp, x, l); }
template <class T, int R>
Tile<T, R> exp2(Tile<T, R> x, Location l = Location::current()) { return detail::math(detail::Unary::exp2, x, l); }
template <class T, int R>
Tile<T, R> log(Tile<T, R> x, Location l = Location::current()) { return detail::math(detail::Unary::log, x, l); }
template <class T, int R>
Tile<T, R> tanh(Tile<T, R> x, Location l = Location::current()) { return detail::math(detail::Unary::tanh, x, l); }
template <class T, int R>
Tile<T, R> sqrt(Tile<T, R> x, Location l = Location::current()) { return detail::math(detail::Unary::sqrt, x, l); }
template <class T, int R> Tile<T, R> abs(Tile<T, R> x, Location l = Location::current()) {
  static_assert(!std::is_same_v<T, i1>, "a mask has no absolute value");
  return Tile<T, R>(detail::unary(detail::Unary::abs, detail::input(x, l), detail::element_of<T>(), l));
}

/// a where the mask holds, else b. The other one is not observed, whatever it holds.
template <int R, class A, class B>
auto where(Tile<i1, R> mask, const A &a, const B &b, Location l = Location::current()) {
  static_assert(detail::AnyTile<A> || detail::AnyTile<B>, "one of the two values must be traced: p.full<T>() makes a tile of a number");
  using J = detail::Joined<A, B>;
  static_assert(R == J::rank || R == 0 || J::rank == 0, "mask and values differ in rank: spell the broadcast with col(v) or row(v)");
  using E = typename J::element;
  return Tile<E, (R > J::rank ? R : J::rank)>(
      detail::select(detail::input(mask, l), detail::input(a, l), detail::input(b, l), detail::element_of<E>(), l));
}

/// Zeros in the shape of x.
template <class T, int R> Tile<T, R> zeros_like(Tile<T, R> x, Location l = Location::current()) {
  detail::Extents extents;
  for (int dim = 0; dim < R; ++dim) extents.push_back(x.extent(dim, l));
  return Tile<T, R>(detail::full(detail::Input{{}, 0, true, l}, extents, detail::element_of<T>(), l));
}

/// Rounds to nearest even; towards zero from floating point to i32, where a number that i32 cannot hold gives the nearest that it
/// can and a NaN gives 0; a mask gives 0 and 1.
template <class U, class T, int R> Tile<U, R> cast(Tile<T, R> x, Location l = Location::current()) {
  static_assert(!std::is_same_v<U, i1> || std::is_same_v<T, i1>, "a mask comes from a comparison, not from a cast");
  return Tile<U, R>(detail::cast(x.handle(), detail::element_of<U>(), l));
}

//===-- shape and reduction -------------------------------------------------------------------------------------===//

/// v as a column (n x 1) and as a row (1 x n).
template <class T>
Tile<T, 2> col(Tile<T, 1> v, Location l = Location::current()) { return Tile<T, 2>(detail::expand(v.handle(), 1, l)); }
template <class T>
Tile<T, 2> row(Tile<T, 1> v, Location l = Location::current()) { return Tile<T, 2>(detail::expand(v.handle(), 0, l)); }
template <class T>
Tile<T, 2> trans(Tile<T, 2> x, Location l = Location::current()) { return Tile<T, 2>(detail::transpose(x.handle(), l)); }

namespace detail {
template <class T, int R> Tile<T, R - 1> reduced(Reduction kind, const Tile<T, R> &x, int dim, Location l) {
  static_assert(!std::is_same_v<T, i1>, "a mask is reduced by any()");
  return Tile<T, R - 1>(reduce(kind, x.handle(), dim, l));
}
} // namespace detail

/// One value for each row (n x m -> n), or for each column (-> m). A NaN wins over everything.
template <class T>
Tile<T, 1> rowmax(Tile<T, 2> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::max, x, 1, l); }
template <class T>
Tile<T, 1> rowsum(Tile<T, 2> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::sum, x, 1, l); }
template <class T>
Tile<T, 1> colmax(Tile<T, 2> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::max, x, 0, l); }
template <class T>
Tile<T, 1> colsum(Tile<T, 2> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::sum, x, 0, l); }
template <class T>
Scalar<T> max(Tile<T, 1> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::max, x, 0, l); }
template <class T>
Scalar<T> sum(Tile<T, 1> x, Location l = Location::current()) { return detail::reduced(detail::Reduction::sum, x, 0, l); }
/// Whether the mask holds anywhere.
template <int R>
Scalar<i1> any(Tile<i1, R> x, Location l = Location::current()) { return Scalar<i1>(detail::any(x.handle(), l)); }

//===-- products ------------------------------------------------------------------------------------------------===//

namespace detail {
template <class T, class U> constexpr void check_product() {
  static_assert(std::is_same_v<T, U>, "a product needs equal element types: cast<T>() one of the tiles");
  static_assert(is_float<T> && is_float<U>, "a product needs floating-point tiles");
}
} // namespace detail

/// a b (+ acc): m x k times k x n, products and sums in f32.
template <class T, class U> Tile<f32, 2> dot(Tile<T, 2> a, Tile<U, 2> b, Location l = Location::current()) {
  detail::check_product<T, U>();
  return Tile<f32, 2>(detail::dot(a.handle(), b.handle(), nullptr, l));
}
template <class T, class U> Tile<f32, 2> dot(Tile<T, 2> a, Tile<U, 2> b, Tile<f32, 2> acc, Location l = Location::current()) {
  detail::check_product<T, U>();
  return Tile<f32, 2>(detail::dot(a.handle(), b.handle(), &acc.handle(), l));
}

/// acc[i] plus the sum of weights[i, j] v[j] over the j that row i sees. Rows of v that it does not see change no bit of
/// it, even NaN ones (0 * NaN would not be 0 in dot); a visible NaN or infinity always shows.
template <class T, class U>
Tile<f32, 2> weigh(Tile<T, 2> weights, Tile<i1, 2> visible, Tile<U, 2> v, Tile<f32, 2> acc, Location l = Location::current()) {
  detail::check_product<T, U>();
  return Tile<f32, 2>(detail::weigh(weights.handle(), visible.handle(), v.handle(), acc.handle(), l));
}

//===-- memory --------------------------------------------------------------------------------------------------===//

namespace detail {
template <size_t N> Inputs inputs(const Position (&p)[N]) { return {p, p + N}; }
} // namespace detail

/// The tile of these extents at these offsets; what lies outside the view is `pad`.
template <class T, int R, size_t N, size_t M>
Tile<T, int(M)> load(Tensor<T, R> view, const Position (&offsets)[N], const int64_t (&extents)[M], Location l = Location::current()) {
  static_assert(N == R, "load needs one offset for each dimension of the view");
  static_assert(M == R, "load needs one extent for each dimension of the view");
  return Tile<T, int(M)>(detail::load(view.handle(), detail::inputs(offsets), {extents, extents + M}, nullptr, l));
}
template <class T, int R, size_t N, size_t M, class S> requires std::is_arithmetic_v<S>
Tile<T, int(M)> load(Tensor<T, R> view, const Position (&offsets)[N], const int64_t (&extents)[M], S pad, Location l = Location::current()) {
  static_assert(N == R, "load needs one offset for each dimension of the view");
  static_assert(M == R, "load needs one extent for each dimension of the view");
  static_assert(is_float<T> || std::is_integral_v<S>, "what pads a tensor of integers or masks is an integer");
  detail::Literal literal = pad;
  return Tile<T, int(M)>(detail::load(view.handle(), detail::inputs(offsets), {extents, extents + M}, &literal, l));
}

/// Writes the tile at these offsets; what lies outside the view is not written. Later loads of this instance see it.
template <class T, int R, size_t N, class U, int Q>
void store(Tensor<T, R> view, const Position (&offsets)[N], Tile<U, Q> tile, Location l = Location::current()) {
  static_assert(N == R, "store needs one offset for each dimension of the view");
  static_assert(Q == R, "store needs a tile of the view's rank");
  static_assert(std::is_same_v<T, U>, "store needs the view's element type: cast<T>() the tile");
  detail::store(view.handle(), detail::inputs(offsets), tile.handle(), l);
}

} // namespace tilefold
