"""What breaks when 32 lanes become 64."""
