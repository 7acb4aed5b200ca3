//! Tells the linker to keep the relocations in the module of the engine's worker: scripts/modules.sh needs them to cut the
//! module into parts.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32") {
        println!("cargo::rustc-link-arg-bin=worker=--emit-relocs");
    }
}
