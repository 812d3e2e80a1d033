#include "sgt/archive/archive.hpp"

#include <stdexcept>

namespace sgt {

void Archive::fail(const std::string& name, const char* what) {
    throw std::invalid_argument("model state: array '" + name + "' " + what);
}

std::uint64_t ArchiveView::get_count(const std::string& name) const {
    return to_count(get_one<std::int64_t>(name), name);
}

std::uint64_t to_count(std::int64_t number, const std::string& name) {
    if (number < 0 || number > std::int64_t{1} << 62) Archive::fail(name, "is out of range");
    return static_cast<std::uint64_t>(number);
}

}  // namespace sgt
