// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/step_text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "tacet/base/suggest.h"
#include "tacet/cli/mechanism_text.h"
#include "tacet/sql/utf8.h"

namespace tacet::cli {
namespace {

constexpr char kExample[] = "write a step as in 500 * pure(1/1000) or gaussian(10).";

Error BadStep(size_t position, std::string what, std::string hint = kExample) {
  return {.code = Code::kUsage,
          .message = std::move(what),
          .hint = std::move(hint),
          .position = position};
}

// The same error about text that begins `offset` bytes earlier.
Error Moved(Error error, size_t offset) {
  error.position = error.position.value_or(0) + offset;
  return error;
}

// What a parameter may be.
enum class ValueKind { kEpsilon, kDelta, kPositive, kWhole };

struct LawParameter {
  std::string name;
  ValueKind kind;
  bool required = true;  // else 1
};

// The parameters of one mechanism that was written, checked.
class LawValues {
 public:
  void Set(const std::string& name, ExactEpsilon value) { values_[name] = std::move(value); }
  const ExactEpsilon& Epsilon() const { return values_.at("epsilon"); }
  Rational Number(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Rational(1) : found->second.linear;
  }

 private:
  std::map<std::string, ExactEpsilon> values_;
};

struct LawForm {
  std::string name;
  std::string_view form;
  std::vector<LawParameter> parameters;
  std::function<StepLaw(const LawValues&)> make;
};

const std::vector<LawForm>& StepLaws() {
  static const LawParameter epsilon{"epsilon", ValueKind::kEpsilon};
  static const LawParameter delta{"delta", ValueKind::kDelta};
  static const LawParameter scale{"scale", ValueKind::kPositive};
  static const LawParameter sigma{"sigma", ValueKind::kPositive};
  static const LawParameter real{"sensitivity", ValueKind::kPositive, false};
  static const LawParameter whole{"sensitivity", ValueKind::kWhole, false};
  static const std::vector<LawForm> laws = {
      {"pure",
       "pure(epsilon)",
       {epsilon},
       [](const LawValues& v) { return PureStep{v.Epsilon()}; }},
      {"approximate",
       "approximate(epsilon, delta)",
       {epsilon, delta},
       [](const LawValues& v) {
         return ApproximateStep{v.Epsilon(), v.Number("delta")};
       }},
      {"laplace",
       "laplace(scale, sensitivity=1)",
       {scale, real},
       [](const LawValues& v) {
         return LaplaceStep{v.Number("scale"), v.Number("sensitivity")};
       }},
      {"discrete_laplace",
       "discrete_laplace(scale, sensitivity=1)",
       {scale, whole},
       [](const LawValues& v) {
         return DiscreteLaplaceStep{v.Number("scale"), v.Number("sensitivity")};
       }},
      {"gaussian",
       "gaussian(sigma, sensitivity=1)",
       {sigma, real},
       [](const LawValues& v) {
         return GaussianStep{v.Number("sigma"), v.Number("sensitivity")};
       }},
      {"discrete_gaussian",
       "discrete_gaussian(sigma, sensitivity=1)",
       {sigma, whole},
       [](const LawValues& v) {
         return DiscreteGaussianStep{v.Number("sigma"), v.Number("sensitivity")};
       }},
      {"randomized_response",
       "randomized_response(epsilon)",
       {epsilon},
       [](const LawValues& v) { return ResponseStep{v.Epsilon()}; }},
      {"zcdp",
       "zcdp(rho)",
       {{"rho", ValueKind::kPositive}},
       [](const LawValues& v) { return ZcdpStep{v.Number("rho")}; }},
  };
  return laws;
}

constexpr std::string_view kSubsampled = "subsampled";
constexpr std::string_view kSubsampledForm = "subsampled(rate, MECHANISM)";

Result<ExactEpsilon> ParseValue(const LawParameter& parameter, const std::string& text) {
  if (parameter.kind == ValueKind::kEpsilon) return ExactEpsilon::Parse(text);
  TACET_TRY(const Rational number, Rational::Parse(text));
  const bool is_delta = parameter.kind == ValueKind::kDelta;
  if (is_delta && (number.sign() < 0 || number >= Rational(1))) {
    return BadStep(0, "delta must be at least 0 and below 1", "");
  }
  if (!is_delta && number.sign() <= 0) {
    const bool spread = parameter.name == "scale" || parameter.name == "sigma";
    return BadStep(0, parameter.name + " must be positive",
                   spread ? "without noise the exact answer would be published." : "");
  }
  if (parameter.kind == ValueKind::kWhole && !number.is_integer()) {
    return BadStep(0, "the " + parameter.name + " of a law on the integers must be a whole number",
                   "");
  }
  return ExactEpsilon{.linear = number};
}

Result<StepLaw> MakeLaw(const LawForm& law, MechanismText& text, size_t end) {
  std::vector<std::string> names;
  for (const LawParameter& parameter : law.parameters) names.push_back(parameter.name);
  TACET_RETURN_IF_ERROR(NameArguments(text, names));
  LawValues values;
  for (const LawParameter& parameter : law.parameters) {
    const auto argument =
        std::find_if(text.arguments.begin(), text.arguments.end(),
                     [&](const auto& given) { return given.name == parameter.name; });
    if (argument == text.arguments.end()) {
      if (!parameter.required) continue;
      return BadStep(end, law.name + " needs " + parameter.name,
                     "it is written " + std::string(law.form) + ".");
    }
    const Result<ExactEpsilon> value = ParseValue(parameter, argument->value);
    if (!value.ok()) {
      Error error = value.error();
      error.position = argument->position;
      return error;
    }
    values.Set(parameter.name, *value);
  }
  return law.make(values);
}

// Where the arguments of a call end: at its last parenthesis, or behind its name.
size_t EndOfArguments(std::string_view text) {
  const size_t last = text.find_last_not_of(' ');
  return text[last] == ')' ? last : last + 1;
}

// The place of the first `*` outside of parentheses, if there is one.
std::optional<size_t> FindStar(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == '*' && depth <= 0) return i;
  }
  return {};
}

bool BeginsNumber(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return false;
  const char c = text[first];
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

Result<Step> ParseMechanismOf(std::string_view text, int depth);

Result<Step> ParseSubsampled(MechanismText& text, size_t end, int depth) {
  constexpr int kDepthMax = 20;
  if (depth >= kDepthMax) return BadStep(0, "samples of samples are nested too deeply", "");
  TACET_RETURN_IF_ERROR(NameArguments(text, {"rate", "step"}));
  const MechanismText::Argument* rate = nullptr;
  const MechanismText::Argument* inner = nullptr;
  for (const MechanismText::Argument& argument : text.arguments) {
    (argument.name == "rate" ? rate : inner) = &argument;
  }
  if (rate == nullptr || inner == nullptr) {
    return BadStep(end,
                   rate == nullptr ? "subsampled needs a rate" : "subsampled needs a mechanism",
                   "it is written as in subsampled(1/100, gaussian(1)).");
  }
  const Result<Rational> share = Rational::Parse(rate->value);
  if (!share.ok()) return Moved(share.error(), rate->position);
  if (share->sign() <= 0 || *share > Rational(1)) {
    return BadStep(rate->position, "a rate must be above 0 and at most 1", "");
  }
  if (FindStar(inner->value) || BeginsNumber(inner->value)) {
    return BadStep(inner->position, "a count does not go inside of subsampled",
                   "put it in front: 100 * subsampled(1/100, gaussian(1)).");
  }
  Result<Step> step = ParseMechanismOf(inner->value, depth + 1);
  if (!step.ok()) return Moved(step.error(), inner->position);
  if (std::holds_alternative<ZcdpStep>(step->law)) {
    return BadStep(inner->position, "zcdp(rho) says too little about a mechanism to be sampled",
                   "name the mechanism itself, as in subsampled(1/100, gaussian(1)).");
  }
  step->rate *= *share;
  return step;
}

// MECHANISM(args), without a count.
Result<Step> ParseMechanismOf(std::string_view text, int depth) {
  TACET_TRY(MechanismText mechanism, ParseMechanism(text));
  const size_t end = EndOfArguments(text);
  if (mechanism.name == kSubsampled) return ParseSubsampled(mechanism, end, depth);
  std::vector<std::string_view> names;
  for (const LawForm& law : StepLaws()) {
    if (law.name == mechanism.name) {
      TACET_TRY(StepLaw made, MakeLaw(law, mechanism, end));
      return Step{.law = std::move(made)};
    }
    names.push_back(law.name);
  }
  names.push_back(kSubsampled);
  return BadStep(text.find_first_not_of(' '), "unknown mechanism '" + mechanism.name + "'",
                 SuggestionHint(mechanism.name, names));
}

Result<uint64_t> ParseStepCount(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return BadStep(0, "a count is missing in front of the *");
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (!BeginsNumber(text)) {
    return BadStep(first, "the count comes first, then * and the mechanism");
  }
  const Result<Rational> count = Rational::Parse(text.substr(first));
  if (!count.ok() || !count->is_integer()) {
    return BadStep(first, "the count must be a whole number");
  }
  if (count->sign() <= 0) return BadStep(first, "a step must be taken at least once");
  if (*count > Rational(static_cast<int64_t>(kStepCountMax))) {
    return BadStep(first, "a step may be taken 10^12 times at most", "");
  }
  return count->numerator().get_ui();
}

Result<Step> ParseBytes(std::string_view text) {
  const std::optional<size_t> star = FindStar(text);
  if (!star) {
    if (BeginsNumber(text)) {
      const size_t first = text.find_first_not_of(' ');
      const size_t end = std::min(text.find_first_not_of("0123456789.+-/ ", first), text.size());
      return BadStep(end, "a * and a mechanism must follow the count");
    }
    return ParseMechanismOf(text, 0);
  }
  TACET_TRY(const uint64_t count, ParseStepCount(text.substr(0, *star)));
  const std::string_view mechanism = text.substr(*star + 1);
  if (FindStar(mechanism) || BeginsNumber(mechanism)) {
    return BadStep(*star + 1 + std::min(mechanism.find_first_not_of(' '), mechanism.size()),
                   "one count is enough");
  }
  Result<Step> step = ParseMechanismOf(mechanism, 0);
  if (!step.ok()) return Moved(step.error(), *star + 1);
  step->count = count;
  return step;
}

}  // namespace

Result<Step> ParseStep(std::string_view text) {
  constexpr size_t kLengthMax = 5000;
  if (text.size() > kLengthMax) return BadStep(0, "the step is too long", "");
  if (const std::optional<size_t> bad = sql::FindInvalidUtf8(text)) {
    return BadStep(sql::CharacterCount(text.substr(0, *bad)), "this is not UTF-8", "");
  }
  Result<Step> step = ParseBytes(text);
  if (step.ok()) {
    const Result<DeclaredSequence> sequence = DeclaredSequence::Create({*step});
    if (!sequence.ok()) return Moved(sequence.error(), 0);
    return step;
  }
  // Positions are those of bytes so far.
  Error error = step.error();
  const size_t bytes = std::min(error.position.value_or(0), text.size());
  size_t boundary = bytes;
  while (boundary > 0 && boundary < text.size() && (text[boundary] & 0xc0) == 0x80) --boundary;
  error.position = sql::CharacterCount(text.substr(0, boundary));
  return error;
}

std::vector<std::string_view> StepForms() {
  std::vector<std::string_view> forms;
  for (const LawForm& law : StepLaws()) forms.push_back(law.form);
  forms.push_back(kSubsampledForm);
  return forms;
}

}  // namespace tacet::cli
