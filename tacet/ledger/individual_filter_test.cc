// SPDX-License-Identifier: Apache-2.0
// People whose budget is used up drop out, and nobody's loss passes their budget: the ledger
// against a reference that adds up fractions, over questions that depend on earlier answers.
//
// Proof: docs/proofs/individual_filter.md.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "tacet/ledger/crash_testing.h"
#include "tacet/ledger/person_budgets_testing.h"

namespace tacet {
namespace {

using Beyond = Balance::Beyond;

// A person's row: what it says of facts 0 to 7. Fact 0 is one about people that divides them into
// regions which the texts prove to be disjoint.
using Row = std::optional<uint8_t>;  // nothing: not in the data

struct Question {
  int fact = -1;  // people for whom it holds; -1: everyone; -2: those for whom fact 0 does not
  Rational cost;

  bool Holds(const Row& row) const {
    if (!row) return false;
    if (fact == -1) return true;
    if (fact == -2) return (*row & 1) == 0;
    return (*row >> fact & 1) != 0;
  }
  std::string region() const { return fact == 0 ? "F" : fact == -2 ? "M" : ""; }
  bool IsDisjointFrom(int other) const {
    return (fact == 0 && other == -2) || (fact == -2 && other == 0);
  }
};

// The rule in the words of the specification, without a ledger.
class Reference {
 public:
  Reference(std::vector<Row> rows, Rational limit)
      : rows_(std::move(rows)), limit_(std::move(limit)), spent_(rows_.size()) {}

  bool EverybodyCanPay(const Question& question) const {
    Rational sum = question.cost;
    for (const auto& [fact, cost] : asked_) {
      if (!question.IsDisjointFrom(fact)) sum += cost;
    }
    return sum <= limit_;
  }
  bool CanPay(size_t person, const Question& question) const {
    return EverybodyCanPay(question) || spent_[person] + everyone_ + question.cost <= limit_;
  }
  PersonSet Active(const Question& question) const {
    PersonSet active;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (question.Holds(rows_[i]) && CanPay(i, question)) active.Add(static_cast<uint32_t>(i));
    }
    return active;
  }
  void Charge(const Question& question, bool is_narrowing_lost) {
    const PersonSet active = Active(question);
    asked_[question.fact] += question.cost;
    if (is_narrowing_lost) {
      everyone_ += question.cost;
      return;
    }
    for (const uint32_t person : active.ToVector()) spent_[person] += question.cost;
  }

 private:
  std::vector<Row> rows_;
  Rational limit_;
  std::vector<Rational> spent_;
  Rational everyone_;
  std::map<int, Rational> asked_;  // by fact
};

class IndividualFilter : public CrashStates {
 protected:
  static SpendRequest RequestOf(const Question& question, bool is_pure) {
    SpendRequest request = Ask("1", question.region());
    request.cost = {.epsilon = *Epsilon::Create(question.cost)};
    if (!is_pure) request.cost.rho = *Rho::Create(question.cost);
    request.beyond = Beyond::kExclude;
    return request;
  }
  // As the gateway works them out.
  static void ListDisjoint(const Ledger& ledger, const Question& question, SpendRequest& request) {
    for (const KnownRegion& region : ledger.RegionsOf(1)) {
      const bool is_other = (question.fact == 0 && region.reach.region == "M") ||
                            (question.fact == -2 && region.reach.region == "F");
      if (is_other) request.disjoint.push_back(region.number);
    }
  }
  static PersonSet Matching(const std::vector<Row>& rows, const Question& question) {
    PersonSet people;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (question.Holds(rows[i])) people.Add(static_cast<uint32_t>(i));
    }
    return people;
  }
  // One interaction of 1,000 questions with `limit`.
  void Live(const Budget& budget, const Rational& limit, bool is_pure) {
    StartAgain();
    std::unique_ptr<Ledger> ledger = *Ledger::Create(place_, budget, clock_, kNoWait);
    constexpr int kPeople = 5;
    ASSERT_TRUE(RecordNextImport(*ledger, kPeople).ok());
    std::vector<Row> rows;
    for (int i = 0; i < kPeople; ++i) rows.emplace_back(static_cast<uint8_t>(random_()));
    Reference with(rows, limit);
    std::vector<Reference> without;
    for (int i = 0; i < kPeople; ++i) {
      std::vector<Row> others = rows;
      others[static_cast<size_t>(i)].reset();
      without.emplace_back(others, limit);
    }
    std::vector<Rational> loss(kPeople);  // of the transcript so far
    std::vector<Rational> active_cost(kPeople);
    const std::vector<Rational> prices = {Rational(1, 10), Rational(1, 7), Rational(3, 100),
                                          Rational(1, 1'000'003), Rational(1, 3)};
    uint64_t seen = 0;  // of the answers so far: what is asked next depends on it
    for (int step = 0; step < 1000; ++step) {
      if (random_() % 100 == 0) {
        ledger.reset();
        ledger = *Open();
      }
      const Question question{
          .fact = static_cast<int>((seen >> 8) % 10) - 2,
          .cost = prices[seen % prices.size()] / Rational((1 + step / 100) * (is_pure ? 1 : 10))};
      const bool is_lost = random_() % 40 == 0;
      SpendRequest request = RequestOf(question, is_pure);
      ListDisjoint(*ledger, question, request);
      Result<Charge> charge = ledger->Spend(request);
      ASSERT_TRUE(charge.ok()) << charge.error().message;
      EXPECT_EQ(charge->exclusion().has_value(), !with.EverybodyCanPay(question));
      // What an engine does.
      PersonSet touched = Matching(rows, question);
      if (charge->exclusion()) touched -= charge->exclusion()->people;
      ASSERT_EQ(touched, with.Active(question)) << step;
      const auto sum = static_cast<int64_t>(touched.size());
      const int64_t answer = sum + TwoSidedGeometric(random_, question.cost.ToDouble());
      for (uint32_t i = 0; i < kPeople; ++i) {
        const auto other_sum = static_cast<int64_t>(without[i].Active(question).size());
        loss[i] += question.cost * Rational(std::abs(answer - other_sum) - std::abs(answer - sum));
        if (touched.Contains(i)) active_cost[i] += question.cost;
        ASSERT_LE(active_cost[i], limit);
        if (is_pure) {
          ASSERT_LE(loss[i].Abs(), limit);
        }
        without[i].Charge(question, is_lost);
      }
      with.Charge(question, is_lost);
      if (!is_lost) {
        ASSERT_TRUE(ledger->Narrow(*charge, touched).ok());
      }
      seen = seen * 6364136223846793005u + static_cast<uint64_t>(answer) + 1442695040888963407u;
    }
    EXPECT_TRUE(ledger->Verify().ok());
  }
};

// B1: every person has a budget, and each calculation that includes them eats from it.
TEST_F(IndividualFilter, B1NobodysLossPassesAPureBudgetOnAnyTranscript) {
  SCOPED_TRACE(seed_);
  const int lives = testing::Soaking() ? 100 : 3;
  for (int i = 0; i < lives && !HasFailure(); ++i) {
    Live(Pure("1"), Rational(1), /*is_pure=*/true);
  }
}

TEST_F(IndividualFilter, B1TheRhoOfAnswersWithAPersonStaysWithinTheirBudget) {
  SCOPED_TRACE(seed_);
  const Budget budget =
      *Budget::Approximate(E("3"), *Delta::Create(Rational(1, 1'000'000)), Rational(1, 2));
  const Rational limit = Units::Down(budget.filter().rho.value()).Amount();
  const int lives = testing::Soaking() ? 100 : 2;
  for (int i = 0; i < lives && !HasFailure(); ++i) Live(budget, limit, /*is_pure=*/false);
}

// All that anybody sees of a sequence of charges but for whom they leave out.
class SeenOfCharges : public IndividualFilter {
 protected:
  // Narrows each charge to the people that `touched` picks.
  std::string Seen(Beyond beyond, const std::function<PersonSet(int)>& touched) {
    StartAgain();
    const std::unique_ptr<Ledger> ledger = *Create("1");
    EXPECT_TRUE(RecordNextImport(*ledger, 6).ok());
    std::string seen;
    const auto write = [&](const auto& result) {
      if (!result.ok()) seen += result.error().message + " / " + result.error().hint;
      seen += "\n";
    };
    for (int i = 0; i < 40; ++i) {
      SpendRequest request = Ask(i % 7 == 6 ? "3/2" : i % 3 == 0 ? "1/10" : "1/20");
      request.analyst = i % 2 == 0 ? "ada" : "bob";
      request.beyond = beyond;
      if (i % 2 == 0) request.quota = E("4/5");
      const Result<Ledger::Prospect> prospect = ledger->Preview(request);
      write(prospect);
      if (prospect.ok()) {
        seen += prospect->remaining.epsilon.ToString() + (prospect->is_complete ? "" : " part");
      }
      Result<Charge> charge = ledger->Spend(request);
      write(charge);
      if (charge.ok()) {
        seen += std::to_string(charge->number()) + " " + charge->cost().epsilon.ToString() +
                (charge->exclusion() ? " incomplete" : "");
        EXPECT_TRUE(ledger->Narrow(*charge, touched(i)).ok());
      }
      seen += ledger->Spent().epsilon.ToString() + " " + ledger->Remaining().epsilon.ToString();
    }
    return seen;
  }
};

TEST_F(SeenOfCharges, DoesNotDependOnWhomTheyTouch) {
  for (const Beyond beyond : {Beyond::kRefuse, Beyond::kExclude}) {
    const std::string nobody = Seen(beyond, [](int) { return PersonSet(); });
    EXPECT_EQ(Seen(beyond, [](int) { return PersonSet::FirstPeople(6); }), nobody);
    EXPECT_EQ(
        Seen(beyond, [](int i) { return PersonSet::FirstPeople(static_cast<uint64_t>(i) % 6); }),
        nobody);
    const bool refuses_when_used_up = nobody.find("the budget does not allow") != std::string::npos;
    EXPECT_EQ(refuses_when_used_up, beyond == Beyond::kRefuse);
    EXPECT_EQ(nobody.find("incomplete") != std::string::npos, beyond == Beyond::kExclude);
  }
}

}  // namespace
}  // namespace tacet
