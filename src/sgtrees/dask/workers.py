"""Settings of Dask for workers that train."""

# Dask makes workers return memory to the system at once, so that each array of a task costs page
# faults again. With these settings (`dask.config.set(KEEPING_MEMORY)` before a LocalCluster is
# made, or these variables before `dask worker` is started) they keep up to 256 MB. Glibc silently
# ignores thresholds for maps above 32 MB. Arrow's own allocator would return memory, too.
_VARIABLES = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "MALLOC_MMAP_THRESHOLD_": 1 << 25,
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
KEEPING_MEMORY: dict[str, object] = {
    f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in _VARIABLES.items()
}
# Dask profiles workers a hundred times a second, for a page that few open.
WITHOUT_PROFILES: dict[str, object] = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
}
BUSY_WORKERS = KEEPING_MEMORY | WITHOUT_PROFILES
