"""What only Intel Gaudi needs."""
