"""Jobs in several threads."""

import threading


def run_together(*jobs):
    """Run jobs in threads of their own and raise the first error of any."""
    errors = []

    def guarded(job):
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test shall show it
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
