// Integrals of polynomials from 0 to 1.
#pragma once

#include <cstddef>
#include <vector>

namespace sgt {

struct Quadrature {
    std::vector<double> nodes, weights;
};

// The Gauss-Legendre rule with n nodes, all inside (0, 1): exact up to degree 2 n - 1.
Quadrature gauss_legendre(std::size_t n);

}  // namespace sgt
