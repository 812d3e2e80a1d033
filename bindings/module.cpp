#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace bindings {

void bind_bag_learner(nb::module_& m);
void bind_categories(nb::module_& m);
void bind_class_learner(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_drift(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_explainer(nb::module_& m);
void bind_learner(nb::module_& m);
void bind_loss_learner(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_strings(nb::module_& m);

}  // namespace bindings

NB_MODULE(_core, m) {
    // Models that still exist when the interpreter ends are not leaks: no warnings about them.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core: blocks of numbers in, raw numbers out.";
    bindings::bind_errors(m);
    bindings::bind_columns(m);
    bindings::bind_rows(m);
    bindings::bind_encoding(m);
    bindings::bind_categories(m);
    bindings::bind_strings(m);
    bindings::bind_losses(m);
    bindings::bind_learner(m);
    bindings::bind_class_learner(m);
    bindings::bind_loss_learner(m);
    bindings::bind_bag_learner(m);
    bindings::bind_explainer(m);
    bindings::bind_drift(m);
}
