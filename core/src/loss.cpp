#include "sgt/loss.hpp"

#include <cmath>

namespace sgt {

double BinaryLogLoss::probability(double raw) {
    if (raw >= 0.0) return 1.0 / (1.0 + std::exp(-raw));
    const double odds = std::exp(raw);  // never overflows here
    return odds / (1.0 + odds);
}

CellReader BinaryLogLoss::reader(double raw) {
    const double p = probability(raw), q = probability(-raw);
    return CellReader::class_counts({p, p * q}, {-q, p * q});
}

}  // namespace sgt
