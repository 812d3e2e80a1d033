"""The experiments of the paper: its data sets, learners, protocols and tables.

H. Gouk, B. Pfahringer, E. Frank: Stochastic Gradient Trees, ACML 2019, section 5.
"""
