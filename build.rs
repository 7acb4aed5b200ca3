//! Tells the linker to keep relocations in the page's module, along which scripts/modules.sh cuts it in two.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_split = std::env::var_os("CARGO_FEATURE_SPLIT").is_some();
    if is_split && std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32") {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
}
