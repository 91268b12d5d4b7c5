"""Requirements, images, containers and CI."""
