//! The closed vocabularies of the document and the enums of the contract that they stand for, in one table each.

use toolward_proto::v1;

/// Declares an enum with its words and its contract values, so that no direction can fall behind.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident = $wire:ty { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word in the document.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The value of that word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }

            /// The contract's number.
            pub(crate) const fn wire(self) -> i32 {
                match self { $($name::$variant => <$wire>::$variant as i32,)+ }
            }

            /// `None`: unspecified, or a number that this version does not know.
            pub(crate) fn from_wire(number: i32) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.wire() == number)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Self::parse(&word).ok_or_else(|| {
                    serde::de::Error::unknown_variant(&word, &[$($word,)+])
                })
            }
        }
    };
}

words! {
    /// How a candidate is written; absent in a document (or `auto`): recognised from its shape.
    Format = v1::WireFormat {
        /// An OpenAI Chat Completions response, or its assistant message.
        OpenaiChat = "openai_chat",
        /// An OpenAI Responses response, or its output items.
        OpenaiResponses = "openai_responses",
        /// A captured OpenAI Chat stream: its text, or an array of its chunks.
        OpenaiSse = "openai_sse",
        /// An Anthropic Messages response, or its assistant message.
        Anthropic = "anthropic",
        /// A Gemini `generateContent` response.
        Gemini = "gemini",
        /// A JSON-RPC `tools/call` request.
        Mcp = "mcp",
        /// An Ollama chat response.
        Ollama = "ollama",
        /// The emulation's JSON.
        JsonMode = "json_mode",
        /// Text in which calls may be written.
        Text = "text",
    }
}

words! {
    /// One of the five layers.
    Layer = v1::Layer {
        /// Readable, and of the tool's schema?
        Schema = "schema",
        /// A tool that exists, is allowed and is the right one?
        Selection = "selection",
        /// Sane, grounded, safe arguments?
        Value = "value",
        /// A result that answers what the user asked?
        Semantic = "semantic",
        /// Loops, storms, errors that spread?
        Cascade = "cascade",
    }
}

words! {
    /// What is decided.
    Decision = v1::Decision {
        /// The request itself was refused, or the decision is one that this version does not know: forward nothing.
        Unspecified = "error",
        /// As received.
        Pass = "pass",
        /// Repaired without loss.
        Repaired = "repaired",
        /// Ask the model once more.
        Retry = "retry",
        /// Something simpler takes its place.
        Fallback = "fallback",
    }
}

words! {
    /// How grave a finding is.
    Severity = v1::Severity {
        /// To know.
        Info = "info",
        /// To look at.
        Warn = "warn",
        /// The call may not run as it is.
        Block = "block",
    }
}

words! {
    /// How a layer ended.
    LayerOutcome = v1::LayerOutcome {
        /// Nothing that blocks.
        Pass = "pass",
        /// Something that blocks.
        Fail = "fail",
        /// It did not run.
        Skipped = "skipped",
        /// It could not answer.
        Degraded = "degraded",
    }
}

words! {
    /// What takes the call's place.
    FallbackKind = v1::FallbackKind {
        /// A simpler tool.
        Tool = "tool",
        /// An answer in words.
        Text = "text",
        /// A question to the user.
        AskUser = "ask_user",
        /// The end of the run.
        Stop = "stop",
    }
}

words! {
    /// Whether lossless repairs are made.
    Repair = v1::RepairMode {
        /// Led by the schema, without loss.
        Safe = "safe",
        /// None.
        Off = "off",
    }
}

words! {
    /// Whether the decision holds.
    RunMode = v1::RunMode {
        /// It holds.
        Enforce = "enforce",
        /// It is told as `would_decide`; the decision is `pass`.
        Shadow = "shadow",
    }
}

words! {
    /// Which calls of the answer carry their arguments.
    ArgumentsEcho = v1::ArgumentsEcho {
        /// Every call.
        All = "all",
        /// Only those that may not be forwarded as received.
        Changed = "changed",
    }
}

impl Decision {
    /// Whether what it is about may run.
    pub const fn allows(self) -> bool {
        match self {
            Decision::Pass | Decision::Repaired => true,
            Decision::Unspecified | Decision::Retry | Decision::Fallback => false,
        }
    }
}
