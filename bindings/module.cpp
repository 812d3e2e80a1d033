#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace bindings {

void bind_encoding(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_losses(nb::module_& m);

}  // namespace bindings

NB_MODULE(_core, m) {
    m.doc() = "The compiled core: blocks of numbers in, raw numbers out.";
    bindings::bind_encoding(m);
    bindings::bind_losses(m);
    bindings::bind_learners(m);
}
