"""The estimators with the interfaces of other libraries; each module needs the library it names."""
