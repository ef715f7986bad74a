// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/fold.h"
#include "dsl/ops.h"
#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <utility>

namespace tilefold {

/// How many positions one sum of a fold may take before its rounding errors count (C14).
inline constexpr int longest_sum = 1 << 16;

/// Says of a workspace that it is zero when the program starts, and that the program leaves it zero.
struct ZeroOnce {};
inline constexpr ZeroOnce zero_once;

/// lo, lo + step, ... below hi.
struct Range {
  Position lo, hi;
  int step = 1;
};

/// A program while it is traced. What comes before grid() or outside launch() is the host side: sizes are 64-bit formulas,
/// and nothing may be loaded. A kernel uses whatever the host side declared; its arguments follow from that.
class Program {
public:
  Program(const Program &) = delete;

  //===-- arguments: bound by name; declaring a name again gives the same argument --------------------------------===//

  template <class T, int R> Tensor<T, R> input(std::string_view name, Location l = Location::current()) {
    return Tensor<T, R>(detail::argument(name, detail::Role::input, detail::element_of<T>(), R, l));
  }
  /// `shape` is what the caller must allocate.
  template <class T, int R> Tensor<T, R> output(std::string_view name, const Shape<R> &shape, Location l = Location::current()) {
    Tensor<T, R> t(detail::argument(name, detail::Role::output, detail::element_of<T>(), R, l));
    detail::shape(t.handle(), {shape.begin(), shape.end()}, l);
    return t;
  }
  template <class T, int R> Tensor<T, R> inout(std::string_view name, Location l = Location::current()) {
    return Tensor<T, R>(detail::argument(name, detail::Role::inout, detail::element_of<T>(), R, l));
  }
  /// A scalar that every launch must give.
  template <class T> Scalar<T> scalar(std::string_view name, Location l = Location::current()) {
    return scalar_argument<T>(name, nullptr, l);
  }
  /// A scalar that may be left out.
  template <class T, class S> requires std::is_arithmetic_v<S>
  Scalar<T> scalar(std::string_view name, S fallback, Location l = Location::current()) {
    static_assert(is_float<T> || std::is_integral_v<S>, "the default of an i32 scalar is an integer");
    detail::Literal literal = fallback;
    return scalar_argument<T>(name, &literal, l);
  }
  /// Scratch memory that lives through the program's launches. Nothing is known about its contents before the first one.
  template <class T, int R>
  Tensor<T, R> workspace(std::string_view name, const Shape<R> &shape, Location l = Location::current()) {
    return Tensor<T, R>(detail::workspace(name, detail::element_of<T>(), {shape.begin(), shape.end()}, false, l));
  }
  /// The same with zeros in it. They are written once, by `tilefold_workspace_init`; every launch of the program has to leave zeros
  /// for the next.
  template <class T, int R>
  Tensor<T, R> workspace(std::string_view name, const Shape<R> &shape, ZeroOnce, Location l = Location::current()) {
    return Tensor<T, R>(detail::workspace(name, detail::element_of<T>(), {shape.begin(), shape.end()}, true, l));
  }
  /// Refuses a launch unless the condition holds. The error names `argument` and says what was `expected`; {0}, {1}, ... in
  /// it stand for `values`.
  void require(const Operand<i1, 0> &condition, std::string_view argument, std::string_view expected,
               std::initializer_list<Position> values = {}, Location l = Location::current()) {
    detail::require(condition, argument, expected, {values.begin(), values.end()}, l);
  }

  //===-- kernels -------------------------------------------------------------------------------------------------===//

  /// The rest of the trace is the kernel, run once for each point of the grid; returns this instance's point.
  template <size_t N> std::array<Index, N> grid(const Position (&extents)[N], Location l = Location::current()) {
    return begin<N>(std::nullopt, extents, l);
  }
  /// One of several kernels, run in the order of their launches; each sees what the earlier ones stored.
  template <size_t N, class Body>
  void launch(std::string_view name, const Position (&extents)[N], Body &&body, Location l = Location::current()) {
    auto point = begin<N>(name, extents, l);
    [&]<size_t... I>(std::index_sequence<I...>) {
      static_assert(std::invocable<Body, decltype(point[I])...>, "a kernel's lambda takes one Index for each grid extent");
      std::forward<Body>(body)(point[I]...);
    }(std::make_index_sequence<N>());
    detail::end_kernel();
  }

  //===-- inside a kernel -----------------------------------------------------------------------------------------===//

  /// next = body(i, state) for each i of the range; the state after the last one. A range of more than `longest_sum` positions is
  /// folded in stretches of that many, each from the initial state, if the state says how to sum them (detail::Summable).
  template <class State, class Body> State fold(const Range &range, State state, Body &&body, Location l = Location::current()) {
    static_assert(std::invocable<Body, Index, State>, "a fold's body takes the Index and the state");
    if constexpr (std::invocable<Body, Index, State>) {
      static_assert(std::same_as<std::invoke_result_t<Body, Index, State>, State>,
                    "a fold's body returns the next state, of the state's own type");
      if constexpr (detail::Summable<State>) {
        const int step = std::max(range.step, 1), stretch = std::max(longest_sum / step, 1) * step;
        auto index = [&](detail::Binary kind, const Position &a, const Position &b) {
          return detail::binary(kind, a, b, detail::Element::i32, l);
        };
        return State::of(loop({range.lo, range.hi, stretch}, state.total(), [&](Index first, auto sum) {
          Index end(index(detail::Binary::min, Index(index(detail::Binary::add, first, stretch)), range.hi));
          auto part = loop({first, end, range.step}, state, body, l).total();
          Scalar<i1> is_first(index(detail::Binary::eq, first, range.lo));
          return branch(is_first, [&] { return part; }, [&] { return sum.add(part); }, l);
        }, l));
      } else return loop(range, state, body, l);
    }
    return state;
  }
  /// yes() if the condition holds, no() otherwise, which give states of one type. Only that one is computed; where() computes
  /// both.
  template <class Yes, class No>
  auto branch(const Operand<i1, 0> &condition, Yes &&yes, No &&no, Location l = Location::current()) {
    using State = std::invoke_result_t<Yes>;
    static_assert(std::same_as<std::invoke_result_t<No>, State>, "the arms of a branch return states of one type");
    detail::begin_branch(condition, l);
    State state = std::forward<Yes>(yes)();
    detail::begin_other_arm(detail::handles_of(state));
    detail::assign(state, detail::end_branch(detail::handles_of(std::forward<No>(no)())));
    return state;
  }
  /// body(i) for each i of the range, for what it stores.
  template <class Body> void each(const Range &range, Body &&body, Location l = Location::current()) {
    static_assert(std::invocable<Body, Index>, "the body of each() takes the Index");
    std::vector<detail::Handle> none;
    Index i(detail::begin_loop(range.lo, range.hi, Position(range.step, l), none, l));
    std::forward<Body>(body)(i);
    detail::end_loop({});
  }

  /// A tile of one value, which may be traced: `p.full<f32>(-inf, {64})`.
  template <class T, size_t N>
  Tile<T, int(N)> full(const Operand<T, 0> &value, const int64_t (&extents)[N], Location l = Location::current()) {
    return Tile<T, int(N)>(detail::full(value, {extents, extents + N}, detail::element_of<T>(), l));
  }
  template <class T, size_t N> Tile<T, int(N)> zeros(const int64_t (&extents)[N], Location l = Location::current()) {
    detail::Input zero{{}, 0, true, l};
    return Tile<T, int(N)>(detail::full(zero, {extents, extents + N}, detail::element_of<T>(), l));
  }
  /// 0, 1, ..., n - 1.
  Tile<i32, 1> arange(int64_t n, Location l = Location::current()) { return Tile<i32, 1>(detail::iota(n, l)); }

private:
  friend struct TraceAccess;
  Program() = default;

  template <class State, class Body> State loop(const Range &range, State state, Body &&body, Location l) {
    auto carried = detail::handles_of(state);
    Index i(detail::begin_loop(range.lo, range.hi, Position(range.step, l), carried, l));
    detail::assign(state, carried);
    detail::assign(state, detail::end_loop(detail::handles_of(body(i, state))));
    return state;
  }
  template <class T> Scalar<T> scalar_argument(std::string_view name, const detail::Literal *fallback, Location l) {
    static_assert(std::is_same_v<T, f32> || std::is_same_v<T, i32>, "a scalar argument is f32 or i32");
    return Scalar<T>(detail::scalar_argument(name, detail::element_of<T>(), fallback, l));
  }
  template <size_t N> std::array<Index, N> begin(std::optional<std::string_view> name, const Position (&extents)[N], Location l) {
    static_assert(N <= 3, "a grid has one to three extents");
    auto handles = detail::begin_kernel(name, {extents, extents + N}, l);
    std::array<Index, N> point;
    for (size_t i = 0; i < N; ++i)
      point[i] = Index(handles[i]);
    return point;
  }
};

} // namespace tilefold
