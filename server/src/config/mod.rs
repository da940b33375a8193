//! The server's configuration: a TOML file, with the environment over it, checked as a whole.
//!
//! Reading never stops at the first fault: every unknown key, wrong type and value out of range is reported at once,
//! with its path and what is allowed. Paths are taken from the configuration file's folder. Policies and keys are read
//! here too, so that a service that starts has everything it needs. The keys are listed in `docs/configuration.md`.

mod fault;
mod overrides;
mod reader;
mod sections;
mod settings;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use toml::Table;
use toolward_core::policy::Policy;

use reader::Report;

pub use fault::{ConfigError, ConfigFault};
pub use settings::{
    JudgeSettings, LimitSettings, ListenSettings, LogFormat, LogSettings, OpenaiSettings, SessionSettings,
    ToolsetSettings,
};

/// The policy that holds where a request names none and the configuration no other.
pub const DEFAULT_POLICY: &str = "default";

/// Largest configuration, policy or key file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    pub(crate) listen: ListenSettings,
    pub(crate) limits: LimitSettings,
    pub(crate) policies: BTreeMap<String, Arc<Policy>>,
    pub(crate) default_policy: String,
    pub(crate) judge: JudgeSettings,
    pub(crate) sessions: SessionSettings,
    pub(crate) toolsets: ToolsetSettings,
    pub(crate) log: LogSettings,
    warnings: Vec<String>,
}

impl Config {
    /// Reads a file, and the environment over it. No file: the defaults.
    ///
    /// # Errors
    /// All faults of the configuration and of the policies that it names.
    pub fn load(path: Option<&Path>, environment: impl IntoIterator<Item = (String, String)>) -> Result<Self, ConfigError> {
        let environment: Vec<(String, String)> = environment.into_iter().collect();
        let Some(path) = path else {
            return Self::parse("", Path::new("."), &environment);
        };
        let text = read(path).map_err(|message| ConfigError {
            faults: vec![ConfigFault::new("", format!("{}: {message}", path.display()), None)],
        })?;
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        Self::parse(&text, folder, &environment)
    }

    /// Reads a text, and an environment over it; paths start at the folder.
    ///
    /// # Errors
    /// All faults of the configuration and of the policies that it names.
    pub fn parse(text: &str, folder: &Path, environment: &[(String, String)]) -> Result<Self, ConfigError> {
        let mut root: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map(|span| 1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count());
            let place = line.map_or_else(String::new, |line| format!("line {line}: "));
            ConfigError {
                faults: vec![ConfigFault::new("", format!("{place}not TOML: {}", error.message()), None)],
            }
        })?;
        let mut report = Report::default();
        overrides::apply(&mut root, environment, &mut report.faults);
        let config = sections::read(&mut root, folder, &mut report);
        if report.faults.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError { faults: report.faults })
        }
    }

    /// With a policy under a name; an earlier one of that name is replaced.
    #[must_use]
    pub fn with_policy(mut self, name: impl Into<String>, policy: Policy) -> Self {
        self.policies.insert(name.into(), Arc::new(policy));
        self
    }

    /// What is odd, but no fault: parts of a policy that can never have an effect, and the like.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Where the service listens.
    pub fn listen(&self) -> ListenSettings {
        self.listen
    }

    /// The log's settings.
    pub fn log(&self) -> &LogSettings {
        &self.log
    }

    /// Every key with its range, default and meaning, as Markdown: the whole of `docs/configuration.md`.
    pub fn document() -> String {
        let mut report = Report::default();
        let _defaults = sections::read(&mut Table::new(), Path::new("."), &mut report);
        let mut text = String::from(
            "# Server configuration\n\nA TOML file (`toolward-server --config FILE`); without one the defaults hold. `TOOLWARD__SECTION__KEY` in the\nenvironment takes the place of a key. Unknown keys are errors, and all faults are reported at once\n(`--check-config`). Written from `server/src/config/sections.rs` by `just docs`; do not edit.\n",
        );
        let mut section = String::new();
        for key in report.declared {
            if key.section != section {
                text.push_str(&format!(
                    "\n## `[{}]`\n\n| key | allowed | default | meaning |\n|---|---|---|---|\n",
                    key.section
                ));
                section = key.section;
            }
            let default = if key.default.is_empty() { "–".to_owned() } else { format!("`{}`", key.default) };
            let range = key.range.replace('|', "\\|");
            text.push_str(&format!("| `{}` | {range} | {default} | {} |\n", key.name, key.help));
        }
        text
    }
}

impl Default for Config {
    /// Every default; the policy is the one as shipped.
    fn default() -> Self {
        sections::read(&mut Table::new(), Path::new("."), &mut Report::default())
    }
}

/// The text of a file that is not too large.
fn read(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("larger than {MAX_FILE_BYTES} bytes"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

fn within(folder: &Path, path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { folder.join(path) }
}
