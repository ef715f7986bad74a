// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/operand.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The border between the language and the compiler. Everything above it is typed C++, everything below it (dsl/*.cpp)
/// emits IR into the trace that is active on this thread. Functions report misuse as a diagnostic and return poison.
namespace tilefold::detail {

enum class Binary { add, sub, mul, div, ceil_div, mod, max, min, lt, le, gt, ge, eq, ne, conjunction, disjunction };
enum class Unary { negate, exp, exp2, log, tanh, abs, sqrt };
enum class Reduction { sum, max };
enum class Role { input, output, inout };

using Extents = std::vector<int64_t>;
using Inputs = std::vector<Input>;

// Elementwise work. Shapes broadcast where an extent is one; scalars and numbers fit anything.
Handle binary(Binary kind, const Input &a, const Input &b, Element element, Location l);
Handle unary(Unary kind, const Input &x, Element element, Location l);
/// Of a mask.
Handle complement(const Handle &x, Location l);
Handle select(const Input &mask, const Input &a, const Input &b, Element element, Location l);
Handle cast(const Handle &x, Element to, Location l);
/// `x` in the shape of `like`, broadcast. One that does not fit is an error where `x` was computed: "`what` gives ...".
Handle in_shape_of(const Handle &like, const Handle &x, std::string_view what, Location l);
/// A rank-0 value of `x`.
Handle scalar(const Input &x, Element element);

// Tiles.
Handle reduce(Reduction kind, const Handle &x, int dim, Location l);
Handle any(const Handle &x, Location l);
Handle expand(const Handle &x, int dim, Location l);
Handle transpose(const Handle &x, Location l);
Handle dot(const Handle &a, const Handle &b, const Handle *acc, Location l);
Handle weigh(const Handle &weights, const Handle &visible, const Handle &values, const Handle &acc, Location l);
Handle iota(int64_t extent, Location l);
Handle full(const Input &x, const Extents &extents, Element element, Location l);
/// Extent `dim` of a tile; 1 where it is unknown because of an earlier error.
int64_t extent(const Handle &x, int dim, Location l);

// Views of global memory.
Handle size(const Handle &view, int dim, Location l);
Handle slice(const Handle &view, const Inputs &indices, const std::vector<int64_t> &dims, Location l);
Handle narrow(const Handle &view, int dim, const Input &offset, const Input &size, Location l);
Handle load(const Handle &view, const Inputs &offsets, const Extents &extents, const Literal *pad, Location l);
void store(const Handle &view, const Inputs &offsets, const Handle &tile, Location l);

// Programs.
Handle argument(std::string_view name, Role role, Element element, int rank, Location l);
Handle scalar_argument(std::string_view name, Element element, const Literal *fallback, Location l);
Handle workspace(std::string_view name, Element element, const Inputs &extents, bool zero_once, Location l);
void shape(const Handle &view, const Inputs &extents, Location l);
void require(const Input &condition, std::string_view argument, std::string_view expected, const Inputs &values, Location l);

/// Reports, once, that what the user wrote at `l` cannot be meant.
void refuse(std::string_view message, Location l);

// Kernels. Without a name: the only kernel of a program, which lasts to the end of the trace.
std::vector<Handle> begin_kernel(std::optional<std::string_view> name, const Inputs &grid, Location l);
void end_kernel();

// Loops. `carried` enters as the initial values and comes back as the values inside the body; end_loop takes what the body
// returned and gives the values after the loop.
Handle begin_loop(const Input &lo, const Input &hi, const Input &step, std::vector<Handle> &carried, Location l);
std::vector<Handle> end_loop(const std::vector<Handle> &next);

// Branches, of which one arm is computed: begin_branch(condition), what it does if that holds, begin_other_arm(its result),
// what it does otherwise, and end_branch, which takes that one's result and gives the values after the branch.
void begin_branch(const Input &condition, Location l);
void begin_other_arm(const std::vector<Handle> &result);
std::vector<Handle> end_branch(const std::vector<Handle> &result);

} // namespace tilefold::detail
