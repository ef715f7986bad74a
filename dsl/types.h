// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <limits>
#include <type_traits>

namespace tilefold {

/// Element types. They are tags: a value of such a type lives on the device only.
struct f16 {};
struct bf16 {};
struct f32 {};
struct i32 {};
struct i1 {};

template <class T>
inline constexpr bool is_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16> || std::is_same_v<T, f32>;

/// Minus this is the logit of a key that is not visible.
inline constexpr float inf = std::numeric_limits<float>::infinity();

namespace detail {

enum class Element : unsigned char { f16, bf16, f32, i32, i1 };

template <class T> constexpr Element element_of() {
  if constexpr (std::is_same_v<T, tilefold::f16>) return Element::f16;
  else if constexpr (std::is_same_v<T, tilefold::bf16>) return Element::bf16;
  else if constexpr (std::is_same_v<T, tilefold::f32>) return Element::f32;
  else if constexpr (std::is_same_v<T, tilefold::i32>) return Element::i32;
  else {
    static_assert(std::is_same_v<T, tilefold::i1>, "an element type is f16, bf16, f32, i32 or i1");
    return Element::i1;
  }
}

/// For a static_assert that fires only when its template is used.
template <class...> inline constexpr bool never = false;

} // namespace detail
} // namespace tilefold
