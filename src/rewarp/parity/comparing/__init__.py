"""Two back ends of one tree side by side: as it is, over its history, and call by call from one entry."""
