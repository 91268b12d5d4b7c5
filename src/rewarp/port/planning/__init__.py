"""What a port sets out to do, and what it meets: the phases that were asked for, support that is there, what stands in the way."""
