// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/suggest.h"

#include <algorithm>
#include <vector>

namespace tacet {
namespace {

// Damerau's distance between adjacent swaps, with three rolling rows.
size_t Edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> Suggest(std::string_view name, std::span<const std::string> known) {
  std::optional<std::string> best;
  size_t best_edits = 0;
  for (const std::string& candidate : known) {
    const size_t edits = Edits(name, candidate);
    if (edits > std::max<size_t>(1, candidate.size() / 3)) continue;
    if (!best || edits < best_edits) {
      best = candidate;
      best_edits = edits;
    }
  }
  return best;
}

}  // namespace tacet
