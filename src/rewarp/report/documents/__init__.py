"""What commands write as JSON, as types: their views are checked against these, and the schemas are made of them."""
