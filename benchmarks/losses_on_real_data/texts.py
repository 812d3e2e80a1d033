"""The text of the page around its tables."""

INTRODUCTION = """\
Test-then-train: each row is predicted just before it is learned, and all rows count, including the
warm-up. One pass, one thread, `SGTRegressor` with its default settings except for the loss and for
what a table says. *file* is the order of the file, which is the order of time for the flights, the
prices and the bicycles; *shuffled* is `numpy.random.default_rng(seed).permutation`. Two numbers in
a cell are those of the two losses, in the order of the table."""

MAE = """\
Mean absolute error. Delays in minutes (US flights, January to June 2001), prices in dollars (AWS
spot market, 2016). Delays and prices have long tails. Squared error predicts the mean, which a few
extreme values move; absolute error predicts the median."""

DEVIANCE = """\
Mean Poisson deviance. *fremtpl2_freq*: claims of car insurance policies; the target is claims /
exposure; the exposure is the weight, in learning and in the mean, and not a feature.
*bike_sharing_hour*: bicycles rented in an hour. All predictions are raised to the same floor,
{floors}; those under `poisson` are above 0 by themselves."""

DEVIANCE_NOTE = """\
On the claims squared error is ahead: most policies have no claim, and `poisson` with the default
settings grows larger trees, on noise. On the bicycles the two losses are close: 17,379 rows make
a small tree, and which splits it finds in time depends on the order. Over these orders the mean
deviance is {squared:.2f} under squared error and {poisson:.2f} under `poisson`."""

QUANTILE_ROWS = 50_000
QUANTILES = f"""\
`Quantile(alpha)` at the default settings, on {QUANTILE_ROWS:,} rows at most: the share of targets
below the prediction, which should be alpha ± 2 points. Targets on the edge, of which whole numbers
have many, count on the side that fits: at a quantile alpha lies between the share below and the
share at or below. *Test-then-train* is one pass; *fitted* is `fit` on the first three quarters of
the rows and a test on the rest, of `SGTRegressor`, `SGTBoostingRegressor` and LightGBM (100 trees,
its defaults), in this order."""

QUANTILES_NOTE = """\
A leaf takes the quantile of the rows that it keeps. After the passes of `fit` it takes the quantile
of all rows in it, and of a few beside it ([the contract](algorithm.md#quantiles))."""

BANDS = """\
`Quantile(alpha=0.1)` and `Quantile(alpha=0.9)` on the delays of flights from New York in 2013: a
band that should hold 80 % of the flights, ± 3 points. A flight on the edge is inside."""

BANDS_NOTE = """\
- The default settings reach the coverage in random order, and in the order of time too: leaves
  follow the latest rows, and trees are replaced when errors rise.
- A higher penalty per branch (`gamma=100`) keeps the trees small, which costs pinball loss.

Other options, in the order of time, one at a time:"""
