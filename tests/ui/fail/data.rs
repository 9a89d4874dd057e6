use hookspec::data;

#[data]
fn not_a_type() {}

#[data(Copy)]
struct WithOptions;

#[data]
union Both {
    a: u8,
}

fn main() {}
