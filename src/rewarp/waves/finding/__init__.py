"""One file per kind of hazard: what counts on 32 lanes, and what comes of it on 64."""
