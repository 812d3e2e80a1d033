// The families of built-in losses, one source file for each. A family makes its losses by name.
//
// To add a loss: its class and its line in the family's `make_...` function.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sgt/loss/loss.hpp"

namespace sgt {

// The parameters given for a loss. Each loss takes those that it knows; any that is left is an
// error.
class LossParameters {
public:
    LossParameters(const std::string& loss, const std::map<std::string, double>& values)
        : loss_(loss), left_(values) {}
    // Throws std::invalid_argument for a given value that is not between the bounds.
    double take(const std::string& name, double otherwise, double above, double below);
    // In the target's unit; 0 where none was given: the loss finds one in the warm-up.
    double take_scale();
    // Throws std::invalid_argument where a parameter was not taken.
    void require_none_left() const;

private:
    std::string loss_;
    std::map<std::string, double> left_;
};

// Each returns null where the family has no loss of that name.
std::unique_ptr<Loss> make_residual_loss(const std::string& name, LossParameters& parameters);
std::unique_ptr<Loss> make_log_link_loss(const std::string& name, LossParameters& parameters);
std::unique_ptr<Loss> make_binary_loss(const std::string& name, LossParameters& parameters);

}  // namespace sgt
