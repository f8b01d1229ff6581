// SPDX-License-Identifier: Apache-2.0
#include "tacet/measure/smooth_law.h"

#include <algorithm>
#include <complex>

#include "tacet/base/overloaded.h"

namespace tacet::internal {
namespace {

constexpr mpfr_prec_t kPrecision = 128;

Ball BallOf(const ExactEpsilon& epsilon) { return Ball::Of(epsilon.Enclosure(kPrecision)); }

// What a few functions of MPFR cost, or a power, beside one term of a sum over points.
constexpr double kFunctionWork = 400;

Ball Times(uint64_t count, const Ball& value) {
  return Ball(static_cast<long double>(count)) * value;
}

// k-fold Gaussian noise is Gaussian noise with k times the squared mu.
class GaussianLaw final : public SmoothLaw {
 public:
  explicit GaussianLaw(const Rational& mu_squared) : mu_squared_(mu_squared) {}

  Cumulants Plan(double s) const override {
    const double mu_squared = mu_squared_.ToDouble();
    return {mu_squared / 2 * s * (s + 1), mu_squared * (s + 0.5), mu_squared};
  }

  std::unique_ptr<TiltedLaw> Tilt(double c, double) const override {
    return std::make_unique<Tilted>(Ball::Of(mu_squared_), c);
  }

 private:
  class Tilted final : public TiltedLaw {
   public:
    Tilted(const Ball& mu_squared, double c) : mu_squared_(mu_squared), c_(c) {}

    Ball LogMoment() const override {
      return mu_squared_ * Ball(0.5L) * Ball(c_) * (Ball(c_) + Ball(1));
    }

    double LogEnvelope(double frequency) const override {
      return (mu_squared_ * Ball(-0.5L) * Ball(frequency) * Ball(frequency)).UpperDouble();
    }

    void MultiplyTransform(double step, std::span<ComplexBall> values) const override {
      const Ball turn = mu_squared_ * (Ball(c_) + Ball(0.5L));
      for (size_t i = 0; i < values.size(); ++i) {
        const Ball frequency = Ball(step) * Ball(static_cast<long double>(i + 1));
        const Ball size = Exp(mu_squared_ * Ball(-0.5L) * frequency * frequency);
        values[i] = values[i] * Turn(turn * frequency) * size;
      }
    }

    double Work() const override { return kFunctionWork; }

   private:
    Ball mu_squared_;
    double c_;
  };

  Rational mu_squared_;
};

// Continuous Laplace noise of loss at most epsilon: with g = e^(-(2c+1) epsilon) and t = c + iw,
//   (2c+1) / (c+1 + c g)  ((t+1) e^(iw epsilon) + t g e^(-iw epsilon)) / (2t+1).
class LaplaceLaw final : public SmoothLaw {
 public:
  LaplaceLaw(const Rational& epsilon, uint64_t count) : epsilon_(epsilon), count_(count) {}

  Cumulants Plan(double s) const override {
    // ln((s+1 + s g) / (2s+1)) + s epsilon.
    const double epsilon = epsilon_.ToDouble();
    const double g = std::exp(-(2 * s + 1) * epsilon);
    const double u = s + 1 + s * g;
    const double u1 = 1 + g - 2 * epsilon * s * g;
    const double u2 = -4 * epsilon * g + 4 * epsilon * epsilon * s * g;
    const double v = 2 * s + 1;
    const auto count = static_cast<double>(count_);
    return {count * (std::log(u / v) + s * epsilon), count * (u1 / u - 2 / v + epsilon),
            count * (u2 / u - u1 * u1 / (u * u) + 4 / (v * v))};
  }

  std::unique_ptr<TiltedLaw> Tilt(double c, double) const override {
    return std::make_unique<Tilted>(Ball::Of(epsilon_), count_, c);
  }

 private:
  class Tilted final : public TiltedLaw {
   public:
    Tilted(const Ball& epsilon, uint64_t count, double c)
        : epsilon_(epsilon),
          count_(count),
          c_(c),
          g_(Exp(-(Ball(2) * c_ + Ball(1)) * epsilon)),
          norm_((Ball(2) * c_ + Ball(1)) / (c_ + Ball(1) + c_ * g_)) {}

    Ball LogMoment() const override { return Times(count_, c_ * epsilon_ - Log(norm_)); }

    double LogEnvelope(double frequency) const override {
      const Ball square = Ball(frequency) * Ball(frequency);
      const Ball above = (c_ + Ball(1)) * (c_ + Ball(1)) + square;
      const Ball below = (Ball(2) * c_ + Ball(1)) * (Ball(2) * c_ + Ball(1)) + Ball(4) * square;
      const Ball root = Exp(Log(above / below) * Ball(0.5L));
      return Times(count_, Log(norm_ * (root + g_ * Ball(0.5L)))).UpperDouble();
    }

    void MultiplyTransform(double step, std::span<ComplexBall> values) const override {
      const ComplexBall turn = Turn(epsilon_ * Ball(step));
      ComplexBall forth(1, 0, 0);
      for (size_t i = 0; i < values.size(); ++i) {
        forth = forth * turn;
        const ComplexBall back(forth.re(), -forth.im(), forth.radius());
        const Ball frequency = Ball(step) * Ball(static_cast<long double>(i + 1));
        const ComplexBall above =
            ComplexBall(c_ + Ball(1), frequency) * forth + ComplexBall(c_, frequency) * back * g_;
        const ComplexBall below(Ball(2) * c_ + Ball(1), Ball(2) * frequency);
        values[i] = values[i] * Power(above * norm_ / below, count_);
      }
    }

    double Work() const override { return kFunctionWork; }

   private:
    Ball epsilon_;
    uint64_t count_;
    Ball c_;
    Ball g_;
    Ball norm_;
  };

  Rational epsilon_;
  uint64_t count_;
};

// Finitely many losses. Their characteristic function does not fade, so they need company.
class AtomsLaw final : public SmoothLaw {
 public:
  struct Atom {
    Ball mass;
    Ball loss;
  };
  // `infinite`: the probability that one of the `count` losses is infinite.
  AtomsLaw(std::vector<Atom> atoms, uint64_t count, const Ball& infinite)
      : atoms_(std::move(atoms)), count_(count), infinite_(infinite) {}

  Cumulants Plan(double s) const override {
    // Relative to the largest term, so that nothing overflows.
    double most = -HUGE_VAL;
    for (const Atom& atom : atoms_) most = std::fmax(most, Exponent(atom, s));
    double sum = 0;
    double first = 0;
    double second = 0;
    for (const Atom& atom : atoms_) {
      const double loss = static_cast<double>(atom.loss.middle());
      const double weight = std::exp(Exponent(atom, s) - most);
      sum += weight;
      first += weight * loss;
      second += weight * loss * loss;
    }
    const double mean = first / sum;
    const auto count = static_cast<double>(count_);
    return {count * (std::log(sum) + most), count * mean, count * (second / sum - mean * mean)};
  }

  std::unique_ptr<TiltedLaw> Tilt(double c, double) const override {
    return std::make_unique<Tilted>(*this, c);
  }

  bool Fades() const override { return false; }
  Ball InfiniteMass() const override { return infinite_; }

 private:
  static double Exponent(const Atom& atom, double s) {
    return static_cast<double>(std::log(atom.mass.middle()) +
                               static_cast<long double>(s) * atom.loss.middle());
  }

  class Tilted final : public TiltedLaw {
   public:
    Tilted(const AtomsLaw& law, double c) : count_(law.count_) {
      long double top = -HUGE_VALL;
      for (const Atom& atom : law.atoms_) top = std::fmax(top, c * atom.loss.middle());
      for (const Atom& atom : law.atoms_) {
        points_.Add(atom.mass * Exp(Ball(c) * atom.loss - Ball(top)), atom.loss);
      }
      log_moment_ = Times(count_, Log(points_.total()) + Ball(top));
    }

    Ball LogMoment() const override { return log_moment_; }
    double LogEnvelope(double) const override { return 0; }

    void MultiplyTransform(double step, std::span<ComplexBall> values) const override {
      std::vector<ComplexBall> sums(values.size());
      points_.Transform(step, sums);
      const Ball scale = Ball(1) / points_.total();
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] * Power(sums[i] * scale, count_);
      }
    }

    double Work() const override { return kFunctionWork + static_cast<double>(points_.size()); }

   private:
    uint64_t count_;
    PointMasses points_;
    Ball log_moment_;
  };

  std::vector<Atom> atoms_;
  uint64_t count_;
  Ball infinite_;
};

// 1 - (1 - leak)^count.
Ball SomeLeak(const Rational& leak, uint64_t count) {
  if (leak.sign() == 0) return Ball(0);
  // 1 - leak is rounded, so digits as small as a tiny leak must be kept; less than 2^-8000 is lost
  // in every ball.
  const mpq_class& fraction = leak.value();
  const size_t zeros =
      mpz_sizeinbase(fraction.get_den_mpz_t(), 2) - mpz_sizeinbase(fraction.get_num_mpz_t(), 2);
  const auto bits = static_cast<mpfr_prec_t>(std::min<size_t>(zeros, 8000) + 256);
  const Interval one(Rational(1), bits);
  const Interval times(Rational(mpz_class(static_cast<unsigned long>(count))), bits);
  return Ball::Of(one - Exp(Log(Interval(Rational(1) - leak, bits)) * times));
}

// The leaky pair of (epsilon, delta), on a Poisson sample at `rate`.
std::unique_ptr<SmoothLaw> MakeResponse(const ExactEpsilon& exact, const Rational& delta,
                                        const Step& step, Order order) {
  const Ball epsilon = BallOf(exact);
  const Ball rate = Ball::Of(step.rate);
  const Ball rest = Ball::Of(Rational(1) - step.rate);
  const Ball leak = Ball::Of(delta);
  const Ball kept = Ball::Of(Rational(1) - delta);
  // Outputs 0 and 1 under P, and under Q the other way round.
  const Ball lie = Exp(-epsilon) / (Exp(-epsilon) + Ball(1));
  const Ball truth = Ball(1) / (Exp(-epsilon) + Ball(1));
  std::vector<AtomsLaw::Atom> atoms;
  const bool sampled = step.rate != Rational(1);
  if (!sampled) {
    atoms = {{kept * truth, epsilon}, {kept * lie, -epsilon}};
    return std::make_unique<AtomsLaw>(std::move(atoms), step.count, SomeLeak(delta, step.count));
  }
  const Ball up = Log(rest + rate * Exp(epsilon));
  const Ball down = Log(rest + rate * Exp(-epsilon));
  if (order == Order::kRemove) {
    atoms = {{kept * (rest * lie + rate * truth), up}, {kept * (rest * truth + rate * lie), down}};
    if (delta.sign() > 0) atoms.push_back({rest * leak, Log(rest)});
    return std::make_unique<AtomsLaw>(std::move(atoms), step.count,
                                      SomeLeak(step.rate * delta, step.count));
  }
  atoms = {{kept * lie, -up}, {kept * truth, -down}};
  if (delta.sign() > 0) atoms.push_back({leak, -Log(rest)});
  return std::make_unique<AtomsLaw>(std::move(atoms), step.count, Ball(0));
}

// On the integers, at a sensitivity of s steps: the losses (s - 2x)/scale for x = 0..s.
std::unique_ptr<SmoothLaw> MakeDiscreteLaplace(const DiscreteLaplaceStep& law, uint64_t count) {
  constexpr int64_t kAtomsMax = 4096;
  if (law.sensitivity > Rational(kAtomsMax)) return nullptr;
  const int64_t most = law.sensitivity.numerator().get_si();
  const Ball ratio = Exp(-Ball::Of(law.scale.Inverse()));
  const Ball inner = (Ball(1) - ratio) / (Ball(1) + ratio);
  std::vector<AtomsLaw::Atom> atoms;
  for (int64_t x = 0; x <= most; ++x) {
    const Ball weight = Exp(-Ball::Of(Rational(x) / law.scale));
    const bool end = x == 0 || x == most;
    atoms.push_back({weight * (end ? Ball(1) / (Ball(1) + ratio) : inner),
                     Ball::Of(Rational(most - 2 * x) / law.scale)});
  }
  return std::make_unique<AtomsLaw>(std::move(atoms), count, Ball(0));
}

}  // namespace

void PointMasses::Add(const Ball& weight, const Ball& loss) {
  weights_.push_back(weight);
  losses_.push_back(loss);
  total_ = total_ + weight;
}

void PointMasses::Transform(double step, std::span<ComplexBall> sums) const {
  using Complex = std::complex<long double>;
  const size_t points = weights_.size();
  std::vector<Complex> turns(points);
  std::vector<Complex> terms(points);  // weight times turn^m
  long double weight_errors = 0;
  long double weighted_turn_errors = 0;
  long double turn_error_max = 0;
  for (size_t j = 0; j < points; ++j) {
    const ComplexBall turn = Turn(losses_[j] * Ball(step));
    turns[j] = {turn.re(), turn.im()};
    const long double weight = weights_[j].middle();
    terms[j] = weight;
    weight_errors += weights_[j].radius();
    weighted_turn_errors += std::fabs(weight) * turn.radius();
    turn_error_max = std::fmax(turn_error_max, turn.radius());
  }
  const long double total = total_.Magnitude();
  const auto count = static_cast<long double>(points);
  // Below, errors are added up as if they did not multiply; a factor of 1 + 2^-20 covers that.
  const bool small =
      (turn_error_max + 4 * kBallUnit) * static_cast<long double>(sums.size()) < 0x1p-22L;
  for (size_t m = 1; m <= sums.size(); ++m) {
    long double re = 0;
    long double im = 0;
    for (size_t j = 0; j < points; ++j) {
      const Complex& a = terms[j];
      const Complex& b = turns[j];
      const long double next_re = a.real() * b.real() - a.imag() * b.imag();
      const long double next_im = a.real() * b.imag() + a.imag() * b.real();
      terms[j] = {next_re, next_im};
      re += next_re;
      im += next_im;
    }
    // Each product adds 3 units and the error of its turn, each addition one unit of the sum.
    const auto power = static_cast<long double>(m);
    const long double radius = weight_errors + power * weighted_turn_errors * (1 + 0x1p-20L) +
                               (3 * power + 2 * count) * (1 + 0x1p-20L) * kBallUnit * total;
    sums[m - 1] = {re, im, small ? Certain(radius * (1 + 0x1p-30L)) : HUGE_VALL};
  }
}

std::unique_ptr<SmoothLaw> MakeSmoothLaw(const Step& step, Order order) {
  using Law = std::unique_ptr<SmoothLaw>;
  const bool sampled = step.rate != Rational(1);
  const auto count = Rational(mpz_class(static_cast<unsigned long>(step.count)));
  return std::visit(
      Overloaded{
          [&](const PureStep& law) -> Law { return MakeResponse(law.epsilon, {}, step, order); },
          [&](const ResponseStep& law) -> Law {
            return MakeResponse(law.epsilon, {}, step, order);
          },
          [&](const ApproximateStep& law) -> Law {
            return MakeResponse(law.epsilon, law.delta, step, order);
          },
          [&](const LaplaceStep& law) -> Law {
            if (sampled) return nullptr;
            return std::make_unique<LaplaceLaw>(law.sensitivity / law.scale, step.count);
          },
          [&](const DiscreteLaplaceStep& law) -> Law {
            if (sampled) return nullptr;
            return MakeDiscreteLaplace(law, step.count);
          },
          [&](const GaussianStep& law) -> Law {
            const Rational mu = law.sensitivity / law.sigma;
            if (sampled) return MakeSampledGaussian(mu, step.rate, step.count, order);
            return std::make_unique<GaussianLaw>(mu * mu * count);
          },
          [](const DiscreteGaussianStep&) -> Law { return nullptr; },
          [](const ZcdpStep&) -> Law { return nullptr; }},
      step.law);
}

}  // namespace tacet::internal
