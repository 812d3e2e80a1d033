#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace bindings {

void bind_columns(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_inspection(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_losses(nb::module_& m);

}  // namespace bindings

NB_MODULE(_core, m) {
    // Models that are alive when the interpreter ends are no leak worth a page of warnings.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core: blocks of numbers in, raw numbers out.";
    bindings::bind_columns(m);
    bindings::bind_encoding(m);
    bindings::bind_losses(m);
    bindings::bind_learners(m);
    bindings::bind_inspection(m);
}
