"""How workers are best started."""

# Dask lets workers give memory back to the system at once, so that each array of a task costs page
# faults. With this (`dask.config.set(KEEPING_MEMORY)` before a LocalCluster is made, or these two
# variables where `dask worker` is started) they keep up to 256 MB.
KEEPING_MEMORY = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 28,
}
