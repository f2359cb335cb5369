//! Where the built-in scenes are: in the repository's folder `scenes/`, or beside this file in a packed crate, into which the link
//! `scenes` is followed. Not the link itself in the repository, since systems without links have a file in its place.
#![allow(clippy::print_stdout)]

use std::path::Path;

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = here.join("../../scenes");
    let scenes = if shared.is_dir() { shared } else { here.join("scenes") };
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SUPPLE_SCENES={}", scenes.display());
}
