#include "sgt/archive.hpp"

#include <stdexcept>

namespace sgt {

void Archive::fail(const std::string& name, const char* what) {
    throw std::invalid_argument("model state: array '" + name + "' " + what);
}

}  // namespace sgt
