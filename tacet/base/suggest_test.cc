// SPDX-License-Identifier: Apache-2.0
#include "tacet/base/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tacet {
namespace {

using Names = std::vector<std::string_view>;

TEST(EditDistance, CountsOneForEachSlipOfTheFinger) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("range", "range"), 0u);
  EXPECT_EQ(EditDistance("rnge", "range"), 1u);
  EXPECT_EQ(EditDistance("raange", "range"), 1u);
  EXPECT_EQ(EditDistance("ramge", "range"), 1u);
  EXPECT_EQ(EditDistance("arnge", "range"), 1u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("RANGE", "range"), 0u);
}

// All words of at most four letters over {a, b}, against the definition by recursion.
TEST(EditDistance, AgreesWithItsDefinition) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; words[i].size() < 4; ++i) {
    for (const char c : {'a', 'b'}) words.push_back(words[i] + c);
  }
  const std::function<size_t(std::string_view, std::string_view)> defined =
      [&](std::string_view a, std::string_view b) -> size_t {
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto a_less = a.substr(0, a.size() - 1);
    const auto b_less = b.substr(0, b.size() - 1);
    size_t best = std::min({defined(a_less, b) + 1, defined(a, b_less) + 1,
                            defined(a_less, b_less) + (a.back() == b.back() ? 0 : 1)});
    if (a.size() > 1 && b.size() > 1 && a.back() == b_less.back() && a_less.back() == b.back()) {
      best = std::min(best, defined(a.substr(0, a.size() - 2), b.substr(0, b.size() - 2)) + 1);
    }
    return best;
  };
  for (const std::string& a : words) {
    for (const std::string& b : words)
      EXPECT_EQ(EditDistance(a, b), defined(a, b)) << a << " " << b;
  }
}

TEST(Suggest, FindsTheNearestAndNothingWhereNoneIsNear) {
  const Names keys = {"epsilon", "delta", "exhausted", "selection_share"};
  EXPECT_EQ(Suggest("epsilom", keys), "epsilon");
  EXPECT_EQ(Suggest("Delta", keys), "delta");
  EXPECT_EQ(Suggest("exausted", keys), "exhausted");
  EXPECT_EQ(Suggest("selectionshare", keys), "selection_share");
  EXPECT_EQ(Suggest("owner", keys), "");
  EXPECT_EQ(Suggest("", keys), "");
  EXPECT_EQ(Suggest("e", keys), "");
  EXPECT_EQ(Suggest("epsilon", Names{}), "");
}

TEST(Suggest, TakesTheBeginningOfANameForTheName) {
  const Names keys = {"epsilon", "delta", "rows_per_person"};
  EXPECT_EQ(Suggest("eps", keys), "epsilon");
  EXPECT_EQ(Suggest("rows", keys), "rows_per_person");
  EXPECT_EQ(Suggest("ro", keys), "");
}

TEST(Suggest, PrefersTheFirstOfEquallyNearOnes) {
  EXPECT_EQ(Suggest("bat", Names{"cat", "hat"}), "cat");
}

TEST(Suggest, IsNotSlowedDownByAVeryLongName) {
  const std::string name(1 << 20, 'a');
  EXPECT_EQ(Suggest(name, Names{"a", name}), "");
}

TEST(SuggestionHint, ListsWhatIsKnownWhereNothingIsNear) {
  EXPECT_EQ(SuggestionHint("rang", Names{"range", "grid"}), "did you mean 'range'?");
  EXPECT_EQ(SuggestionHint("colour", Names{"range", "grid"}), "one of range, grid.");
  EXPECT_EQ(SuggestionHint("colour", Names{"range"}), "known here: range.");
  EXPECT_EQ(SuggestionHint("colour", Names{}), "");
  EXPECT_EQ(SuggestionHint("colour", Names(100, "x")).size(), 7u + 16 * 3 - 2 + 5);
}

}  // namespace
}  // namespace tacet
