"""What several rules look for in the same way, and fixes that several share. No rules stand here."""
