// include_str!("a.ptx")
const NOTE: &str = "PTX files end in .ptx or .cubin";
const KERNEL: &[u8] = include_bytes!("kernel.hsaco");

fn load_ptx(x: u32) -> u32 {
    let ptx = x;
    ptx
}
# output
