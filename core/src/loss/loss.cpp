#include "sgt/loss/loss.hpp"

#include <sstream>
#include <stdexcept>

#include "sgt/loss/families.hpp"

namespace sgt {

// ---------------------------------------------------------------------------------------------
// Losses by name
// ---------------------------------------------------------------------------------------------

double LossParameters::take(const std::string& name, double otherwise, double above, double below) {
    const auto at = left_.find(name);
    if (at == left_.end()) return otherwise;
    const double value = at->second;
    if (!(value > above && value < below))
        throw std::invalid_argument("loss '" + loss_ + "': " + name + " is out of range");
    left_.erase(at);
    return value;
}

double LossParameters::take_scale() {
    return take("scale", 0.0, 0.5e-50, 2e50);
}

void LossParameters::require_none_left() const {
    if (!left_.empty())
        throw std::invalid_argument("loss '" + loss_ + "' has no parameter '" +
                                    left_.begin()->first + "'");
}

std::unique_ptr<Loss> make_loss(const std::string& name,
                                const std::map<std::string, double>& parameters) {
    for (const auto make_in_family : {make_residual_loss, make_log_link_loss, make_binary_loss}) {
        LossParameters given(name, parameters);
        std::unique_ptr<Loss> loss = make_in_family(name, given);
        if (loss == nullptr) continue;
        given.require_none_left();
        return loss;
    }
    throw std::invalid_argument("there is no loss '" + name + "'");
}

// ---------------------------------------------------------------------------------------------
// Failures
// ---------------------------------------------------------------------------------------------

namespace {

std::string describe(std::size_t row, double y, double raw, const Derivatives& d) {
    std::ostringstream message;
    message << "the loss gave gradient " << d.g << " and hessian " << d.h
            << ", which must be no more than 1e100 in size, and the hessian not negative, for row "
            << row << " (y = " << y << ", raw score = " << raw << ")";
    return message.str();
}

}  // namespace

LossFailure::LossFailure(std::size_t row, double y, double raw, Derivatives d)
    : std::runtime_error(describe(row, y, raw, d)), row_(row), y_(y), raw_(raw), d_(d) {}

LossFailure LossFailure::in_warm_up(std::size_t left_out) const {
    LossFailure failure = *this;
    failure.left_out_ = left_out;
    return failure;
}

}  // namespace sgt
