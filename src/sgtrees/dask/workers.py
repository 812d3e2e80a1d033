"""How workers are best started."""

# Dask lets workers give memory back to the system at once, so that each array of a task costs page
# faults anew. With this (`dask.config.set(KEEPING_MEMORY)` before a LocalCluster is made, or these
# variables where `dask worker` is started) they keep what they have used, up to 256 MB. Glibc takes
# no threshold for maps above 32 MB, and says nothing. Arrow's own allocator would give back, too.
_VARIABLES = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "MALLOC_MMAP_THRESHOLD_": 1 << 25,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
KEEPING_MEMORY: dict[str, object] = {
    f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in _VARIABLES.items()
}
# Dask looks a hundred times a second at what a worker does, for a page that few open.
WITHOUT_PROFILES: dict[str, object] = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
}
BUSY_WORKERS = KEEPING_MEMORY | WITHOUT_PROFILES
