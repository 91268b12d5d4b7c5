//! The kernels of tiny-core, by module.

mod ptx {
    include!(concat!(env!("OUT_DIR"), "/ptx.rs"));
}

pub struct Module {
    name: &'static str,
    ptx: &'static str,
}

impl Module {
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn ptx(&self) -> &'static str {
        self.ptx
    }
}

macro_rules! module {
    ($constant:ident, $name:literal) => {
        pub const $constant: Module = Module {
            name: $name,
            ptx: ptx::$constant,
        };
    };
}

module!(AFFINE, "affine");
module!(REDUCE, "reduce");
