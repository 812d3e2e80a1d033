// Student's t distribution: what the test needs of it.
#pragma once

namespace sgt {

// P(|T| >= |t|) for df > 0 degrees of freedom (df need not be whole); relative error below 1e-9.
double student_t_two_sided(double t, double df);

// The question that the test asks: is P(|T| >= |t|) below a level?
class SignificanceLevel {
public:
    explicit SignificanceLevel(double level);

    double level() const {
        return level_;
    }
    bool is_reached(double t, double df) const;

private:
    double level_;
    // P(|Z| >= deviate_) = level for a normal Z. It settles the question but for t next to the
    // level, by Wallace's bounds (1959): the normal deviate with the same tail as t is at most
    // u = sqrt(df log(1 + t^2 / df)), and at least u sqrt(1 - 1 / (2 df)).
    double deviate_;
};

}  // namespace sgt
