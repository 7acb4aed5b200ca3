//! The page's program.

fn main() {
    lipscope::start();
}
