// SPDX-License-Identifier: Apache-2.0
// Result<T> is a T or an Error; Status is success or an Error. Nothing throws across a folder.
//
//   Result<Rational> scale = Rational::Parse(text);
//   if (!scale.ok()) return scale.error();
//
//   TACET_TRY(Rational scale, Rational::Parse(text));   // the same
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "tacet/base/check.h"
#include "tacet/base/error.h"

namespace tacet {

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return error;` both read well.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    TACET_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    TACET_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  // By value, so that a loop over the value of a temporary Result does not outlive it.
  T value() && {
    TACET_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    TACET_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    TACET_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace tacet

#define TACET_INTERNAL_JOIN_(a, b) a##b
#define TACET_INTERNAL_JOIN(a, b) TACET_INTERNAL_JOIN_(a, b)
#define TACET_INTERNAL_TRY(holder, declaration, ...) \
  auto holder = (__VA_ARGS__);                       \
  if (!holder.ok()) return holder.error();           \
  declaration = *std::move(holder)

// Declares `declaration` from a Result, or returns its error.
#define TACET_TRY(declaration, ...) \
  TACET_INTERNAL_TRY(TACET_INTERNAL_JOIN(tacet_try_, __LINE__), declaration, __VA_ARGS__)

// Returns the error of a Status or a Result, if it is one.
#define TACET_RETURN_IF_ERROR(...)                               \
  do {                                                           \
    if (auto tacet_status = (__VA_ARGS__); !tacet_status.ok()) { \
      return tacet_status.error();                               \
    }                                                            \
  } while (false)
