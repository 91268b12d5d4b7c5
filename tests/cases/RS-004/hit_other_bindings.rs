use cust::prelude::*;
use nvml_wrapper::Nvml;

fn power() -> u32 {
    nvml_wrapper::Nvml::init().unwrap().device_by_index(0).unwrap().power_usage().unwrap()
}
# output
1 build-fail: cust
2 build-fail: nvml_wrapper
