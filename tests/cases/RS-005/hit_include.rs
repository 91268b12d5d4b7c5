pub const AFFINE: &str = include_str!(concat!(env!("OUT_DIR"), "/affine.ptx"));
static FILL: &[u8] = include_bytes!("fill.ptx");
# output
1 build-fail: "/affine.ptx"
2 build-fail: "fill.ptx"
