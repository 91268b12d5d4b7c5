"""Many repositories: each cloned, looked at in a process of its own, and told in one row of Parquet."""
