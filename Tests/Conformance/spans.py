"""The spans that the stand-in collector has taken, read by the schema of OpenTelemetry."""

import base64
import copy
from collections import Counter

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from waiting import eventually


class Span:
    def __init__(self, service, span):
        self.service, self.name = service, span.name
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.start, self.end, self.kind = span.start_time_unix_nano, span.end_time_unix_nano, span.kind
        self.has_failed = span.status.code == 2
        self.values = {each.key: each.value.string_value or each.value.int_value for each in span.attributes}

    def __repr__(self):
        return f"{self.service}: {self.name} {self.id} below {self.parent or 'none'} {self.values}"


def parsed(request):
    """Parses a request strictly. Ids are hexadecimal in OTLP, and base64 in every other JSON of protobuf."""
    request = copy.deepcopy(request)
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for owner in [span, *span.get("links", [])]:
                    for name in ("traceId", "spanId", "parentSpanId"):
                        if name in owner:
                            owner[name] = base64.b64encode(bytes.fromhex(owner[name])).decode()
    return json_format.ParseDict(request, ExportTraceServiceRequest(), ignore_unknown_fields=False)


# The spans of the requests that were parsed, by the collector. It adds requests at the end.
known = {}


def collected(product):
    """All spans that have arrived so far."""
    sent = product.standins("GET", "/traces/sent").json()
    assert sent["refusals"] == [], sent["refusals"]
    requests = known.setdefault(product.standins_base, [])
    for request in sent["requests"][len(requests) :]:
        found = []
        for resource in parsed(request).resource_spans:
            names = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                found += [Span(names["service.name"], span) for span in scope.spans]
        requests.append(found)
    return [span for found in requests for span in found]


def spans(product, trace):
    """The spans of a trace that have arrived so far."""
    return [span for span in collected(product) if span.trace == trace]


def whole(product, trace, caller, *names):
    """The spans of a trace once spans of these names have arrived, and every step has its cause: only the caller is outside."""

    def arrived():
        found = spans(product, trace)
        outside = {each.parent for each in found} - {each.id for each in found}
        return Counter(each.name for each in found) >= Counter(names) and outside == {caller}

    eventually(arrived)
    return spans(product, trace)
