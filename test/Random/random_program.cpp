// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Random/random_program.h"
#include "test/Random/choices.h"
#include "test/Random/scope.h"

#include <algorithm>

namespace tilefold::random {
namespace {

/// What a step of a loop may add to what it carries, and how many steps there are at most.
constexpr double kMostOfStep = 1 << 14;
constexpr int kMostSteps = 8;

/// A tensor of the program, and what the kernel that is being drawn does with it.
template <class E> struct Named {
  Tensor<E, 3> tensor;
  bool is_written = false;               ///< an output or a workspace
  bool is_mine = false, is_stored = false; ///< this kernel may store it; has done so
};

/// Draws the kernels of one program.
template <class T> class Drawer {
public:
  Drawer(Program &p, unsigned seed) : p(p), choose(seed) {
    // Large tiles only are shared by several warps, small ones by one.
    static const std::vector<std::vector<int>> kinds = {{16, 32, 48, 64}, {16}, {16, 32}, {32}, {32, 64}, {32, 64}, {64}, {64}};
    tile_extents = choose.of(kinds);
  }

  void program() {
    auto a = p.input<T, 3>("a"), b = p.input<T, 3>("b");
    auto c = p.input<f32, 3>("c");
    slices = a.size(0), rows = a.size(1), columns = a.size(2);
    halves = {{a}, {b}};
    floats = {{c}};
    const int outputs = choose.between(1, 2), workspaces = choose.below(2);
    for (int n = 0; n < outputs; ++n)
      floats.push_back({p.output<f32, 3>("o" + std::to_string(n), a.shape()), true});
    if (!choose.one_in(4))
      halves.push_back({p.output<T, 3>("x", a.shape()), true});
    for (int n = 0; n < workspaces; ++n) {
      if (choose.one_in(2)) halves.push_back({p.workspace<T, 3>("w" + std::to_string(n), a.shape()), true});
      else floats.push_back({p.workspace<f32, 3>("w" + std::to_string(n), a.shape()), true});
    }
    clear();
    const int kernels = choose.between(1, 3);
    for (int n = 0; n < kernels; ++n)
      kernel("kernel" + std::to_string(n));
  }

private:
  using S = Scope<T>;
  using Operand = Bounded<Tile<T, 2>>;

  //===-- kernels -------------------------------------------------------------------------------------------------===//

  /// Everything that is written is so once in full, so that whatever is loaded has been stored.
  void clear() {
    p.launch("clear", {slices}, [&](Index slice) {
      auto fill = [&](auto &all, auto element) {
        for (const auto &named : all)
          if (named.is_written) {
            auto view = named.tensor.at(slice, all_, all_);
            p.each(Range{0, rows, 16}, [&](Index r) { store(view, {r, 0}, p.full<decltype(element)>(1, {16, 128})); });
          }
      };
      fill(halves, T());
      fill(floats, f32());
    });
  }

  void kernel(const std::string &name) {
    bool any = false;
    auto claim = [&](auto &tensors) {
      for (auto &named : tensors) {
        named.is_stored = false;
        named.is_mine = named.is_written && choose.one_in(2);
        any |= named.is_mine;
      }
    };
    claim(halves);
    claim(floats);
    if (!any) floats[1].is_mine = true; // the first output
    parts = choose.of({1, 1, 2});
    if (choose.one_in(2))
      p.launch(name, {slices * parts}, [&](Index i) { body(i / parts, i % parts); });
    else
      p.launch(name, {parts, slices}, [&](Index part, Index slice) { body(slice, part); });
  }

  void body(Index slice, Index part) {
    this->slice = slice;
    this->part = part;
    S scope;
    scope.positions = {slice, part};
    statements(scope, choose.between(3, 9), 0);
    if (choose.one_in(2)) store_something(scope);
    store_all(scope);
  }

  //===-- memory --------------------------------------------------------------------------------------------------===//

  int tile_extent() { return choose.of(tile_extents); }

  /// This instance's part of what it stores; any slice of what nobody stores in this launch.
  template <class E> Tensor<E, 2> view(const Named<E> &named) {
    if (named.is_mine) {
      auto own = named.tensor.at(slice, all_, all_);
      return parts == 1 ? own : own.narrow(0, part * 32, 32);
    }
    const int which = choose.below(3);
    if (which == 0) return named.tensor.at(0, all_, all_);
    if (which == 1) return named.tensor.at(slice, all_, all_);
    return named.tensor.at((slice + 1) % slices, all_, all_);
  }
  template <class E> std::vector<Named<E>> &tensors() {
    if constexpr (std::is_same_v<E, f32>) return floats;
    else return halves;
  }
  /// Those that this kernel stores.
  template <class E> std::vector<Named<E> *> own() {
    std::vector<Named<E> *> own;
    for (Named<E> &named : tensors<E>())
      if (named.is_mine) own.push_back(&named);
    return own;
  }

  Index offset(const S &scope) {
    const int which = choose.below(8);
    if (which < 3) return Index(choose.of({0, 0, 8, 16, 32}));
    if (which < 5) return scope.positions.back(); // of the innermost loop
    if (which == 5) return Index(choose.between(-9, 70));
    const Index position = choose.of(scope.positions);
    if (which == 6) return position;
    const int factor = choose.of({1, 2, 8, 16}), more = choose.of({0, 0, 8, 3, -5});
    return position * factor + more;
  }

  template <class E> Tile<E, 2> load_of(const S &scope, Extents e) {
    const auto mine = own<E>();
    const auto &named = !mine.empty() && choose.one_in(2) ? *choose.of(mine) : choose.of(tensors<E>());
    auto from = view(named);
    const Index row = offset(scope), column = choose.one_in(2) ? Index(choose.of({0, 0, 16})) : offset(scope);
    if (choose.one_in(4)) return load(from, {row, column}, {e.rows, e.columns}, 1.f);
    return load(from, {row, column}, {e.rows, e.columns});
  }
  Operand loaded_operand(const S &scope, Extents e) { return {load_of<T>(scope, e), kMostOfOperand}; }
  Matrix loaded_matrix(const S &scope, Extents e) { return {load_of<f32>(scope, e), kMostOfMatrix}; }

  /// What the scope has computed, as far as it has the extents of one of its matrices: nothing of that is dead then.
  Matrix sum_of(const S &scope, Extents e) {
    const std::vector<Matrix> fitting = of_extents(scope.matrices, e);
    Matrix sum = fitting.empty() ? Matrix{p.zeros<f32>({e.rows, e.columns}), 0} : fitting.back();
    for (std::size_t n = fitting.size(); n-- > 1 && fitting.size() - n < 4;) {
      const Matrix a = bounded(sum, kMostOfMatrix / 2), b = bounded(fitting[n - 1], kMostOfMatrix / 2);
      sum = {a.value + b.value, a.bound + b.bound};
    }
    return sum;
  }
  /// What this kernel may store and has not, or once more.
  void store_all(S &scope) {
    for (Named<f32> *named : own<f32>())
      if (!scope.matrices.empty() && (!named->is_stored || choose.one_in(3))) {
        const Matrix x = bounded(sum_of(scope, extents(late(scope.matrices))), kMostOfMatrix);
        const Index row = offset(scope), column = offset(scope);
        store(view(*named), {row, column}, x.value);
      }
    for (Named<T> *named : own<T>())
      if (!scope.operands.empty() && (!named->is_stored || choose.one_in(3))) {
        const Operand x = late(scope.operands);
        const Index row = offset(scope), column = offset(scope);
        store(view(*named), {row, column}, x.value);
      }
  }
  void store_something(S &scope) {
    const auto own_halves = own<T>();
    const auto own_floats = own<f32>();
    const bool half = own_floats.empty() || (!own_halves.empty() && choose.one_in(2));
    const Index row = offset(scope), column = offset(scope);
    auto store_to = [&](auto &named, auto value) {
      named.is_stored = true;
      store(view(named), {row, column}, value);
    };
    if (half) {
      auto &named = *choose.of(own_halves);
      store_to(named, some_operand(scope).value);
    } else {
      auto &named = *choose.of(own_floats);
      store_to(named, bounded(some_matrix(scope), kMostOfMatrix).value);
    }
  }

  //===-- values --------------------------------------------------------------------------------------------------===//

  /// Of late values more often, so that chains grow.
  template <class X> X late(const std::vector<X> &list) {
    const int n = int(list.size());
    return list[std::size_t(choose.one_in(2) ? n - 1 : choose.below(n))];
  }

  Operand some_operand(S &scope) {
    if (!scope.operands.empty() && !choose.one_in(4)) return late(scope.operands);
    if (!scope.matrices.empty() && choose.one_in(2)) return operand_of<T>(late(scope.matrices));
    const int rows = tile_extent(), columns = tile_extent();
    return loaded_operand(scope, {rows, columns});
  }
  Operand operand_with(S &scope, Extents e) {
    std::vector<Operand> fitting;
    for (const Operand &x : scope.operands) {
      if (extents(x) == e) fitting.push_back(x);
      if (extents(x) == Extents{e.columns, e.rows}) fitting.push_back({trans(x.value), x.bound});
    }
    if (!fitting.empty() && !choose.one_in(4)) return late(fitting);
    if (choose.one_in(3)) {
      const Operand turned = loaded_operand(scope, {e.columns, e.rows});
      return {trans(turned.value), turned.bound};
    }
    if (choose.one_in(4)) return operand_of<T>(matrix_with(scope, e));
    return loaded_operand(scope, e);
  }
  Matrix some_matrix(S &scope) {
    if (!scope.matrices.empty() && !choose.one_in(5)) return late(scope.matrices);
    if (!scope.operands.empty() && choose.one_in(2)) return matrix_of(late(scope.operands));
    const int rows = tile_extent(), columns = tile_extent();
    return loaded_matrix(scope, {rows, columns});
  }
  Matrix matrix_with(S &scope, Extents e) {
    const std::vector<Matrix> fitting = of_extents(scope.matrices, e);
    if (!fitting.empty() && !choose.one_in(4)) return late(fitting);
    const int which = choose.below(4);
    if (which == 0) return {p.full<f32>(choose.between(-2, 2), {e.rows, e.columns}), 2};
    if (which == 1) {
      const Index at = choose.of(scope.positions);
      return {cast<f32>((col(p.arange(e.rows)) * 3 + row(p.arange(e.columns)) + at) % 5) - 2, 2};
    }
    if (which == 2) return matrix_of(loaded_operand(scope, e));
    return loaded_matrix(scope, e);
  }
  Vector vector_with(S &scope, int n) {
    std::vector<Vector> fitting;
    for (const Vector &x : scope.vectors)
      if (x.value.extent(0) == n) fitting.push_back(x);
    if (!fitting.empty() && !choose.one_in(4)) return late(fitting);
    if (choose.one_in(2)) return {cast<f32>(p.arange(n) % 4), 3};
    return {p.full<f32>(choose.between(-2, 2), {n}), 2};
  }
  Tile<i1, 2> mask_with(S &scope, Extents e) {
    const std::vector<Tile<i1, 2>> fitting = of_extents(scope.masks, e);
    if (!fitting.empty() && choose.one_in(2)) return late(fitting);
    const int which = choose.below(4);
    const Index first = choose.of(scope.positions), second = choose.of(scope.positions);
    if (which == 0) return matrix_with(scope, e).value > 0;
    if (which == 1) return row(first + p.arange(e.columns)) < columns && col(p.arange(e.rows)) >= 0;
    if (which == 2) return row(first + p.arange(e.columns)) <= col(second * 2 + p.arange(e.rows));
    return !(row(p.arange(e.columns)) + second == col(p.arange(e.rows) % 16) + first);
  }

  //===-- statements ----------------------------------------------------------------------------------------------===//

  void statements(S &scope, int count, int depth) {
    for (int n = 0; n < count; ++n)
      statement(scope, depth);
  }

  void statement(S &scope, int depth) {
    switch (choose.below(depth < 3 ? 21 : 16)) {
    case 0: {
      const int rows = tile_extent(), columns = tile_extent();
      scope.operands.push_back(loaded_operand(scope, {rows, columns}));
      break;
    }
    case 1: {
      const int rows = tile_extent(), columns = tile_extent();
      scope.matrices.push_back(loaded_matrix(scope, {rows, columns}));
      break;
    }
    case 2: case 3: case 4: product(scope); break;
    case 5: weighted(scope); break;
    case 6: scope.operands.push_back(operand_of<T>(some_matrix(scope))); break;
    case 7: elementwise(scope); break;
    case 8: elementwise_operand(scope); break;
    case 9: reduction(scope); break;
    case 10: broadcast(scope); break;
    case 11: position(scope); break;
    case 12: store_something(scope); break;
    case 13: case 14: stream(scope); break;
    case 15: exchange(scope); break;
    case 16: case 17: case 18: loop(scope, depth); break;
    case 19: case 20: branch(scope, depth); break;
    }
  }

  void product(S &scope) {
    Operand a = some_operand(scope);
    if (choose.one_in(4)) a.value = trans(a.value);
    const int depth = a.value.extent(1), columns = tile_extent();
    const Operand b = operand_with(scope, {depth, columns});
    const double added = depth * a.bound * b.bound;
    if (choose.one_in(3)) {
      scope.matrices.push_back({dot(a.value, b.value), added});
      return;
    }
    const Matrix acc = matrix_with(scope, {a.value.extent(0), columns});
    scope.matrices.push_back({dot(a.value, b.value, acc.value), added + acc.bound});
  }

  /// An operand that has just been stored, perhaps in part, comes back for a product.
  void exchange(S &scope) {
    const auto mine = own<T>();
    if (mine.empty()) return;
    Named<T> &named = *choose.of(mine);
    named.is_stored = true;
    auto memory = view(named);
    const Operand a = some_operand(scope), x = some_operand(scope);
    const int at = choose.of({0, 0, 8, 16}), columns = tile_extent(), depth = a.value.extent(1);
    store(memory, {at, 0}, x.value);
    const bool turned = choose.one_in(2), doubled = choose.one_in(4);
    auto back = turned ? load(memory, {0, at}, {columns, depth}) : load(memory, {0, at}, {depth, columns});
    if (doubled) back = back + back;
    scope.matrices.push_back({dot(a.value, turned ? trans(back) : back), 2 * depth * a.bound * kMostOfOperand});
  }

  void weighted(S &scope) {
    const Operand weights = some_operand(scope);
    const int depth = weights.value.extent(1), columns = tile_extent();
    const Operand v = operand_with(scope, {depth, columns});
    const auto visible = mask_with(scope, extents(weights));
    const Matrix acc = matrix_with(scope, {weights.value.extent(0), columns});
    scope.matrices.push_back({weigh(weights.value, visible, v.value, acc.value), depth * weights.bound * v.bound + acc.bound});
  }

  void elementwise(S &scope) {
    const Matrix a = bounded(some_matrix(scope), kMostOfMatrix);
    const Matrix b = bounded(matrix_with(scope, extents(a)), kMostOfMatrix);
    switch (choose.below(6)) {
    case 0: scope.matrices.push_back({a.value + b.value, a.bound + b.bound}); break;
    case 1: scope.matrices.push_back({max(a.value, b.value), std::max(a.bound, b.bound)}); break;
    case 2: scope.matrices.push_back({b.value - a.value * 2, 2 * a.bound + b.bound}); break;
    case 3: scope.masks.push_back(a.value < b.value); break;
    case 4: {
      const auto mask = mask_with(scope, extents(a));
      scope.matrices.push_back({where(mask, a.value, b.value), std::max(a.bound, b.bound)});
      break;
    }
    case 5: {
      const auto mask = mask_with(scope, extents(a));
      scope.matrices.push_back({where(mask, a.value, 1), std::max(a.bound, 1.)});
      break;
    }
    }
  }

  void elementwise_operand(S &scope) {
    const Operand a = some_operand(scope);
    const Operand b = operand_with(scope, extents(a));
    switch (choose.below(4)) {
    case 0: scope.operands.push_back({max(a.value, b.value), std::max(a.bound, b.bound)}); break;
    case 1: {
      const auto mask = mask_with(scope, extents(a));
      scope.operands.push_back({where(mask, a.value, b.value), std::max(a.bound, b.bound)});
      break;
    }
    case 2: if (a.bound + b.bound <= kMostOfOperand) scope.operands.push_back({a.value + b.value, a.bound + b.bound}); break;
    case 3: scope.operands.push_back({-a.value, a.bound}); break;
    }
  }

  void reduction(S &scope) {
    const Matrix a = bounded(some_matrix(scope), kMostOfMatrix / 64);
    switch (choose.below(4)) {
    case 0: scope.vectors.push_back({rowmax(a.value), a.bound}); break;
    case 1: scope.vectors.push_back({rowsum(a.value), 64 * a.bound}); break;
    case 2: scope.vectors.push_back({colmax(a.value), a.bound}); break;
    case 3: scope.vectors.push_back({colsum(a.value), 64 * a.bound}); break;
    }
  }

  void broadcast(S &scope) {
    const Matrix a = bounded(some_matrix(scope), kMostOfMatrix);
    const bool column = choose.one_in(2);
    const Vector v = bounded(vector_with(scope, a.value.extent(column ? 0 : 1)), kMostOfMatrix);
    auto spread = column ? col(v.value) : row(v.value);
    if (choose.one_in(3)) scope.masks.push_back(a.value >= spread);
    else scope.matrices.push_back({a.value - spread, a.bound + v.bound});
  }

  /// A position that comes from data, or from others.
  void position(S &scope) {
    if (!scope.vectors.empty() && choose.one_in(2)) {
      const Vector v = bounded(late(scope.vectors), kMostOfMatrix / 64);
      const auto x = choose.one_in(2) ? max(v.value) : sum(v.value);
      scope.positions.push_back(cast<i32>(x) % 32);
    } else if (!scope.masks.empty() && choose.one_in(2)) {
      const auto mask = late(scope.masks);
      scope.positions.push_back(cast<i32>(any(mask)) * 16);
    } else {
      const Index a = choose.of(scope.positions), b = choose.of(scope.positions);
      scope.positions.push_back((a * 8 + max(b, 1)) % 40);
    }
  }

  //===-- control -------------------------------------------------------------------------------------------------===//

  struct Carried {
    Tile<f32, 2> matrix;
    Tile<T, 2> operand;
    Tile<f32, 1> vector;
    Index position;
  };

  Range range(const S &scope) {
    const int step = choose.of({16, 16, 32, 8, 1}), steps = choose.between(0, kMostSteps);
    const int lo = choose.of({0, 0, 0, -16, 5});
    const int which = choose.below(3);
    if (which == 0 && step >= 16) return Range{0, rows, step}; // of 100 rows at most
    if (which == 1) {
      const Index hi = choose.of(scope.positions);
      return Range{lo, min(hi, lo + steps * step), step};
    }
    return Range{lo, lo + steps * step, step};
  }

  /// Values that the loop or branch gives, of those extents; what has grown too much is cut down.
  Carried end_of(S &scope, const Carried &like, double most) {
    Carried next = like;
    next.matrix = bounded(sum_of(scope, extents(like.matrix)), most).value;
    const std::vector<Operand> operands = of_extents(scope.operands, extents(like.operand));
    if (!operands.empty()) next.operand = late(operands).value;
    next.vector = bounded(vector_with(scope, like.vector.extent(0)), most).value;
    next.position = late(scope.positions);
    return next;
  }
  Carried begin_of(S &scope) {
    Carried state;
    state.matrix = bounded(some_matrix(scope), kMostOfMatrix).value;
    state.operand = some_operand(scope).value;
    state.vector = bounded(vector_with(scope, state.matrix.extent(0)), kMostOfMatrix).value;
    state.position = choose.of(scope.positions);
    return state;
  }
  static void add(S &scope, const Carried &state, double bound) {
    scope.matrices.push_back({state.matrix, bound});
    scope.operands.push_back({state.operand, kMostOfOperand});
    scope.vectors.push_back({state.vector, bound});
    scope.positions.push_back(state.position % 64);
  }

  void loop(S &scope, int depth) {
    const Range steps = range(scope);
    const int count = choose.between(1, 5);
    if (choose.one_in(4)) {
      p.each(steps, [&](Index j) {
        S inner = scope;
        inner.positions.push_back(j);
        statements(inner, count, depth + 1);
        store_something(inner);
      });
      return;
    }
    const Carried start = begin_of(scope);
    const double most = kMostOfMatrix + kMostSteps * kMostOfStep;
    if (choose.below(3) == 0) { // one tile
      auto end = p.fold(steps, start.matrix, [&](Index j, Tile<f32, 2> m) {
        S inner = scope;
        inner.positions.push_back(j);
        inner.matrices.push_back({m, most});
        statements(inner, count, depth + 1);
        return bounded(choose.one_in(2) ? late(of_extents(inner.matrices, extents(m))) : sum_of(inner, extents(m)), most + kMostOfStep).value;
      });
      scope.matrices.push_back({end, most});
      return;
    }
    auto end = p.fold(steps, start, [&](Index j, Carried state) {
      S inner = scope;
      inner.positions.push_back(j);
      add(inner, state, most);
      statements(inner, count, depth + 1);
      return end_of(inner, state, most + kMostOfStep);
    });
    add(scope, end, most);
  }

  /// A product with each block of a tensor, as attention has it: what a pipeline of copies is made of.
  void stream(S &scope) {
    const int rows = tile_extent(), columns = tile_extent(), depth = tile_extent();
    const Operand x = choose.one_in(2) ? loaded_operand(scope, {rows, depth}) : operand_with(scope, {rows, depth});
    if (choose.one_in(2)) scope.operands.push_back(x);
    auto keys = view(halves[choose.below(2)]); // an input
    const int column = choose.of({0, 0, 16, 8});
    const bool turned = choose.one_in(2), masked = choose.one_in(3);
    const Range steps = range(scope), around = range(scope);
    const bool nested = choose.one_in(3);
    auto once = [&](Index first, Tile<f32, 2> start) {
      return p.fold(steps, start, [&](Index j, Tile<f32, 2> acc) {
        auto k = turned ? trans(load(keys, {j, column}, {columns, depth})) : load(keys, {j, column}, {depth, columns});
        if (!masked) return dot(x.value, k, acc);
        return weigh(x.value, row(j + p.arange(depth)) <= col(p.arange(rows) + column + first), k, acc);
      });
    };
    const auto zeros = p.zeros<f32>({rows, columns});
    const double most = kMostSteps * depth * kMostOfOperand * x.bound;
    scope.matrices.push_back(nested ? Matrix{p.fold(around, zeros, once), kMostSteps * most} : Matrix{once(Index(0), zeros), most});
  }

  void branch(S &scope, int depth) {
    const Index a = choose.of(scope.positions);
    const int limit = choose.of({0, 1, 8, 16, 1000});
    const int counts[] = {choose.between(0, 3), choose.between(0, 3)};
    const Carried start = begin_of(scope);
    auto arm = [&](int count) {
      return [&, count] {
        S inner = scope;
        add(inner, start, kMostOfMatrix);
        statements(inner, count, depth + 1);
        return end_of(inner, start, kMostOfMatrix);
      };
    };
    auto end = p.branch(a < limit, arm(counts[0]), arm(counts[1]));
    add(scope, end, kMostOfMatrix);
  }

  static constexpr All all_ = {};
  Program &p;
  Choices choose;
  std::vector<int> tile_extents;
  Index slices, rows, columns, slice, part;
  int parts = 1;
  std::vector<Named<T>> halves;
  std::vector<Named<f32>> floats;
};

} // namespace

void RandomProgram::operator()(Program &p) const {
  if (seed % 2) Drawer<bf16>(p, seed).program();
  else Drawer<f16>(p, seed).program();
}

std::map<std::string, support::HostTensor> RandomProgram::inputs() const {
  Choices choose(~seed);
  const auto dtype = seed % 2 ? support::DType::bf16 : support::DType::f16;
  const int slices = choose.between(1, 3), rows = choose.of({64, 64, 80, 100}), columns = choose.of({64, 64, 72, 67});
  std::map<std::string, support::HostTensor> tensors;
  for (const char *name : {"a", "b", "c"})
    tensors.emplace(name, support::make_tensor(*name == 'c' ? support::DType::f32 : dtype, {slices, rows, columns},
                                               [&](std::int64_t) { return choose.between(-2, 2); }));
  return tensors;
}

} // namespace tilefold::random
