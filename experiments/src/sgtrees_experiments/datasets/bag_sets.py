"""The twelve multi-instance data sets of the paper's table 4."""

from sgtrees_experiments.datasets.bag_reading import (
    read_bag_parquet,
    read_musk,
    read_relational_arff,
)
from sgtrees_experiments.datasets.dataset import (
    Download,
    Files,
    PaperSet,
    Shape,
    Status,
    Task,
    Version,
)

_UCI = "https://archive.ics.uci.edu/static/public"
_WEKA = "WEKA's collection of multi-instance data sets"


def _bag_set(
    name: str, n_bags: int, n_instances: int, n_features: int, arff: str, about: str
) -> PaperSet:
    shape = Shape(n_instances, n_features, 2, n_bags)
    files = [Files((f"mil_{name}.parquet",), read_bag_parquet)]
    files += [Files((f"{stem}.arff",), read_relational_arff) for stem in (arff, name)]
    obtain = f"put {arff}.arff of {_WEKA} into the data folder"
    if name in _MUSK:
        original, url = _MUSK[name]
        files.append(Files((original,), read_musk))
        download = Download(f"{_UCI}/{url}", f"{name}.zip")
        files.append(Files((download.name,), read_musk, (download,)))
        obtain = f"sgtrees reproduce --download --datasets {name} (2 MB)"
    version = Version(name, Status.WHOLE, about, shape, tuple(files))
    return PaperSet(name, name, Task.BAGS, shape, (version,), obtain)


_MUSK = {
    "musk1": ("clean1.data", "74/musk+version+1.zip"),
    "musk2": ("clean2.data", "75/musk+version+2.zip"),
}

_MUTAGENESIS = "mutagenic molecules by their"
_TEXT = "proteins by texts about them: Gene Ontology, "
_COREL = "segmented Corel images"

BAGS: dict[str, PaperSet] = {
    known.name: known
    for known in (
        _bag_set("atoms", 188, 1_618, 10, "mutagenesis3_atoms_relational", f"{_MUTAGENESIS} atoms"),
        _bag_set("bonds", 188, 3_995, 16, "mutagenesis3_bonds_relational", f"{_MUTAGENESIS} bonds"),
        _bag_set(
            "chains", 188, 5_349, 24, "mutagenesis3_chains_relational", f"{_MUTAGENESIS} chains"
        ),
        _bag_set("component", 3_130, 36_894, 200, "component_relational", f"{_TEXT}component"),
        _bag_set("elephant", 200, 1_391, 230, "elephant_relational", _COREL),
        _bag_set("fox", 200, 1_320, 230, "fox_relational", _COREL),
        _bag_set("function", 5_242, 55_536, 200, "function_relational", f"{_TEXT}function"),
        _bag_set("musk1", 92, 476, 166, "musk1_relational", "musky molecules by their shapes"),
        _bag_set("musk2", 102, 6_598, 166, "musk2_relational", "musky molecules by their shapes"),
        _bag_set("process", 11_718, 118_417, 200, "process_relational", f"{_TEXT}process"),
        _bag_set("tiger", 200, 1_220, 230, "tiger_relational", _COREL),
        _bag_set("thioredoxin", 193, 26_611, 8, "trx_relational", "proteins by their sequences"),
    )
}
