"""What ``rewarp verify record`` kept, as JSON (schema ``rewarp.recorded/1``, docs/numbers.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rewarp.report.documents import recorded as documents

if TYPE_CHECKING:
    from rewarp.verify.numbers import Recorded

SCHEMA: Final = "rewarp.recorded/1"


def document(recorded: Recorded) -> documents.Document:
    recording = recorded.recording
    return {
        "schema": SCHEMA,
        "file": str(recorded.file),
        "bytes": recorded.size,
        "calls": len(recording.calls),
        "modules": len({call.module for call in recording.calls}),
        "tensors": len(recording.tensors),
        "weights": recording.weights_kept,
        "setting": recording.setting,
        "options": recording.options,
        "skipped": {call.name: call.skipped for call in recording.calls if call.skipped},
        "notes": recording.notes,
    }
