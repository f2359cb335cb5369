//! How reports are written: each number once, with its meaning and unit, and how it joins with that of the next step of the same frame.
//!
//! `report!` makes of such a list the structure, its words and numbers as ([`Value`]) for JSON and Python, and the report of several
//! steps. To add a number, write a line of it, and fill it in where it is known.

use serde::{Serialize, Serializer};

/// A word or a number of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Value {
    /// How many.
    Count(u64),
    /// How much.
    Number(f64),
    /// One of some words.
    Word(&'static str),
    /// Several that belong together.
    #[serde(serialize_with = "as_map")]
    Group(Vec<(&'static str, Value)>),
}

/// Named values as a map.
pub(crate) fn as_map<S: Serializer>(fields: &[(&'static str, Value)], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(fields.iter().map(|(name, value)| (*name, value)))
}

impl From<u64> for Value {
    fn from(n: u64) -> Value {
        Value::Count(n)
    }
}
impl From<usize> for Value {
    fn from(n: usize) -> Value {
        Value::Count(n as u64)
    }
}
impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Number(x)
    }
}

/// Of two steps of a frame: `sum`, the `max`, that of the `last`, or the `worse`.
macro_rules! join {
    (sum, $a:expr, $b:expr) => {
        $a + $b
    };
    (max, $a:expr, $b:expr) => {
        $a.max($b)
    };
    (last, $a:expr, $b:expr) => {
        $b
    };
    (worse, $a:expr, $b:expr) => {
        $a.worse($b)
    };
}

/// A report: a structure whose fields have a type and a way to `join!`; behind them parts that are reports themselves.
macro_rules! report {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ $field:ident: $type:ty, $join:ident; )*
            $( .. $(#[doc = $part_doc:literal])+ $part:ident: $report:ty; )*
        }
    ) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )*
            $( $(#[doc = $part_doc])+ pub $part: $report, )*
        }

        impl $name {
            /// Name and meaning of each word and number, those of its parts too.
            pub fn meanings() -> Vec<(&'static str, &'static str)> {
                [vec![$( (stringify!($field), concat!($($doc, "\n"),+)) ),*], $( <$report>::meanings() ),*].concat()
            }

            /// Its words and numbers by name, those of its parts too.
            pub fn fields(&self) -> Vec<(&'static str, $crate::report::Value)> {
                [
                    vec![$( (stringify!($field), $crate::report::Value::from(self.$field)) ),*],
                    $( self.$part.fields() ),*
                ]
                .concat()
            }

            /// Of this step and the next one of the same frame together.
            #[must_use]
            pub fn and(&self, next: &$name) -> $name {
                $name {
                    $( $field: join!($join, self.$field, next.$field), )*
                    $( $part: self.$part.and(&next.$part), )*
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                $crate::report::as_map(&self.fields(), s)
            }
        }
    };
}
