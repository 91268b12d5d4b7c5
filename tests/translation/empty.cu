// ---- unchanged ----
