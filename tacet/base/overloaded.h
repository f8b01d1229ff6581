// SPDX-License-Identifier: Apache-2.0
// A visitor for std::visit, made of one function a kind.
#pragma once

namespace tacet {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace tacet
