#include "sgt/explain/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace sgt {

namespace {

struct Legendre {
    double value, slope;
};

// The Legendre polynomial of degree n at x in (-1, 1), by its three-term recurrence.
Legendre legendre(std::size_t n, double x) {
    double before = 1.0, value = x;
    for (std::size_t k = 2; k <= n; ++k) {
        const auto order = static_cast<double>(k);
        const double next = ((2.0 * order - 1.0) * x * value - (order - 1.0) * before) / order;
        before = value;
        value = next;
    }
    return {value, static_cast<double>(n) * (x * value - before) / (x * x - 1.0)};
}

}  // namespace

Quadrature gauss_legendre(std::size_t n) {
    constexpr int kMostSteps = 20;  // three or four are enough from such a guess
    Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) /
                            (static_cast<double>(n) + 0.5));
        for (int step = 0; step < kMostSteps; ++step) {
            const Legendre p = legendre(n, x);
            const double next = x - p.value / p.slope;
            const bool is_near = std::fabs(next - x) < 1e-15;
            x = next;
            if (is_near) break;
        }
        if (2 * i + 1 == n) x = 0.0;
        const double slope = legendre(n, x).slope;
        const double weight = 1.0 / ((1.0 - x * x) * slope * slope);
        rule.nodes[i] = 0.5 * (1.0 - x);
        rule.nodes[n - 1 - i] = 0.5 * (1.0 + x);
        rule.weights[i] = rule.weights[n - 1 - i] = weight;
    }
    return rule;
}

}  // namespace sgt
