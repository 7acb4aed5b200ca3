//! What the root of a crate exports, and its documented modules in braces.

use syn::{Attribute, File, Item, UseTree, Visibility};

use super::crate_files::has_attribute;

/// An item that a user may name.
pub(super) struct Export {
    /// The path that a user writes, without the crate's name.
    pub(super) path: String,
    /// The top-level module whose files define it; empty for another crate.
    pub(super) module: String,
    /// Its name there.
    pub(super) name: String,
}

/// All exports of a root.
pub(super) fn exports(root: &File) -> Vec<Export> {
    let mut found = Vec::new();
    of_items(&root.items, "", &mut found);
    found
}

fn of_items(items: &[Item], prefix: &str, found: &mut Vec<Export>) {
    for item in items {
        match item {
            Item::Use(item) if is_documented(&item.vis, &item.attrs) => {
                let mut path = Vec::new();
                spread(&item.tree, &mut path, prefix, found);
            }
            Item::Mod(item) if is_documented(&item.vis, &item.attrs) => match &item.content {
                Some((_, items)) => of_items(items, &format!("{prefix}{}::", item.ident), found),
                None => panic!("the module {} is documented: hide it and export what users need", item.ident),
            },
            Item::Fn(item) if is_documented(&item.vis, &item.attrs) => {
                panic!("{} is defined in the root: define it in a module and export it", item.sig.ident)
            }
            _ => {}
        }
    }
}

fn spread(tree: &UseTree, path: &mut Vec<String>, prefix: &str, found: &mut Vec<Export>) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            spread(&part.tree, path, prefix, found);
            path.pop();
        }
        UseTree::Name(name) => {
            let module = path.iter().find(|part| *part != "crate").cloned().unwrap_or_default();
            let name = name.ident.to_string();
            found.push(Export { path: format!("{prefix}{name}"), module, name });
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| spread(tree, path, prefix, found)),
        UseTree::Rename(name) => panic!("{} is renamed: one name a thing", name.ident),
        UseTree::Glob(_) => panic!("a glob says nothing of what it exports"),
    }
}

/// Whether documents show an item: it is public, and not hidden.
pub(super) fn is_documented(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !has_attribute(attributes, "doc", "hidden")
}
