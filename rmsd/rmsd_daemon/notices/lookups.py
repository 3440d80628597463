"""Look-ups of host addresses, in threads that the daemon does not wait for when it stops."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult


class Lookups(AbstractResolver):
    """Looks up names of hosts, `most` of them at a time, each in a daemon thread.

    A name server that does not answer occupies a thread for as long as the system's resolver tries,
    which may be minutes. Neither asyncio nor Python would end before the threads of an executor.
    """

    def __init__(self, most: int) -> None:
        self._free = asyncio.Semaphore(most)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a host. Raises OSError if the name is not known, or cannot be
        looked up."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        answer: Future[list[ResolveResult]] = Future()
        answer.set_running_or_notify_cancel()  # a caller that stops waiting does not end the thread
        answer.add_done_callback(partial(self._done, loop))
        try:
            look_up = partial(_look_up, host, port, family)
            Thread(target=_answer, args=(answer, look_up), name="lookup", daemon=True).start()
        except RuntimeError as error:  # no further thread can be started
            answer.set_exception(OSError(str(error)))
        return await asyncio.wrap_future(answer)

    def _done(self, loop: asyncio.AbstractEventLoop, _: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._free.release)

    async def close(self) -> None:
        """Do nothing: there are no resources to release."""


def _answer(
    answer: Future[list[ResolveResult]], look_up: Callable[[], list[ResolveResult]]
) -> None:
    try:
        answer.set_result(look_up())
    except BaseException as error:
        answer.set_exception(error)


def _look_up(host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
    flags = socket.AI_ADDRCONFIG
    found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=flags)
    numeric = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
    return [
        ResolveResult(
            hostname=host,
            # the host with the scope of a link-local address
            host=socket.getnameinfo(address, numeric)[0],
            port=port,
            family=of,
            proto=proto,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )
        for of, _, proto, _, address in found
    ]
