"""From units to an answer: scores, waivers, what to close first, what changed since a baseline."""
