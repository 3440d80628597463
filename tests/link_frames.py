"""Whole frames of the agent link, for tests that speak it themselves."""

from __future__ import annotations

import msgspec

from rmsd_wire.link import ToAgent, ToDaemon

to_agent: msgspec.msgpack.Decoder[list[ToAgent]] = msgspec.msgpack.Decoder(list[ToAgent])
to_daemon: msgspec.msgpack.Decoder[list[ToDaemon]] = msgspec.msgpack.Decoder(list[ToDaemon])
