#include <cmath>
#include <cstddef>

#include "check.hpp"
#include "sgt/explain/quadrature.hpp"

using namespace sgt;

namespace {

double integral_of_power(const Quadrature& rule, std::size_t power) {
    double sum = 0.0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i)
        sum += rule.weights[i] * std::pow(rule.nodes[i], static_cast<double>(power));
    return sum;
}

}  // namespace

TEST(a_rule_with_n_points_is_exact_up_to_degree_2n_minus_1) {
    for (std::size_t n = 1; n <= 40; ++n) {
        const Quadrature rule = gauss_legendre(n);
        for (std::size_t power = 0; power < 2 * n; ++power)
            CHECK_CLOSE(integral_of_power(rule, power), 1.0 / (static_cast<double>(power) + 1.0),
                        1e-14);
    }
}

TEST(a_rule_is_not_exact_one_degree_higher) {
    for (std::size_t n = 1; n <= 3; ++n)
        CHECK(std::fabs(integral_of_power(gauss_legendre(n), 2 * n) -
                        1.0 / (2.0 * static_cast<double>(n) + 1.0)) > 1e-5);
}

TEST(points_ascend_within_0_and_1_and_weights_are_positive) {
    const Quadrature rule = gauss_legendre(31);
    for (std::size_t i = 0; i < 31; ++i) {
        CHECK(rule.weights[i] > 0.0);
        CHECK(rule.nodes[i] > (i == 0 ? 0.0 : rule.nodes[i - 1]) && rule.nodes[i] < 1.0);
    }
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
