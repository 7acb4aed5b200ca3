//! An exported item as its users see it: its definition without documents, bodies and private parts, its methods, and the
//! traits that it has.

use std::collections::BTreeSet;

use syn::visit::Visit;
use syn::{Attribute, Block, Fields, File, ImplItem, Item, ItemImpl, Type, parse_quote};

use super::crate_files::{CrateFiles, type_name};
use super::exports::{Export, is_documented};

/// An exported item.
pub(super) struct Listed {
    /// Its definition and its methods, as syntax.
    items: Vec<Item>,
    /// The same as text, with the traits that it has.
    pub(super) text: String,
}

impl Listed {
    /// Finds an item by its export.
    pub(super) fn of(files: &CrateFiles, export: &Export) -> Self {
        let Export { path, module, name } = export;
        if module.is_empty() {
            return Listed { items: Vec::new(), text: format!("pub use {name};\n") };
        }
        let is_it = |item: &&Item| match item {
            Item::Fn(item) => item.sig.ident == name,
            Item::Const(item) => item.ident == name,
            Item::Static(item) => item.ident == name,
            other => type_name(other).is_some_and(|known| known == *name),
        };
        let found: Vec<&Item> = files.items_of(module).filter(is_it).collect();
        let [definition] = found[..] else { panic!("{path} has {} definitions in `{module}`", found.len()) };
        let mut items = vec![without_private_parts(definition)];
        let (of_traits, own): (Vec<_>, Vec<_>) =
            impls_of(files, module, name).into_iter().partition(|block| block.trait_.is_some());
        items.extend(own.into_iter().filter_map(documented_methods));
        let mut text = unparsed(items.clone());
        let traits: BTreeSet<String> = of_traits
            .into_iter()
            .map(|block| unparsed(vec![Item::Impl(ItemImpl { attrs: Vec::new(), items: Vec::new(), ..block.clone() })]))
            .collect();
        text.extend(traits);
        Listed { items, text }
    }
}

fn unparsed(items: Vec<Item>) -> String {
    prettyplease::unparse(&File { shebang: None, frontmatter: None, attrs: Vec::new(), items })
}

/// The impl blocks of a type, in whatever file they stand. Another module may have a type of the same name of its own.
fn impls_of<'a>(files: &'a CrateFiles, module: &str, name: &str) -> Vec<&'a ItemImpl> {
    let is_own_of = |other: &str| files.items_of(other).any(|item| type_name(item).is_some_and(|known| known == name));
    let blocks = files.items().filter_map(|(of, item)| match item {
        Item::Impl(block) if self_name(block).is_some_and(|known| known == name) => Some((of, block)),
        _ => None,
    });
    blocks.filter(|(of, _)| *of == module || !is_own_of(of)).map(|(_, block)| block).collect()
}

/// The name of the type that a block is about.
fn self_name(block: &ItemImpl) -> Option<String> {
    match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
        _ => None,
    }
}

/// The documented methods and constants of a block, without bodies; `None` where there are none.
fn documented_methods(block: &ItemImpl) -> Option<Item> {
    let mut block = block.clone();
    block.attrs.clear();
    block.items.retain(|item| match item {
        ImplItem::Fn(item) => is_documented(&item.vis, &item.attrs),
        ImplItem::Const(item) => is_documented(&item.vis, &item.attrs),
        ImplItem::Type(item) => is_documented(&item.vis, &item.attrs),
        _ => false,
    });
    for item in &mut block.items {
        match item {
            ImplItem::Fn(item) => {
                item.attrs.clear();
                item.block = nothing();
            }
            ImplItem::Const(item) => {
                item.attrs.clear();
                item.expr = parse_quote!(..);
            }
            _ => {}
        }
    }
    (!block.items.is_empty()).then_some(Item::Impl(block))
}

fn without_private_parts(item: &Item) -> Item {
    let mut item = item.clone();
    match &mut item {
        Item::Struct(item) => {
            let is_whole = public_fields(&mut item.fields);
            keep_contract(&mut item.attrs);
            if !is_whole {
                // To users it is as if it had this attribute.
                item.attrs.push(parse_quote!(#[non_exhaustive]));
            }
        }
        Item::Enum(item) => {
            keep_contract(&mut item.attrs);
            for variant in &mut item.variants {
                keep_contract(&mut variant.attrs);
                for field in &mut variant.fields {
                    keep_contract(&mut field.attrs);
                }
            }
        }
        Item::Trait(item) => {
            keep_contract(&mut item.attrs);
            for item in &mut item.items {
                if let syn::TraitItem::Fn(item) = item {
                    keep_contract(&mut item.attrs);
                    item.default = item.default.is_some().then(nothing);
                }
            }
        }
        Item::Fn(item) => {
            keep_contract(&mut item.attrs);
            *item.block = nothing();
        }
        Item::Const(item) => {
            keep_contract(&mut item.attrs);
            *item.expr = parse_quote!(..);
        }
        Item::Static(item) => {
            keep_contract(&mut item.attrs);
            *item.expr = parse_quote!(..);
        }
        Item::Type(item) => keep_contract(&mut item.attrs),
        _ => {}
    }
    item
}

/// Leaves only the documented fields; returns whether all fields are.
fn public_fields(fields: &mut Fields) -> bool {
    let fields = match fields {
        Fields::Named(fields) => &mut fields.named,
        Fields::Unnamed(fields) => &mut fields.unnamed,
        Fields::Unit => return true,
    };
    let count = fields.len();
    let kept = std::mem::take(fields).into_iter().filter(|field| is_documented(&field.vis, &field.attrs));
    *fields = kept
        .map(|mut field| {
            field.attrs.clear();
            field
        })
        .collect();
    fields.len() == count
}

/// Leaves the attributes that users depend on: derived traits, and what may not be matched.
fn keep_contract(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| ["derive", "non_exhaustive"].iter().any(|name| attribute.path().is_ident(name)));
}

fn nothing() -> Block {
    parse_quote!({})
}

/// The names in the types of an item's signatures.
pub(super) fn named_types(listed: &Listed) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
            // `Self::Error` is no name of its own.
            let is_of_self = path.path.segments.first().is_some_and(|part| part.ident == "Self");
            let last = path.path.segments.last().filter(|_| !is_of_self);
            self.0.extend(last.map(|part| part.ident.to_string()));
            syn::visit::visit_type_path(self, path);
        }

        fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
            self.0.extend(bound.path.segments.last().map(|part| part.ident.to_string()));
            syn::visit::visit_trait_bound(self, bound);
        }
    }
    let mut names = Names(BTreeSet::new());
    listed.items.iter().for_each(|item| names.visit_item(item));
    names.0
}
