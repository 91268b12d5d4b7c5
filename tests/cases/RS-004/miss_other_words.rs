mod cust {
    pub struct Order;
}
use crate::cust::Order;
use cust::Customer;
// use cust::prelude::*;
fn name() -> &'static str {
    "rustacuda::init"
}
# output
