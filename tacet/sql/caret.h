// SPDX-License-Identifier: Apache-2.0
// Errors as people read them: what is wrong, where, and what to do.
#pragma once

#include <string>
#include <string_view>

#include "tacet/base/error.h"

namespace tacet::sql {

//   error: a join is not supported
//     SELECT count(*) FROM visits JOIN wards USING (ward)
//                                      ^
//   hint: ...
//
// Shows the one line of `statement` that holds `error.position`, or of a long line the part around
// it, as much as `columns` hold, or 60 characters on either side if that is 0; without a position,
// no line. Each line ends with a line break. Control characters other than tabs are shown as
// spaces, and so are bytes that are not UTF-8, so any text may be given. What was spent is for the
// caller to say.
std::string RenderError(const Error& error, std::string_view statement, size_t columns = 0);

}  // namespace tacet::sql
