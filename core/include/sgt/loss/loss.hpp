// Losses: derivatives of l(y, raw) with respect to the raw score, before the link. A loss does not
// know of trees.
//
// The life of a loss: (1) it is made by name, with its parameters; (2) during the warm-up it gives
// the best constant over the rows so far; (3) when the warm-up ends it may take a scale from its
// targets; (4) the tree starts at the best constant; (5) for each row it gives g and h at the row's
// raw score, as a pure function of both; (6) its scale is saved with the model. Targets
// outside its domain are refused before they come here.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sgt/leaf/cells.hpp"

namespace sgt {

struct Derivatives {
    double g = 0.0, h = 0.0;
};

// Targets (of a row all together, where there are several) with the rows' weights, all above 0.
struct Targets {
    const std::vector<double>& y;
    const std::vector<double>& w;
};

class Loss {
public:
    virtual ~Loss() = default;

    virtual Derivatives derivatives(double y, double raw) const = 0;
    // The raw score that minimises the loss of all targets; 0 where there are none.
    virtual double best_constant(const Targets& targets) const = 0;
    // l(y, raw), up to a constant. (A loss that takes blocks is known by its derivatives only.)
    virtual double value(double /*y*/, double /*raw*/) const {
        return 0.0;
    }
    // How far the prediction is from the target, in its unit; for classes whether it is wrong, 0 or
    // 1.
    virtual double error(double y, double raw) const {
        return std::fabs(y - raw);
    }
    // Whether targets are classes, 0 and 1.
    virtual bool is_of_classes() const {
        return false;
    }
    // What a raw score that follows its targets moves by at a rate. A move must not be divided by
    // anything that depends on this row's y, or the score would not end at the best constant: where
    // h does, a mean over the recent rows stands for it, to which `mean_of` adds this row.
    template <class MeanOf>
    double move(double y, double raw, double rate, MeanOf&& mean_of) const {
        if (has_own_move()) return own_move(y, raw, rate);
        const Derivatives d = derivatives(y, raw);
        if (averages_steps()) return -rate * d.g * mean_of(1.0 / d.h);
        const double h = mean_of(d.h);
        return h > 0.0 ? -rate * d.g / h : 0.0;
    }
    // Whether 1 / h is averaged, not h: it is bounded, and has the unit of the target.
    virtual bool averages_steps() const {
        return false;
    }
    // Losses that need no mean hessian.
    virtual bool has_own_move() const {
        return false;
    }
    virtual double own_move(double /*y*/, double /*raw*/, double /*rate*/) const {
        return 0.0;
    }
    // How far below its leaf's value a score may follow.
    virtual double lowest_offset() const {
        return -std::numeric_limits<double>::infinity();
    }
    // For losses that are called for many rows at once, with all outputs of each (`outputs` numbers
    // a row). The others are called for each row and output.
    virtual bool takes_blocks() const {
        return false;
    }
    virtual void block_derivatives(const double* /*y*/, const double* /*raw*/, std::size_t /*n*/,
                                   std::size_t /*outputs*/, Derivatives* /*out*/) const {}
    virtual std::vector<double> block_constants(const Targets& /*targets*/,
                                                std::size_t outputs) const {
        return std::vector<double>(outputs, 0.0);
    }
    // Which sums are sufficient for it while a leaf's value does not change.
    virtual Layout layout() const {
        return Layout::moments;
    }
    // Whether g = p - y and h = p (1 - p), p the probability of y = 1: then a leaf that splits
    // knows the derivatives of its rows at its children's values.
    virtual bool is_log_loss() const {
        return false;
    }
    // The same under a quantile loss, whose g and h tell the residual.
    virtual std::optional<Pinball> pinball() const {
        return std::nullopt;
    }
    // Takes its scale from the targets of the warm-up, if it has one and none was given.
    virtual void take_scale(const Targets&) {}
    // What take_scale found; 0 for losses without a scale.
    virtual double scale() const {
        return 0.0;
    }
    virtual void set_scale(double) {}
    // The same for a loss that takes blocks: a scale for each output.
    virtual void take_block_scales(const Targets& /*targets*/, std::size_t /*outputs*/) {}
    virtual std::vector<double> block_scales(std::size_t outputs) const {
        return std::vector<double>(outputs, 0.0);
    }
    virtual void set_block_scales(const std::vector<double>& /*scales*/) {}
};

// A row for which a loss gave derivatives that cannot be learned: not finite, or a negative
// hessian. The rows before it have been learned.
class LossFailure : public std::runtime_error {
public:
    LossFailure(std::size_t row, double y, double raw, Derivatives d);
    // The same for a row of the warm-up: of those that had come before the call so many, this one
    // first, have been left out, and all others learned.
    LossFailure in_warm_up(std::size_t left_out) const;

    // Its number in the call or, with `left_out`, in the warm-up.
    std::size_t row() const {
        return row_;
    }
    // The first of its outputs that failed: target, raw score and derivatives.
    double y() const {
        return y_;
    }
    double raw() const {
        return raw_;
    }
    Derivatives derivatives() const {
        return d_;
    }
    // Only where the warm-up was being learned.
    std::optional<std::size_t> left_out() const {
        return left_out_;
    }

private:
    std::size_t row_;
    double y_, raw_;
    Derivatives d_;
    std::optional<std::size_t> left_out_;
};

// A built-in loss (sgt/loss/families.hpp). Throws std::invalid_argument for an unknown name, an
// unknown parameter, or a parameter out of range.
std::unique_ptr<Loss> make_loss(const std::string& name,
                                const std::map<std::string, double>& parameters);

// Derivatives of the log loss of class 0 and class 1 at a raw score (log odds of class 1).
struct BinaryLogLoss {
    static double probability(double raw);
    // -log of the probability of y, as if none were below 1e-9.
    static double value(double y, double raw);
    // How a raw score follows: p (1 - p) counts as 0.1 at least, so that no row moves a sure one
    // far.
    static double move(double y, double raw, double rate);
    static CellReader reader(double raw);
};

}  // namespace sgt
