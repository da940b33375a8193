# The commands that CI runs, for people.

# Build and test everything.
test:
    cargo test --workspace --locked

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Judge the examples with the server inside the command.
demo:
    cargo run --release --locked -p toolward-client -- check --embedded --policy examples/policy.toml examples/*.json*

# Ratios against the floor, in one run.
bench:
    cargo bench --locked -p toolward-server --bench floor

# Licences, advisories, duplicates.
deny:
    cargo deny check

# Prometheus configuration, rules and alerts.
dashboards:
    promtool check config dashboards/prometheus/prometheus.yml
    promtool test rules dashboards/prometheus/tests/toolward.yml

# Write the generated documents anew.
docs:
    TOOLWARD_WRITE_DOCS=1 cargo test --workspace --locked docs
