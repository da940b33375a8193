//! The closed catalogue of layers and finding codes.
//!
//! A code is stable API: the same string stands in the finding, the metric label, the log, the policy file, the
//! heading of `docs/codes.md` and the case files. Adding one here is all that the rest of the code needs to know it.

/// One of the five layers, in the order in which they are named everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Is it readable, and does it fit the tool's schema?
    Schema,
    /// Does the tool exist, is it allowed, is it the right one?
    Selection,
    /// Are the arguments sane, grounded, safe?
    Value,
    /// Does the result answer what the user asked?
    Semantic,
    /// Loops, storms, errors that spread.
    Cascade,
}

impl Layer {
    /// Every layer, in order.
    pub const ALL: [Layer; 5] = [
        Layer::Schema,
        Layer::Selection,
        Layer::Value,
        Layer::Semantic,
        Layer::Cascade,
    ];

    /// The name used on every wire and as a metric label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::Schema => "schema",
            Layer::Selection => "selection",
            Layer::Value => "value",
            Layer::Semantic => "semantic",
            Layer::Cascade => "cascade",
        }
    }

    /// The layer of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == name)
    }

    /// Position in [`Layer::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What an enforced finding leads to, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// The call passes; the finding is told.
    Note,
    /// The call was repaired without loss.
    Repair,
    /// The model is asked once more, with a correction.
    Retry,
    /// A simpler tool, or text, takes the call's place.
    Fallback,
}

impl Action {
    /// The name used in policy files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Action::Note => "note",
            Action::Repair => "repair",
            Action::Retry => "retry",
            Action::Fallback => "fallback",
        }
    }
}

/// Declares [`Code`] with its strings, layers and defaults in one table, so that no list of codes can fall behind.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $layer:ident, $action:ident;)+) => {
        /// What was found. See the table in `docs/codes.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $variant,)+ }

        impl Code {
            /// Every code, in the order of the layers.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The string used on every wire, in policies and as a metric label.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)+ }
            }

            /// The layer that finds it.
            pub const fn layer(self) -> Layer {
                match self { $(Code::$variant => Layer::$layer,)+ }
            }

            /// What it leads to where neither the layer (cascade stages) nor the policy says otherwise.
            pub const fn default_action(self) -> Action {
                match self { $(Code::$variant => Action::$action,)+ }
            }
        }
    };
}

codes! {
    /// The arguments are not JSON, and no lossless reading exists.
    MalformedJson = "malformed_json", Schema, Retry;
    /// The model was cut off, by length or in the middle of a call.
    Truncated = "truncated", Schema, Retry;
    /// An object holds the same key twice with different values.
    DuplicateKey = "duplicate_key", Schema, Retry;
    /// The arguments are JSON, but not an object.
    NotAnObject = "not_an_object", Schema, Retry;
    /// Bytes that are not UTF-8, or a lone surrogate.
    InvalidEncoding = "invalid_encoding", Schema, Retry;
    /// A required argument is missing.
    MissingRequired = "missing_required", Schema, Retry;
    /// An argument that the tool does not have.
    UnknownParam = "unknown_param", Schema, Retry;
    /// A value of another type than the schema's.
    WrongType = "wrong_type", Schema, Retry;
    /// A value outside the schema's enum or const.
    WrongEnum = "wrong_enum", Schema, Retry;
    /// A number, length or count outside the schema's bounds.
    OutOfRange = "out_of_range", Schema, Retry;
    /// A text that does not match the schema's pattern.
    PatternMismatch = "pattern_mismatch", Schema, Retry;
    /// A text that does not have the schema's format.
    FormatInvalid = "format_invalid", Schema, Retry;
    /// Another constraint of the schema is broken.
    ConstraintFailed = "constraint_failed", Schema, Retry;
    /// The arguments are larger than the limit.
    TooLarge = "too_large", Schema, Retry;
    /// The arguments are nested deeper than the limit.
    TooDeep = "too_deep", Schema, Retry;
    /// The tool's own schema cannot be used.
    ToolSchemaInvalid = "tool_schema_invalid", Schema, Note;
    /// A code fence around the JSON was taken off.
    RepairedFence = "repaired_fence", Schema, Repair;
    /// Commas before a closing bracket were taken off.
    RepairedTrailingComma = "repaired_trailing_comma", Schema, Repair;
    /// Comments were taken out.
    RepairedComment = "repaired_comment", Schema, Repair;
    /// `True`, `False`, `None` were read as JSON literals.
    RepairedPythonLiteral = "repaired_python_literal", Schema, Repair;
    /// Single quotes were read as delimiters.
    RepairedQuotes = "repaired_quotes", Schema, Repair;
    /// Bare keys were quoted.
    RepairedBareKey = "repaired_bare_key", Schema, Repair;
    /// Raw control characters in a text were escaped.
    RepairedControlChar = "repaired_control_char", Schema, Repair;
    /// A byte order mark was taken off.
    RepairedBom = "repaired_bom", Schema, Repair;
    /// The same JSON, or an empty placeholder, stood beside the arguments.
    RepairedConcatenation = "repaired_concatenation", Schema, Repair;
    /// The arguments were JSON text inside a JSON string.
    RepairedDoubleEncoding = "repaired_double_encoding", Schema, Repair;
    /// Nothing at all was read as "no arguments", where the tool takes none.
    RepairedEmptyArguments = "repaired_empty_arguments", Schema, Repair;
    /// A key was repeated with the same value.
    RepairedDuplicateKey = "repaired_duplicate_key", Schema, Repair;
    /// A text of a number became the number.
    RepairedNumberText = "repaired_number_text", Schema, Repair;
    /// A number became the one choice of the schema that is its text.
    RepairedTextFromNumber = "repaired_text_from_number", Schema, Repair;
    /// A text of a boolean became the boolean.
    RepairedBooleanText = "repaired_boolean_text", Schema, Repair;
    /// A text of JSON became the array or object.
    RepairedNestedJson = "repaired_nested_json", Schema, Repair;
    /// A single value became an array of one.
    RepairedSingleToArray = "repaired_single_to_array", Schema, Repair;
    /// `3.0` became `3`.
    RepairedIntegralNumber = "repaired_integral_number", Schema, Repair;
    /// An enum value was written in another case.
    RepairedEnumCase = "repaired_enum_case", Schema, Repair;
    /// An optional argument sent as null, "" or "null" was left out.
    RepairedUnsetOptional = "repaired_unset_optional", Schema, Repair;
    /// A key was written in another case or with other separators.
    RepairedKeyName = "repaired_key_name", Schema, Repair;
    /// A key that a closed schema does not know was left out.
    RepairedUnknownKey = "repaired_unknown_key", Schema, Repair;
    /// A call that stood in the text, in a known notation, was read as a call.
    RepairedCallInText = "repaired_call_in_text", Schema, Repair;
    /// A call without an id, or with another call's, was given one of its own.
    RepairedCallId = "repaired_call_id", Schema, Repair;
    /// Two calls that a stream had glued together were taken apart.
    RepairedStreamIndex = "repaired_stream_index", Schema, Repair;

    /// No such tool was offered.
    UnknownTool = "unknown_tool", Selection, Retry;
    /// The tool exists, but may not be called here.
    ToolNotAllowed = "tool_not_allowed", Selection, Retry;
    /// A call was required, and none came.
    ToolChoiceUnmet = "tool_choice_unmet", Selection, Retry;
    /// Several calls where only one is allowed.
    ParallelNotAllowed = "parallel_not_allowed", Selection, Retry;
    /// A call, though no tool was offered.
    NoToolsOffered = "no_tools_offered", Selection, Retry;
    /// The name was written otherwise than the one tool that it can mean.
    RepairedToolName = "repaired_tool_name", Selection, Repair;

    /// A path that climbs out of where it starts.
    PathTraversal = "path_traversal", Value, Fallback;
    /// A path outside the roots that the policy allows.
    PathOutsideRoot = "path_outside_root", Value, Fallback;
    /// A URL or host that reaches inside: metadata addresses, disguised or link-local hosts.
    SsrfTarget = "ssrf_target", Value, Fallback;
    /// A shell command smuggled into a value that is none.
    ShellInjection = "shell_injection", Value, Fallback;
    /// SQL smuggled into a value that is none.
    SqlInjection = "sql_injection", Value, Fallback;
    /// A placeholder where a value belongs.
    Placeholder = "placeholder", Value, Retry;
    /// A rule of the operator's is broken.
    PolicyViolation = "policy_violation", Value, Fallback;

    /// The result is an error.
    ResultError = "result_error", Semantic, Retry;
    /// The result is empty where data was asked for.
    ResultEmpty = "result_empty", Semantic, Note;
    /// The result was cut off.
    ResultTruncated = "result_truncated", Semantic, Note;
    /// The result answers no call that is known, or one that was answered already.
    ResultUnmatched = "result_unmatched", Semantic, Note;
    /// The result does not fit the tool's output schema.
    ResultSchemaMismatch = "result_schema_mismatch", Semantic, Note;
    /// The result holds orders to the model.
    ResultInjection = "result_injection", Semantic, Note;
    /// The cheap model says that the result does not answer the intent.
    ResultOffIntent = "result_off_intent", Semantic, Fallback;
    /// The judge could not answer, and the policy lets nothing unjudged through.
    ResultUnjudged = "result_unjudged", Semantic, Fallback;

    /// The same call again, and every earlier result was the same.
    LoopNoProgress = "loop_no_progress", Cascade, Note;
    /// The same call again and again, whatever the result.
    LoopSameCall = "loop_same_call", Cascade, Note;
    /// A few calls in a circle with stable results.
    LoopCycle = "loop_cycle", Cascade, Note;
    /// The same error from the same tool, whatever the arguments.
    ErrorStreak = "error_streak", Cascade, Note;
    /// Names that do not exist, again and again.
    UnknownToolStreak = "unknown_tool_streak", Cascade, Retry;
    /// Rejected calls pile up.
    RetryStorm = "retry_storm", Cascade, Fallback;
    /// An argument was taken from a failed, empty or rejected result.
    ErrorPropagation = "error_propagation", Cascade, Retry;
    /// The same call twice in one response: it runs once.
    DuplicateCall = "duplicate_call", Cascade, Repair;
    /// A call with a side effect was repeated after it had succeeded.
    DuplicateSideEffect = "duplicate_side_effect", Cascade, Retry;
}

impl Code {
    /// The code of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// Position in [`Code::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}
