"""Logs and results of other programs, each dialect in a file of its own."""

from rewarp.bench.logs.collect import LogsRead, Unread, finish, read_logs
from rewarp.bench.logs.reader import LogReader

__all__ = ["LogReader", "LogsRead", "Unread", "finish", "read_logs"]
