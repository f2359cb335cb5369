//! `supple schema`: the JSON schema of scene files, and the page of their keys that is made of it.
use std::collections::{BTreeSet, VecDeque};
use std::io::Write;

use miette::IntoDiagnostic;
use serde_json::Value;
use supple::scene::file::SceneFile;

use super::Failure;

/// Print the JSON schema of scene files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the keys as Markdown instead: the page docs/scene-keys.md
    #[arg(long)]
    markdown: bool,
}

/// Prints the schema, or the page.
pub fn run(args: &Args) -> Result<(), Failure> {
    let schema = schemars::schema_for!(SceneFile);
    let text = if args.markdown {
        Page::of(schema.as_value())
    } else {
        serde_json::to_string_pretty(&schema).into_diagnostic().map_err(Failure::run)? + "\n"
    };
    std::io::stdout().write_all(text.as_bytes()).into_diagnostic().map_err(Failure::run)
}

const HEAD: &str = "# Scene keys\n\nEvery key of a [scene file](scene-format.md): type, default and meaning. The library's types are the source: `supple schema` \
    prints them as a JSON schema for editors, and `supple schema --markdown` prints this page.\n\n## The file\n";

/// The page while it is written: types are described in the order in which they are first named.
struct Page {
    text: String,
    named: BTreeSet<String>,
    next: VecDeque<String>,
}

impl Page {
    fn of(schema: &Value) -> String {
        let mut page = Page { text: HEAD.into(), named: BTreeSet::new(), next: VecDeque::new() };
        page.definition(schema);
        while let Some(name) = page.next.pop_front() {
            let definition = schema.pointer(&format!("/$defs/{name}")).unwrap_or(&Value::Null);
            page.text += &format!("\n## {name}\n");
            page.definition(definition);
        }
        page.text
    }

    /// A type: its description, and its keys, values or alternatives.
    fn definition(&mut self, of: &Value) {
        let about = description(of);
        if !about.is_empty() {
            self.text += &format!("\n{about}\n");
        }
        if of.get("properties").is_some() {
            self.keys(of);
        } else if let Some(all) = alternatives(of) {
            // Tables told apart by their `kind`, or a list of values.
            let (tables, values): (Vec<_>, Vec<_>) =
                all.iter().partition(|one| one.get("properties").is_some());
            if !values.is_empty() {
                self.text += "\n";
            }
            for one in values {
                let (kind, about) = (self.kind(one), description(one));
                let about = if about.is_empty() { about } else { format!(": {about}") };
                self.text += &format!("- {kind}{about}\n");
            }
            for one in tables {
                let tag = one.pointer("/properties/kind/const").and_then(Value::as_str);
                let tag = tag.map_or_else(|| "A table".into(), |tag| format!("`kind = \"{tag}\"`"));
                self.text += &format!("\n**{tag}**: {}\n", description(one));
                self.keys(one);
            }
        } else {
            let kind = self.kind(of);
            self.text += &format!("\nType: {kind}\n");
        }
    }

    /// The table of a table's keys.
    fn keys(&mut self, of: &Value) {
        let Some(keys) = of.get("properties").and_then(Value::as_object) else { return };
        let required = |key: &str| {
            let all = of.get("required").and_then(Value::as_array);
            all.is_some_and(|all| all.iter().any(|r| r == key))
        };
        let keys: Vec<_> = keys.iter().filter(|(_, value)| value.get("const").is_none()).collect();
        if keys.is_empty() {
            return;
        }
        self.text += "\n| key | type | default | meaning |\n|---|---|---|---|\n";
        for (key, value) in keys {
            let default = match value.get("default") {
                _ if required(key) => "required".into(),
                // Defaults of whole tables stand at their keys.
                None | Some(Value::Null | Value::Object(_)) => String::new(),
                Some(value) => format!("`{value}`"),
            };
            let kind = self.kind(value);
            self.text += &format!("| `{key}` | {kind} | {default} | {} |\n", description(value));
        }
    }

    /// A type in words; what has a section of its own as a link to it.
    fn kind(&mut self, of: &Value) -> String {
        if let Some(name) = of.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/")) {
            if self.named.insert(name.into()) {
                self.next.push_back(name.into());
            }
            return format!("[{name}](#{})", name.to_ascii_lowercase());
        }
        if let Some(value) = of.get("const") {
            return format!("`{value}`");
        }
        if let Some(all) = alternatives(of) {
            let kinds: Vec<String> =
                all.iter().filter(|one| !is_null(one)).map(|one| self.kind(one)).collect();
            return kinds.join(" or ");
        }
        let name = match of.get("type") {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            one => one.and_then(Value::as_str),
        };
        match name {
            Some("array") => {
                let items = of.get("items").map_or_else(|| "values".into(), |items| self.kind(items));
                match of.get("minItems").and_then(Value::as_u64) {
                    Some(count) if of.get("maxItems").and_then(Value::as_u64) == Some(count) => {
                        format!("{count} × {items}")
                    }
                    _ => format!("list of {items}"),
                }
            }
            Some("object") => "table".into(),
            Some("boolean") => "true or false".into(),
            Some(name) => name.into(),
            None => "value".into(),
        }
    }
}

/// What a value may be, if it may be several things.
fn alternatives(of: &Value) -> Option<&Vec<Value>> {
    of.get("oneOf").or_else(|| of.get("anyOf")).and_then(Value::as_array)
}

fn is_null(of: &Value) -> bool {
    of.get("type").is_some_and(|kind| kind == "null")
}

/// The description in one line that may stand in a table.
fn description(of: &Value) -> String {
    let text = of.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
