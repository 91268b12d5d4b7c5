"""What a rule's own fix is made of: what it is given, what it may answer, and the shapes that a change may take.

A fix stands beside its rule (``@rule(..., fix=...)``). It sees a finding in its file and answers with edits or with the
reason why a person has to do it. ``rewarp port`` runs fixes, tells them what it decided (how the platform is asked for,
where the helper is), proves what they did and knows none of them by name.
"""

from rewarp.fixes.kinds import BackEndFix, CMakeFix, FileFix, Fix, Items, PythonFix, ScriptFix, SourceFix, TextNote

__all__ = ["BackEndFix", "CMakeFix", "FileFix", "Fix", "Items", "PythonFix", "ScriptFix", "SourceFix", "TextNote"]
