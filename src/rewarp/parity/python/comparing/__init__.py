"""Units of both back ends: interfaces, registries, branches on the platform, modules bound to one."""
