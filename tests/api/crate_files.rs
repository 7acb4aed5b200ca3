//! The parsed source files of a crate.

use std::fs;
use std::path::Path;

use syn::{Attribute, File, Item};

/// The files of a crate, each with the top-level module that it belongs to; the root's is empty.
pub(super) struct CrateFiles {
    files: Vec<(String, File)>,
}

impl CrateFiles {
    /// Reads all Rust files of a folder and its subfolders.
    pub(super) fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(at) = folders.pop() {
            for entry in fs::read_dir(&at).unwrap_or_else(|error| panic!("{}: {error}", at.display())) {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).expect("text");
                    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    let inside = path.strip_prefix(folder).expect("a file of the folder").with_extension("");
                    let module = inside.iter().next().map(|part| part.to_string_lossy().into_owned());
                    files.push((module.filter(|name| name != "lib").unwrap_or_default(), path, parsed));
                }
            }
        }
        files.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
        CrateFiles { files: files.into_iter().map(|(module, _, file)| (module, file)).collect() }
    }

    /// The file of the root.
    pub(super) fn root(&self) -> &File {
        let root = self.files.iter().find(|(module, _)| module.is_empty());
        &root.expect("the crate has a root").1
    }

    /// The items of the files of a top-level module, without tests.
    pub(super) fn items_of<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'a Item> {
        self.items().filter(move |(of, _)| *of == module).map(|(_, item)| item)
    }

    /// All items at the top level of files, without tests, each with its top-level module.
    pub(super) fn items(&self) -> impl Iterator<Item = (&str, &Item)> {
        let items = self.files.iter().flat_map(|(module, file)| file.items.iter().map(move |item| (&**module, item)));
        items.filter(|(_, item)| !is_test(item))
    }

    /// Whether a type or trait of this name is defined in the crate.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.items().any(|(_, item)| type_name(item).is_some_and(|known| known == name))
    }
}

/// The name of a type or a trait that an item defines.
pub(super) fn type_name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Struct(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

/// Whether an item exists only in tests.
fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        _ => &[],
    };
    has_attribute(attributes, "cfg", "test")
}

/// Whether an item has an attribute `name(argument)`.
pub(super) fn has_attribute(attributes: &[Attribute], name: &str, argument: &str) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident(name) && attribute.parse_args::<syn::Ident>().is_ok_and(|found| found == argument)
    })
}
