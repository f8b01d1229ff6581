// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/suggest.h"

#include <algorithm>
#include <vector>

namespace tacet {
namespace {

// Longer names are not misspellings of ours, and the distance takes quadratic time.
constexpr size_t kNameLengthMax = 100;
constexpr size_t kPrefixLengthMin = 3;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool Same(char a, char b) { return Lower(a) == Lower(b); }

bool IsBeginning(std::string_view name, std::string_view candidate) {
  return name.size() >= kPrefixLengthMin && name.size() <= candidate.size() &&
         std::equal(name.begin(), name.end(), candidate.begin(), Same);
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the usual table; row i holds the distances of a's first i letters.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (Same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && Same(a[i - 1], b[j - 2]) && Same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string_view Suggest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kNameLengthMax) return {};
  std::string_view nearest;
  size_t distance_min = kNameLengthMax;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kNameLengthMax) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < distance_min && 3 * distance <= std::max(name.size(), candidate.size())) {
      nearest = candidate;
      distance_min = distance;
    }
  }
  if (!nearest.empty()) return nearest;
  const auto longer = std::find_if(candidates.begin(), candidates.end(),
                                   [&](auto candidate) { return IsBeginning(name, candidate); });
  return longer == candidates.end() ? std::string_view{} : *longer;
}

std::string SuggestionHint(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr size_t kShown = 16;
  if (candidates.empty()) return {};
  if (const std::string_view nearest = Suggest(name, candidates); !nearest.empty()) {
    return "did you mean '" + std::string(nearest) + "'?";
  }
  std::string hint = candidates.size() == 1 ? "known here: " : "one of ";
  for (size_t i = 0; i < std::min(candidates.size(), kShown); ++i) {
    hint.append(i == 0 ? "" : ", ").append(candidates[i]);
  }
  return hint + (candidates.size() > kShown ? ", ..." : ".");
}

}  // namespace tacet
