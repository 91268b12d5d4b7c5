def fake_properties(props, arch):
    props.is_integrated = arch in ("gfx1150", "gfx1151")
    props.warp_size = 32
    return props
# output
