// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/accountant.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/measure/numerical.h"

namespace tacet {
namespace {

Rational Exactly(const char* text) { return *Rational::Parse(text); }

DeclaredSequence Sequence(std::vector<Step> steps) {
  return *DeclaredSequence::Create(std::move(steps));
}

const MethodResult* Find(const Account& account, std::string_view name) {
  for (const MethodResult& method : account.methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

// In order, without the numerical one, which is tested where it lives.
std::string Names(const Account& account) {
  std::string names;
  for (const MethodResult& method : account.methods) {
    if (method.name == "numerical") continue;
    names += (names.empty() ? "" : " ") + std::string(method.name);
  }
  return names;
}

TEST(Accountant, P4EveryMethodSideBySide) {
  const DeclaredSequence sequence =
      Sequence({{.law = PureStep{{.linear = Exactly("1/1000")}}, .count = 500}});
  const Result<Account> account = AccountEpsilon(sequence, Exactly("1e-6"));
  ASSERT_TRUE(account.ok());
  EXPECT_EQ(Names(*account), "basic advanced optimal zcdp rdp");
  const auto upper = [&](const char* name) { return Find(*account, name)->bounds.upper; };
  EXPECT_EQ(upper("basic"), 0.5);
  EXPECT_NEAR(upper("advanced"), 0.1177894000030066, 1e-15);
  EXPECT_NEAR(upper("optimal"), 0.0797888541704723, 1e-15);
  EXPECT_NEAR(upper("zcdp"), 0.0875401362644, 1e-12);
  EXPECT_NEAR(upper("rdp"), 0.0872711680114, 1e-12);
  for (const MethodResult& method : account->methods) {
    EXPECT_LE(method.bounds.lower, method.bounds.upper);
    EXPECT_GE(method.bounds.upper, 0.0797888541704723 * (1 - 1e-15)) << method.name;
    EXPECT_GE(method.seconds, 0);
    EXPECT_LE(account->methods[account->best].bounds.upper, method.bounds.upper);
  }
}

TEST(Accountant, B2AYearOfDailyBudgets) {
  const DeclaredSequence year = Sequence({{.law = PureStep{{.linear = 1}}, .count = 365}});
  const Result<Account> account = AccountEpsilon(year, 0);
  ASSERT_TRUE(account.ok());
  EXPECT_EQ(Names(*account), "basic");
  EXPECT_EQ(account->methods[0].bounds.upper, 365);
}

TEST(Accountant, KnowsWhichMethodsApply) {
  const Step gaussian{.law = GaussianStep{.sigma = 10}, .count = 100};
  const Step zcdp{.law = ZcdpStep{Exactly("1/10")}};
  const Step sampled{.law = GaussianStep{.sigma = 1}, .rate = Exactly("1/100"), .count = 100};
  const Step pure{.law = LaplaceStep{.scale = 10}};
  const Step leaky{.law = ApproximateStep{{.linear = Exactly("1/10")}, Exactly("1e-7")}};
  const Rational delta = Exactly("1e-6");
  const auto names = [&](std::vector<Step> steps) {
    return Names(*AccountEpsilon(Sequence(std::move(steps)), delta));
  };
  EXPECT_EQ(names({gaussian}), "zcdp rdp gaussian");
  EXPECT_EQ(names({zcdp}), "zcdp rdp");
  EXPECT_EQ(names({sampled}), "rdp");
  EXPECT_EQ(names({gaussian, pure}), "zcdp rdp");
  EXPECT_EQ(names({pure, leaky}), "basic advanced optimal zcdp rdp");
  EXPECT_EQ(names({leaky, gaussian, zcdp}), "zcdp rdp");
}

// The same steps give back the delta that their epsilon was asked for.
TEST(Accountant, DeltaIsTheInverseOfEpsilon) {
  const Rational delta = Exactly("1e-6");
  for (const Step& step :
       {Step{.law = PureStep{{.linear = Exactly("1/10")}}, .count = 100},
        Step{.law = ApproximateStep{{.linear = Exactly("1/10")}, Exactly("1e-9")}, .count = 100},
        Step{.law = GaussianStep{.sigma = 20}, .count = 100},
        Step{.law = LaplaceStep{.scale = 5}, .rate = Exactly("1/10"), .count = 1000}}) {
    SCOPED_TRACE(StepText(step));
    const DeclaredSequence sequence = Sequence({step});
    const Result<Account> account = AccountEpsilon(sequence, delta);
    ASSERT_TRUE(account.ok());
    for (const MethodResult& method : account->methods) {
      if (method.name == "basic" || method.name == "numerical") continue;
      SCOPED_TRACE(method.name);
      const Result<Account> back =
          AccountDelta(sequence, Rational::FromDouble(method.bounds.upper));
      ASSERT_TRUE(back.ok());
      const MethodResult* found = Find(*back, method.name);
      ASSERT_NE(found, nullptr);
      EXPECT_NEAR(found->bounds.upper, 1e-6, 1e-12);
      EXPECT_LE(found->bounds.lower, found->bounds.upper);
    }
  }
}

TEST(Accountant, BasicNeedsRoomForAllDeltas) {
  const DeclaredSequence leaky = Sequence(
      {{.law = ApproximateStep{{.linear = Exactly("1/10")}, Exactly("1e-7")}, .count = 10}});
  EXPECT_EQ(Find(*AccountEpsilon(leaky, Exactly("1e-6")), "basic")->bounds.upper, 1);
  const Result<Account> short_of = AccountEpsilon(leaky, Exactly("9.999999e-7"));
  ASSERT_TRUE(short_of.ok());  // the deltas' union is less than their sum
  EXPECT_EQ(Find(*short_of, "basic"), nullptr);
  EXPECT_FALSE(AccountEpsilon(leaky, Exactly("9e-7")).ok());
  EXPECT_EQ(Find(*AccountDelta(leaky, 1), "basic")->bounds.upper, Exactly("1e-6").ToDoubleUp());
  EXPECT_EQ(Find(*AccountDelta(leaky, Exactly("0.999")), "basic"), nullptr);
}

TEST(Accountant, NoDeltaIsAboveOne) {
  const DeclaredSequence leaks =
      Sequence({{.law = ApproximateStep{{.linear = 1}, Exactly("1/2")}, .count = 3}});
  // The deltas add up to 3/2, of which nobody has anything; 7/8 holds.
  const Result<Account> account = AccountDelta(leaks, 3);
  ASSERT_TRUE(account.ok());
  EXPECT_EQ(Find(*account, "basic"), nullptr);
  EXPECT_EQ(Find(*account, "optimal")->bounds.upper, 0.875);
  const DeclaredSequence many = Sequence({{.law = PureStep{{.linear = 2}}, .count = 1'000'000}});
  const Result<Account> almost_one = AccountDelta(many, 1);
  ASSERT_TRUE(almost_one.ok());
  for (const MethodResult& method : almost_one->methods) {
    EXPECT_LE(method.bounds.upper, 1) << method.name;
  }
}

TEST(Accountant, SaysWhatIsWrong) {
  const DeclaredSequence gaussian = Sequence({{.law = GaussianStep{.sigma = 1}}});
  for (const Result<Account>& refused :
       {AccountEpsilon(gaussian, 0), AccountEpsilon(gaussian, 1), AccountEpsilon(gaussian, -1),
        AccountEpsilon(gaussian, 2), AccountDelta(gaussian, -1)}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kUsage);
    EXPECT_FALSE(refused.error().message.empty());
  }
}

// Whatever can be written is answered or refused, never more.
TEST(Accountant, SurvivesAbsurdParameters) {
  const Step other{.law = PureStep{{.ratio = 2}}, .count = 2};
  for (const char* number : {"1e-400", "1e400"}) {
    const Rational value = Exactly(number);
    for (const StepLaw& law :
         {StepLaw(PureStep{{.linear = value}}), StepLaw(DiscreteLaplaceStep{value, 2}),
          StepLaw(GaussianStep{value}), StepLaw(ZcdpStep{value}),
          StepLaw(ApproximateStep{{.linear = value}, Exactly("1e-320")})}) {
      const Step one{.law = law, .count = 3};
      SCOPED_TRACE(StepText(one));
      std::vector<DeclaredSequence> sequences = {Sequence({one}), Sequence({one, other})};
      if (!std::holds_alternative<ZcdpStep>(law)) {
        sequences.push_back(Sequence({{.law = law, .rate = Exactly("999/1000")}}));
      }
      for (const DeclaredSequence& sequence : sequences) {
        const Result<Account> epsilon = AccountEpsilon(sequence, Exactly("1e-6"));
        EXPECT_TRUE(!epsilon.ok() || !epsilon->methods.empty());
        const Result<Account> delta = AccountDelta(sequence, value);
        EXPECT_TRUE(!delta.ok() || !delta->methods.empty());
      }
    }
  }
}

TEST(Accountant, LeavesLoudSamplesToOtherMethods) {
  const DeclaredSequence sequence = Sequence(
      {{.law = GaussianStep{.sigma = Exactly("1/200")}, .rate = Exactly("2/3"), .count = 10}});
  // At once, not after seconds of work.
  const Result<LossBounds> declined = NumericalEpsilon(sequence, Exactly("1e-2"));
  ASSERT_FALSE(declined.ok());
  EXPECT_NE(declined.error().message.find("a step is too large"), std::string::npos);
  EXPECT_EQ(Names(*AccountEpsilon(sequence, Exactly("1e-2"))), "rdp");
}

TEST(Accountant, HoldsAtTheEnds) {
  const DeclaredSequence sequence = Sequence({{.law = PureStep{{.linear = 1}}, .count = 1}});
  EXPECT_TRUE(AccountDelta(sequence, 0).ok());
  EXPECT_TRUE(AccountEpsilon(sequence, Exactly("1e-300")).ok());
  EXPECT_TRUE(AccountEpsilon(sequence, Rational(1) - Exactly("1e-30")).ok());
  const DeclaredSequence many =
      Sequence({{.law = PureStep{{.linear = Exactly("1e-9")}}, .count = kStepCountMax}});
  EXPECT_TRUE(AccountEpsilon(many, Exactly("1e-6")).ok());
}

}  // namespace
}  // namespace tacet
