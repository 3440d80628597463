# mypy: ignore-errors
"""ipyparallel with its controller and its engines in jobs: a map, engines that are interrupted by a
signal, engines that are stopped and started again, and the end."""

import subprocess
import time

import ipyparallel


def states():
    words = ["sacct", "-XnPo", "JobName,State"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line.startswith("ip")]


def place(number):
    import os

    return number, os.environ["SLURM_JOB_ID"], os.environ["SLURM_PROCID"]


def until(condition):
    for _ in range(120):
        if condition():
            return
        time.sleep(0.5)
    raise AssertionError(states())


def main():
    cluster = ipyparallel.Cluster(
        controller="slurm", engines="slurm", n=4, controller_ip="127.0.0.1", log_level=10
    )
    client = cluster.start_and_connect_sync()
    client.wait_for_engines(4, timeout=120)
    done = client[:].map_sync(place, range(40))
    assert [number for number, _, _ in done] == list(range(40))
    assert len({task for _, _, task in done}) == 4, done
    assert len({job for _, job, _ in done}) == 1, done
    sleeps = client[:].apply_async(time.sleep, 600)
    engines = next(iter(cluster.engines))
    cluster.signal_engines_sync(2, engines)  # SIGINT, by `scancel -s`
    sleeps.wait(timeout=60)
    assert {one["error"].ename for one in sleeps.metadata} == {"KeyboardInterrupt"}
    cluster.stop_engines_sync(engines)
    until(lambda: not client.ids)
    cluster.start_engines_sync(n=2)
    client.wait_for_engines(2, timeout=120)
    assert client[:].apply_sync(lambda: 6 * 7) == [42, 42]
    client.close()
    cluster.stop_cluster_sync()
    until(lambda: all("CANCELLED" in state for state in states()))
    assert len(states()) == 3, states()


if __name__ == "__main__":
    main()
    print("ipyparallel passes", flush=True)
