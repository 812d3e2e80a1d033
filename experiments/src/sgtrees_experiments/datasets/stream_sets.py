"""The eight streams of the paper's table 1."""

from sgtrees_experiments.datasets.dataset import (
    Download,
    Files,
    PaperSet,
    Shape,
    Status,
    Task,
    Version,
)
from sgtrees_experiments.datasets.stream_reading import (
    Reader,
    parquet,
    target_first,
    target_last,
    text,
)

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
# The files that scikit-learn's fetchers take, with the checksums that it publishes.
_FIGSHARE = "https://ndownloader.figshare.com/files"

# The symbolic columns, as the data set's own list of names declares them.
_KDD_NOMINAL = {
    "protocol_type": 1,
    "service": 2,
    "flag": 3,
    "land": 6,
    "logged_in": 11,
    "is_host_login": 20,
    "is_guest_login": 21,
}
# 4 areas and 40 types of soil, a 0/1 column each.
_COVERTYPE_NUMERIC, _COVERTYPE_FEATURES = 10, 54


def _prepared(name: str, read: Reader) -> Files:
    """Return a file that the user prepares, because the original needs an account."""
    return Files((f"{name}.parquet",), read)


def _as_parquet_or_download(
    name: str, in_parquet: Reader, original: Reader, *downloads: Download
) -> tuple[Files, ...]:
    names = tuple(download.name for download in downloads)
    return (
        Files((f"{name}.parquet",), in_parquet),
        Files(names, original, downloads),
    )


def _higgs() -> PaperSet:
    download = Download(
        f"{_UCI}/00280/HIGGS.csv.gz",
        "HIGGS.csv.gz",
        2_816_407_858,
        "ea302c18164d4e3d916a1e2e83a9a8d07069fa6ebc7771e4c0540d54e593b698",
    )
    classes = parquet(classification=True)
    return PaperSet(
        "higgs",
        "Higgs",
        Task.CLASSIFICATION,
        Shape(11_000_000, 27, 2),
        (
            Version(
                "higgs",
                Status.WHOLE,
                "simulated collisions (UCI)",
                Shape(11_000_000, 28, 2),
                _as_parquet_or_download(
                    "higgs", classes, text(target_first(28), classification=True), download
                ),
            ),
            Version(
                "higgs_16k",
                Status.PART,
                "a small part of Higgs",
                Shape(15_983, 28, 2),
                (_prepared("higgs_16k", classes),),
            ),
        ),
        "sgtrees reproduce --download --datasets higgs (2.8 GB)",
    )


def _hepmass() -> PaperSet:
    downloads = [
        Download(f"{_UCI}/00347/{name}", name) for name in ("all_train.csv.gz", "all_test.csv.gz")
    ]
    original = text(target_first(28), classification=True, header_rows=1)
    return PaperSet(
        "hepmass",
        "HEPMASS",
        Task.CLASSIFICATION,
        Shape(10_500_000, 27, 2),
        (
            Version(
                "hepmass",
                Status.WHOLE,
                "simulated collisions, train and test files together (UCI)",
                Shape(10_500_000, 28, 2),
                _as_parquet_or_download(
                    "hepmass", parquet(classification=True), original, *downloads
                ),
            ),
        ),
        "sgtrees reproduce --download --datasets hepmass (2.5 GB)",
    )


def _kdd99() -> PaperSet:
    in_parquet = parquet(_KDD_NOMINAL, classification=True)
    original = text(
        target_last(41), [f"x{place}" for place in _KDD_NOMINAL.values()], classification=True
    )
    return PaperSet(
        "kdd99",
        "KDD'99",
        Task.CLASSIFICATION,
        Shape(4_898_430, 41, 40),
        (
            Version(
                "kdd99",
                Status.WHOLE,
                "the training file; it has 23 of the 40 classes that both files declare",
                Shape(4_898_431, 41, 23),
                _as_parquet_or_download(
                    "kdd99",
                    in_parquet,
                    original,
                    Download(
                        f"{_FIGSHARE}/5976045",
                        "kddcup99_data",
                        sha256="3b6c942aa0356c0ca35b7b595a26c89d343652c9db428893e7494f837b274292",
                    ),
                ),
            ),
            Version(
                "kdd99_10pct",
                Status.PART,
                "the file with 10 % of the training data",
                Shape(494_021, 41, 23),
                _as_parquet_or_download(
                    "kdd99_10pct",
                    in_parquet,
                    original,
                    Download(
                        f"{_FIGSHARE}/5976042",
                        "kddcup99_10_data",
                        sha256="8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
                    ),
                ),
            ),
            Version(
                "kdd99_both",
                Status.PART,
                "the 10 % file and the labelled test file together",
                Shape(494_021 + 311_029, 41, 40),
                (Files(("kdd99_10pct.parquet", "kdd99_corrected_test.parquet"), in_parquet),),
            ),
        ),
        "sgtrees reproduce --download --datasets kdd99 (18 MB)",
    )


def _covertype() -> PaperSet:
    names = target_last(_COVERTYPE_FEATURES)
    published_names = [f"Wilderness_Area{i}" for i in range(1, 5)]
    published_names += [f"Soil_Type{i}" for i in range(1, 41)]
    return PaperSet(
        "covtype",
        "Covertype",
        Task.CLASSIFICATION,
        Shape(581_012, 55, 7),
        (
            Version(
                "covtype",
                Status.WHOLE,
                "forest cover (UCI)",
                Shape(581_012, _COVERTYPE_FEATURES, 7),
                _as_parquet_or_download(
                    "covtype",
                    parquet(published_names, classification=True),
                    text(names, names[_COVERTYPE_NUMERIC:-1], classification=True),
                    Download(
                        f"{_FIGSHARE}/5976039",
                        "covtype.data.gz",
                        sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
                    ),
                ),
            ),
        ),
        "sgtrees reproduce --download --datasets covtype (11 MB)",
    )


def _aws() -> PaperSet:
    numbers = parquet(classification=False)
    shape = Shape(27_410_309, 7)
    return PaperSet(
        "aws",
        "AWS Prices",
        Task.REGRESSION,
        shape,
        (
            Version(
                "aws",
                Status.WHOLE,
                "prices of spot instances (Kaggle)",
                shape,
                (_prepared("aws", numbers),),
            ),
            Version(
                "aws_2016",
                Status.STAND_IN,
                "spot prices of one region over two months of 2016, not the paper's file",
                Shape(426_745, 8),
                (_prepared("aws_spot_us_east_1_2016", numbers),),
            ),
        ),
        "download 'AWS Spot Pricing Market' from Kaggle (an account is needed) and write it as "
        "aws.parquet, with the price in the column 'target'",
    )


def _airline() -> PaperSet:
    numbers = parquet(classification=False)
    shape = Shape(5_810_462, 13)
    return PaperSet(
        "airline",
        "Airline",
        Task.REGRESSION,
        shape,
        (
            Version(
                "airline",
                Status.WHOLE,
                "delays of US flights in 2008, as prepared by E. Ikonomovska",
                shape,
                (_prepared("airline", numbers),),
            ),
            Version(
                "airline_2001",
                Status.STAND_IN,
                "delays of US flights, January to June 2001, with 7 features",
                Shape(3_000_000, 7),
                (_prepared("airline_vega_2001_3m", numbers),),
            ),
            Version(
                "airline_nyc",
                Status.STAND_IN,
                "delays of flights from New York, 2013",
                Shape(327_346, 12),
                (_prepared("airline_nyc_2013", numbers),),
            ),
        ),
        "get the flights of 2008 (http://kt.ijs.si/elena_ikonomovska/data.html) and write them as "
        "airline.parquet, with the delay in the column 'target'",
    )


def _zurich() -> PaperSet:
    shape = Shape(5_465_575, 13)
    return PaperSet(
        "zurich",
        "Zurich",
        Task.REGRESSION,
        shape,
        (
            Version(
                "zurich",
                Status.WHOLE,
                "delays of public transport in Zurich (Kaggle)",
                shape,
                (_prepared("zurich", parquet(classification=False)),),
            ),
        ),
        "download 'Zurich public transport' from Kaggle (an account is needed) and write it as "
        "zurich.parquet, with the delay in the column 'target'",
    )


def _msd() -> PaperSet:
    shape, songs = Shape(515_345, 90), "YearPredictionMSD.txt.zip"
    return PaperSet(
        "msd",
        "MSD Year",
        Task.REGRESSION,
        shape,
        (
            Version(
                "msd",
                Status.WHOLE,
                "years of songs (UCI)",
                shape,
                _as_parquet_or_download(
                    "msd",
                    parquet(classification=False),
                    text(target_first(90), classification=False),
                    Download(f"{_UCI}/00203/{songs}", songs),
                ),
            ),
        ),
        "sgtrees reproduce --download --datasets msd (200 MB)",
    )


STREAMS: dict[str, PaperSet] = {
    known.name: known
    for known in (
        _higgs(),
        _hepmass(),
        _kdd99(),
        _covertype(),
        _aws(),
        _airline(),
        _zurich(),
        _msd(),
    )
}
