// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/reference.h"

#include "support/memory.h"
#include "support/parallel.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tilefold::support {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The matrix products run on panels: `lanes` keys (or value columns) side by side, `group` rows at a time in registers.
constexpr std::int64_t lanes = 8, group = 4, rows_per_item = 16;

std::int64_t panels(std::int64_t n) { return (n + lanes - 1) / lanes; }

/// out[r][c] = sum over t of a[r][t] * b[t][c] for `group` rows a (`a_stride` apart) and a panel b [n][lanes]; with
/// `magnitude`, also the sum of |a * b|, which equals the sum of |a| |b|.
template <typename T, bool with_magnitude>
void multiply_panel(const T *a, std::int64_t a_stride, const T *b, std::int64_t n, T (&out)[group][lanes],
                    T (&magnitude)[group][lanes]) {
  for (std::int64_t pair = 0; pair < group; pair += 2) { // two rows' sums fit the registers of every target
    T sum[2][lanes] = {}, absolute[2][lanes] = {};
    const T *a0 = a + pair * a_stride, *a1 = a0 + a_stride;
    for (std::int64_t t = 0; t < n; ++t)
      for (std::int64_t c = 0; c < lanes; ++c) {
        const T p0 = a0[t] * b[t * lanes + c], p1 = a1[t] * b[t * lanes + c];
        sum[0][c] += p0;
        sum[1][c] += p1;
        if constexpr (with_magnitude) {
          absolute[0][c] += std::abs(p0);
          absolute[1][c] += std::abs(p1);
        }
      }
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t c = 0; c < lanes; ++c) {
        out[pair + r][c] = sum[r][c];
        if constexpr (with_magnitude)
          magnitude[pair + r][c] = absolute[r][c];
      }
  }
}

/// Calls put(row, column, value) for the matrix [rows, columns] at (b, h) of a rank-4 tensor.
template <typename Put>
void for_each_in_matrix(const HostTensor &tensor, std::int64_t b, std::int64_t h, std::int64_t first_row, std::int64_t rows,
                        Put put) {
  const auto visit = [&](auto element, auto convert) {
    const auto *from = reinterpret_cast<const decltype(element) *>(tensor.data()) + b * tensor.stride(0) + h * tensor.stride(1);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < tensor.size(3); ++c)
        put(r, c, convert(from[(first_row + r) * tensor.stride(2) + c * tensor.stride(3)]));
  };
  if (tensor.dtype() == DType::f16)
    visit(std::uint16_t{}, f16_to_f32);
  else if (tensor.dtype() == DType::bf16)
    visit(std::uint16_t{}, bf16_to_f32);
  else
    visit(float{}, [](float x) { return x; });
}

/// Where `Pass` puts its results; the fp64 pass fills `reference`, the fp32 pass `plain`.
struct Outputs {
  AttentionReference *reference = nullptr;
  HostTensor *plain = nullptr;
};

/// Attention of the query heads that share one key/value head. T = double: the reference. T = float: `plain`.
template <typename T>
class Pass {
  static constexpr bool exact = std::is_same_v<T, double>;

 public:
  Pass(const HostTensor &q, const HostTensor &k, const HostTensor &v, const AttentionSizes &sizes,
       const AttentionOptions &options, std::int64_t b, std::int64_t key_head, Outputs outputs)
      : q_(q), sizes_(sizes), options_(options), outputs_(outputs), dtype_(q.dtype()), b_(b), key_head_(key_head),
        scale_(T(options.scale ? *options.scale : 1 / std::sqrt(double(sizes.head_dim)))) {
    k_.assign(std::size_t(panels(sizes.keys) * lanes * sizes.head_dim), T(0));
    for_each_in_matrix(k, b, key_head, 0, sizes.keys, [&](std::int64_t j, std::int64_t d, float x) {
      k_[std::size_t((j / lanes * sizes.head_dim + d) * lanes + j % lanes)] = T(x);
    });
    v_.assign(std::size_t(panels(sizes.value_dim) * lanes * sizes.keys), T(0));
    for_each_in_matrix(v, b, key_head, 0, sizes.keys, [&](std::int64_t j, std::int64_t c, float x) {
      // A weight of 0 times a non-finite value would be NaN. Such values are set aside, and spoil what sees them afterwards.
      if (std::isfinite(x))
        v_[std::size_t((c / lanes * sizes.keys + j) * lanes + c % lanes)] = T(x);
      else
        non_finite_values_.push_back({j, c});
    });
  }

  void run(unsigned threads) {
    const std::int64_t heads = sizes_.query_heads / sizes_.key_heads;
    const std::int64_t blocks = (sizes_.queries + rows_per_item - 1) / rows_per_item;
    parallel_for(heads * blocks, [&](std::int64_t item) {
      rows(key_head_ * heads + item / blocks, item % blocks * rows_per_item);
    }, threads);
  }

 private:
  struct Row {
    std::int64_t first_key = 0, end_key = 0; ///< what causal and the window leave
    T maximum = T(-infinity);
    double bound = 0, largest = 0; ///< of the reference: see AttentionReference
    bool nan = false, out_of_range = false;
  };

  /// Rows [first, first + rows_per_item) of query head h.
  void rows(std::int64_t h, std::int64_t first) {
    const std::int64_t count = std::min(rows_per_item, sizes_.queries - first);
    const std::int64_t padded = (count + group - 1) / group * group; // rows beyond the last are 0 and seen by nobody
    std::vector<T> q(std::size_t(padded * sizes_.head_dim), T(0));
    for_each_in_matrix(q_, b_, h, first, count, [&](std::int64_t r, std::int64_t d, float x) {
      q[std::size_t(r * sizes_.head_dim + d)] = T(x);
    });

    std::vector<Row> state(static_cast<std::size_t>(count));
    std::int64_t first_key = sizes_.keys, end_key = 0;
    for (std::int64_t r = 0; r < count; ++r) {
      keys_of(first + r, state[std::size_t(r)]);
      if (state[std::size_t(r)].first_key < state[std::size_t(r)].end_key) {
        first_key = std::min(first_key, state[std::size_t(r)].first_key);
        end_key = std::max(end_key, state[std::size_t(r)].end_key);
      }
    }
    first_key = std::min(first_key, end_key) / lanes * lanes;
    const std::int64_t width = panels(end_key - first_key) * lanes;

    // Logits, -inf where not visible; later the weights, 0 where not visible.
    std::vector<T> weights(std::size_t(padded * width), T(-infinity));
    for (std::int64_t key = first_key; key < end_key; key += lanes)
      for (std::int64_t g = 0; g < padded; g += group) {
        T dots[group][lanes], magnitudes[group][lanes] = {};
        multiply_panel<T, exact>(&q[std::size_t(g * sizes_.head_dim)], sizes_.head_dim,
                                 &k_[std::size_t(key * sizes_.head_dim)], sizes_.head_dim, dots, magnitudes);
        for (std::int64_t r = g; r < std::min(count, g + group); ++r) {
          Row &row = state[std::size_t(r)];
          for (std::int64_t j = std::max(key, row.first_key); j < std::min(key + lanes, row.end_key); ++j)
            weights[std::size_t(r * width + j - first_key)] =
                logit(row, {b_, h, first + r, first + r + sizes_.keys - sizes_.queries, j}, dots[r - g][j - key],
                      double(magnitudes[r - g][j - key]));
        }
      }

    // Who sees a value that is not finite, before the logits turn into weights.
    std::vector<std::pair<std::int64_t, std::int64_t>> spoiled; // (row, column)
    for (const auto &[j, c] : non_finite_values_)
      if (j >= first_key && j < end_key)
        for (std::int64_t r = 0; r < count; ++r)
          if (weights[std::size_t(r * width + j - first_key)] != T(-infinity)) // true for NaN
            spoiled.push_back({r, c});

    std::vector<T> denominators(static_cast<std::size_t>(count));
    for (std::int64_t r = 0; r < padded; ++r) {
      T *row_weights = weights.data() + r * width;
      if (r < count)
        denominators[std::size_t(r)] = softmax(h, first + r, state[std::size_t(r)], row_weights, width);
      else
        std::fill(row_weights, row_weights + width, T(0));
    }
    for (std::int64_t panel = 0; panel < panels(sizes_.value_dim) && width > 0; ++panel)
      for (std::int64_t g = 0; g < padded; g += group) {
        T sums[group][lanes], unused[group][lanes];
        multiply_panel<T, false>(&weights[std::size_t(g * width)], width,
                                 &v_[std::size_t((panel * sizes_.keys + first_key) * lanes)], end_key - first_key, sums, unused);
        for (std::int64_t r = g; r < std::min(count, g + group); ++r)
          for (std::int64_t c = panel * lanes; c < std::min(sizes_.value_dim, (panel + 1) * lanes); ++c)
            store(element(h, first + r, c), sums[r - g][c - panel * lanes], denominators[std::size_t(r)]);
      }
    for (std::int64_t r = 0; r < count; ++r)
      if (state[std::size_t(r)].nan)
        for (std::int64_t c = 0; c < sizes_.value_dim; ++c)
          store(element(h, first + r, c), T(nan), T(1));
    for (const auto &[r, c] : spoiled) {
      store(element(h, first + r, c), T(nan), T(1));
      if constexpr (exact)
        if (!state[std::size_t(r)].nan) // there NaN is the one right answer
          outputs_.reference->poisoned[std::size_t(element(h, first + r, c))] = 1;
    }
  }

  /// The keys that causal and the window leave to row i.
  void keys_of(std::int64_t i, Row &row) const {
    constexpr std::int64_t unlimited = std::int64_t(1) << 61; // far from overflow, far from any length
    const std::int64_t iq = i + sizes_.keys - sizes_.queries;
    const std::int64_t left = std::min(options_.window_left.value_or(unlimited), unlimited);
    const std::int64_t right = std::min({options_.window_right.value_or(unlimited), options_.causal ? 0 : unlimited, unlimited});
    row.first_key = std::max<std::int64_t>(0, iq - left);
    row.end_key = std::min(sizes_.keys, iq + right + 1);
  }

  /// The steps of one logit from its dot product, in the contract's order; -inf if the key is not visible.
  T logit(Row &row, const LogitPosition &at, T dot, double magnitude) const {
    if (options_.visible && !options_.visible(at))
      return T(-infinity);
    T s = scale_ * dot;
    if (options_.softcap)
      s = T(*options_.softcap) * std::tanh(s / T(*options_.softcap));
    if (options_.score)
      s = T(options_.score(double(s), at));
    if constexpr (!exact)
      s = T(round_to(dtype_, float(s)));
    if (s == T(-infinity))
      return s;
    row.nan |= !(s < T(infinity)); // +inf or NaN
    row.maximum = std::max(row.maximum, s);
    if constexpr (exact) {
      row.bound = std::max(row.bound, std::abs(scale_) * magnitude);
      row.out_of_range |= std::abs(s) >= 0x1p24 || magnitude >= FLT_MAX || std::abs(scale_) * magnitude >= FLT_MAX;
    }
    return s;
  }

  /// Turns the logits of one row into weights, writes its LSE and flags, and returns the divisor of O.
  T softmax(std::int64_t h, std::int64_t i, Row &row, T *weights, std::int64_t width) {
    const bool empty = row.maximum == T(-infinity) && !row.nan;
    const T sink = options_.sink.empty() ? T(-infinity) : T(options_.sink[std::size_t(h)]);
    row.nan |= !(sink < T(infinity));
    const T maximum = std::max(row.maximum, sink);
    T sum = 0;
    for (std::int64_t t = 0; t < width; ++t) {
      weights[t] = weights[t] == T(-infinity) || row.nan ? T(0) : std::exp(weights[t] - maximum);
      sum += weights[t];
    }
    if (sink != T(-infinity))
      sum += std::exp(sink - maximum);
    const std::size_t index = std::size_t((b_ * sizes_.query_heads + h) * sizes_.queries + i);
    if constexpr (exact) {
      AttentionReference &reference = *outputs_.reference;
      reference.empty[index] = empty && !row.nan;
      reference.lse[index] = row.nan ? nan : sum > 0 ? maximum + std::log(sum) : -infinity;
      reference.logit_bound[index] = row.bound;
      reference.out_of_range[index] = row.out_of_range;
    } else if (sum > 0) { // P is normalised before it is rounded
      for (std::int64_t t = 0; t < width; ++t)
        weights[t] = round_to(dtype_, weights[t] / sum);
    }
    return exact && sum > 0 ? sum : T(1);
  }

  std::int64_t element(std::int64_t h, std::int64_t i, std::int64_t c) const {
    return ((b_ * sizes_.query_heads + h) * sizes_.queries + i) * sizes_.value_dim + c;
  }

  void store(std::int64_t element, T sum, T denominator) {
    if constexpr (exact)
      outputs_.reference->o[std::size_t(element)] = sum / denominator;
    else
      outputs_.plain->set(element, double(sum));
  }

  const HostTensor &q_;
  const AttentionSizes &sizes_;
  const AttentionOptions &options_;
  Outputs outputs_;
  DType dtype_;
  std::int64_t b_, key_head_;
  T scale_;
  std::vector<T> k_; ///< [panel of keys][D][lanes]
  std::vector<T> v_; ///< [panel of columns][Sk][lanes], non-finite values replaced by 0
  std::vector<std::pair<std::int64_t, std::int64_t>> non_finite_values_; ///< (key, column)
};

/// How the passes are shared out. Many pairs of a batch and a key head: one on each thread. Few: the threads share the rows of one
/// after the other.
struct Shares {
  unsigned threads;
  bool across; ///< the pairs
  Shares(const AttentionSizes &sizes, unsigned wanted)
      : threads(wanted ? wanted : hardware_threads()), across(sizes.batch * sizes.key_heads >= 2 * std::int64_t(threads)) {}
};

/// Bytes of the passes that run at a time. Sizes come from tensors, so that doubles are far from their end.
template <typename T> double pass_memory(const AttentionSizes &sizes, const Shares &shares) {
  const double inputs = double(panels(sizes.keys) * lanes) * double(sizes.head_dim) + double(panels(sizes.value_dim) * lanes) * double(sizes.keys);
  const double rows = double(rows_per_item) * (double(panels(sizes.keys) * lanes) + double(sizes.head_dim));
  return sizeof(T) * (inputs * (shares.across ? shares.threads : 1) + rows * shares.threads);
}

template <typename T>
void run_passes(const HostTensor &q, const HostTensor &k, const HostTensor &v, const AttentionSizes &sizes,
                const AttentionOptions &options, Outputs outputs) {
  if (sizes.rows() == 0)
    return;
  const Shares shares(sizes, options.threads);
  parallel_for(sizes.batch * sizes.key_heads, [&](std::int64_t pair) {
    Pass<T>(q, k, v, sizes, options, pair / sizes.key_heads, pair % sizes.key_heads, outputs).run(shares.across ? 1 : shares.threads);
  }, shares.across ? shares.threads : 1);
}

Status check_options(const AttentionSizes &sizes, const AttentionOptions &options) {
  if (options.scale && !std::isfinite(*options.scale))
    return Status::error("scale is " + std::to_string(*options.scale) + "; it must be finite");
  if (options.softcap && !(std::isfinite(*options.softcap) && *options.softcap > 0))
    return Status::error("softcap is " + std::to_string(*options.softcap) + "; it must be finite and greater than 0");
  for (const auto &[side, text] : {std::pair(options.window_left, "left"), std::pair(options.window_right, "right")})
    if (side && *side < 0)
      return Status::error(std::string("the ") + text + " side of the window is " + std::to_string(*side) +
                           "; it must be 0 or more (leave it out for no limit)");
  if (!options.sink.empty() && std::int64_t(options.sink.size()) != sizes.query_heads)
    return Status::error("sink has " + std::to_string(options.sink.size()) + " values; expected one for each of the " +
                         std::to_string(sizes.query_heads) + " query heads");
  return {};
}

} // namespace

Result<AttentionSizes> attention_sizes(const HostTensor &q, const HostTensor &k, const HostTensor &v) {
  const std::pair<const char *, const HostTensor *> tensors[] = {{"q", &q}, {"k", &k}, {"v", &v}};
  for (const auto &[name, tensor] : tensors) {
    if (tensor->rank() != 4)
      return Status::error(std::string(name) + " has the shape " + to_string(tensor->shape()) +
                           "; expected four dimensions [batch, heads, length, head dim]");
    if (!is_float(tensor->dtype()) || tensor->dtype() != q.dtype())
      return Status::error(std::string(name) + " has the dtype " + std::string(support::name(tensor->dtype())) +
                           "; expected f16, bf16 or f32, and the same for q, k and v");
  }
  const AttentionSizes sizes{q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3), v.size(3)};
  const auto mismatch = [&](const char *name, const HostTensor &tensor, std::size_t dim, const char *what, std::int64_t expected) {
    return Status::error(std::string(name) + " has the shape " + to_string(tensor.shape()) + "; expected " + what + " (dimension " +
                         std::to_string(dim) + ") to be " + std::to_string(expected));
  };
  if (k.size(0) != sizes.batch)
    return mismatch("k", k, 0, "the batch of q", sizes.batch);
  if (v.size(0) != sizes.batch)
    return mismatch("v", v, 0, "the batch of q", sizes.batch);
  if (v.size(1) != sizes.key_heads)
    return mismatch("v", v, 1, "the heads of k", sizes.key_heads);
  if (v.size(2) != sizes.keys)
    return mismatch("v", v, 2, "the length of k", sizes.keys);
  if (k.size(3) != sizes.head_dim)
    return mismatch("k", k, 3, "the head dim of q", sizes.head_dim);
  if (sizes.rows() > 0) {
    if (sizes.key_heads == 0 || sizes.query_heads % sizes.key_heads != 0)
      return Status::error("q has " + std::to_string(sizes.query_heads) + " heads and k has " + std::to_string(sizes.key_heads) +
                           "; the heads of q must be a multiple of those of k");
    if (sizes.head_dim == 0 || sizes.value_dim == 0)
      return Status::error(std::string("the head dim of ") + (sizes.head_dim == 0 ? "q" : "v") + " is 0; expected 1 or more");
  }
  return sizes;
}

/// Sizes of inputs that fit each other and the options.
static Result<AttentionSizes> checked_sizes(const HostTensor &q, const HostTensor &k, const HostTensor &v,
                                            const AttentionOptions &options) {
  auto sizes = attention_sizes(q, k, v);
  if (sizes)
    if (Status status = check_options(*sizes, options); !status)
      return status;
  return sizes;
}

std::uint64_t reference_memory(const AttentionSizes &sizes, unsigned threads) {
  if (sizes.rows() == 0)
    return 0;
  const double rows = double(sizes.rows()), elements = rows * double(sizes.value_dim);
  const double result = elements * (sizeof(double) + 1) + rows * (2 * sizeof(double) + 2);
  return std::uint64_t(result + pass_memory<double>(sizes, Shares(sizes, threads)));
}

Result<AttentionReference> reference_attention(const HostTensor &q, const HostTensor &k, const HostTensor &v,
                                               const AttentionOptions &options) {
  auto sizes = checked_sizes(q, k, v, options);
  if (!sizes)
    return sizes.status();
  if (Status status = check_memory(reference_memory(*sizes, options.threads), "attention in fp64"); !status)
    return status;
  AttentionReference reference;
  reference.sizes = *sizes;
  const auto rows = std::size_t(sizes->rows()), elements = rows * std::size_t(sizes->value_dim);
  reference.o.assign(elements, 0.0); // rows without keys keep this
  reference.lse.assign(rows, -infinity);
  reference.logit_bound.assign(rows, 0.0);
  reference.empty.assign(rows, 0);
  reference.out_of_range.assign(rows, 0);
  reference.poisoned.assign(elements, 0);
  run_passes<double>(q, k, v, *sizes, options, {&reference, nullptr});
  if (std::find(reference.poisoned.begin(), reference.poisoned.end(), 1) == reference.poisoned.end())
    reference.poisoned.clear();
  return reference;
}

Result<HostTensor> plain_attention(const HostTensor &q, const HostTensor &k, const HostTensor &v,
                                   const AttentionOptions &options) {
  auto sizes = checked_sizes(q, k, v, options);
  if (!sizes)
    return sizes.status();
  if (Status status = check_memory(std::uint64_t(pass_memory<float>(*sizes, Shares(*sizes, options.threads))), "plain attention"); !status)
    return status;
  auto o = HostTensor::create(q.dtype(), sizes->o_shape());
  if (o)
    run_passes<float>(q, k, v, *sizes, options, {nullptr, &*o});
  return o;
}

} // namespace tilefold::support
