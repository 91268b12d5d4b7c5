"""What a method of a class comes to: through its bases and through the helpers that it calls."""
