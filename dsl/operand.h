// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/handle.h"
#include "dsl/location.h"
#include "dsl/types.h"

namespace tilefold {

template <class T, int R> class Tile;

namespace detail {

/// A C++ number used among traced values.
struct Literal {
  double real = 0;
  long long integer = 0;
  bool is_integer = true;

  Literal() = default;
  template <class S> requires std::is_arithmetic_v<S>
  Literal(S s) : real(double(s)), integer(std::is_integral_v<S> ? (long long)s : 0), is_integer(std::is_integral_v<S>) {}
};

/// An operand without its type: a traced value or a number.
struct Input {
  Handle handle;
  Literal literal;
  bool is_literal = false;
  Location loc;
};

} // namespace detail

/// An operand of an operator on tiles: a tile of that type, a scalar, or a number. Operators cannot have default arguments,
/// but these converting constructors can; that is how an operator knows the line it was written on.
template <class T, int R> struct Operand : detail::Input {
  Operand() = default;
  Operand(const Tile<T, R> &tile, Location l = Location::current()) : Input{tile.handle(), {}, false, l} {}
  Operand(const Tile<T, 0> &scalar, Location l = Location::current()) requires(R != 0)
      : Input{scalar.handle(), {}, false, l} {}
  template <class S> requires std::is_arithmetic_v<S>
  Operand(S number, Location l = Location::current()) : Input{{}, number, true, l} {
    constexpr bool is_bool = std::is_same_v<S, bool>;
    static_assert(!std::is_same_v<T, i1> || is_bool, "a mask combines with masks and bool only: compare first");
    static_assert(std::is_same_v<T, i1> || !is_bool, "bool combines with masks only: write 0 or 1");
    static_assert(!std::is_same_v<T, i32> || !std::is_floating_point_v<S>,
                  "a floating-point number meets an i32 tile: cast<f32>() the tile first");
  }
};

} // namespace tilefold
