// SPDX-License-Identifier: Apache-2.0
// Parts of dates and timestamps, and what they begin with.
#pragma once

#include <string>

#include "tacet/base/result.h"
#include "tacet/plan/row_value.h"

namespace tacet {

// EXTRACT(part FROM moment), a whole number between the least and largest that the ends of `of`
// allow: year, quarter, month, week, day, dow, isodow, doy, hour, minute, second.
Result<RowValue> PartOf(const std::string& part, const RowValue& of);
// date_trunc(part, moment), a timestamp: year, quarter, month, week, day, hour, minute, second.
Result<RowValue> TruncatedTo(const std::string& part, const RowValue& of);

// Of a timestamp the date, and of a date its first moment.
RowValue DayOfTimestamp(const RowValue& timestamp);
RowValue TimestampOfDay(const RowValue& date);

}  // namespace tacet
