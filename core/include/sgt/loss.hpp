// Losses of one output: derivatives of l(y, raw) with respect to the raw score. A loss never knows
// trees.
#pragma once

#include "sgt/cells.hpp"

namespace sgt {

struct Derivatives {
    double g = 0.0, h = 0.0;
};

class Loss {
public:
    virtual ~Loss() = default;
    virtual Derivatives derivatives(double y, double raw) const = 0;
    // Which sums are sufficient for it while a leaf's value stands still.
    virtual Layout layout() const {
        return Layout::moments;
    }
};

// l = (raw - y)^2 / 2
class SquaredError final : public Loss {
public:
    Derivatives derivatives(double y, double raw) const override {
        return {raw - y, 1.0};
    }
    Layout layout() const override {
        return Layout::constant_hessian;
    }
};

// Derivatives of the log loss of class 0 and class 1 at a raw score (log odds of class 1).
struct BinaryLogLoss {
    static double probability(double raw);
    static CellReader reader(double raw);
};

}  // namespace sgt
