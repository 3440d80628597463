"""Calls with tokens, and what they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_wire.tokens import Token


def shown(token: Token) -> str:
    return f"Bearer {token.text}"


def status_of(call: Callable[..., Any], *args: Any, **named: Any) -> int:
    with pytest.raises(ApiError) as failed:
        call(*args, **named)
    return failed.value.status


def fields(token: Token, **more: Any) -> dict[str, Any]:
    return {"id": token.id, "digest": token.digest, "expires_s": 60.0, **more}
