// SPDX-License-Identifier: Apache-2.0
// Mechanisms as people write them: NAME(args), or NAME with flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/result.h"

namespace tacet::cli {

// `laplace(10, sensitivity=2)` is {"laplace", {{"", "10"}, {"sensitivity", "2"}}}. Hyphens in names
// become underscores.
struct MechanismText {
  struct Argument {
    std::string name;  // empty where it is given by position
    std::string value;
    size_t position;  // of its value, in characters from 0
  };
  std::string name;
  std::vector<Argument> arguments;
};

// Fails with a position on anything that is not NAME or NAME(arguments).
Result<MechanismText> ParseMechanism(std::string_view text);

// Gives the positional arguments the names in `parameters`, in that order. Fails on too many, on
// unknown ones and on one given twice.
Status NameArguments(MechanismText& mechanism, const std::vector<std::string>& parameters);

}  // namespace tacet::cli
