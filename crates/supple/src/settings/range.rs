//! What a setting may be, and the list that settings are made of.

use std::fmt;

/// Numbers that a setting may take; infinity and NaN never are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    /// True if the lowest or the highest number is itself not one of them.
    open: [bool; 2],
}

impl Range {
    /// Every finite number.
    pub const FINITE: Range = Range::from(f64::MIN);

    /// At least so much.
    pub const fn from(low: f64) -> Range {
        Range { low, high: f64::MAX, open: [false, false] }
    }
    /// More than so much.
    pub const fn above(low: f64) -> Range {
        Range { low, high: f64::MAX, open: [true, false] }
    }
    /// At most so much, too.
    pub const fn to(self, high: f64) -> Range {
        Range { low: self.low, high, open: [self.open[0], false] }
    }
    /// Less than so much, too.
    pub const fn below(self, high: f64) -> Range {
        Range { low: self.low, high, open: [self.open[0], true] }
    }

    /// The lowest and the highest number, where there are some.
    pub fn ends(&self) -> [Option<f64>; 2] {
        [Some(self.low).filter(|x| *x > f64::MIN), Some(self.high).filter(|x| *x < f64::MAX)]
    }

    /// True if a number is one of them.
    pub fn contains(&self, x: f64) -> bool {
        let low = if self.open[0] { x > self.low } else { x >= self.low };
        let high = if self.open[1] { x < self.high } else { x <= self.high };
        low && high
    }
}

impl fmt::Display for Range {
    /// As a sentence about the setting: `must lie between 0 and 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { low, high, open } = *self;
        match (low == f64::MIN, high == f64::MAX) {
            (true, true) => f.write_str("must be finite"),
            (false, true) if low == 0.0 && open[0] => f.write_str("must be positive and finite"),
            (false, true) if low == 0.0 => f.write_str("must be zero or positive, and finite"),
            (false, true) => write!(f, "must be {} {low}", if open[0] { "above" } else { "at least" }),
            (true, false) => write!(f, "must be {} {high}", if open[1] { "below" } else { "at most" }),
            (false, false) => {
                let ends = match open {
                    [false, false] => "",
                    [true, true] => ", both excluded",
                    [true, false] => ", the first excluded",
                    [false, true] => ", the last excluded",
                };
                write!(f, "must lie between {low:?} and {high:?}{ends}")
            }
        }
    }
}

/// A setting that is made of numbers.
pub trait Numbers: fmt::Debug {
    /// True if all its numbers are in the range; where there is none, they are.
    fn all_in(&self, range: &Range) -> bool;
}

impl Numbers for f64 {
    fn all_in(&self, range: &Range) -> bool {
        range.contains(*self)
    }
}
impl Numbers for usize {
    fn all_in(&self, range: &Range) -> bool {
        range.contains(*self as f64)
    }
}
impl<T: Numbers> Numbers for Option<T> {
    fn all_in(&self, range: &Range) -> bool {
        self.as_ref().is_none_or(|x| x.all_in(range))
    }
}
impl Numbers for [f64; 3] {
    fn all_in(&self, range: &Range) -> bool {
        self.iter().all(|x| range.contains(*x))
    }
}

/// A setting, as help and documentation show it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Key {
    /// Its table in scene files: `solve`.
    pub table: &'static str,
    /// Its name in Rust and Python: `time_budget`.
    pub name: &'static str,
    /// Its meaning and unit.
    pub meaning: &'static str,
    /// What it may be, if it is made of numbers.
    pub range: Option<Range>,
}

/// A table of settings: a structure whose fields have a meaning, a type, a default and, if they are made of numbers, a range.
///
/// It makes of them the structure, which Rust, scene files and Python share, its defaults, `KEYS` and `check`.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            $( $(#[doc = $doc:literal])+ $(#[serde($($serde:tt)+)])? $(#[schemars($($schema:tt)+)])?
               $field:ident: $type:ty = $default:expr $(, $range:expr)?; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $( $(#[doc = $doc])+
               $(#[serde($($serde)+)])?
               $(#[cfg_attr(feature = "schema", schemars($($schema)+))])?
               pub $field: $type, )*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $default ),* }
            }
        }

        impl $name {
            /// All settings of this table.
            pub const KEYS: &'static [$crate::settings::Key] = &[$( $crate::settings::Key {
                table: $table,
                name: stringify!($field),
                meaning: concat!($($doc, "\n"),+),
                range: settings!(@range $($range)?),
            } ),*];

            /// Checks every range.
            fn check(&self) -> Result<(), $crate::error::BuildError> {
                $( $( $crate::settings::range::check(
                    &self.$field, &$range, concat!($table, ".", stringify!($field)))?; )? )*
                Ok(())
            }
        }
    };
    (@range) => { None };
    (@range $range:expr) => { Some($range) };
}

/// That a setting's numbers are in its range.
pub(super) fn check(
    value: &impl Numbers,
    range: &Range,
    name: &'static str,
) -> Result<(), crate::error::BuildError> {
    if value.all_in(range) {
        return Ok(());
    }
    // What is not given is in every range: `Some` says nothing.
    let given = format!("{value:?}");
    let given = given.strip_prefix("Some(").and_then(|g| g.strip_suffix(')')).unwrap_or(&given);
    Err(crate::error::BuildError::Setting { name, reason: format!("{range}, not {given}") })
}
