"""The same engine in the clothes of other libraries; each module needs the library it names."""
