"""What a function comes to: which ways through its body are open, for which operations and data types."""
