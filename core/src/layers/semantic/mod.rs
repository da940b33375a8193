//! The semantic layer.
