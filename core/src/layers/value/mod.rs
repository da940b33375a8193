//! The value layer.
