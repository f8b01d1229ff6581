// SPDX-License-Identifier: Apache-2.0
// Choosing a model beside adding noise to one: claim M7, on the demonstration data.
//
//   example_model_choice [participants.csv]
//
// Who lives in a family with an income of 8,000 dollars or more? One way takes the best of 5,103
// simple rules by how many people of the training data each gets right: a person changes every such
// score by at most one. The other fits a logistic regression and adds noise to its weights. Both
// are epsilon-private for neighbours who differ in one person's row.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/mechanism/choice.h"
#include "tacet/mechanism/on_grid.h"

namespace {

using tacet::Rational;
using tacet::Result;

constexpr size_t kFeatures = 5;
constexpr int kRepetitions = 200;
// Of the regression: the strength of its penalty.
constexpr double kPenalty = 0.003;

struct Person {
  std::array<double, kFeatures> features;  // each in [0, 1]
  bool rich;
};

double Scaled(const std::string& field, double low, double high) {
  const double value = field.empty() ? low : std::strtod(field.c_str(), nullptr);
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

// Ranges and the income are public choices, made without a look at the data.
std::vector<Person> Read(const char* path) {
  std::ifstream file(path);
  std::vector<Person> people;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::array<std::string, 8>
        field;  // person, site, sex, age, education, coinsurance, income, size
    for (std::string& text : field) std::getline(fields, text, ',');
    people.push_back(
        {.features = {Scaled(field[3], 0, 65), field[2] == "F" ? 1.0 : 0.0, Scaled(field[4], 0, 20),
                      Scaled(field[5], 0, 100), Scaled(field[7], 1, 9)},
         .rich = Scaled(field[6], 0, 8000) == 1});
  }
  return people;
}

// Predicts yes where the weighted sum of the features reaches the last number.
using Rule = std::array<double, kFeatures + 1>;

bool Predicts(const Rule& rule, const Person& person) {
  double sum = -rule[kFeatures];
  for (size_t i = 0; i < kFeatures; ++i) sum += rule[i] * person.features[i];
  return sum >= 0;
}

int64_t Correct(const Rule& rule, const std::vector<Person>& people) {
  int64_t correct = 0;
  for (const Person& person : people) correct += Predicts(rule, person) == person.rich ? 1 : 0;
  return correct;
}

double Accuracy(const Rule& rule, const std::vector<Person>& people) {
  return static_cast<double>(Correct(rule, people)) / static_cast<double>(people.size());
}

// Weights of -1, 0 and 1 (education: 0, 1, 2) and 21 thresholds.
std::vector<Rule> Rules() {
  std::vector<Rule> rules;
  for (int code = 0; code < 243; ++code) {
    Rule rule;
    int rest = code;
    for (size_t i = 0; i < kFeatures; ++i, rest /= 3) rule[i] = rest % 3 - (i == 2 ? 0 : 1);
    for (int threshold = -10; threshold <= 10; ++threshold) {
      rule[kFeatures] = threshold / 8.0;
      rules.push_back(rule);
    }
  }
  return rules;
}

// The minimum of mean log-loss + kPenalty/2 |w|^2 over features of length at most 1, by steepest
// descent until the gradient is below 10^-9: so the weights are within 10^-9 / kPenalty of it.
Rule Fit(const std::vector<Person>& people) {
  const double shrink = 1 / std::sqrt(static_cast<double>(kFeatures) + 1);
  Rule weights = {};
  for (;;) {
    Rule gradient = {};
    for (const Person& person : people) {
      double sum = weights[kFeatures] * shrink;
      for (size_t i = 0; i < kFeatures; ++i) sum += weights[i] * person.features[i] * shrink;
      const double miss = 1 / (1 + std::exp(-sum)) - (person.rich ? 1 : 0);
      for (size_t i = 0; i < kFeatures; ++i) gradient[i] += miss * person.features[i] * shrink;
      gradient[kFeatures] += miss * shrink;
    }
    double length = 0;
    for (size_t i = 0; i <= kFeatures; ++i) {
      gradient[i] = gradient[i] / static_cast<double>(people.size()) + kPenalty * weights[i];
      weights[i] -= 3 * gradient[i];
      length += gradient[i] * gradient[i];
    }
    if (length < 1e-18) break;
  }
  return weights;
}

// Output perturbation (Chaudhuri, Monteleoni, Sarwate 2011): one person moves the minimum by at
// most 2/(n kPenalty) in length, so by sqrt(6) < 2.45 times that in the sum of its coordinates.
Result<Rule> Perturbed(const Rule& weights, size_t people, const Rational& epsilon,
                       tacet::Entropy& entropy) {
  const Rational penalty = Rational::FromDouble(kPenalty);
  const Rational step = Rational::PowerOfTwo(-30);
  const Rational length = Rational(2) / (Rational(static_cast<int64_t>(people)) * penalty) +
                          Rational(2, 1'000'000'000) / penalty;
  const Rational sensitivity = Rational(245, 100) * length + Rational(6) * step;
  TACET_TRY(const tacet::Grid grid, tacet::Grid::Create(step));
  TACET_TRY(const auto noise, tacet::LaplaceOnGrid::Create(sensitivity / epsilon, grid));
  Rule noisy;
  for (size_t i = 0; i <= kFeatures; ++i) {
    TACET_TRY(noisy[i], noise.Release(weights[i], entropy));
  }
  noisy[kFeatures] = -noisy[kFeatures];  // an intercept, as a threshold
  return noisy;
}

// The mean accuracy of both ways on people whom the training has not seen.
struct Means {
  double choice = 0;
  double noise = 0;
};

Result<Means> Measure(const Rational& epsilon, const std::vector<Rule>& rules,
                      const tacet::Candidates& scores, const Rule& fitted, size_t trained_on,
                      const std::vector<Person>& test) {
  tacet::SystemEntropy entropy;
  TACET_TRY(const tacet::Epsilon amount, tacet::Epsilon::Create(epsilon));
  TACET_TRY(const auto mechanism,
            tacet::PermuteAndFlip::For(amount, {.change = 1}, tacet::Neighbours::kChangeOne));
  Means means;
  for (int i = 0; i < kRepetitions; ++i) {
    TACET_TRY(const size_t chosen, mechanism.Release(scores, entropy));
    TACET_TRY(const Rule noisy, Perturbed(fitted, trained_on, epsilon, entropy));
    means.choice += Accuracy(rules[chosen], test) / kRepetitions;
    means.noise += Accuracy(noisy, test) / kRepetitions;
  }
  return means;
}

tacet::Status Run(const char* path) {
  const std::vector<Person> people = Read(path);
  if (people.size() < 100) {
    return tacet::Error{.code = tacet::Code::kIo,
                        .message = std::string("too few people in ") + path};
  }
  std::vector<Person> training;
  std::vector<Person> test;
  for (size_t i = 0; i < people.size(); ++i) (i % 5 == 0 ? test : training).push_back(people[i]);

  const std::vector<Rule> rules = Rules();
  std::vector<int64_t> correct;
  for (const Rule& rule : rules) correct.push_back(Correct(rule, training));
  TACET_TRY(const tacet::Candidates scores, tacet::Candidates::Of(correct));
  const Rule fitted = Fit(training);
  Rule regression = fitted;
  regression[kFeatures] = -regression[kFeatures];
  const auto best = std::max_element(correct.begin(), correct.end()) - correct.begin();

  std::printf("%zu people to train on, %zu to test on; mean accuracy of %d repetitions\n\n",
              training.size(), test.size(), kRepetitions);
  std::printf("  epsilon  one of %zu rules  noise on the weights\n", rules.size());
  for (const char* epsilon : {"0.01", "0.03", "0.1", "0.3", "1", "3"}) {
    TACET_TRY(const Rational exact, Rational::Parse(epsilon));
    TACET_TRY(const Means means, Measure(exact, rules, scores, fitted, training.size(), test));
    std::printf("  %7s  %17.3f  %20.3f\n", epsilon, means.choice, means.noise);
  }
  std::printf("  no privacy %16.3f  %20.3f\n",
              Accuracy(rules[static_cast<size_t>(best)], test), Accuracy(regression, test));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const tacet::Status status = Run(argc > 1 ? argv[1] : "demo/data/participants.csv");
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
  return 1;
}
