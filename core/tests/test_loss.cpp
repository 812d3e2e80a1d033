#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "sgt/loss/logarithm.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/loss/softmax.hpp"
#include "sgt/loss/target_statistics.hpp"

namespace sgt {

TEST(a_loss_is_made_by_name_whatever_its_family) {
    for (const char* name : {"squared_error", "absolute_error", "quantile", "huber", "log_cosh",
                             "poisson", "gamma", "tweedie", "log_loss", "focal", "exponential"})
        CHECK(make_loss(name, {})->derivatives(1.0, 0.3).h > 0.0);
}

TEST(the_quick_logarithm_is_right_to_the_last_digits) {
    for (int exponent = -1021; exponent <= 1023; ++exponent)
        for (int i = 0; i < 50; ++i) {
            const double x = std::ldexp(1.0 + i / 50.0, exponent);
            CHECK_CLOSE(fast_log(x), std::log(x), 1e-15);
        }
    for (int i = 1; i < 52; ++i)  // next to 1
        for (const double x : {1.0 + std::ldexp(1.0, -i), 1.0 - std::ldexp(1.0, -i)})
            CHECK_CLOSE(fast_log(x), std::log(x), 1e-15);
    CHECK(fast_log(1.0) == 0.0);
}

TEST(an_unknown_loss_or_parameter_and_one_out_of_range_are_refused) {
    CHECK_THROWS(std::invalid_argument, make_loss("hinge", {}));
    CHECK_THROWS(std::invalid_argument, make_loss("poisson", {{"alpha", 0.5}}));
    CHECK_THROWS(std::invalid_argument, make_loss("quantile", {{"alpha", 1.0}}));
    CHECK_THROWS(std::invalid_argument, make_loss("huber", {{"scale", 0.0}}));
}

TEST(a_scale_is_the_given_one_or_comes_from_the_targets) {
    const std::vector<double> y = {0.0, 0.0, 2.0, 8.0}, w(4, 1.0);
    const auto taken = make_loss("absolute_error", {}),
               given = make_loss("huber", {{"scale", 3.0}});
    taken->take_scale({y, w});
    given->take_scale({y, w});
    CHECK_CLOSE(taken->scale(), 0.1 * 2.5, 1e-15);
    CHECK(given->scale() == 3.0);
}

TEST(statistics_of_targets_are_weighted) {
    const std::vector<double> y = {1.0, 2.0, 6.0}, w = {1.0, 1.0, 5.0}, none;
    CHECK(weighted_quantile({y, w}, 0.5) == 6.0);
    CHECK_CLOSE(weighted_mean({y, w}), 33.0 / 7.0, 1e-14);
    CHECK_CLOSE(spread({y, w}), 9.0 / 7.0, 1e-14);
    CHECK(weighted_quantile({none, none}, 0.5) == 0.0);
    CHECK(weighted_mean({none, none}) == 0.0);
    CHECK(spread({none, none}) == 1.0);
}

TEST(softmax_of_large_scores_does_not_overflow) {
    const std::vector<double> raw = {1000.0, 1001.0, 999.0};
    std::vector<double> p(3), others;
    softmax(raw.data(), 3, p.data());
    sums_of_others(p, others);
    CHECK_CLOSE(p[0] + p[1] + p[2], 1.0, 1e-15);
    CHECK_CLOSE(p[1] / p[0], std::exp(1.0), 1e-12);
    for (std::size_t k = 0; k < 3; ++k) CHECK_CLOSE(others[k], 1.0 - p[k], 1e-15);
    CHECK_CLOSE(log_sum_exp(raw.data(), 3), 1001.0 - std::log(p[1]), 1e-12);
}

TEST(a_log_sum_grows_with_its_values_to_the_last_bit) {
    const std::vector<double> raw = {0.3, -0.2, 1e-3, -700.0, 5.5, 5.4, -3.0, 800.0, 0.1, 0.7};
    GrowingLogSum one_by_one, in_steps;
    for (std::size_t n = 2; n <= raw.size(); ++n) {
        CHECK(one_by_one.of(raw.data(), n) == log_sum_exp(raw.data(), n));
        if (n % 4 == 2) CHECK(in_steps.of(raw.data(), n) == log_sum_exp(raw.data(), n));
    }
}

TEST(softmax_of_two_scores_keeps_the_digits_of_a_small_probability) {
    const std::vector<double> raw = {0.0, 50.0};
    std::vector<double> p(2), others;
    softmax(raw.data(), 2, p.data());
    sums_of_others(p, others);
    CHECK_CLOSE(p[0] / std::exp(-50.0), 1.0, 1e-12);
    CHECK(others[1] == p[0]);
}

TEST(a_failure_keeps_what_it_was_made_with_in_the_warm_up_too) {
    const LossFailure failure = LossFailure(7, 2.5, -1.0, {0.5, -3.0}).in_warm_up(2);
    CHECK(failure.row() == 7);
    CHECK(failure.y() == 2.5);
    CHECK(failure.raw() == -1.0);
    CHECK(failure.derivatives().g == 0.5);
    CHECK(failure.derivatives().h == -3.0);
    CHECK(failure.left_out() == 2U);
    CHECK(!LossFailure(7, 2.5, -1.0, {}).left_out());
}

}  // namespace sgt

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
