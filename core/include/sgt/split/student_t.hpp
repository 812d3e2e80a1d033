// Student's t distribution: what the test needs of it.
#pragma once

namespace sgt {

// P(|T| >= |t|) for df > 0 degrees of freedom (df need not be whole); relative error below 1e-9.
double student_t_two_sided(double t, double df);

}  // namespace sgt
