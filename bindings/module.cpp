#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace bindings {

void bind_bags(nb::module_& m);
void bind_categories(nb::module_& m);
void bind_classifiers(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_inspection(nb::module_& m);
void bind_learners(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_regressor(nb::module_& m);
void bind_rows(nb::module_& m);

}  // namespace bindings

NB_MODULE(_core, m) {
    // Models that are alive when the interpreter ends are no leak worth a page of warnings.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core: blocks of numbers in, raw numbers out.";
    bindings::bind_errors(m);
    bindings::bind_columns(m);
    bindings::bind_rows(m);
    bindings::bind_encoding(m);
    bindings::bind_categories(m);
    bindings::bind_losses(m);
    bindings::bind_learners(m);
    bindings::bind_classifiers(m);
    bindings::bind_regressor(m);
    bindings::bind_bags(m);
    bindings::bind_inspection(m);
}
