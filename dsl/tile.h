// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/build.h"

namespace tilefold {
namespace detail {

/// What a tile is made of, and where it was last copied: an operator that takes one by value knows its own line, for a copy's
/// default argument is of the line that copies. A conversion to an Operand would do as well, but not for `!`, where the deleted
/// conversion to bool competes with it; one to a base class wins.
template <class T, int R> class Handled {
public:
  Handled() = default;
  explicit Handled(Handle h) : handle_(h) {}
  Handled(const Handled &x, Location l = Location::current()) : handle_(x.handle_), copied_(l) {}
  Handled &operator=(const Handled &) = default;

  const Handle &handle() const { return handle_; }

  friend Tile<T, R> operator!(Handled x) {
    static_assert(std::is_same_v<T, i1>, "! needs a mask: compare first");
    return Tile<T, R>(complement(x.handle_, x.copied_));
  }

private:
  Handle handle_;
  Location copied_;
};

} // namespace detail

/// A value of one program instance: `Tile<f32, 2>` is a matrix of f32 in registers, `Tile<f32, 0>` a scalar. Element type and
/// rank are C++ types; extents are known while tracing and checked there.
template <class T, int R> class Tile : public detail::Handled<T, R> {
public:
  Tile() = default;
  explicit Tile(detail::Handle h) : detail::Handled<T, R>(h) {}
  /// A scalar from a number: `Index(0)`.
  explicit Tile(const Operand<T, 0> &x) requires(R == 0) : Tile(detail::scalar(x, detail::element_of<T>())) {}

  int extent(int dim, Location l = Location::current()) const { return int(detail::extent(this->handle(), dim, l)); }

  explicit operator bool() const = delete; // a traced value is not a C++ condition: use where(mask, a, b)

#define TILEFOLD_OPERATORS(X)                                                                                          \
  X(+, add, T) X(-, sub, T) X(*, mul, T) X(/, div, T) X(%, mod, T)                                                     \
  X(<, lt, i1) X(<=, le, i1) X(>, gt, i1) X(>=, ge, i1) X(==, eq, i1) X(!=, ne, i1)
#define TILEFOLD_LOGICAL_OPERATORS(X) X(&&, conjunction, i1) X(||, disjunction, i1)
#define TILEFOLD_OPERATOR(OP, KIND, RESULT)                                                                            \
  friend Tile<RESULT, R> operator OP(const Operand<T, R> &a, const Operand<T, R> &b) {                                 \
    return binary<detail::Binary::KIND, RESULT>(a, b);                                                                 \
  }
  TILEFOLD_OPERATORS(TILEFOLD_OPERATOR)
#undef TILEFOLD_OPERATOR
  // The deleted conversion to bool competes here; a left operand that needs no conversion wins.
#define TILEFOLD_OPERATOR(OP, KIND, RESULT)                                                                            \
  friend Tile<RESULT, R> operator OP(const Tile &a, const Operand<T, R> &b) {                                          \
    return binary<detail::Binary::KIND, RESULT>(Operand<T, R>(a, b.loc), b);                                           \
  }
  TILEFOLD_LOGICAL_OPERATORS(TILEFOLD_OPERATOR)
#undef TILEFOLD_OPERATOR
  // A scalar on the left, whose own operators take a scalar on the right.
#define TILEFOLD_OPERATOR(OP, KIND, RESULT)                                                                            \
  friend Tile<RESULT, R> operator OP(const Tile<T, 0> &a, const Tile &b) requires(R != 0) {                            \
    return binary<detail::Binary::KIND, RESULT>(Operand<T, R>(a), b);                                                  \
  }
  TILEFOLD_LOGICAL_OPERATORS(TILEFOLD_OPERATOR)
#undef TILEFOLD_OPERATOR

  friend Tile operator-(const Operand<T, R> &x) {
    static_assert(!std::is_same_v<T, i1>, "a mask has no sign: write !mask");
    return Tile(detail::unary(detail::Unary::negate, x, detail::element_of<T>(), x.loc));
  }

private:
  template <detail::Binary Kind, class Result> static Tile<Result, R> binary(const Operand<T, R> &a, const Operand<T, R> &b) {
    using enum detail::Binary;
    constexpr bool logical = Kind == conjunction || Kind == disjunction, mask = std::is_same_v<T, i1>;
    static_assert(!logical || mask, "&& and || need masks: compare first");
    static_assert(logical || !mask || Kind == eq || Kind == ne, "arithmetic on a mask: cast<i32>() it, or use && and ||");
    static_assert(Kind != mod || std::is_same_v<T, i32>, "% needs i32 tiles");
    return Tile<Result, R>(detail::binary(Kind, a, b, detail::element_of<T>(), a.loc));
  }
};

template <class T> using Scalar = Tile<T, 0>;
/// An i32 position inside a kernel; a 64-bit size formula on the host. `/` rounds down, and `i % n` lies in [0, n).
using Index = Scalar<i32>;
using Position = Operand<i32, 0>;

namespace detail {

template <class X>
struct TracedType { static constexpr bool value = false; using element = void; static constexpr int rank = 0; };
template <class T, int R>
struct TracedType<Tile<T, R>> { static constexpr bool value = true; using element = T; static constexpr int rank = R; };
template <class T, int R> struct TracedType<Operand<T, R>> : TracedType<Tile<T, R>> {};
template <class X> concept AnyTile = TracedType<X>::value;

template <class T, int R, class U, int Q>
inline constexpr bool mismatched = !std::is_same_v<T, U> || (R != Q && R != 0 && Q != 0);

template <class T, int R, class U, int Q> constexpr void refuse_mismatch() {
  static_assert(std::is_same_v<T, U>, "element types differ: cast<T>() one of the tiles");
  static_assert(!std::is_same_v<T, U> || !mismatched<T, R, U, Q>, "ranks differ: spell the broadcast with col(v) or row(v)");
}

/// The type of an elementwise function of A and B, of which at least one is traced.
template <class A, class B> struct Joined {
  using TA = typename TracedType<A>::element;
  using TB = typename TracedType<B>::element;
  static constexpr int ra = TracedType<A>::rank, rb = TracedType<B>::rank;
  using element = std::conditional_t<AnyTile<A>, TA, TB>;
  static constexpr int rank = ra > rb ? ra : rb;
  static constexpr bool both = AnyTile<A> && AnyTile<B>;
  static_assert(!both || std::is_same_v<TA, TB>, "element types differ: cast<T>() one of the tiles");
  static_assert(ra == rb || ra == 0 || rb == 0, "ranks differ: spell the broadcast with col(v) or row(v)");
};

/// Any operand of a named function, with that function's location.
template <class X> Input input(const X &x, Location l) {
  if constexpr (requires { x.is_literal; }) return x;
  else if constexpr (AnyTile<X>) return {x.handle(), {}, false, l};
  else return {{}, x, true, l};
}

} // namespace detail

#define TILEFOLD_MISMATCH(OP, KIND, RESULT)                                                                            \
  template <class T, int R, class U, int Q> requires(detail::mismatched<T, R, U, Q>)                                   \
  Tile<RESULT, (R > Q ? R : Q)> operator OP(const Tile<T, R> &, const Tile<U, Q> &) {                                  \
    detail::refuse_mismatch<T, R, U, Q>();                                                                             \
    return {};                                                                                                         \
  }
TILEFOLD_OPERATORS(TILEFOLD_MISMATCH)
TILEFOLD_LOGICAL_OPERATORS(TILEFOLD_MISMATCH)
#undef TILEFOLD_MISMATCH
#undef TILEFOLD_OPERATORS
#undef TILEFOLD_LOGICAL_OPERATORS

} // namespace tilefold
