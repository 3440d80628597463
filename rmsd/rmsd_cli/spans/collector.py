"""The OpenTelemetry collector, which takes spans over OTLP."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from rmsd_cli.spans.road import JobSpan
from rmsd_process.installed import installed_version

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


class Collector:
    """Takes the spans of jobs. The numbers of a trace and of its spans follow from the job, so that
    what is sent twice is the same."""

    def __init__(self, endpoint: str | None) -> None:
        """Take spans to `endpoint`; None: to where the variables of OpenTelemetry say."""
        self._exporter = OTLPSpanExporter(endpoint=endpoint)
        told = {"service.name": "rmsd", "service.version": installed_version("rmsd")}
        self._resource = Resource.create(told)

    def take(self, roads: Mapping[str, Iterable[JobSpan]]) -> bool:
        """Send the spans of jobs, by the names of their traces. Returns whether they arrived."""
        sent = [self._readable(trace, span) for trace, spans in roads.items() for span in spans]
        return self._exporter.export(sent) is SpanExportResult.SUCCESS

    def _readable(self, trace: str, span: JobSpan) -> ReadableSpan:
        around = span.key.rpartition("/")[0]
        status = Status(StatusCode.ERROR, span.failed) if span.failed else Status(StatusCode.OK)
        return ReadableSpan(
            name=span.name,
            context=_context(trace, span.key),
            parent=_context(trace, around) if span.key else None,
            resource=self._resource,
            attributes=dict(span.attributes),
            kind=SpanKind.INTERNAL,
            status=status,
            start_time=span.start_us * 1000,
            end_time=span.end_us * 1000,
        )


def _context(trace: str, key: str) -> SpanContext:
    return SpanContext(_number(trace, 16), _number(f"{trace}{key}", 8), False, _SAMPLED)


def _number(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big")
