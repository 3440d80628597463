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
_AT_ONCE = 500
"""The spans of a request: collectors take requests of some megabytes. A job may have thousands of
steps, which must not cost other jobs their spans."""
_MOST_TEXT = 4096
"""The characters of a text in a span. The nodes of a job, or its message, may have many more."""


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
        parts = [sent[at : at + _AT_ONCE] for at in range(0, len(sent), _AT_ONCE)]
        results = [self._exporter.export(part) for part in parts]  # also after one that failed
        return all(one is SpanExportResult.SUCCESS for one in results)

    def _readable(self, trace: str, span: JobSpan) -> ReadableSpan:
        around = span.key.rpartition("/")[0]
        failed = span.failed[:_MOST_TEXT]
        status = Status(StatusCode.ERROR, failed) if failed else Status(StatusCode.OK)
        return ReadableSpan(
            name=span.name,
            context=_context(trace, span.key),
            parent=_context(trace, around) if span.key else None,
            resource=self._resource,
            attributes={
                name: told[:_MOST_TEXT] if isinstance(told, str) else told
                for name, told in span.attributes.items()
            },
            kind=SpanKind.INTERNAL,
            status=status,
            start_time=span.start_us * 1000,
            end_time=span.end_us * 1000,
        )


def _context(trace: str, key: str) -> SpanContext:
    return SpanContext(_number(trace, 16), _number(f"{trace}{key}", 8), False, _SAMPLED)


def _number(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big")
