"""What a project is, apart from any one file: what its files say of each other, and on which platform its lines run."""
