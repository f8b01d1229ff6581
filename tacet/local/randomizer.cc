// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/randomizer.h"

#include <charconv>

#include "tacet/base/overloaded.h"

namespace tacet {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Digit d of a report holds categories 4 d .. 4 d + 3, the first in its highest bit.
uint64_t DigitOf(const std::vector<uint64_t>& bits, uint64_t digit) {
  const uint64_t nibble = bits[digit / 16] >> (4 * (digit % 16)) & 15;
  return (nibble & 1) << 3 | (nibble & 2) << 1 | (nibble & 4) >> 1 | nibble >> 3;
}

Error WrongReport(const SurveyQuestion& question, std::string_view what) {
  return {.code = Code::kData,
          .message = "a report to question " + question.name + " " + std::string(what),
          .hint = "the file is damaged, or was not written by tacet local."};
}

bool DirectIsBetter(uint64_t categories, const ExactEpsilon& epsilon) {
  constexpr mpfr_prec_t kPrecision = 256;
  const Interval difference = UnaryVariance(categories, epsilon, kPrecision) -
                              DirectVariance(categories, epsilon, kPrecision);
  return !difference.CertainlyNegative();
}

}  // namespace

Interval DirectVariance(uint64_t categories, const ExactEpsilon& epsilon, mpfr_prec_t precision) {
  const auto number = [&](int64_t value) { return Interval(Rational(value), precision); };
  const auto k = static_cast<int64_t>(categories);
  const Interval ratio = Exp(epsilon.Enclosure(precision));
  const Interval gap = ratio - number(1);
  return (number(k) * (ratio + number(k - 2)) + gap * number(k - 2)) / (gap * gap);
}

Interval UnaryVariance(uint64_t categories, const ExactEpsilon& epsilon, mpfr_prec_t precision) {
  const auto number = [&](int64_t value) { return Interval(Rational(value), precision); };
  const Interval ratio = Exp(epsilon.Enclosure(precision));
  const Interval gap = ratio - number(1);
  return number(4 * static_cast<int64_t>(categories)) * ratio / (gap * gap) + number(1);
}

Result<Randomizer> Randomizer::Create(const SurveyQuestion& question) {
  TACET_RETURN_IF_ERROR(CheckQuestion(question));
  const ExactEpsilon& epsilon = question.epsilon;
  const uint64_t answers = AnswerCount(question);
  if (std::holds_alternative<NumberDomain>(question.domain)) {
    const auto method =
        question.method == LocalMethod::kTwoPoint    ? NumberResponse::Method::kTwoPoint
        : question.method == LocalMethod::kPiecewise ? NumberResponse::Method::kPiecewise
                                                     : NumberResponse::Method::kAuto;
    TACET_TRY(NumberResponse response, NumberResponse::Create(answers - 1, epsilon, method));
    return Randomizer(question, std::move(response));
  }
  const bool unary = question.method == LocalMethod::kUnary ||
                     (question.method == LocalMethod::kAuto && !DirectIsBetter(answers, epsilon));
  if (unary) {
    TACET_TRY(UnaryEncoding encoding, UnaryEncoding::Create(answers, epsilon));
    return Randomizer(question, std::move(encoding));
  }
  TACET_TRY(KaryResponse response, KaryResponse::Create(answers, epsilon));
  return Randomizer(question, std::move(response));
}

PrivacyLoss Randomizer::Loss() const {
  return std::visit([](const auto& law) { return law.Loss(); }, law_);
}

std::string_view Randomizer::MethodName() const {
  return std::visit(Overloaded{[](const KaryResponse&) { return std::string_view("direct"); },
                               [](const UnaryEncoding&) { return std::string_view("unary"); },
                               [](const NumberResponse& number) {
                                 return number.window().cells() == 2 ? std::string_view("two-point")
                                                                     : "piecewise";
                               }},
                    law_);
}

std::string Randomizer::Spec() const {
  const std::string epsilon = question_.epsilon.ToString();
  if (const NumberResponse* response = number()) {
    return "window(" + std::to_string(response->window().steps()) + ";" +
           std::to_string(response->window().width()) + ";" + epsilon + ")";
  }
  return std::string(MethodName()) + "(" + std::to_string(AnswerCount(question_)) + ";" + epsilon +
         ")";
}

Digest Randomizer::QuestionDigest() const {
  return Sha256(CanonicalText(question_) + "spec " + Spec() + "\n");
}

Report Randomizer::Respond(uint64_t answer, Coins& coins) const {
  return std::visit(Overloaded{[&](const UnaryEncoding& encoding) {
                                 Report report{.number = 0,
                                               .bits = std::vector<uint64_t>(encoding.words())};
                                 encoding.Respond(answer, report.bits, coins);
                                 return report;
                               },
                               [&](const auto& law) {
                                 return Report{.number = law.Respond(answer, coins), .bits = {}};
                               }},
                    law_);
}

Result<Report> Randomizer::Release(uint64_t answer, Entropy& entropy) const {
  return Draw(entropy, [&](Coins& coins) { return Respond(answer, coins); });
}

uint64_t Randomizer::Outputs() const {
  if (unary() != nullptr) return 0;
  return number() != nullptr ? number()->window().cells() : AnswerCount(question_);
}

std::string Randomizer::Text(const Report& report) const {
  if (unary() == nullptr) return std::to_string(report.number);
  std::string text((unary()->categories() + 3) / 4, '0');
  for (size_t digit = 0; digit < text.size(); ++digit) {
    text[digit] = kHexDigits[DigitOf(report.bits, digit)];
  }
  return text;
}

Result<Report> Randomizer::Read(std::string_view text) const {
  Report report;
  if (unary() == nullptr) {
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, report.number);
    const bool canonical = text.size() == 1 || (!text.empty() && text.front() != '0');
    if (status != std::errc() || stop != end || !canonical) {
      return WrongReport(question_, "is no number");
    }
    if (report.number >= Outputs()) return WrongReport(question_, "is none that it can give");
    return report;
  }
  const uint64_t categories = unary()->categories();
  if (text.size() != (categories + 3) / 4) return WrongReport(question_, "has the wrong length");
  report.bits.resize(unary()->words());
  for (size_t digit = 0; digit < text.size(); ++digit) {
    const size_t value = kHexDigits.find(text[digit]);
    if (value == std::string_view::npos) return WrongReport(question_, "is not hexadecimal");
    for (uint64_t bit = 0; bit < 4; ++bit) {
      if ((value >> (3 - bit) & 1) == 0) continue;
      const uint64_t category = 4 * digit + bit;
      if (category >= categories) return WrongReport(question_, "is none that it can give");
      report.bits[category / 64] |= uint64_t{1} << (category % 64);
    }
  }
  return report;
}

}  // namespace tacet
