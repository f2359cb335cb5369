//! Choices: enums whose values have a word each, in scene files, JSON and Python. To add a value, write a line of it.

/// An enum whose values have a word each, and perhaps a default.
macro_rules! choice {
    (
        $(#[$meta:meta])+
        pub enum $name:ident $(: $default:ident)? {
            $( $(#[doc = $doc:literal])+ $(#[serde($($serde:tt)+)])? $variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$meta])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $( $(#[doc = $doc])+ $(#[serde($($serde)+)])? #[serde(rename = $word)] $variant, )+
        }

        $( impl Default for $name {
            fn default() -> $name {
                $name::$default
            }
        } )?

        impl $name {
            /// All of them.
            pub const ALL: [$name; [$( $word ),+].len()] = [$( $name::$variant ),+];

            /// The word used in scene files, JSON, Python and messages.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( $name::$variant => $word, )+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
